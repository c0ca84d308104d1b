import { z } from "zod";
import { internal, mutation, perMinute } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";

const token = z
  .string()
  .min(1)
  .max(LIMITS.secretMaxChars)
  .describe("From the setup link that a production server prints at startup while it has no admin.");
/** The token has 256 random bits, so this limits the load rather than guesses. */
const setupLimit = { ...perMinute(20), perAddress: true, exact: true, unscaled: true } as const;

export const userActions = {
  setUpAdmin: mutation({
    summary:
      "Create the first admin's account with a setup link, and log in. Works even if registration is closed or restricted to mail domains.",
    params: z.object({
      token,
      username: e.newUsername,
      password: e.password,
      locale: e.locale.optional(),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    startsSession: true,
    errors: ["INVALID_LINK", "OIDC_REQUIRED", "USERNAME_TAKEN", "WEAK_PASSWORD"],
    rateLimit: setupLimit,
    transports: ["http"],
  }),
  becomeAdmin: mutation({
    summary: "Become the first admin with a setup link. All other sessions of the account end.",
    params: z.object({ token }),
    result: e.SessionTokensSchema,
    permission: { rule: "account" },
    startsSession: true,
    errors: ["INVALID_LINK"],
    rateLimit: setupLimit,
    transports: ["http"],
  }),
  createSetupToken: internal({
    summary: "Create a token for a setup link. It works until it expires or the instance has an admin.",
    result: z.object({ token: z.string() }),
  }),
  adminState: internal({
    summary: "Whether this instance has an admin, and how the first one is created.",
    result: z.object({
      state: z
        .enum(["exists", "firstToRegister", "none"])
        .describe(
          "firstToRegister: the first account becomes admin (only outside production). none: no account is an admin",
        ),
    }),
  }),
};
