import { z } from "zod";
import { perMinute } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Each call costs a password hash or is an attempt to guess. */
export const credentialLimit = { ...perMinute(20), perAddress: true, exact: true };

/** Most actions that take or return credentials. */
export const credentialCall = { rateLimit: credentialLimit, transports: ["http"] } as const;

/** An existing one: the rules for new ones are those of `e.password`. */
export const password = z.string().min(1).max(LIMITS.passwordMaxChars);

export const code = z
  .string()
  .min(1)
  .max(LIMITS.codeMaxChars)
  .describe("Six digits of the authenticator app, or a recovery code.");

export const loginCode = code.optional().describe("required if a login asks for one");

/** Of actions that verify a password. */
export const PASSWORD_ERRORS = ["WRONG_CREDENTIALS", "LDAP_UNAVAILABLE"] as const;
