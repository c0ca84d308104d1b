import { SERVICES } from "@fanfare/contract";
import { z } from "zod";
import { FORMER_SERVICES, SERVICE_CHOICES, servicesNamed } from "../services.ts";
import { baseUrl, headers, list, oneOf, port, proxies, serverUrl, wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

const MAX_GATEWAY_THREADS = 64;

export const basics = {
  NODE_ENV: oneOf(["development", "production", "test"]).default("development").register(notes, {
    description:
      "`production` insists on secrets that are safe, logs instead of greeting, and sends no mail into the log. The image sets it.",
    example: "production",
  }),
  SERVICES: list
    .transform((names, context) =>
      names.filter((name) => {
        const now = FORMER_SERVICES[name];
        if (now === undefined) return true;
        if (!names.includes(now) && !names.includes("workers"))
          context.addIssue(`'${name}' is part of '${now}' now: name '${now}' instead`);
        return false;
      }),
    )
    .pipe(z.array(oneOf(SERVICE_CHOICES)).min(1))
    .transform((names) => [...new Set(names.flatMap(servicesNamed))])
    .default([...SERVICES])
    .register(notes, {
      description:
        "What this process hosts: names with commas in between; `workers` stands for all but the gateway. What it leaves out, other processes have to host.",
      otherwise: "all of them",
      example: "gateway",
    }),
  HOST: z.string().default("127.0.0.1").register(notes, {
    description:
      "The address that the page, the API and the sockets are at. `0.0.0.0` lets other machines reach it; the image sets that.",
    example: "0.0.0.0",
  }),
  PORT: port.default(3000).register(notes, {
    description: "The port of the page, the API and the sockets; 0 takes any that is free.",
    example: "3100",
  }),
  OPS_HOST: z.string().default("127.0.0.1").register(notes, {
    description:
      "The address of `/livez`, `/readyz` and `/metrics`. They are for those who run the instance: never let the outside reach them.",
    example: "0.0.0.0",
  }),
  OPS_PORT: port.default(3001).register(notes, {
    description: "The port of `/livez`, `/readyz` and `/metrics`.",
    example: "3101",
  }),
  PUBLIC_URL: baseUrl.optional().register(notes, {
    description:
      "Where people open the page: links in mails lead there, and logins by OpenID Connect end there.",
    otherwise: "`http://` and `HOST:PORT`",
    required: "in production with `SMTP_URL` or `OIDC_ISSUER`",
    example: "https://chat.example.org",
  }),
  TRUST_PROXY: proxies.default(0).register(notes, {
    description:
      "The proxies whose `X-Forwarded-For` is trusted: how many stand in front of this server (`on` is 1), or their addresses and networks. " +
      "With a number, let no client reach this server around them, or it can claim any address.",
    otherwise: "`off`",
    example: "10.0.0.0/8,192.0.2.10",
  }),
  CORS_ORIGINS: list.default([]).register(notes, {
    description: "Pages of other origins that may call the API from a browser, with commas in between.",
    otherwise: "none",
    example: "https://intranet.example.org",
  }),
  WEB_DIR: z.string().default("web/dist").register(notes, {
    description: "The folder of the built page. The image sets it.",
    example: "/srv/fanfare/web",
  }),
  GATEWAY_THREADS: wholeNumber(0, MAX_GATEWAY_THREADS).optional().register(notes, {
    description:
      "Threads that write to the sockets of a single instance; 0: all in one. In a cluster start more gateways instead.",
    unit: "threads",
    otherwise: "half of the processor cores, 2 to 4, where there are several and the system is Linux",
    example: "4",
  }),
};

export const cluster = {
  NATS_URL: serverUrl(["nats"], { several: true }).optional().register(notes, {
    description: "How processes reach each other; several servers with commas in between.",
    otherwise: "this process is the whole instance",
    required: "where `SERVICES` leaves something out",
    example: "nats://fanfare:password@nats.example.org:4222",
    secret: true,
  }),
  REDIS_URL: serverUrl(["redis", "rediss"]).optional().register(notes, {
    description: "Redis or Valkey, where the processes share presence and rate limits.",
    otherwise: "in the memory of this process",
    required: "with `NATS_URL`",
    example: "redis://:password@valkey.example.org:6379",
    secret: true,
  }),
};

export const DEFAULT_MAX_CONNECTIONS = 50_000;

export const limits = {
  MAX_CONNECTIONS: wholeNumber(1).default(DEFAULT_MAX_CONNECTIONS).register(notes, {
    description:
      "Sockets that the gateway of this process accepts, with all of its threads; further ones are sent elsewhere. Each needs a file descriptor: where `ulimit -n` is below this plus 5,500, fewer are accepted, and the log says so at start.",
    unit: "connections",
    example: "20000",
  }),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1).default(1000).register(notes, {
    description:
      "Sockets from one address (IPv6: one /64 network), at all threads of this process together; with `TRUST_PROXY`, from one address that the proxies forward. Each gateway process of a cluster counts by itself: with n of them an address can have n times as many.",
    unit: "connections",
    example: "200",
  }),
  RATE_LIMIT_FACTOR: z.coerce
    .number("must be a number of 0.001 or more")
    .min(0.001, "must be a number of 0.001 or more")
    .default(1)
    .register(notes, {
      description: "Multiplies rate limits, except those on password guesses: 2 allows twice as much.",
      example: "2",
    }),
};

export const observability = {
  LOG_LEVEL: oneOf(["trace", "debug", "info", "warn", "error", "silent"]).optional().register(notes, {
    description: "The least important lines that are logged, as JSON on the standard error output.",
    otherwise: "`info` in production, else `warn`",
    example: "debug",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional().register(notes, {
    description: "A collector of OpenTelemetry (OTLP over HTTP): traces go to `/v1/traces` below it.",
    otherwise: "no traces are made",
    example: "http://collector.example.org:4318",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headers.default({}).register(notes, {
    description: "Sent with each request there, such as a key that it asks for.",
    otherwise: "none",
    example: "authorization=Basic%20dXNlcjpwYXNzd29yZA==",
    secret: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, "must be a number from 0 to 1")
    .max(1, "must be a number from 0 to 1")
    .default(1)
    .register(notes, {
      description: "The share of traces that is kept.",
      example: "0.05",
    }),
  OTEL_SERVICE_NAME: z.string().default("fanfare").register(notes, {
    description: "What traces call this instance.",
    example: "chat",
  }),
};
