import { z } from "zod";
import { notes } from "./notes.ts";

export const TOKEN_SECRET_MIN_CHARS = 32;

export const secrets = {
  TOKEN_SECRET: z
    .string()
    .min(TOKEN_SECRET_MIN_CHARS, `must have at least ${TOKEN_SECRET_MIN_CHARS} characters`)
    .optional()
    .register(notes, {
      description:
        "What tokens are signed with, and secrets in the database sealed with; the same in every process. `openssl rand -hex 32` makes one.",
      otherwise: "one is made and kept in `DATA_DIR`",
      required: "in production, and with `NATS_URL`",
      example: "replace-me-by-32-or-more-random-characters",
      secret: true,
    }),
  TOKEN_SECRET_PREVIOUS: z.string().min(1).optional().register(notes, {
    description:
      "The one before, while it is being changed: tokens signed with it are good, and what is sealed with it can be read.",
    otherwise: "none",
    example: "what-token-secret-was-until-now",
    secret: true,
  }),
};
