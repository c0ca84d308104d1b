import type { SessionTokens } from "@fanfare/contract";

/*
 * Tokens are kept for this tab only, and go when it is closed. A refresh token is good for one use: two tabs that shared
 * one would end each other's session. (A cookie that scripts cannot read, shared by all tabs, is for the full client.)
 */
const KEY = "fanfare.tokens";

export function loadTokens(): SessionTokens | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  try {
    return JSON.parse(text) as SessionTokens;
  } catch {
    return null;
  }
}

export function saveTokens(tokens: SessionTokens | null): void {
  if (tokens === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(tokens));
}
