import { z } from "zod";
import { mutation, query } from "../define.ts";
import * as e from "../entities.ts";
import { LIMITS } from "../limits.ts";
import { credentialCall, loginCode, password, PASSWORD_ERRORS } from "./account.ts";

const part = z.string().min(1).max(LIMITS.passkeyPartMaxChars);
const passkeyId = part.describe("`id` of the passkey");
const challenge = z.string().min(1).max(LIMITS.secretMaxChars).describe("Of the options. It works once.");

/** Typed by WebAuthn, not by this contract. */
const options = z.record(z.string(), z.unknown());
/** What all answers of a browser have. */
const credential = { id: part, rawId: part, type: z.literal("public-key") };

/**
 * Passkeys: discoverable WebAuthn credentials that verify their user by a PIN or biometrics. Where the policy only accepts single
 * sign-on, they are refused like passwords: a person who has left the organization must not keep a way in.
 */
export const userActions = {
  listPasskeys: query({
    summary: "The caller's passkeys, oldest first.",
    result: z.object({ passkeys: z.array(e.PasskeySchema).max(LIMITS.passkeysPerUser) }),
    permission: { rule: "account" },
  }),
  startPasskeySetup: mutation({
    summary: "Options for a new passkey. Only for accounts with a password.",
    params: z.object({ password, code: loginCode }),
    result: z.object({
      options: options.describe(
        "PublicKeyCredentialCreationOptionsJSON of WebAuthn, for `navigator.credentials.create()`.",
      ),
    }),
    permission: { rule: "account" },
    errors: [
      ...PASSWORD_ERRORS,
      "PASSWORD_IN_DIRECTORY",
      "OIDC_REQUIRED",
      "LIMIT_REACHED",
      "TOTP_REQUIRED",
      "WRONG_CODE",
    ],
    ...credentialCall,
  }),
  addPasskey: mutation({
    summary: "Add the passkey that the browser has created with the options of `user.startPasskeySetup`.",
    params: z.object({
      name: e.passkeyName,
      challenge,
      credential: z
        .object({
          ...credential,
          response: z.object({ clientDataJSON: part, attestationObject: part }),
        })
        .describe("RegistrationResponseJSON of WebAuthn."),
    }),
    result: z.object({ passkey: e.PasskeySchema }),
    permission: { rule: "account" },
    errors: ["PASSKEY_REFUSED", "OIDC_REQUIRED", "LIMIT_REACHED"],
    ...credentialCall,
  }),
  renamePasskey: mutation({
    summary: "Rename one of the caller's passkeys.",
    params: z.object({ passkeyId, name: e.passkeyName }),
    permission: { rule: "account" },
    errors: ["PASSKEY_NOT_FOUND"],
  }),
  removePasskey: mutation({
    summary: "Remove one of the caller's passkeys. Sessions that it has opened continue.",
    params: z.object({ passkeyId, password }),
    permission: { rule: "account" },
    errors: [...PASSWORD_ERRORS, "PASSKEY_NOT_FOUND"],
    ...credentialCall,
  }),
  startPasskeyLogin: mutation({
    summary: "Options for a login with any passkey of this server.",
    result: z.object({
      options: options.describe(
        "PublicKeyCredentialRequestOptionsJSON of WebAuthn, for `navigator.credentials.get()`.",
      ),
    }),
    permission: { rule: "public" },
    worksInMaintenance: true,
    errors: ["OIDC_REQUIRED"],
    ...credentialCall,
  }),
  loginWithPasskey: mutation({
    summary: "Log in with a passkey. No code of two-step verification is required.",
    params: z.object({
      challenge,
      credential: z
        .object({
          ...credential,
          response: z.object({
            clientDataJSON: part,
            authenticatorData: part,
            signature: part,
            userHandle: part.optional(),
          }),
        })
        .describe("AuthenticationResponseJSON of WebAuthn."),
    }),
    result: e.SessionTokensSchema,
    permission: { rule: "public" },
    worksInMaintenance: true,
    startsSession: true,
    errors: ["PASSKEY_REFUSED", "OIDC_REQUIRED", "USER_DISABLED", "EMAIL_NOT_VERIFIED", "WRONG_CREDENTIALS"],
    // Signatures can't be guessed, so there is no limit per account.
    ...credentialCall,
  }),
};
