import { z } from "zod";
import { wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

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
