import { createPrivateKey } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { SERVICES } from "@fanfare/contract";
import { exampleOf, type Environment, type SettingError, SECRET_NAMES } from "./environment.ts";
import { needsDatabase } from "./settings/instance.ts";
import { type SettingName, SETTINGS } from "./settings/index.ts";
import { DEFAULT_PROVIDER } from "./settings/providers.ts";
import { TOKEN_SECRET_MIN_CHARS } from "./settings/people.ts";

/** Settings that only work together. */
const SETTING_GROUPS: { names: SettingName[]; why: string }[] = [
  {
    names: ["SMTP_URL", "MAIL_FROM"],
    why: "SMTP_URL and MAIL_FROM: the mail server and the sender address",
  },
  { names: ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"], why: "the other settings OIDC_*" },
  {
    names: ["LDAP_URL", "LDAP_BASE_DN"],
    why: "LDAP_URL and LDAP_BASE_DN: the server and where its users are",
  },
  { names: ["LDAP_BIND_DN", "LDAP_BIND_PASSWORD"], why: "LDAP_BIND_DN and LDAP_BIND_PASSWORD: who searches" },
  { names: ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"], why: "the other settings S3_*" },
  { names: ["APNS_KEY", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC"], why: "the other settings APNS_*" },
  { names: ["LIVEKIT_URL", "LIVEKIT_KEY", "LIVEKIT_SECRET"], why: "the other settings LIVEKIT_*" },
];

/** Settings that configure single sign-on. */
const PROVIDERS = ["OIDC_ISSUER", "OIDC_PROVIDERS", "SAML_PROVIDERS"] as const;

interface CheckedSettings {
  /** Defaults, used in place of settings that are invalid themselves. */
  env: Environment;
  isInvalid: (name: SettingName) => boolean;
}

/** Finds missing and inconsistent settings. A setting that is invalid itself counts as set. */
export function inconsistencies(known: CheckedSettings): SettingError[] {
  const isSet = (name: SettingName): boolean => known.env[name] !== undefined || known.isInvalid(name);
  return [
    ...incompleteGroups(known, isSet),
    ...(known.env.NODE_ENV === "production" ? productionErrors(known.env, isSet) : []),
    ...(known.env.NODE_ENV === "production" ? weakSecrets(known.env) : []),
    ...(known.env.NODE_ENV === "production" ? faultsOfKeys(known.env) : []),
    ...clusterErrors(known, isSet),
  ];
}

type IsSet = (name: SettingName) => boolean;

function* incompleteGroups({ env, isInvalid }: CheckedSettings, isSet: IsSet): Iterable<SettingError> {
  for (const { names, why } of SETTING_GROUPS) {
    const absent = names.filter((name) => !isSet(name));
    if (absent.length === names.length) continue;
    for (const name of absent) yield { name, message: `is required with ${why}` };
  }
  for (const name of ["OIDC_NAME", "OIDC_ADMIN_GROUPS"] as const)
    if (isSet(name) && !isSet("OIDC_ISSUER"))
      yield { name: "OIDC_ISSUER", message: `is required with ${name}` };
  if (env.OIDC_ONLY === true && !PROVIDERS.some(isSet))
    yield { name: "OIDC_ISSUER", message: "is required with OIDC_ONLY, or OIDC_PROVIDERS or SAML_PROVIDERS" };
  const further = [...(env.OIDC_PROVIDERS ?? []), ...(env.SAML_PROVIDERS ?? [])].map(({ id }) => id);
  if (new Set(further).size < further.length)
    yield { name: "SAML_PROVIDERS", message: "must not use an id of OIDC_PROVIDERS" };
  const ids = [...(isSet("OIDC_ISSUER") ? [DEFAULT_PROVIDER] : []), ...further];
  const provider = env.SCIM_OIDC_PROVIDER;
  if (provider !== undefined && !ids.includes(provider) && !PROVIDERS.some(isInvalid)) {
    const message = `must be ${DEFAULT_PROVIDER}, with OIDC_ISSUER, or an id in OIDC_PROVIDERS or SAML_PROVIDERS`;
    yield { name: "SCIM_OIDC_PROVIDER", message };
  }
  if (isSet("LDAP_BIND_DN") && !isSet("LDAP_URL"))
    yield { name: "LDAP_URL", message: "is required with LDAP_BIND_DN" };
  // Otherwise what was sent before the encryption could pass for the answer to the search.
  if (env.LDAP_STARTTLS && !isSet("LDAP_BIND_DN"))
    yield { name: "LDAP_BIND_DN", message: "is required with LDAP_STARTTLS" };
  if (env.LDAP_STARTTLS && env.LDAP_URL?.startsWith("ldaps:") === true)
    yield { name: "LDAP_STARTTLS", message: "must be off with ldaps://, which is encrypted from the start" };
  if (isSet("S3_ENDPOINT") && !isSet("S3_BUCKET"))
    yield { name: "S3_BUCKET", message: "is required with S3_ENDPOINT" };
  if (isSet("LIVEKIT_SERVER_URL") && !isSet("LIVEKIT_URL"))
    yield { name: "LIVEKIT_URL", message: "is required with LIVEKIT_SERVER_URL" };
  // Browsers keep a path, but requests to LiveKit's API would be sent without it.
  if (env.LIVEKIT_SERVER_URL !== undefined && hasPath(env.LIVEKIT_SERVER_URL))
    yield { name: "LIVEKIT_SERVER_URL", message: "must have no path" };
  if (!isSet("LIVEKIT_SERVER_URL") && env.LIVEKIT_URL !== undefined && hasPath(env.LIVEKIT_URL))
    yield { name: "LIVEKIT_URL", message: "must have no path, or LIVEKIT_SERVER_URL must be set" };
}

function* productionErrors(env: Environment, isSet: IsSet): Iterable<SettingError> {
  if (!isSet("TOKEN_SECRET")) {
    const message = "is required in production: 32 or more random characters, the same for every process";
    yield { name: "TOKEN_SECRET", message };
  }
  if (!isSet("PUBLIC_URL")) {
    const name = "PUBLIC_URL";
    if (isSet("SMTP_URL")) yield { name, message: "is required with SMTP_URL: links in mails lead there" };
    for (const provider of PROVIDERS)
      if (isSet(provider))
        yield { name, message: `is required with ${provider}: the provider sends people back there` };
  }
  if (isSet("MAIL_DOMAINS") && !isSet("SMTP_URL"))
    yield { name: "SMTP_URL", message: "is required with MAIL_DOMAINS: addresses are verified by mail" };
  const issuers = (env.OIDC_PROVIDERS ?? []).map(({ issuer }) => issuer);
  const metadata = (env.SAML_PROVIDERS ?? []).map(({ idp }) => (typeof idp === "string" ? idp : ""));
  for (const [name, what, urls] of [
    ["OIDC_ISSUER", "", [env.OIDC_ISSUER ?? ""]],
    ["OIDC_PROVIDERS", "issuer: ", issuers],
    ["SAML_PROVIDERS", "metadata: ", metadata],
  ] as const) {
    const message = "must start with https:// in production: its responses decide which account a user gets";
    if (urls.some((url) => /^http:/i.test(url))) yield { name, message: `${what}${message}` };
  }
  if (env.LDAP_URL?.startsWith("ldap:") === true && !env.LDAP_STARTTLS && !isLoopback(env.LDAP_URL)) {
    const message =
      "must start with ldaps:// in production, or LDAP_STARTTLS must be on: passwords would be sent unencrypted";
    yield { name: "LDAP_URL", message };
  }
}

/** Only in production: the examples of the documentation aren't keys. */
function* faultsOfKeys(env: Environment): Iterable<SettingError> {
  for (const [name, kind, pem] of [
    ["FCM_SERVICE_ACCOUNT", "RSA", env.FCM_SERVICE_ACCOUNT?.private_key],
    ["APNS_KEY", "P-256", env.APNS_KEY],
  ] as const) {
    if (pem === undefined) continue;
    const found = kindOfKey(pem);
    if (found === null) yield { name, message: "has a private key that can't be read" };
    else if (found !== kind) yield { name, message: `must have a private key for ${kind}` };
  }
  if (/^http:/i.test(env.FCM_SERVICE_ACCOUNT?.token_uri ?? "")) {
    const message = "token_uri: must start with https:// in production";
    yield { name: "FCM_SERVICE_ACCOUNT", message };
  }
}

/** null: it can't be read. */
function kindOfKey(pem: string): "RSA" | "P-256" | "other" | null {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPrivateKey(pem);
    if (type === "rsa") return "RSA";
    return type === "ec" && details?.namedCurve === "prime256v1" ? "P-256" : "other";
  } catch {
    return null;
  }
}

function hasPath(address: string): boolean {
  const { pathname, search, hash } = new URL(address);
  return `${pathname}${search}${hash}` !== "/";
}

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);

/** The previous secret isn't checked: operators must be able to replace a weak one, and tokens signed with a weak one are rejected. */
function* weakSecrets(env: Environment): Iterable<SettingError> {
  for (const name of SECRET_NAMES) {
    if (name === "TOKEN_SECRET" || name === "TOKEN_SECRET_PREVIOUS") continue;
    if (isDeepStrictEqual(env[name], SETTINGS[name].parse(exampleOf(name))))
      yield { name, message: "is the example of the documentation" };
  }
  const weakness = env.TOKEN_SECRET === undefined ? undefined : weaknessOf(env.TOKEN_SECRET);
  if (weakness !== undefined) {
    const message = `${weakness}: production needs 32 or more random characters, such as \`openssl rand -hex 32\` prints`;
    yield { name: "TOKEN_SECRET", message };
  }
}

function* clusterErrors({ env, isInvalid }: CheckedSettings, isSet: IsSet): Iterable<SettingError> {
  // The hosted services are unknown if SERVICES itself is invalid.
  const services = isInvalid("SERVICES") ? null : env.SERVICES;
  if (!isSet("NATS_URL")) {
    const missing = services === null ? [] : SERVICES.filter((name) => !services.includes(name));
    const message = `is required to reach the processes that host ${missing.join(", ")}: SERVICES leaves them out`;
    if (missing.length > 0) yield { name: "NATS_URL", message };
    return;
  }
  if ((env.GATEWAY_THREADS ?? 0) > 0) {
    const message = "is for a single instance: with NATS_URL start more gateways instead";
    yield { name: "GATEWAY_THREADS", message };
  }
  if (!isSet("REDIS_URL")) {
    const message = "is required with NATS_URL: the processes share presence and limits there";
    yield { name: "REDIS_URL", message };
  }
  if (!isSet("TOKEN_SECRET"))
    yield { name: "TOKEN_SECRET", message: "is required with NATS_URL: the same for every process" };
  if (services === null) return;
  if (!isSet("MONGO_URL") && needsDatabase({ services })) {
    const message = "is required with NATS_URL: the embedded database serves one process";
    yield { name: "MONGO_URL", message };
  }
  const usesFiles = services.includes("gateway") || services.includes("file");
  if (usesFiles && !isSet("S3_BUCKET") && !isSet("FILES_DIR")) {
    const message =
      "is required with NATS_URL: what one process keeps in its own folder, others would not find. " +
      "Or set FILES_DIR to a folder that all of them share";
    yield { name: "S3_BUCKET", message };
  }
}

const MIN_DISTINCT_CHARS = 6;
/** Distance of adjacent characters. In random secrets few adjacent characters are this close. */
const CLOSE = 1;
const MAX_ADJACENT_PAIRS = 0.75;

/** Placeholders common in documentation and guides. Random secrets do not contain them. */
const PLACEHOLDER = /change.?me|replace.?me|example|placeholder|secret|password|random|openssl/i;

/** Describes why a secret is obviously not random; undefined if it looks random. */
export function weaknessOf(secret: string): string | undefined {
  if (PLACEHOLDER.test(secret)) return "is a placeholder";
  const repeatsItself = (secret + secret).indexOf(secret, 1) < secret.length;
  if (repeatsItself || new Set(secret).size < MIN_DISTINCT_CHARS) return "is repetitive";
  const closePairs = secret
    .split("")
    .filter(
      (char, index) => index > 0 && Math.abs(char.charCodeAt(0) - secret.charCodeAt(index - 1)) <= CLOSE,
    ).length;
  return closePairs / secret.length > MAX_ADJACENT_PAIRS ? "is a sequence of characters" : undefined;
}

/** Whether the secret is too short or too weak to verify signatures with. */
export function isGuessable(secret: string): boolean {
  return secret.length < TOKEN_SECRET_MIN_CHARS || weaknessOf(secret) !== undefined;
}
