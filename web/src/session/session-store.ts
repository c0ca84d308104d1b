import { FanfareClient, type RenewTokens } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { useSyncExternalStore } from "react";
import { navigate } from "wouter/use-browser-location";
import { landingPath, settingsPath } from "../routes.ts";
import { forgetDrafts, openDrafts } from "../state/drafts.ts";
import { forgetConversations } from "../channel/messages/conversation.ts";
import { closeOutbox, forgetOutbox, openOutbox, OUTBOX_EXPIRES_MS } from "../channel/messages/outbox.ts";
import { forgetTokens, type Kept, loadTokens, oneTabAtATime, saveTokens } from "./session-lock.ts";
import { isBackToSettings } from "./oidc.tsx";
import { isEntrance, takeWantedPlace } from "./wanted-place.ts";

/**
 * Why nobody is logged in any more: the session has ended, the page is older than the server, or the user has deleted the account.
 * Also the name of the text that says so.
 */
export type SessionNotice = "sessionEnded" | "updated" | "deleted";

interface Session {
  client: FanfareClient | null;
  notice: SessionNotice | null;
  /** The server requires a second factor: until it is set up, nothing else works. */
  needsSecondFactor: boolean;
  /** Another one for each client: nothing that is shown for one is kept for the next. */
  number: number;
}

type Told = { type: "tokens"; kept: Kept } | { type: "ended"; sessionId: string };

/** Tokens that end sooner than this are renewed. */
const EXPIRY_MARGIN_MS = 30_000;
/** A tab that was duplicated has the same session, but other storage: it hears of new tokens within this time. */
const TOLD_WITHIN_MS = 100;

let session: Session = { client: null, notice: null, needsSecondFactor: false, number: 0 };
/** Set while the user ends the session: the server may say so before it answers. */
let leaving: { client: FanfareClient; notice: SessionNotice | null } | null = null;
const listeners = new Set<() => void>();
const tabs = new BroadcastChannel("fanfare.session");

/** The session of this tab, which it may share with others. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, () => session);
}

/**
 * Logs in and makes that the session of this tab.
 * @param options.stay whether to stay logged in, in all tabs and when the browser comes back; otherwise until the tab is closed
 * @throws {FanfareError} what `work` throws
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

/** Logs out, in all tabs that share the session. */
export async function logOut(): Promise<void> {
  const { client } = session;
  if (client === null) return;
  const sessionId = client.tokens?.sessionId;
  if (sessionId !== undefined) tell({ type: "ended", sessionId });
  end(client, null);
  // When the server cannot be reached the tokens are forgotten here all the same.
  await client.logout().catch(() => undefined);
}

/**
 * Ends the session by something that ends it at the server, such as to log out everywhere.
 * @throws {FanfareError} what `work` throws; then the session goes on
 */
export async function leaveBy(
  work: (client: FanfareClient) => Promise<unknown>,
  notice: SessionNotice | null = null,
): Promise<void> {
  const { client } = session;
  if (client === null) return;
  const sessionId = client.tokens?.sessionId;
  leaving = { client, notice };
  try {
    await work(client);
  } finally {
    leaving = null;
  }
  forgetDrafts();
  forgetOutbox();
  if (sessionId !== undefined) tell({ type: "ended", sessionId });
  if (session.client === client) end(client, notice);
}

function newClient(): FanfareClient {
  return new FanfareClient({ url: location.origin, renewTokens, sendGiveUpMs: OUTBOX_EXPIRES_MS });
}

/** A refresh token is good for one use: one tab renews it, and the others take what it has got. */
const renewTokens: RenewTokens = (old, renew) =>
  oneTabAtATime(async () => {
    const kept = loadTokens();
    const isOurs = kept?.tokens.sessionId === old.sessionId;
    const current = isOurs ? kept.tokens : old;
    const isRenewed = current.refreshToken !== old.refreshToken;
    const leftMs = Date.parse(current.accessTokenExpiresAt) - Date.now();
    if (isRenewed && leftMs > EXPIRY_MARGIN_MS) return current;
    const tokens = await renew(current);
    if (isOurs) {
      // Before another tab has its turn.
      keep({ tokens, isShared: kept.isShared });
      if (!kept.isShared) await pause(TOLD_WITHIN_MS);
    }
    return tokens;
  });

