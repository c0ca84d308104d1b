import { FanfareClient, type RenewTokens } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { useSyncExternalStore } from "react";
import { navigate } from "wouter/use-browser-location";
import { landingPath, settingsPath } from "../routes.ts";
import { pause } from "../shared/pause.ts";
import { clearDrafts, openDrafts } from "../state/drafts.ts";
import { forgetUnsentPreferences } from "../state/preferences.ts";
import { clearConversations } from "../channel/messages/conversation.ts";
import { closeOutbox, clearOutbox, openOutbox, OUTBOX_EXPIRES_MS } from "../channel/messages/outbox.ts";
import {
  removeTokens,
  type StoredTokens,
  loadTokens,
  withTabLock,
  saveTokens,
  forgetData,
} from "./session-lock.ts";
import { forgetShared } from "../new-message/shared-content.ts";
import { sectionOfReturn } from "./oidc-return.ts";
import { isLoginPath, takeRequestedPath } from "./requested-path.ts";

/**
 * Why the user is logged out. Also the key of the text that is shown.
 */
export type SessionNotice = "sessionEnded" | "updated" | "deleted";

interface Session {
  client: FanfareClient | null;
  notice: SessionNotice | null;
  /** The server requires a second factor; nothing else works until it is set up. */
  needsSecondFactor: boolean;
  /** Incremented for each client, so that no component state outlives it. */
  number: number;
}

type TabMessage = { type: "tokens"; stored: StoredTokens } | { type: "ended"; sessionId: string };

/** Tokens are renewed this long before they expire. */
const EXPIRY_MARGIN_MS = 30_000;
/** A duplicated tab has the same session but separate storage; other tabs answer within this time. */
const TAB_REPLY_MS = 100;

let session: Session = { client: null, notice: null, needsSecondFactor: false, number: 0 };
/** Set while the user ends the session, because the server's event can arrive before its response. */
let endingSession: { client: FanfareClient; notice: SessionNotice | null } | null = null;
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel("fanfare.session");

/** The session of this tab, possibly shared with other tabs. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}

/**
 * Logs in and stores the session.
 * @param options.stay whether all tabs stay logged in, also after the browser restarts; otherwise only this tab until it is closed
 * @throws {FanfareError} as `work`
 */
export async function logIn(
  work: (client: FanfareClient) => Promise<unknown>,
  { stay = true }: { stay?: boolean } = {},
): Promise<void> {
  const client = newClient();
  await work(client);
  const { tokens } = client;
  if (tokens !== null) begin(client, { tokens, isShared: stay });
}

/** Logs out in all tabs that share the session. */
export async function logOut(): Promise<void> {
  const { client } = session;
  if (client === null) return;
  const sessionId = client.tokens?.sessionId;
  if (sessionId !== undefined) broadcast({ type: "ended", sessionId });
  end(client, null);
  // If the server can't be reached, the tokens are still removed.
  await client.logout().catch(() => undefined);
}

/**
 * Ends the session with a call that ends it on the server, such as logging out everywhere.
 * @throws {FanfareError} as `work`; then the session continues
 */
export async function endSession(
  work: (client: FanfareClient) => Promise<unknown>,
  notice: SessionNotice | null = null,
): Promise<void> {
  const { client } = session;
  if (client === null) return;
  const sessionId = client.tokens?.sessionId;
  endingSession = { client, notice };
  try {
    await work(client);
  } finally {
    endingSession = null;
  }
  clearLocalData();
  if (sessionId !== undefined) broadcast({ type: "ended", sessionId });
  if (session.client === client) end(client, notice);
}

function newClient(): FanfareClient {
  return new FanfareClient({ url: location.origin, renewTokens, sendGiveUpMs: OUTBOX_EXPIRES_MS });
}

/** A refresh token can only be used once: one tab renews it, and the others take over the result. */
const renewTokens: RenewTokens = (old, renew) =>
  withTabLock(async () => {
    const stored = loadTokens();
    const isOurs = stored?.tokens.sessionId === old.sessionId;
    const current = isOurs ? stored.tokens : old;
    const isRenewed = current.refreshToken !== old.refreshToken;
    const leftMs = Date.parse(current.accessTokenExpiresAt) - Date.now();
    if (isRenewed && leftMs > EXPIRY_MARGIN_MS) return current;
    const tokens = await renew(current);
    if (isOurs) {
      // Stored before the next tab gets the lock.
      storeTokens({ tokens, isShared: stored.isShared });
      if (!stored.isShared) await pause(TAB_REPLY_MS);
    }
    return tokens;
  });

