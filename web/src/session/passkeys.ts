import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import i18next from "i18next";
import { ErrorWithText } from "../shared/use-action.ts";

type Options = Record<string, unknown>;

/**
 * Lets the user choose a passkey of this server.
 * @param options of `user.startPasskeyLogin`
 * @throws {ErrorWithText}
 */
export async function getPasskey(options: Options) {
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const answer = startAuthentication({ optionsJSON });
  const credential = await explained(answer, { canceled: i18next.t("session:passkey.canceled") });
  return { challenge: optionsJSON.challenge, credential };
}

/**
 * Lets the user create a passkey.
 * @param options of `user.startPasskeySetup`
 * @throws {ErrorWithText}
 */
export async function createPasskey(options: Options) {
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await explained(startRegistration({ optionsJSON }), {
    canceled: i18next.t("settings:passkeys.canceled"),
    exists: i18next.t("settings:passkeys.exists"),
    unsupported: i18next.t("settings:passkeys.unsupported"),
  });
  return { challenge: optionsJSON.challenge, credential };
}

type Reason = "canceled" | "exists" | "unsupported";

/** By the names that WebAuthn gives to errors. */
const REASONS: Partial<Record<string, Reason>> = {
  // Also when there is none, or the time is up: a site doesn't learn which.
  NotAllowedError: "canceled",
  AbortError: "canceled",
  InvalidStateError: "exists",
  ConstraintError: "unsupported",
  NotSupportedError: "unsupported",
};

async function explained<T>(answer: Promise<T>, texts: Partial<Record<Reason, string>>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const reason = error instanceof Error ? REASONS[error.name] : undefined;
    const text = reason && texts[reason];
    if (text === undefined) throw error;
    throw new ErrorWithText(text, { cause: error });
  }
}
