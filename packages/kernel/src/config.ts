import { join } from "node:path";
import type { InstancePolicy, PolicyName } from "@fanfare/contract";
import { defaultGatewayThreads } from "./config/gateway-threads.ts";
import type { Environment } from "./config/environment.ts";
import { readEnvironment } from "./config/read-environment.ts";
import { DEFAULT_PROVIDER } from "./config/settings/providers.ts";

export { misspelledSettings } from "./config/read-environment.ts";
export { ConfigError } from "./config/read-environment.ts";
export { needsDatabase } from "./config/settings/instance.ts";
export { DEFAULT_MAX_CONNECTIONS } from "./config/settings/instance.ts";
export { TOKEN_SECRET_MIN_CHARS } from "./config/settings/people.ts";
export { DEFAULT_PROVIDER } from "./config/settings/providers.ts";
export { isGuessable } from "./config/rules.ts";

const GIBIBYTE = 1024 ** 3;

/** The settings are documented in `config/settings/`. undefined: disabled, or the program's default. */
export type Config = ReturnType<typeof configOf>;

/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html (argon2id with two passes) */
const PASSWORD_HASH_KIB = 19_456;

/**
 * Reads the configuration from environment variables.
 * @throws {ConfigError} listing all errors
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  return configOf(readEnvironment(env), env);
}

function configOf(env: Environment, variables: Record<string, string | undefined>) {
  const s3 = allOrNothing({
    bucket: env.S3_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
  });
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    environment: env.NODE_ENV,
    /** Of one password hash. Tests log in often, and their passwords protect nothing. */
    passwordHashKiB: env.NODE_ENV === "test" ? 64 : PASSWORD_HASH_KIB,
    services: env.SERVICES,
    host: env.HOST,
    port: env.PORT,
    opsHost: env.OPS_HOST,
    opsPort: env.OPS_PORT,
    dataDir: env.DATA_DIR,
    /** undefined: the embedded database. */
    mongoUrl: env.MONGO_URL,
    migrateOnStart: env.MIGRATE_ON_START,
    /** undefined: this process is the whole instance. */
    natsUrl: env.NATS_URL,
    /** undefined: shared state is kept in the memory of this process. */
    redisUrl: env.REDIS_URL,
    /** undefined in development only: one is generated in the data folder. */
    tokenSecret: env.TOKEN_SECRET,
    tokenSecretPrevious: env.TOKEN_SECRET_PREVIOUS,
    logLevel: env.LOG_LEVEL ?? (env.NODE_ENV === "production" ? "info" : "warn"),
    trustProxy: env.TRUST_PROXY,
    corsOrigins: env.CORS_ORIGINS,
    rateLimitFactor: env.RATE_LIMIT_FACTOR,
    maxConnections: env.MAX_CONNECTIONS,
    maxConnectionsPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
    webDir: env.WEB_DIR,
    docsDir: env.DOCS_DIR,
    outboundAllow: env.OUTBOUND_ALLOW,
    linkPreviews: env.LINK_PREVIEWS,
    /** Folders. */
    plugins: env.PLUGINS,
    /** What the settings of plug-ins are read from. */
    pluginVariables: Object.fromEntries(
      Object.entries(variables).filter(([name]) => name.startsWith("PLUGIN_")),
    ),
    /** Without a trailing slash. */
    publicUrl: env.PUBLIC_URL ?? `http://${hostForUrl(env.HOST)}:${env.PORT}`,
    smtp: allOrNothing({ url: env.SMTP_URL, from: env.MAIL_FROM }),
    appPush: appPushOf(env),
    policy: policyOf(env),
    /** The providers of single sign-on, in the order of their buttons. */
    providers: [...oidcOf(env), ...samlOf(env)],
    ldap: ldapOf(env),
    /** undefined: no provisioning by SCIM. */
    scimToken: env.SCIM_TOKEN,
    /** Id of the provider that sends users by SCIM. undefined: none of them. */
    scimOidcProvider: env.SCIM_OIDC_PROVIDER,
    retentionMaxDays: env.RETENTION_MAX_DAYS,
    /** 0: never deleted. */
    guestRetentionDays: env.GUEST_RETENTION_DAYS,
    /** Folder for files if `s3` is not configured. */
    filesDir: env.FILES_DIR ?? join(env.DATA_DIR, "files"),
    /** `endpoint` undefined: AWS S3 in `S3_REGION`. */
    s3: s3 && { ...s3, endpoint: env.S3_ENDPOINT, region: env.S3_REGION },
    /** undefined: no calls. */
    livekit: livekitOf(env),
    fileMaxBytes: env.FILE_MAX_BYTES,
    /** 0: the gateway runs in the main thread. */
    gatewayThreads: gatewayThreads(env),
    /** undefined: no tracing. The endpoint has no trailing slash. */
    tracing:
      endpoint === undefined
        ? undefined
        : {
            endpoint,
            headers: env.OTEL_EXPORTER_OTLP_HEADERS,
            sampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
            serviceName: env.OTEL_SERVICE_NAME,
          },
  };
}

function oidcOf(env: Environment) {
  const first = allOrNothing({
    issuer: env.OIDC_ISSUER,
    clientId: env.OIDC_CLIENT_ID,
    clientSecret: env.OIDC_CLIENT_SECRET,
  });
  const groups = {
    scopes: env.OIDC_SCOPES,
    groupsClaim: env.OIDC_GROUPS_CLAIM,
    /** undefined: the provider doesn't decide who is an admin. */
    adminGroups: env.OIDC_ADMIN_GROUPS,
  };
  const all = [
    ...(first === undefined
      ? []
      : [{ id: DEFAULT_PROVIDER, name: env.OIDC_NAME ?? null, ...first, ...groups }]),
    ...(env.OIDC_PROVIDERS ?? []).map((provider) => ({ ...provider, name: provider.name as string | null })),
  ];
  return all.map((provider) => ({ ...provider, protocol: "oidc" as const }));
}