function begin(client: FanfareClient, { tokens, isShared }: StoredTokens): void {
  storeTokens({ tokens, isShared });
  openDrafts(tokens.user.id);
  openOutbox(client, tokens.user.id);
  let { sessionId } = tokens;
  client.on("tokens.changed", (changed) => {
    if (session.client !== client) return;
    if (changed === null) return removeTokens(sessionId);
    ({ sessionId } = changed);
    const now = { tokens: changed, isShared };
    storeTokens(now);
    if (changed.user.kind !== tokens.user.kind) replaceClient(client, now);
  });
  client.on("connection.changed", ({ state, error }) => {
    if (session.client !== client) return;
    if (error?.type === "SECOND_FACTOR_REQUIRED") change({ client, notice: null, needsSecondFactor: true });
    if (state !== "closed") return;
    if (endingSession?.client === client) return end(client, endingSession.notice);
    end(client, error?.type === "PROTOCOL_MISMATCH" ? "updated" : "sessionEnded");
  });
  leaveLoginPages();
  change({ client, notice: null, needsSecondFactor: false });
  // An ended session is reported by the state; other failures are retried indefinitely.
  client.connect({ timeoutMs: 0 }).catch(() => undefined);
}

/** What the user has written or shared and not sent. */
function clearLocalData(): void {
  clearDrafts();
  clearOutbox();
  void forgetShared();
}

/** Continues once the required second factor is set up. */
export function continueSession(): void {
  const { client } = session;
  if (client === null) return;
  change({ client, notice: null, needsSecondFactor: false });
  client.connect({ timeoutMs: 0 }).catch(() => undefined);
}

/** A connection keeps the kind of user it was opened with, so a guest with a new account needs a new one. */
function replaceClient(former: FanfareClient, stored: StoredTokens): void {
  resume(stored);
  former.close();
}

function end(client: FanfareClient, notice: SessionNotice | null): void {
  const sessionId = client.tokens?.sessionId;
  if (sessionId !== undefined && notice !== "updated") removeTokens(sessionId);
  clearConversations();
  if (notice !== "updated") {
    forgetData();
    forgetUnsentPreferences();
  }
  // Logging out clears local data; an expired session is usually followed by a new login of the same user.
  if (notice === null) {
    clearLocalData();
  } else {
    closeOutbox();
  }
  // After an expired session, the next login returns to the same page.
  if (notice === null || notice === "deleted") navigate(landingPath(), { replace: true });
  change({ client: null, notice, needsSecondFactor: false });
  client.close();
  if (notice !== "sessionEnded") return;
  // Another tab may have started a new session, such as after a password change.
  const stored = loadTokens();
  if (stored !== null) resume(stored);
}

/** Leaves the login pages after login. */
function leaveLoginPages(): void {
  const path = takeRequestedPath();
  const section = sectionOfReturn();
  if (section !== null) navigate(settingsPath(section), { replace: true });
  else if (isLoginPath(location.pathname)) navigate(path, { replace: true });
}

function resume(stored: StoredTokens): void {
  const client = newClient();
  client.useTokens(stored.tokens);
  begin(client, stored);
}

function storeTokens(stored: StoredTokens): void {
  const current = loadTokens();
  if (current?.tokens.refreshToken === stored.tokens.refreshToken && current.isShared === stored.isShared)
    return;
  saveTokens(stored.tokens, stored.isShared);
  broadcast({ type: "tokens", stored });
}

function broadcast(message: TabMessage): void {
  tabs.postMessage(message);
}

tabs.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
  const { client } = session;
  const own = client?.tokens ?? null;
  if (data.type === "ended") {
    if (client !== null && own?.sessionId === data.sessionId) end(client, null);
    return;
  }
  const { tokens, isShared } = data.stored;
  if (client === null) {
    if (isShared) resume(data.stored);
  } else if (own !== null && isNewerSession(own, tokens)) {
    client.useTokens(tokens);
  }
});

/** Whether another tab has renewed this session's tokens or replaced the session (after a password change). */
function isNewerSession(own: SessionTokens, { sessionId, user, refreshToken }: SessionTokens): boolean {
  if (own.refreshToken === refreshToken) return false;
  return own.sessionId === sessionId || own.user.id === user.id;
}

function change(next: Omit<Session, "number">): void {
  session = { ...next, number: session.number + 1 };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const kept = loadTokens();
if (kept === null) forgetData();
else resume(kept);
