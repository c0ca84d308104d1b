import { randomInt } from "node:crypto";
import { ACTIONS, LIMITS } from "@fanfare/contract";
import type { OidcIdentity } from "./oidc-provider.ts";

const {
  username: usernameSchema,
  nickname: nicknameSchema,
  email: emailSchema,
} = ACTIONS["user.register"].params.shape;
const NOT_IN_USERNAMES = /[^A-Za-z0-9_.-]/g;
const FALLBACK = "user";
const DIGITS = 5;

/**
 * A name like the one that they have at the provider, as far as ours allow.
 * @param isAgain the name was taken: with digits after it
 */
export function usernameFor({ names }: OidcIdentity, isAgain: boolean): string {
  const cleaned = (names.username ?? "").replaceAll(NOT_IN_USERNAMES, "");
  const base = usernameSchema.safeParse(cleaned.slice(0, LIMITS.usernameMaxChars)).data ?? FALLBACK;
  if (!isAgain && base !== FALLBACK) return base;
  return `${base.slice(0, LIMITS.usernameMaxChars - DIGITS)}${randomInt(10 ** (DIGITS - 1), 10 ** DIGITS)}`;
}

export function nicknameFor({ names }: OidcIdentity, username: string): string {
  // Not in the middle of a character.
  const cut = (names.nickname ?? "").slice(0, LIMITS.nicknameMaxChars).replace(/[\ud800-\udbff]$/, "");
  return nicknameSchema.safeParse(cut).data ?? username;
}

/** null where it is none that we would take. */
export function emailOf({ email }: OidcIdentity): string | null {
  return emailSchema.safeParse(email ?? undefined).data ?? null;
}
