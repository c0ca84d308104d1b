import { availableParallelism } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const SERVICES = [
  "gateway",
  "user",
  "group",
  "message",
  "presence",
  "search",
  "bot",
  "preview",
  "admin",
  "friend",
  "file",
  "inbox",
] as const;
export type ServiceName = (typeof SERVICES)[number];
/** In `SERVICES`, for everything but the gateway: so that nobody has to name what a new version adds. */
const ALL_WORKERS = "workers";

/** Without one of these nobody can be served. */
export const ESSENTIAL_SERVICES: readonly ServiceName[] = ["user", "group", "message"];

const MAX_GATEWAY_THREADS = 64;
/** At most so many where nothing is said: from there on the services behind them are what limits. */
const DEFAULT_GATEWAY_THREADS = 4;

const MEBIBYTE = 1024 * 1024;
/** What S3 takes in one request. */
const MAX_FILE_BYTES = 5 * 1024 * MEBIBYTE;

export const TOKEN_SECRET_MIN_CHARS = 32;

const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) => {
  const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
  return z.coerce
    .number(`must be a whole number ${range}`)
    .refine((n) => Number.isInteger(n) && n >= min && n <= max, `must be a whole number ${range}`);
};
const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(", ")}`);
const namedServices = (name: ServiceName | typeof ALL_WORKERS): readonly ServiceName[] =>
  name === ALL_WORKERS ? SERVICES.filter((service) => service !== "gateway") : [name];
const port = wholeNumber(0, 65_535);
const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
const list = z.string().transform(splitList);

const network = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  "must be addresses or networks such as 10.0.0.0/8",
);

/** `name=value,name=value`, the values percent-encoded, as OpenTelemetry specifies it. */
const headers = z.string().transform((text, context): Record<string, string> => {
  try {
    return Object.fromEntries(
      splitList(text).map((pair) => {
        const [, name, value] = /^([^=]+)=(.*)$/.exec(pair)!;
        return [name!.trim(), decodeURIComponent(value!.trim())];
      }),
    );
  } catch {
    context.addIssue("must be name=value,name=value with percent-encoded values");
    return z.NEVER;
  }
});

const httpUrl = z.url({ protocol: /^https?$/, message: "must start with https:// or http://" });

const Environment = z
  .object({
    NODE_ENV: oneOf(["development", "production", "test"]).default("development"),
    SERVICES: list
      .pipe(z.array(oneOf([...SERVICES, ALL_WORKERS])).min(1))
      .transform((names) => names.flatMap(namedServices))
      .default([...SERVICES]),
    HOST: z.string().default("127.0.0.1"),
    PORT: port.default(3000),
    OPS_HOST: z.string().default("127.0.0.1"),
    OPS_PORT: port.default(3001),
    DATA_DIR: z.string().min(1).default(".fanfare"),
    MONGO_URL: z
      .string()
      .regex(/^mongodb(\+srv)?:\/\//, "must start with mongodb:// or mongodb+srv://")
      .optional(),
    NATS_URL: z
      .string()
      .regex(/^nats:\/\//, "must start with nats://")
      .optional(),
    REDIS_URL: z
      .string()
      .regex(/^rediss?:\/\//, "must start with redis:// or rediss://")
      .optional(),
    TOKEN_SECRET: z
      .string()
      .min(TOKEN_SECRET_MIN_CHARS, `must have at least ${TOKEN_SECRET_MIN_CHARS} characters`)
      .optional(),
    TOKEN_SECRET_PREVIOUS: z.string().min(1).optional(),
    LOG_LEVEL: oneOf(["trace", "debug", "info", "warn", "error", "silent"]).optional(),
    TRUST_PROXY: z.stringbool("must be true or false").default(false),
    CORS_ORIGINS: list.default([]),
    RATE_LIMIT_FACTOR: z.coerce.number("must be a number").min(0.001, "must be 0.001 or more").default(1),
    MAX_CONNECTIONS: wholeNumber(1).default(50_000),
    MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1).default(1000),
    GATEWAY_THREADS: wholeNumber(0, MAX_GATEWAY_THREADS).optional(),
    OUTBOUND_ALLOW: list.pipe(z.array(network)).default([]),
    LINK_PREVIEWS: z.stringbool("must be on or off").default(true),
    WEB_DIR: z.string().default("web/dist"),
    PUBLIC_URL: httpUrl.transform((url) => url.replace(/\/+$/, "")).optional(),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must start with smtp:// or smtps://")
      .optional(),
    MAIL_FROM: z.string().regex(/@/, "must have an e-mail address").optional(),
    VAPID_PUBLIC_KEY: z.string().optional(),
    VAPID_PRIVATE_KEY: z.string().optional(),
    VAPID_SUBJECT: z
      .string()
      .regex(/^(mailto:|https:\/\/)./, "must start with mailto: or https://")
      .optional(),
    OIDC_ISSUER: httpUrl.optional(),
    OIDC_CLIENT_ID: z.string().optional(),
    OIDC_CLIENT_SECRET: z.string().optional(),
    RETENTION_MAX_DAYS: wholeNumber(1).optional(),
    GUEST_RETENTION_DAYS: wholeNumber(0).default(90),
    FILES_DIR: z.string().min(1).optional(),
    FILE_MAX_BYTES: wholeNumber(1, MAX_FILE_BYTES).default(25 * MEBIBYTE),
    FILE_QUOTA_USER_BYTES: wholeNumber(0).default(1024 * MEBIBYTE),
    FILE_QUOTA_GROUP_BYTES: wholeNumber(0).default(50 * 1024 * MEBIBYTE),
    S3_ENDPOINT: httpUrl.optional(),
    S3_BUCKET: z.string().optional(),
    S3_REGION: z.string().default("us-east-1"),
    S3_ACCESS_KEY_ID: z.string().optional(),
    S3_SECRET_ACCESS_KEY: z.string().optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.transform((url) => url.replace(/\/+$/, "")).optional(),
    OTEL_EXPORTER_OTLP_HEADERS: headers.default({}),
    OTEL_TRACES_SAMPLER_ARG: z.coerce
      .number("must be a number from 0 to 1")
      .min(0, "must be a number from 0 to 1")
      .max(1, "must be a number from 0 to 1")
      .default(1),
    OTEL_SERVICE_NAME: z.string().default("fanfare"),
  })
  .refine((env) => env.NODE_ENV !== "production" || env.TOKEN_SECRET !== undefined, {
    path: ["TOKEN_SECRET"],
    message: "is required in production: 32 or more random characters, the same for every process",
    // Also where something else is at fault: all of it is to be listed at once.
    when: () => true,
  })
  .superRefine((env, context) => {
    const fault = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    const together = (names: readonly (keyof typeof env)[], why: string): void => {
      const absent = names.filter((name) => env[name] === undefined);
      if (absent.length === names.length) return;
      for (const name of absent) fault(name, `is required with ${why}`);
    };
    together(["SMTP_URL", "MAIL_FROM"], "SMTP_URL and MAIL_FROM: one says how mails go out, one from whom");
    together(["VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY", "VAPID_SUBJECT"], "the other settings VAPID_*");
    together(["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"], "the other settings OIDC_*");
    together(["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"], "the other settings S3_*");
    if (env.S3_ENDPOINT !== undefined && env.S3_BUCKET === undefined)
      fault("S3_BUCKET", "is required with S3_ENDPOINT");
    if (env.PUBLIC_URL === undefined && env.NODE_ENV === "production") {
      if (env.SMTP_URL !== undefined)
        fault("PUBLIC_URL", "is required with SMTP_URL: links in mails lead there");
      if (env.OIDC_ISSUER !== undefined)
        fault("PUBLIC_URL", "is required with OIDC_ISSUER: the provider sends people back there");
    }
    if (env.NODE_ENV === "production" && env.OIDC_ISSUER?.startsWith("http:") === true)
      fault("OIDC_ISSUER", "must start with https:// in production: what it says decides who somebody is");
    const missing = SERVICES.filter((name) => !env.SERVICES.includes(name));
    if (missing.length > 0 && env.NATS_URL === undefined) {
      fault(
        "NATS_URL",
        `is required to reach the processes that host ${missing.join(", ")}: SERVICES leaves them out`,
      );
    }
    if (env.NATS_URL === undefined) return;
    if ((env.GATEWAY_THREADS ?? 0) > 0)
      fault("GATEWAY_THREADS", "is for a single instance: with NATS_URL start more gateways instead");
    if (env.REDIS_URL === undefined)
      fault("REDIS_URL", "is required with NATS_URL: the processes share presence and limits there");
    if (env.MONGO_URL === undefined && needsDatabase({ services: env.SERVICES })) {
      fault("MONGO_URL", "is required with NATS_URL: the embedded database serves one process");
    }
    const dealsWithFiles = env.SERVICES.includes("gateway") || env.SERVICES.includes("file");
    if (dealsWithFiles && env.S3_BUCKET === undefined && env.FILES_DIR === undefined) {
      fault(
        "S3_BUCKET",
        "is required with NATS_URL: what one process keeps in its own folder, others would not find. " +
          "Or set FILES_DIR to a folder that all of them share",
      );
    }
    if (env.TOKEN_SECRET === undefined)
      fault("TOKEN_SECRET", "is required with NATS_URL: the same for every process");
  });

interface S3Config {
  /** undefined: that of Amazon for the region. */
  endpoint: string | undefined;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface TracingConfig {
  /** The base URL of an OTLP/HTTP collector, without a slash at its end: traces go to `/v1/traces` below it. */
  endpoint: string;
  /** Sent with each request there. */
  headers: Record<string, string>;
  /** The share of traces that is kept: 0 to 1. */
  sampleRatio: number;
  serviceName: string;
}

export interface Config {
  environment: "development" | "production" | "test";
  services: readonly ServiceName[];
  host: string;
  port: number;
  /** Where /livez, /readyz and /metrics are answered; never to be reached from outside. */
  opsHost: string;
  opsPort: number;
  /** What belongs to this instance: the embedded database and the development secret. */
  dataDir: string;
  /** undefined: the embedded database. */
  mongoUrl: string | undefined;
  /** undefined: this process is the whole instance. */
  natsUrl: string | undefined;
  /** undefined: what processes would share lies in the memory of this one. */
  redisUrl: string | undefined;
  /** undefined in development only: one is made for the data folder. */
  tokenSecret: string | undefined;
  /** The one before: what is stored sealed with it can still be read. It signs nothing. */
  tokenSecretPrevious: string | undefined;
  logLevel: string;
  /** Whether X-Forwarded-For tells the client's address. */
  trustProxy: boolean;
  corsOrigins: readonly string[];
  /** Multiplies every rate limit: 2 allows twice as much. */
  rateLimitFactor: number;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  webDir: string;
  /** Networks that callbacks, previews and pushes may reach although they are not public. */
  outboundAllow: readonly string[];
  linkPreviews: boolean;
  /** Where people open the page, without a slash at its end: for links in mails. */
  publicUrl: string;
  /** undefined: no mail goes out; in development it is shown in the log. */
  smtp: { url: string; from: string } | undefined;
  /** What pushes to browsers are signed with; undefined: there are none, but in development. */
  vapid: { publicKey: string; privateKey: string; subject: string } | undefined;
  /** undefined: nobody logs in by OpenID Connect. */
  oidc: { issuer: string; clientId: string; clientSecret: string } | undefined;
  /** No message is kept for longer; undefined: as its group says. */
  retentionMaxDays: number | undefined;
  /** So long after the last session of a guest has ended the guest is deleted; 0: never. */
  guestRetentionDays: number;
  /** Where files lie where there is no `s3`. */
  filesDir: string;
  /** undefined: files lie in `filesDir`. */
  s3: S3Config | undefined;
  fileMaxBytes: number;
  /** What all files of one user, or of one group, may take together. */
  fileQuotaBytes: { user: number; group: number };
  /** Threads that this process's gateway has; 0: it runs in the main one. */
  gatewayThreads: number;
  /** undefined: no traces are made. */
  tracing: TracingConfig | undefined;
}

/** Whether the process hosts a service that stores something. */
export function needsDatabase({ services }: Pick<Config, "services">): boolean {
  return services.some((name) => name !== "gateway");
}

/**
 * A single instance writes to its sockets with several processor cores, where the system can spread connections over threads. In
 * a cluster there are several gateways anyway.
 */
function gatewayThreads(env: z.output<typeof Environment>): number {
  if (env.NATS_URL !== undefined || !env.SERVICES.includes("gateway")) return 0;
  if (env.GATEWAY_THREADS !== undefined) return env.GATEWAY_THREADS;
  if (process.platform !== "linux" || availableParallelism() < 2) return 0;
  return Math.min(Math.max(2, Math.floor(availableParallelism() / 2)), DEFAULT_GATEWAY_THREADS);
}

/** What a browser on this machine can open a server at that listens on `host`. */
export function hostForUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

type Parsed = z.output<typeof Environment>;

function smtpOf({ SMTP_URL: url, MAIL_FROM: from }: Parsed): Config["smtp"] {
  return url === undefined || from === undefined ? undefined : { url, from };
}

function vapidOf(env: Parsed): Config["vapid"] {
  const { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey, VAPID_SUBJECT: subject } = env;
  if (publicKey === undefined || privateKey === undefined || subject === undefined) return undefined;
  return { publicKey, privateKey, subject };
}

function oidcOf(env: Parsed): Config["oidc"] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret };
}

function s3Of(env: Parsed): Config["s3"] {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { endpoint: env.S3_ENDPOINT, bucket, region: env.S3_REGION, accessKeyId, secretAccessKey };
}

function tracingOf(env: Parsed): Config["tracing"] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: sent } = env;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    headers: sent,
    sampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
    serviceName: env.OTEL_SERVICE_NAME,
  };
}

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads the configuration from environment variables.
 * @throws {ConfigError} that lists every fault at once.
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `  ${String(path[0])}: ${message}`);
    throw new ConfigError(`The configuration has faults:\n${faults.join("\n")}`);
  }
  const e = parsed.data;
  return {
    environment: e.NODE_ENV,
    services: [...new Set(e.SERVICES)],
    host: e.HOST,
    port: e.PORT,
    opsHost: e.OPS_HOST,
    opsPort: e.OPS_PORT,
    dataDir: e.DATA_DIR,
    mongoUrl: e.MONGO_URL,
    natsUrl: e.NATS_URL,
    redisUrl: e.REDIS_URL,
    tokenSecret: e.TOKEN_SECRET,
    tokenSecretPrevious: e.TOKEN_SECRET_PREVIOUS,
    guestRetentionDays: e.GUEST_RETENTION_DAYS,
    logLevel: e.LOG_LEVEL ?? (e.NODE_ENV === "production" ? "info" : "warn"),
    trustProxy: e.TRUST_PROXY,
    corsOrigins: e.CORS_ORIGINS,
    rateLimitFactor: e.RATE_LIMIT_FACTOR,
    maxConnections: e.MAX_CONNECTIONS,
    maxConnectionsPerAddress: e.MAX_CONNECTIONS_PER_ADDRESS,
    webDir: e.WEB_DIR,
    outboundAllow: e.OUTBOUND_ALLOW,
    linkPreviews: e.LINK_PREVIEWS,
    publicUrl: e.PUBLIC_URL ?? `http://${hostForUrl(e.HOST)}:${e.PORT}`,
    smtp: smtpOf(e),
    vapid: vapidOf(e),
    oidc: oidcOf(e),
    retentionMaxDays: e.RETENTION_MAX_DAYS,
    filesDir: e.FILES_DIR ?? join(e.DATA_DIR, "files"),
    s3: s3Of(e),
    fileMaxBytes: e.FILE_MAX_BYTES,
    fileQuotaBytes: { user: e.FILE_QUOTA_USER_BYTES, group: e.FILE_QUOTA_GROUP_BYTES },
    gatewayThreads: gatewayThreads(e),
    tracing: tracingOf(e),
  };
}
