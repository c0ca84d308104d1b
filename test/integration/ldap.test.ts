import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { LIMITS } from "@fanfare/contract";
import { createAccount, freePort, isInstalled, must, post, type Person } from "@fanfare/testing";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { LDAP_PASSWORD, startLdapProxy, startLdapServer, type LdapServer } from "./ldap-server.ts";
import { startMailbox, type Mailbox } from "./mailbox.ts";

// Logins with the passwords of a real OpenLDAP server.

const PASSWORD = "correct horse";

describe.skipIf(!isInstalled("slapd"))("LDAP", () => {
  let directory: LdapServer;
  let mailbox: Mailbox;
  let instance: Instance;
  let admin: Person;
  const start = (env: Record<string, string>) =>
    startInstance({ ...directory.env, LOG_LEVEL: "silent", ...env });
  beforeAll(async () => {
    directory = await startLdapServer();
    mailbox = await startMailbox();
    instance = await start({ ...mailbox.env, PUBLIC_URL: "https://chat.example.org" });
    admin = await createAccount(instance.url);
  });
  afterAll(async () => {
    await instance?.stop();
    await mailbox?.stop();
    await directory?.process.stop();
  });

  const logIn = (username: string, password = LDAP_PASSWORD, code?: string) =>
    post(instance.url, "user.login", { username, password, code });
  const mustLogIn = (username: string) =>
    must(instance.url, "user.login", { username, password: LDAP_PASSWORD });

  /** Trusts a certificate besides the usual ones for the time of `work`. */
  const trusting = async <T>(certificate: string, work: () => Promise<T>): Promise<T> => {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, certificate]);
    try {
      return await work();
    } finally {
      setDefaultCACertificates(before);
    }
  };

  test("creates the account at the first login, and finds it again by name and address", async () => {
    const logins = await Promise.all([mustLogIn("ann"), mustLogIn("ann"), mustLogIn("ANN")]);
    const [first] = logins;
    expect(new Set(logins.map(({ user }) => user.id)).size).toBe(1);
    expect(first.user).toMatchObject({
      username: "ann",
      nickname: "Ann Lee",
      email: "ann@example.org",
      emailVerified: true,
      hasPassword: true,
      passwordInDirectory: true,
      oidcLinked: false,
      admin: false,
    });
    const again = await mustLogIn("ann@example.org");
    expect(again.user).toEqual(first.user);
    expect((await post(instance.url, "user.me", {}, again.accessToken)).ok).toBe(true);
  });

  test("rejects wrong and empty passwords, locked entries and those without a password", async () => {
    expect(await logIn("ann", "wrong horse")).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await logIn("ann", "")).toEqual(failed("VALIDATION_FAILED"));
    for (const name of ["locked", "empty", "stranger"])
      expect(await logIn(name)).toEqual(failed("WRONG_CREDENTIALS"));
  });

  test("takes the same steps for names that exist and those that don't", async () => {
    const proxy = await startLdapProxy(directory.env["LDAP_URL"]!);
    const own = await start({ LDAP_URL: proxy.url, LDAP_ADMIN_FILTER: "(employeeType=admin)" });
    const steps = async (username: string) => {
      const from = proxy.operations.length;
      expect(await post(own.url, "user.login", { username, password: "wrong horse" })).toEqual(
        failed("WRONG_CREDENTIALS"),
      );
      return proxy.operations.slice(from);
    };
    const known = await steps("ann");
    expect(known).toEqual(["bind", "search", "search", "bind"]);
    expect(await steps("stranger")).toEqual(known);
    await own.stop();
    await proxy.stop();
  });

  test("finds only the name that was typed, in one spelling", async () => {
    const spellings = [
      "an*",
      "*",
      "ann)(uid=ann",
      "*)(uid=*",
      "ann\\",
      "ann\0",
      " ann",
      "ann ",
      "ａnn",
      "an\u00adn",
    ];
    for (const name of spellings)
      expect([name, await logIn(name)]).toEqual([name, failed("WRONG_CREDENTIALS")]);
  });

  test("rejects a name that two entries have", async () => {
    await directory.add("twin1", { mail: "twins@example.org" });
    await directory.add("twin2", { mail: "twins@example.org" });
    expect(await logIn("twins@example.org")).toEqual(failed("WRONG_CREDENTIALS"));
    expect((await mustLogIn("twin1")).user.username).toBe("twin1");
    expect(await logIn("twin2")).toEqual(failed("EMAIL_TAKEN"));
  });

  test("ends with the entry in the directory", async () => {
    await directory.add("leaver");
    const { accessToken } = await mustLogIn("leaver");
    await directory.remove("leaver");
    expect(await logIn("leaver")).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await post(instance.url, "user.setupTotp", { password: LDAP_PASSWORD }, accessToken)).toEqual(
      failed("WRONG_CREDENTIALS"),
    );
    // A new entry is someone else, also with the same name and address.
    await directory.add("leaver");
    expect(await logIn("leaver")).toEqual(failed("EMAIL_TAKEN"));
    await directory.change("leaver", "mail", "another@example.org");
    expect((await mustLogIn("leaver")).user.username).toMatch(/^leaver\d{5}$/);
  });

  test("lets no one in whom the filter excludes, nor confirms their password", async () => {
    await directory.add("mover", { employeeType: "chat" });
    const filtered = await start({ LDAP_FILTER: "(&(uid={name})(employeeType=chat))" });
    const credentials = { username: "mover", password: LDAP_PASSWORD };
    const { accessToken } = await must(filtered.url, "user.login", credentials);
    const confirm = () => post(filtered.url, "user.setupTotp", { password: LDAP_PASSWORD }, accessToken);
    expect(await confirm()).toMatchObject({ ok: true });
    await directory.change("mover", "employeeType", "sales");
    expect(await post(filtered.url, "user.login", credentials)).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await confirm()).toEqual(failed("WRONG_CREDENTIALS"));
    await filtered.stop();
  });

  test("decides at each login who is an admin, if a filter says so", async () => {
    await directory.add("boss", { employeeType: "sales" });
    const own = await start({ LDAP_ADMIN_FILTER: "(employeeType=admin)" });
    const local = await createAccount(own.url);
    const boss = () => must(own.url, "user.login", { username: "boss", password: LDAP_PASSWORD });
    expect((await boss()).user.admin).toBe(false);
    await directory.change("boss", "employeeType", "admin");
    const before = await boss();
    expect(before.user.admin).toBe(true);
    await must(own.url, "admin.stats", {}, before.accessToken);
    const wrong = { username: "boss", password: "wrong horse" };
    await directory.change("boss", "employeeType", "sales");
    expect(await post(own.url, "user.login", wrong)).toEqual(failed("WRONG_CREDENTIALS"));
    await must(own.url, "admin.stats", {}, before.accessToken);
    expect((await boss()).user.admin).toBe(false);
    expect(await post(own.url, "admin.stats", {}, before.accessToken)).toEqual(failed("SESSION_REVOKED"));
    const { entries } = await must(own.url, "admin.auditLog", { actorId: before.user.id }, local.accessToken);
    expect(entries).toMatchObject([
      { params: { admin: false, provider: "LDAP" }, address: "127.0.0.1" },
      { params: { admin: true, provider: "LDAP" }, address: "127.0.0.1" },
    ]);
    await own.stop();
  });

  test("asks who is an admin only at a login, not to confirm a password", async () => {
    await directory.add("carl");
    const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
    const env: Record<string, string> = { PORT, OPS_PORT, ...directory.env, LOG_LEVEL: "silent" };
    const own = await startInstance(env);
    const attempt = () => post(own.url, "user.login", { username: "carl", password: LDAP_PASSWORD });
    const { accessToken } = await must(own.url, "user.login", { username: "carl", password: LDAP_PASSWORD });
    // Not a filter, so that the search fails.
    env["LDAP_ADMIN_FILTER"] = "(employeeType)";
    await own.restart();
    expect(await attempt()).toEqual(failed("LDAP_UNAVAILABLE"));
    expect(await post(own.url, "user.setupTotp", { password: LDAP_PASSWORD }, accessToken)).toMatchObject({
      ok: true,
    });
    await own.stop();
  });

  test("leaves a local account with the same name alone", async () => {
    await directory.add("ben");
    const local = await must(instance.url, "user.register", { username: "ben", password: PASSWORD });
    const { user } = await mustLogIn("ben");
    expect(user.id).not.toBe(local.user.id);
    expect(user.username).toMatch(/^ben\d{5}$/);
    expect(await logIn("ben", PASSWORD)).toMatchObject({ data: { user: { id: local.user.id } } });
  });

  test("uses the account that has verified the same address, which keeps its own password", async () => {
    await directory.add("cleo");
    const email = "cleo@example.org";
    const local = await must(instance.url, "user.register", {
      username: "cleopatra",
      password: PASSWORD,
      email,
    });
    const { token } = await mailbox.next(email, /Verify/);
    await must(instance.url, "user.verifyEmail", { token });
    const { user } = await mustLogIn("cleo");
    expect(user).toMatchObject({ id: local.user.id, username: "cleopatra", hasPassword: true });
    expect(user).not.toHaveProperty("passwordInDirectory");
    const { text } = await mailbox.next(email, /login was connected/);
    expect(text).toContain("your organization's directory");
    expect(await logIn("cleopatra", PASSWORD)).toMatchObject({ data: { user: { id: local.user.id } } });
  });

  test("counts wrong passwords like local ones", async () => {
    await directory.add("guessed");
    for (let guess = 0; guess < LIMITS.loginsPerNameAndAddress; guess += 1)
      expect(await logIn("guessed", `guess ${guess}`)).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await logIn("guessed")).toEqual(failed("RATE_LIMITED"));
  });

  test("counts wrong passwords of a person together, also from devices of a local account with the same name", async () => {
    await directory.add("namesake");
    await must(instance.url, "user.register", { username: "namesake", password: PASSWORD });
    const attempt = async (password: string, cookie = "") => {
      const response = await fetch(`${instance.url}/api/user.login`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify({ username: "namesake", password }),
      });
      const [device = ""] = response.headers.getSetCookie().map((text) => text.split(";")[0]!);
      const answer: unknown = await response.json();
      return { answer, device };
    };
    const guesses: unknown[] = [];
    while (guesses.length <= LIMITS.directoryGuesses) {
      const { device } = await attempt(PASSWORD);
      guesses.push((await attempt("wrong horse", device)).answer);
    }
    expect(guesses).toContainEqual(failed("WRONG_CREDENTIALS"));
    expect(guesses.at(-1)).toEqual(failed("RATE_LIMITED"));
    // By another name of the same person.
    expect(await logIn("namesake@example.org")).toEqual(failed("RATE_LIMITED"));
  });

  test("takes the password of the directory wherever the password is asked for again", async () => {
    await directory.add("dora");
    const { accessToken } = await mustLogIn("dora");
    const setUp = (password: string) => post(instance.url, "user.setupTotp", { password }, accessToken);
    expect(await setUp("wrong horse")).toEqual(failed("WRONG_CREDENTIALS"));
    const { secret } = await must(instance.url, "user.setupTotp", { password: LDAP_PASSWORD }, accessToken);
    const code = new TOTP({ secret }).generate();
    const { recoveryCodes } = await must(instance.url, "user.enableTotp", { code }, accessToken);
    expect(await logIn("dora")).toEqual(failed("TOTP_REQUIRED"));
    expect(await logIn("dora", LDAP_PASSWORD, "000000")).toEqual(failed("WRONG_CODE"));
    expect(await logIn("dora", LDAP_PASSWORD, recoveryCodes[0])).toMatchObject({ ok: true });
    const remove = (password?: string) =>
      post(instance.url, "user.deleteMe", { password, code: recoveryCodes[1] }, accessToken);
    for (const password of [undefined, "wrong horse"])
      expect(await remove(password)).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await remove(LDAP_PASSWORD)).toMatchObject({ ok: true });
  });

  test("doesn't let users, admins or mailed links set another password or passkey", async () => {
    await directory.add("eve");
    const { user, accessToken } = await mustLogIn("eve");
    const change = { oldPassword: LDAP_PASSWORD, newPassword: "battery staple" };
    expect(await post(instance.url, "user.changePassword", change, accessToken)).toEqual(
      failed("PASSWORD_IN_DIRECTORY"),
    );
    const credentials = { password: LDAP_PASSWORD };
    expect(await post(instance.url, "user.startPasskeySetup", credentials, accessToken)).toEqual(
      failed("PASSWORD_IN_DIRECTORY"),
    );
    expect(
      await post(instance.url, "admin.sendPasswordReset", { userId: user.id }, admin.accessToken),
    ).toEqual(failed("PASSWORD_IN_DIRECTORY"));
    await must(instance.url, "user.requestPasswordReset", { email: "eve@example.org" });
    const { text, token } = await mailbox.next("eve@example.org", /password/);
    expect(text).toContain("your organization's directory");
    expect(token).toBe("");
  });

  test("that can't be reached is reported, and local passwords still work", { tags: "long" }, async () => {
    const name = "local-user";
    await must(instance.url, "user.register", { username: name, password: PASSWORD });
    await directory.process.kill();
    expect(await logIn("ann")).toMatchObject({ error: { type: "LDAP_UNAVAILABLE", retryable: true } });
    expect(await logIn(name, "wrong horse")).toEqual(failed("LDAP_UNAVAILABLE"));
    expect(await logIn(name, PASSWORD)).toMatchObject({ ok: true });
    await directory.process.start();
    expect(await logIn("ann")).toMatchObject({ ok: true });
    directory.process.freeze();
    expect(await logIn("ann")).toEqual(failed("LDAP_UNAVAILABLE"));
    directory.process.thaw();
    expect(await logIn("ann")).toMatchObject({ ok: true });
  });

  test("that stops answering during STARTTLS is given up", { tags: "long" }, async () => {
    // A success for the request with the id 2, then nothing.
    const success = Buffer.from("300c02010278070a010004000400", "hex");
    const server = createServer((socket) => void socket.once("data", () => socket.write(success)));
    server.listen(await freePort(), "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const stuck = await start({ LDAP_URL: `ldap://127.0.0.1:${port}`, LDAP_STARTTLS: "on" });
    const credentials = { username: "ann", password: LDAP_PASSWORD };
    expect(await post(stuck.url, "user.login", credentials)).toEqual(failed("LDAP_UNAVAILABLE"));
    await stuck.stop();
    server.close();
    await once(server, "close");
  });

  test("refuses a wrong search account", async () => {
    const wrong = await start({ LDAP_BIND_PASSWORD: "wrong" });
    const credentials = { username: "ann", password: LDAP_PASSWORD };
    expect(await post(wrong.url, "user.login", credentials)).toEqual(failed("LDAP_UNAVAILABLE"));
    await wrong.stop();
  });

  test("is encrypted and verified, and needs no open registration", async () => {
    await directory.add("tess");
    const credentials = { username: "tess", password: LDAP_PASSWORD };
    const policy = { REGISTRATION: "closed", REQUIRE_SECOND_FACTOR: "accounts" };
    const startTls = { LDAP_STARTTLS: "on" };
    for (const env of [{ LDAP_URL: directory.secureUrl }, startTls]) {
      const encrypted = await start({ ...policy, ...env });
      const attempt = () => post(encrypted.url, "user.login", credentials);
      expect(await attempt()).toEqual(failed("LDAP_UNAVAILABLE"));
      const { accessToken } = await trusting(directory.certificate, () =>
        must(encrypted.url, "user.login", credentials),
      );
      // Unlike single sign-on, it is no second factor.
      const refused = await post(encrypted.url, "group.listMine", {}, accessToken);
      expect(refused).toEqual(failed("SECOND_FACTOR_REQUIRED"));
      await encrypted.stop();
    }
    // The certificate doesn't name this host.
    const LDAP_URL = directory.env["LDAP_URL"]!.replace("127.0.0.1", "localhost");
    const elsewhere = await start({ ...policy, ...startTls, LDAP_URL });
    const answer = await trusting(directory.certificate, () =>
      post(elsewhere.url, "user.login", credentials),
    );
    expect(answer).toEqual(failed("LDAP_UNAVAILABLE"));
    await elsewhere.stop();
  });
});
