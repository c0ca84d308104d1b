import type { SessionTokens } from "@fanfare/contract";
import { pause } from "../shared/pause.ts";
import { loadStored, saveStored } from "../state/stored.ts";
import { setAppBadge } from "../ui/hooks.ts";

const NAME = "fanfare.refresh";
/** Longer than any request, so that the lock of a crashed tab expires. */
const LOCK_TTL_MS = 30_000;
const CHECK_INTERVAL_MS = 100;
/** Within this time, concurrent writes have become visible to all tabs. */
const SETTLE_MS = 50;

interface Claim {
  by: string;
  untilMs: number;
}

/** Runs the work in one tab of this browser at a time. */
export async function withTabLock<T>(work: () => Promise<T>): Promise<T> {
  // Pages without https have no Web Locks.
  const locks = navigator.locks as LockManager | undefined;
  if (locks === undefined) return withStoredLock(work);
  let isBusy = false;
  const result = await locks.request(NAME, { ifAvailable: true }, async (lock) => {
    if (lock !== null) return work();
    isBusy = true;
    return null;
  });
  if (!isBusy) return result as T;
  return locks.request(NAME, async () => {
    // A lock can arrive before what its last holder has stored.
    await pause(SETTLE_MS);
    return work();
  });
}

/** The last tab that writes into a free lock holds it. */
async function withStoredLock<T>(work: () => Promise<T>): Promise<T> {
  const by = `${Date.now()}.${Math.random()}`;
  for (;;) {
    const claim = loadStored(NAME) as Claim | null;
    if (claim === null || claim.untilMs < Date.now()) {
      saveStored(NAME, { by, untilMs: Date.now() + LOCK_TTL_MS } satisfies Claim);
      await pause(SETTLE_MS);
      const settled = loadStored(NAME) as Claim | null;
      // Without storage there is nothing to share.
      if (settled === null || settled.by === by) break;
    }
    await pause(CHECK_INTERVAL_MS);
  }
  try {
    return await work();
  } finally {
    saveStored(NAME, null);
  }
}

/*
 * With "Stay logged in", tokens are in `localStorage` for all tabs until logout; otherwise in `sessionStorage` for one tab until it is closed.
 * See SECURITY.md.
 */
const KEY = "fanfare.tokens";

export interface StoredTokens {
  tokens: SessionTokens;
  isShared: boolean;
}

export function loadTokens(): StoredTokens | null {
  for (const isShared of [false, true]) {
    const tokens = storedTokens(isShared);
    if (tokens !== null) return { tokens, isShared };
  }
  return null;
}

export function saveTokens(tokens: SessionTokens, isShared: boolean): void {
  try {
    storageOf(isShared).setItem(KEY, JSON.stringify(tokens));
    if (isShared) sessionStorage.removeItem(KEY);
  } catch {
    // Without storage, the session lasts until the page is left.
  }
}

/** Removes the tokens of an ended session, unless another session has replaced it. */
export function removeTokens(sessionId: string): void {
  for (const isShared of [false, true])
    if (storedTokens(isShared)?.sessionId === sessionId) storageOf(isShared).removeItem(KEY);
}

/** Throws where the browser blocks storage. */
const storageOf = (isShared: boolean): Storage => (isShared ? localStorage : sessionStorage);

/** Null if they are missing or unreadable. */
function storedTokens(isShared: boolean): SessionTokens | null {
  try {
    return JSON.parse(storageOf(isShared).getItem(KEY) ?? "null") as SessionTokens | null;
  } catch {
    return null;
  }
}

/** The database of `data/data-provider.tsx`. */
export const SAVED_DATA = "fanfare.data";

/** Deletes what the session stored, since others may use this browser, and the count on the app's icon. */
export function forgetData(): void {
  setAppBadge(0);
  (globalThis.indexedDB as IDBFactory | undefined)?.deleteDatabase(SAVED_DATA);
}
