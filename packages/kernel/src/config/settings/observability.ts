import { z } from "zod";
import { headers, baseUrl, oneOf } from "../values.ts";
import { notes } from "./notes.ts";

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
