import { type ServiceName, SERVICES } from "@fanfare/contract";
import { z } from "zod";
import { baseUrl, headers, list, notes, oneOf, port, proxies, serverUrl, wholeNumber } from "../values.ts";

/** In `SERVICES`: everything except the gateway, so that the setting need not change when a release adds a service. */
const ALL_WORKERS = "workers";
const SERVICE_CHOICES = [...SERVICES, ALL_WORKERS] as const;

/** Expands one item of `SERVICES`. */
function servicesNamed(choice: (typeof SERVICE_CHOICES)[number]): readonly ServiceName[] {
  return choice === ALL_WORKERS ? SERVICES.filter((name) => name !== "gateway") : [choice];
}

/** Former services that are now part of another one; still accepted next to it. */
const FORMER_SERVICES: Readonly<Record<string, ServiceName>> = { friend: "user" };

/** Whether the process hosts a service with a database. */
export function needsDatabase({ services }: { services: readonly ServiceName[] }): boolean {
  return services.some((name) => name !== "gateway");
}

const MAX_GATEWAY_THREADS = 64;

export const basics = {
  NODE_ENV: oneOf(["development", "production", "test"]).default("development").register(notes, {
    description:
      "`production` requires strong secrets, writes logs as JSON, and never writes emails to the log. The image sets it. `test` is only for Fanfare's own tests: its password hashes are weak.",
    example: "production",
  }),
  SERVICES: list
    .transform((names, context) =>
      names.filter((name) => {
        const now = FORMER_SERVICES[name];
        if (now === undefined) return true;
        if (!names.includes(now) && !names.includes("workers"))
          context.addIssue(`'${name}' is now part of '${now}': use '${now}' instead`);
        return false;
      }),
    )
    .pipe(z.array(oneOf(SERVICE_CHOICES)).min(1))
    .transform((names) => [...new Set(names.flatMap(servicesNamed))])
    .default([...SERVICES])
    .register(notes, {
      description:
        "Services that this process runs, separated by commas; `workers` means all except the gateway. Other processes must run the rest.",
      defaultText: "all of them",
      example: "gateway",
    }),
  HOST: z.string().default("127.0.0.1").register(notes, {
    description:
      "Address that the web client, the API and the sockets listen on. `0.0.0.0` accepts connections from other machines; the image sets it.",
    example: "0.0.0.0",
  }),
  PORT: port.default(3000).register(notes, {
    description: "Port of the web client, the API and the sockets; 0 picks a free one.",
    example: "3100",
  }),
  OPS_HOST: z.string().default("127.0.0.1").register(notes, {
    description:
      "Address that `/livez`, `/readyz` and `/metrics` listen on. Never expose them to the internet.",
    example: "0.0.0.0",
  }),
  OPS_PORT: port.default(3001).register(notes, {
    description: "Port of `/livez`, `/readyz` and `/metrics`.",
    example: "3101",
  }),
  PUBLIC_URL: baseUrl.optional().register(notes, {
    description:
      "Public address of the web client, used for links in emails, for OpenID Connect and for passkeys, which only work at its host.",
    defaultText: "`http://HOST:PORT`",
    required: "in production with `SMTP_URL` or single sign-on",
    example: "https://chat.example.org",
  }),
  TRUST_PROXY: proxies.default(0).register(notes, {
    description:
      "Proxies whose `X-Forwarded-For` is trusted: the number in front of this server (`on` is 1), or their addresses and networks. " +
      "With a number, make sure that clients can only connect through the proxies, or they can forge their address.",
    defaultText: "`off`",
    example: "10.0.0.0/8,192.0.2.10",
  }),
  CORS_ORIGINS: list.default([]).register(notes, {
    description:
      "Origins of other websites whose pages can call the API from a browser, separated by commas.",
    defaultText: "none",
    example: "https://intranet.example.org",
  }),
  WEB_DIR: z.string().default("web/dist").register(notes, {
    description: "Folder of the built web client. The image sets it.",
    example: "/srv/fanfare/web",
  }),
  DOCS_DIR: z.string().default("docs/dist").register(notes, {
    description: "Folder of the built documentation, which is served under `/docs`. The image sets it.",
    example: "/srv/fanfare/docs",
  }),
  GATEWAY_THREADS: wholeNumber(0, MAX_GATEWAY_THREADS).optional().register(notes, {
    description:
      "Number of threads that serve clients in a single instance; 0 runs everything in one thread. In a cluster, start more gateways instead.",
    unit: "threads",
    defaultText: "on Linux with several cores, half of them, but 2 to 4; otherwise 0",
    example: "4",
  }),
};

export const cluster = {
  NATS_URL: serverUrl(["nats"], { several: true }).optional().register(notes, {
    description: "NATS, which connects the processes of a cluster. Several servers are separated by commas.",
    defaultText: "a single instance in one process",
    required: "if `SERVICES` doesn't name all services",
    example: "nats://fanfare:password@nats.example.org:4222",
    secret: true,
  }),
  REDIS_URL: serverUrl(["redis", "rediss"]).optional().register(notes, {
    description: "Redis or Valkey, which stores presence and rate limits for all processes.",
    defaultText: "the memory of this process",
    required: "with `NATS_URL`",
    example: "redis://:password@valkey.example.org:6379",
    secret: true,
  }),
};

export const DEFAULT_MAX_CONNECTIONS = 50_000;

export const limits = {
  MAX_CONNECTIONS: wholeNumber(1).default(DEFAULT_MAX_CONNECTIONS).register(notes, {
    description:
      "Maximum number of sockets of this process's gateway, all threads together. Further clients are refused and try another gateway. Each socket needs a file descriptor. If `ulimit -n` is below this value plus 5,500, fewer are accepted, and a warning is logged at startup.",
    unit: "connections",
    example: "20000",
  }),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1).default(1000).register(notes, {
    description:
      "Maximum number of sockets from one client address (IPv6: one /64 network) per process. With `TRUST_PROXY`, this is the address that the proxies forward. Each gateway of a cluster counts separately.",
    unit: "connections",
    example: "200",
  }),
  RATE_LIMIT_FACTOR: z.coerce
    .number("must be a number of 0.001 or more")
    .min(0.001, "must be a number of 0.001 or more")
    .default(1)
    .register(notes, {
      description:
        "Factor for all rate limits except those on password guesses: with 2, users can do twice as much.",
      example: "2",
    }),
};

export const observability = {
  LOG_LEVEL: oneOf(["trace", "debug", "info", "warn", "error", "silent"]).optional().register(notes, {
    description: "Lowest level that is logged, as JSON to standard error.",
    defaultText: "`info` in production, else `warn`",
    example: "debug",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional().register(notes, {
    description: "OpenTelemetry collector (OTLP over HTTP). Traces are sent to `/v1/traces` below this URL.",
    defaultText: "no tracing",
    example: "http://collector.example.org:4318",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headers.default({}).register(notes, {
    description: "Headers sent to the collector, such as an API key.",
    defaultText: "none",
    example: "authorization=Basic%20dXNlcjpwYXNzd29yZA==",
    secret: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, "must be a number from 0 to 1")
    .max(1, "must be a number from 0 to 1")
    .default(1)
    .register(notes, {
      description: "Fraction of traces that is sampled.",
      example: "0.05",
    }),
  OTEL_SERVICE_NAME: z.string().default("fanfare").register(notes, {
    description: "Service name in traces.",
    example: "chat",
  }),
};
