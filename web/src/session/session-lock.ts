import type { SessionTokens } from "@fanfare/contract";
import { loadStored, saveStored } from "../state/stored.ts";

const NAME = "fanfare.refresh";
/** Longer than a call may take: whoever is gone without a word holds it no longer. */
const HELD_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** Within this time everybody who writes at the same moment has written. */
const SETTLE_MS = 50;

interface Claim {
  by: string;
  untilMs: number;
}

/** Does something in one tab of this browser at a time. */
export function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  // Pages that do not come by https have no locks.
  if ((navigator.locks as LockManager | undefined) === undefined) return withStoredLock(work);
  return navigator.locks.request(NAME, work) as Promise<T>;
}

/** The last one who writes into a free lock has it. */
async function withStoredLock<T>(work: () => Promise<T>): Promise<T> {
  const by = `${Date.now()}.${Math.random()}`;
  for (;;) {
    const claim = loadStored(NAME) as Claim | null;
    if (claim === null || claim.untilMs < Date.now()) {
      saveStored(NAME, { by, untilMs: Date.now() + HELD_MS } satisfies Claim);
      await pause(SETTLE_MS);
      const settled = loadStored(NAME) as Claim | null;
      // Where nothing can be stored there is nothing to share either.
      if (settled === null || settled.by === by) break;
    }
    await pause(LOOK_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    saveStored(NAME, null);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/*
 * Who wants to stay logged in has the tokens in `localStorage`, for all tabs and until they log out; others in `sessionStorage`, for one tab until
 * it is closed. See SECURITY.md.
 */
const KEY = "fanfare.tokens";

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
