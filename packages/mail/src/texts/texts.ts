import type { Locale } from "@fanfare/contract";
import { en } from "./en.ts";
import { zh } from "./zh.ts";

/** The texts of one email. */
export interface MailText {
  subject: string;
  /** One line or paragraph each. */
  paragraphs: readonly string[];
  /** The label of the link; absent if the email has none. */
  action?: string;
}

/** The values that each email includes besides its link. */
interface MailValues {
  /** Sent at registration, and when requested again. */
  verifyEmail: { host: string; username: string | null };
  /** To the new address. */
  confirmNewEmail: { host: string; username: string | null };
  /** To the old address. */
  emailChanged: { host: string };
  /** To the owner of an account that an admin has created. */
  invitation: { host: string; username: string | null; days: number };
  /** `provider`: host of the OIDC provider whose login is linked to the account, or null. */
  resetPassword: { host: string; minutes: number; provider: string | null };
  passwordChanged: { host: string };
  oidcLinked: { host: string };
  oidcUnlinked: { host: string };
  totpEnabled: { host: string };
  totpDisabled: { host: string };
}

export type MailName = keyof MailValues;
export type ValuesOf<N extends MailName> = Omit<MailValues[N], "host">;

/** All emails in one language; a missing one doesn't compile. */
export type MailTexts = { [N in MailName]: (values: MailValues[N]) => MailText };

const TEXTS: Record<Locale, MailTexts> = { en, zh };

export function textOf<N extends MailName>(locale: Locale, name: N, values: MailValues[N]): MailText {
  return TEXTS[locale][name](values);
}
