import type { SessionTokens } from "@fanfare/contract";

/*
 * Who wants to stay logged in has the tokens in `localStorage`, for all tabs and until they log out; others in `sessionStorage`, for one tab until
 * it is closed. See SECURITY.md.
 */
const KEY = "fanfare.tokens";

/** The tokens that are kept, and whether they are kept for all tabs. */
export interface Kept {
  tokens: SessionTokens;
  isShared: boolean;
}

export function loadTokens(): Kept | null {
  for (const storage of [sessionStorage, localStorage]) {
    const tokens = parse(storage.getItem(KEY));
    if (tokens !== null) return { tokens, isShared: storage === localStorage };
  }
  return null;
}

export function saveTokens(tokens: SessionTokens, isShared: boolean): void {
  try {
    (isShared ? localStorage : sessionStorage).setItem(KEY, JSON.stringify(tokens));
    if (isShared) sessionStorage.removeItem(KEY);
  } catch {
    // A browser that keeps nothing: the session lasts until the page is left.
  }
}

/** Forgets a session that has ended; another one that is kept meanwhile stays. */
export function forgetTokens(sessionId: string): void {
  for (const storage of [sessionStorage, localStorage]) {
    if (parse(storage.getItem(KEY))?.sessionId === sessionId) storage.removeItem(KEY);
  }
}

function parse(text: string | null): SessionTokens | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as SessionTokens;
  } catch {
    return null;
  }
}
