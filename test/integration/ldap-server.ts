import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { freePort, startServer, type ServerProcess } from "@fanfare/testing";
import { Attribute, Change, Client } from "ldapts";

const BASE = "dc=example,dc=org";
const PEOPLE = `ou=people,${BASE}`;
const SEARCHER = { dn: `cn=search,${BASE}`, password: "search password" };
const ROOT = { dn: `cn=root,${BASE}`, password: "root password" };

/** The password of everyone in the directory. */
export const LDAP_PASSWORD = "directory horse";

export interface LdapServer {
  /** Settings of an instance that uses this directory without encryption. */
  env: Record<string, string>;
  /** For `ldaps://127.0.0.1`: the certificate is only for this address. */
  secureUrl: string;
  /** Its certificate, which no one else has signed. */
  certificate: string;
  process: ServerProcess;
  /** Adds someone with the password LDAP_PASSWORD; their address is `<uid>@example.org`. */
  add(uid: string, attributes?: Record<string, string>): Promise<void>;
  change(uid: string, attribute: string, value: string): Promise<void>;
  remove(uid: string): Promise<void>;
}

/** Starts OpenLDAP. Only its search account can read entries, and `locked` can't log in. */
export async function startLdapServer(): Promise<LdapServer> {
  const securePort = await freePort();
  const server = await startServer("slapd", {}, ({ port, folder }) => {
    const file = (name: string): string => join(folder, name);
    mkdirSync(file("data"));
    const pair = ["-keyout", file("key.pem"), "-out", file("certificate.pem")];
    const subject = ["-subj", "/CN=directory", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...pair, ...subject], {
      stdio: "ignore",
    });
    writeFileSync(file("slapd.conf"), configuration(folder));
    writeFileSync(file("start.ldif"), START);
    execFileSync("slapadd", ["-f", file("slapd.conf"), "-l", file("start.ldif")], { stdio: "pipe" });
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${securePort}/`;
    const url = `ldap://127.0.0.1:${port}`;
    return {
      command: "slapd",
      // The log level keeps it in the foreground.
      args: ["-f", file("slapd.conf"), "-h", urls, "-d", "0"],
      url,
      isReady: () => asRoot(url, () => Promise.resolve(true)),
    };
  });
  return {
    env: {
      LDAP_URL: server.url,
      LDAP_BASE_DN: PEOPLE,
      LDAP_BIND_DN: SEARCHER.dn,
      LDAP_BIND_PASSWORD: SEARCHER.password,
    },
    secureUrl: `ldaps://127.0.0.1:${securePort}`,
    certificate: readFileSync(join(server.folder, "certificate.pem"), "utf8"),
    process: server,
    add: (uid, attributes = {}) =>
      asRoot(server.url, (client) =>
        client.add(`uid=${uid},${PEOPLE}`, {
          objectClass: "inetOrgPerson",
          cn: uid,
          sn: uid,
          mail: `${uid}@example.org`,
          userPassword: LDAP_PASSWORD,
          ...attributes,
        }),
      ),
    change: (uid, type, value) => {
      const modification = new Attribute({ type, values: [value] });
      return asRoot(server.url, (client) =>
        client.modify(`uid=${uid},${PEOPLE}`, new Change({ operation: "replace", modification })),
      );
    },
    remove: (uid) => asRoot(server.url, (client) => client.del(`uid=${uid},${PEOPLE}`)),
  };
}

async function asRoot<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ url });
  try {
    await client.bind(ROOT.dn, ROOT.password);
    return await work(client);
  } finally {
    await client.unbind();
  }
}

const configuration = (folder: string): string => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
# As in Active Directory, an empty password is accepted for every entry.
allow bind_anon_cred bind_anon_dn
pidfile ${folder}/slapd.pid
TLSCertificateFile ${folder}/certificate.pem
TLSCertificateKeyFile ${folder}/key.pem

database mdb
suffix "${BASE}"
directory ${folder}/data
rootdn "${ROOT.dn}"
rootpw "${ROOT.password}"
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SEARCHER.dn}" read by * none
overlay ppolicy
ppolicy_default "cn=policy,${BASE}"
`;

const START = `dn: ${BASE}
objectClass: domain
dc: example

dn: ${PEOPLE}
objectClass: organizationalUnit
ou: people

dn: cn=policy,${BASE}
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE

dn: ${SEARCHER.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: search
userPassword: ${SEARCHER.password}

dn: uid=ann,${PEOPLE}
objectClass: inetOrgPerson
uid: ann
cn: Ann Lee
sn: Lee
mail: ann@example.org
userPassword: ${LDAP_PASSWORD}

dn: uid=locked,${PEOPLE}
objectClass: inetOrgPerson
uid: locked
cn: Locked
sn: Locked
userPassword: ${LDAP_PASSWORD}
pwdAccountLockedTime: 000001010000Z

dn: uid=empty,${PEOPLE}
objectClass: inetOrgPerson
uid: empty
cn: No password
sn: Password
`;

const OPERATIONS: Readonly<Record<number, string>> = { 0x60: "bind", 0x63: "search" };

/** Records which operations pass, each of which is one write of the client. */
export async function startLdapProxy(target: string) {
  const { hostname, port } = new URL(target);
  const operations: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    for (const each of [socket, upstream]) sockets.add(each.on("error", () => each.destroy()));
    socket.on("data", (request: Buffer) => {
      // SEQUENCE and its length, the INTEGER of the id, then the operation.
      const start = request[1]! < 0x80 ? 2 : 2 + (request[1]! & 0x7f);
      const operation = OPERATIONS[request[start + 2 + request[start + 1]!]!];
      if (operation !== undefined) operations.push(operation);
    });
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(await freePort(), "127.0.0.1");
  await once(server, "listening");
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    operations,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