function begin(client: FanfareClient, { tokens, isShared }: Kept): void {
  keep({ tokens, isShared });
  openDrafts(tokens.user.id);
  openOutbox(client, tokens.user.id);
  let { sessionId } = tokens;
  client.on("tokens.changed", (changed) => {
    if (session.client !== client) return;
    if (changed === null) return forgetTokens(sessionId);
    ({ sessionId } = changed);
    const now = { tokens: changed, isShared };
    keep(now);
    if (changed.user.kind !== tokens.user.kind) beginAnew(client, now);
  });
  client.on("connection.changed", ({ state, error }) => {
    if (session.client !== client) return;
    if (error?.type === "SECOND_FACTOR_REQUIRED") change({ client, notice: null, needsSecondFactor: true });
    if (state !== "closed") return;
    if (leaving?.client === client) return end(client, leaving.notice);
    end(client, error?.type === "PROTOCOL_MISMATCH" ? "updated" : "sessionEnded");
  });
  leaveEntrance();
  change({ client, notice: null, needsSecondFactor: false });
  // A session that ended is told by the state; anything else is tried again for ever.
  client.connect({ timeoutMs: 0 }).catch(() => undefined);
}

/** Goes on with the session once the second factor that the server requires is set up. */
export function continueSession(): void {
  const { client } = session;
  if (client === null) return;
  change({ client, notice: null, needsSecondFactor: false });
  client.connect({ timeoutMs: 0 }).catch(() => undefined);
}

/** A connection stays what it was opened as: who is no guest any more takes another one. */
function beginAnew(former: FanfareClient, kept: Kept): void {
  resume(kept);
  former.close();
}

function end(client: FanfareClient, notice: SessionNotice | null): void {
  const sessionId = client.tokens?.sessionId;
  if (sessionId !== undefined && notice !== "updated") forgetTokens(sessionId);
  forgetConversations();
  // A user who logs out leaves nothing to the next one; a session that has ended is mostly continued by a new login.
  if (notice === null) {
    forgetDrafts();
    forgetOutbox();
  } else {
    closeOutbox();
  }
  // Whose session ended without their doing wants to go on where they are.
  if (notice === null || notice === "deleted") navigate(landingPath(), { replace: true });
  change({ client: null, notice, needsSecondFactor: false });
  client.close();
  if (notice !== "sessionEnded") return;
  // Another tab may have begun another session in its place, such as with a new password.
  const kept = loadTokens();
  if (kept !== null) resume(kept);
}

/** Who is logged in has no business at the login. */
function leaveEntrance(): void {
  const wanted = takeWantedPlace();
  if (isBackToSettings()) navigate(settingsPath("security"), { replace: true });
  else if (isEntrance(location.pathname)) navigate(wanted, { replace: true });
}

function resume(kept: Kept): void {
  const client = newClient();
  client.useTokens(kept.tokens);
  begin(client, kept);
}

function keep(kept: Kept): void {
  const held = loadTokens();
  if (held?.tokens.refreshToken === kept.tokens.refreshToken && held.isShared === kept.isShared) return;
  saveTokens(kept.tokens, kept.isShared);
  tell({ type: "tokens", kept });
}

function tell(told: Told): void {
  tabs.postMessage(told);
}

tabs.addEventListener("message", ({ data }: MessageEvent<Told>) => {
  const { client } = session;
  const own = client?.tokens ?? null;
  if (data.type === "ended") {
    if (client !== null && own?.sessionId === data.sessionId) end(client, null);
    return;
  }
  const { tokens, isShared } = data.kept;
  if (client === null) {
    if (isShared) resume(data.kept);
  } else if (own !== null && takesOver(own, tokens)) {
    client.useTokens(tokens);
  }
});

/** Whether another tab has renewed the tokens of this session, or has replaced the session (by another password). */
function takesOver(own: SessionTokens, { sessionId, user, refreshToken }: SessionTokens): boolean {
  if (own.refreshToken === refreshToken) return false;
  return own.sessionId === sessionId || own.user.id === user.id;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
if (kept !== null) resume(kept);
