import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { LIMITS } from "@fanfare/contract";
import {
  type Config,
  type Logger,
  ServiceError,
  serviceError,
  type SharedCounters,
  within,
  WorkQueue,
} from "@fanfare/kernel";
import type * as ldapts from "ldapts";
import type { ExternalIdentity } from "./external-accounts.ts";

/** From the connection to the last answer. Shorter than the time limit of a call, so that the user learns what is wrong. */
const TIMEOUT_MS = 5000;
/** Each has a connection of its own. */
const LOGINS_AT_ONCE = 8;
const LOGINS_WAITING = 100;
const RETRY_AFTER_MS = 2000;

/**
 * Results of a bind that reject this user: constraintViolation and unwillingToPerform (locked), noSuchObject,
 * inappropriateAuthentication (no password), invalidCredentials, insufficientAccessRights. All others are faults of the directory
 * or of the settings.
 */
const REJECTIONS: readonly unknown[] = [19, 53, 32, 48, 49, 50];

/** What directories ignore in a name. */
const IGNORED = /^\s|\s$|\s\s|[\p{C}\p{Default_Ignorable_Code_Point}]/u;

type Settings = NonNullable<Config["ldap"]>;

export type LdapDirectory = ReturnType<typeof createLdapDirectory>;

/** The LDAP directory of the operator, which is only asked whether a password is right. The first login loads the library. */
export function createLdapDirectory(
  { ldap }: Pick<Config, "ldap">,
  { logger, counters }: { logger: Logger; counters: SharedCounters },
) {
  const logins = new WorkQueue({
    atOnce: LOGINS_AT_ONCE,
    waiting: LOGINS_WAITING,
    retryAfterMs: RETRY_AFTER_MS,
  });

  /**
   * Counts guesses by entry: the gateway counts them by name, but an entry can have several, and a local account with the same name
   * allows its devices more.
   */
  const countGuess = async (dn: string, points: 1 | -1): Promise<void> => {
    const step = [`directoryGuesses:${dn}`, points, LIMITS.passwordGuessWindowMs];
    const [total = 0, retryAfterMs = 0] = await counters.add(step);
    if (total > LIMITS.directoryGuesses) throw serviceError("RATE_LIMITED", { retryAfterMs });
  };

  /** @returns the identity of the only entry that the filter matches if the password is its own, otherwise null */
  const findIdentity = async (
    settings: Settings,
    client: ldapts.Client,
    filter: ldapts.Filter,
    password: string,
  ): Promise<ExternalIdentity | null> => {
    const { url, startTls, bind, baseDn, attributes, adminFilter } = settings;
    if (startTls) await client.startTLS(tlsOptions(url));
    if (bind !== undefined) await client.bind(bind.dn, bind.password);
    const options = { filter, attributes: Object.values(attributes), sizeLimit: 2 };
    const found = (await client.search(baseDn, options)).searchEntries;
    const dns = found.map(({ dn }) => dn);
    if (dns.length > 1) logger.warn({ dns }, "several LDAP entries have this name, login rejected");
    const entry = dns.length === 1 ? found[0] : undefined;
    // The same steps without an entry, so that neither the time nor the limit reveals which names exist.
    const dn = entry?.dn ?? `cn=${createHash("sha256").update(String(filter)).digest("hex")},${baseDn}`;
    await countGuess(dn, 1);
    // Before the entry's own login, which may not be able to read it.
    const isAdmin =
      adminFilter === undefined ? undefined : await matches(client, entry?.dn ?? baseDn, adminFilter);
    try {
      await client.bind(dn, password);
    } catch (error) {
      if (REJECTIONS.includes((error as { code?: unknown }).code)) return null;
      throw error;
    }
    if (entry === undefined) return null;
    await countGuess(dn, -1);
    return { ...identityOf(entry, settings), isAdmin };
  };

  const ask = async (
    password: string,
    filterOf: (settings: Settings, library: typeof ldapts) => ldapts.Filter,
    { withAdmin }: { withAdmin: boolean },
  ): Promise<ExternalIdentity | null> => {
    // Directories accept an empty password for every entry, as an anonymous login.
    if (ldap === undefined || password === "") return null;
    const settings = withAdmin ? ldap : { ...ldap, adminFilter: undefined };
    return logins.run(async () => {
      const library = await import("ldapts");
      const client = new library.Client({
        url: ldap.url,
        timeout: TIMEOUT_MS,
        connectTimeout: TIMEOUT_MS,
        ...(ldap.url.startsWith("ldaps:") && { tlsOptions: tlsOptions(ldap.url) }),
      });
      try {
        const found = findIdentity(settings, client, filterOf(settings, library), password);
        // The library has no deadline for all of them together, and none for the handshake of STARTTLS.
        return await within(TIMEOUT_MS, found, () => new Error("The LDAP server did not answer in time."));
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        logger.error({ err: error }, "LDAP login not possible");
        throw serviceError("LDAP_UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });
      } finally {
        client.unbind().catch(() => undefined);
      }
    });
  };

  return {
    /**
     * @param name as typed: the settings say which attributes have it
     * @returns null when the password is wrong, or the directory has no such user
     * @throws {ServiceError} LDAP_UNAVAILABLE, OVERLOADED, RATE_LIMITED
     */
    async logIn(name: string, password: string): Promise<ExternalIdentity | null> {
      if (name !== name.normalize("NFKC") || IGNORED.test(name)) return null;
      return ask(
        password,
        ({ filter }, { Filter: values, FilterParser }) =>
          FilterParser.parseString(filter.replaceAll("{name}", () => values.escape(name))),
        { withAdmin: true },
      );
    },

    /**
     * @param key of the identity
     * @returns false when the password is wrong, or the filter no longer lets the user in
     * @throws {ServiceError} LDAP_UNAVAILABLE, OVERLOADED, RATE_LIMITED
     */
    async confirm(key: string, password: string): Promise<boolean> {
      const value = Buffer.from(key, "base64url");
      const identity = await ask(
        password,
        ({ attributes, filter }, { AndFilter, EqualityFilter, FilterParser }) => {
          const isUser = new EqualityFilter({ attribute: attributes.id, value });
          return new AndFilter({
            filters: [isUser, FilterParser.parseString(filter.replaceAll("{name}", "*"))],
          });
        },
        { withAdmin: false },
      );
      return identity !== null;
    },
  };
}

/** The library neither sends the name of the server nor, after STARTTLS, checks it by itself. */
function tlsOptions(url: string): { host: string; servername?: string } {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? { host, servername: host } : { host };
}

async function matches(client: ldapts.Client, dn: string, filter: string): Promise<boolean> {
  // No attributes.
  const { searchEntries } = await client.search(dn, { scope: "base", filter, attributes: ["1.1"] });
  return searchEntries.length > 0;
}

function identityOf(entry: ldapts.Entry, { attributes }: Settings): ExternalIdentity {
  const id = valueOf(entry, attributes.id);
  if (id === undefined) throw new Error(`The entry has no attribute ${attributes.id} (LDAP_ID_ATTRIBUTE).`);
  const text = (attribute: string): string | undefined => valueOf(entry, attribute)?.toString();
  return {
    provider: null,
    // Ids of Active Directory are bytes.
    key: (typeof id === "string" ? Buffer.from(id) : id).toString("base64url"),
    email: text(attributes.email) ?? null,
    names: { username: text(attributes.username), nickname: text(attributes.nickname) },
  };
}

/** The first value. Directories decide themselves about upper and lower case of attributes. */
function valueOf(entry: ldapts.Entry, attribute: string): string | Buffer | undefined {
  const lower = attribute.toLowerCase();
  const [, values] = Object.entries(entry).find(([name]) => name.toLowerCase() === lower) ?? [];
  return [values].flat()[0];
}
