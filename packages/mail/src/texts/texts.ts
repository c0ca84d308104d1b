import type { Locale, Params } from "@fanfare/contract";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";
import { zh } from "./zh.ts";

/** The texts of one email. */
export interface MailText {
  subject: string;
  /** One line or paragraph each. */
  paragraphs: readonly string[];
  /** What others have written, below the first paragraph. */
  items?: readonly MailItem[];
  /** The label of the link; absent if the email has none. */
  action?: string;
  /** The labels of the links at the end of an email that the user can turn off. */
  footer?: readonly [settings: string, unsubscribe: string];
}

export interface MailItem {
  title: string;
  text?: string;
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
  /** To an address that `username` has chosen. */
  groupInvite: { host: string; username: string; group: string; days: number };
  /** `provider`: host of the OIDC provider whose login is linked to the account, or null. */
  resetPassword: { host: string; minutes: number; provider: string | null };
  passwordChanged: { host: string };
  /** Instead of a link to reset the password. */
  passwordInDirectory: { host: string };
  ldapLinked: { host: string };
  oidcLinked: { host: string };
  oidcUnlinked: { host: string };
  totpEnabled: { host: string };
  totpDisabled: { host: string };
  passkeyAdded: { host: string };
  passkeyRemoved: { host: string };
  /** `more`: how many further unread messages there are. */
  missed: { host: string; items: Params<"user.mailMissed">["items"]; more: number };
}

export type MailName = keyof MailValues;
export type ValuesOf<N extends MailName> = Omit<MailValues[N], "host">;

/** All emails in one language; a missing one doesn't compile. */
export type MailTexts = { [N in MailName]: (values: MailValues[N]) => MailText };

const TEXTS: Record<Locale, MailTexts> = { ar, de, en, es, fr, ja, pt, zh };

export function textOf<N extends MailName>(locale: Locale, name: N, values: MailValues[N]): MailText {
  return TEXTS[locale][name](values);
}
