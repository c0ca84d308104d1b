import { z } from "zod";
import { wholeNumber } from "../values.ts";
import { notes } from "./notes.ts";

export const limits = {
  MAX_CONNECTIONS: wholeNumber(1).default(50_000).register(notes, {
    description:
      "Sockets that this process's gateway takes; who comes then is sent elsewhere. Each needs a file descriptor.",
    unit: "connections",
    example: "20000",
  }),
  MAX_CONNECTIONS_PER_ADDRESS: wholeNumber(1).default(1000).register(notes, {
    description:
      "Sockets from one address; not counted with `TRUST_PROXY`, for they all come from the proxy then.",
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
