import { SERVICES } from "@fanfare/contract";
import { z } from "zod";
import { SERVICE_CHOICES, servicesNamed } from "../services.ts";
import { baseUrl, list, oneOf, port, proxies, wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

const MAX_GATEWAY_THREADS = 64;

export const basics = {
  NODE_ENV: oneOf(["development", "production", "test"]).default("development").register(notes, {
    description:
      "`production` insists on secrets that are safe, logs instead of greeting, and sends no mail into the log. The image sets it.",
    example: "production",
  }),
  SERVICES: list
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