const samlOf = ({ SAML_PROVIDERS = [] }: Environment) =>
  SAML_PROVIDERS.map((provider) => ({ ...provider, protocol: "saml" as const }));

/** Push notifications to apps. Tests replace the addresses. */
function appPushOf({ FCM_SERVICE_ACCOUNT: account, ...env }: Environment) {
  const apns = allOrNothing({
    key: env.APNS_KEY,
    keyId: env.APNS_KEY_ID,
    teamId: env.APNS_TEAM_ID,
    topic: env.APNS_TOPIC,
  });
  return {
    content: env.APP_PUSH_CONTENT,
    /** undefined: no Android apps. */
    fcm: account && {
      email: account.client_email,
      privateKey: account.private_key,
      tokenUrl: account.token_uri,
      url: `https://fcm.googleapis.com/v1/projects/${account.project_id}/messages:send`,
    },
    /** undefined: no iOS apps. */
    apns: apns && { ...apns, url: `https://api.${env.APNS_SANDBOX ? "sandbox." : ""}push.apple.com` },
  };
}

function livekitOf(env: Environment) {
  const required = allOrNothing({
    /** For browsers. */
    url: env.LIVEKIT_URL,
    key: env.LIVEKIT_KEY,
    secret: env.LIVEKIT_SECRET,
  });
  if (required === undefined) return undefined;
  return { ...required, serverUrl: env.LIVEKIT_SERVER_URL ?? required.url.replace(/^ws/, "http") };
}

function ldapOf(env: Environment) {
  const required = allOrNothing({ url: env.LDAP_URL, baseDn: env.LDAP_BASE_DN });
  if (required === undefined) return undefined;
  return {
    ...required,
    startTls: env.LDAP_STARTTLS,
    /** undefined: anonymous. */
    bind: allOrNothing({ dn: env.LDAP_BIND_DN, password: env.LDAP_BIND_PASSWORD }),
    /** `{name}` stands for the typed name. */
    filter: env.LDAP_FILTER,
    /** undefined: the directory doesn't decide who is an admin. */
    adminFilter: env.LDAP_ADMIN_FILTER,
    attributes: {
      id: env.LDAP_ID_ATTRIBUTE,
      username: env.LDAP_USERNAME_ATTRIBUTE,
      nickname: env.LDAP_NICKNAME_ATTRIBUTE,
      email: env.LDAP_EMAIL_ATTRIBUTE,
    },
  };
}

/** The policy of the instance: values fixed by the environment, and defaults. */
function policyOf(env: Environment) {
  const given: { [Name in PolicyName]: InstancePolicy[Name] | undefined } = {
    registration: env.REGISTRATION,
    guests: env.GUESTS,
    mailDomains: env.MAIL_DOMAINS,
    oidcOnly: env.OIDC_ONLY,
    requireSecondFactor: env.REQUIRE_SECOND_FACTOR,
    sessionMaxHours: env.SESSION_MAX_HOURS,
    sessionIdleMinutes: env.SESSION_IDLE_MINUTES,
    groupCreation: env.GROUP_CREATION,
    directory: env.DIRECTORY,
    directMessages: env.DIRECT_MESSAGES,
    fileQuotaUserBytes: env.FILE_QUOTA_USER_BYTES,
    fileQuotaGuestBytes: env.FILE_QUOTA_GUEST_BYTES,
    fileQuotaGroupBytes: env.FILE_QUOTA_GROUP_BYTES,
    fileQuotaInstanceBytes: env.FILE_QUOTA_INSTANCE_BYTES,
    usersPerInstance: env.USERS_PER_INSTANCE,
    groupsOwnedPerUser: env.GROUPS_OWNED_PER_USER,
    membersPerGroup: env.MEMBERS_PER_GROUP,
    channelsPerGroup: env.CHANNELS_PER_GROUP,
  };
  const fixed: Partial<InstancePolicy> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const defaults: InstancePolicy = {
    registration: "open",
    guests: env.NODE_ENV !== "production",
    mailDomains: [],
    oidcOnly: false,
    requireSecondFactor: "off",
    sessionMaxHours: null,
    sessionIdleMinutes: null,
    groupCreation: "everyone",
    // Nothing is listed until a group chooses to be.
    directory: true,
    directMessages: "everyone",
    fileQuotaUserBytes: GIBIBYTE,
    fileQuotaGuestBytes: 100 * 1024 ** 2,
    fileQuotaGroupBytes: 50 * GIBIBYTE,
    fileQuotaInstanceBytes: null,
    usersPerInstance: null,
    groupsOwnedPerUser: null,
    membersPerGroup: null,
    channelsPerGroup: null,
  };
  return { fixed, defaults };
}

function allOrNothing<T extends Record<string, string | undefined>>(
  parts: T,
): { [Name in keyof T]: string } | undefined {
  const isWhole = (some: T): some is T & { [Name in keyof T]: string } =>
    !Object.values(some).includes(undefined);
  return isWhole(parts) ? parts : undefined;
}

/**
 * A single instance uses several cores for its sockets if the system can distribute connections over threads. A cluster has
 * several gateways instead.
 */
function gatewayThreads(env: Environment): number {
  if (env.NATS_URL !== undefined || !env.SERVICES.includes("gateway")) return 0;
  if (env.GATEWAY_THREADS !== undefined) return env.GATEWAY_THREADS;
  return defaultGatewayThreads();
}

/** The host under which a browser on this machine reaches a server listening on `host`. */
export function hostForUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
