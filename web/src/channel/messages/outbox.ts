import { FanfareError, randomId, type ChannelView, type FanfareClient } from "@fanfare/client";
import i18next from "i18next";
import { isInAddress, openViews, showChannel } from "../../data/shown-channels.ts";
import { errorText, isErrorOf } from "../../shared/use-action.ts";
import { showToast } from "../../ui/feedback.tsx";
import { addUnsent, removeUnsent, type SendOptions, type UnsentMessage } from "./conversation.ts";
import {
  claimMessages,
  putMessage,
  removeMessage,
  removeMessagesOf,
  type StoredMessage,
} from "./outbox-store.ts";

/*
 * Messages are stored in this browser until the server acknowledges them. A tab sends its own messages and those left by closed tabs, each
 * with its original nonce, so that the server stores it only once. A tab is alive while it holds the lock named after its ID, for which
 * the others wait.
 */

/** Pending and failed messages per account. Further ones are rejected. */
const MAX_OUTBOX_MESSAGES = 200;
/** Older messages aren't sent without asking, because they may no longer be relevant. */
export const OUTBOX_EXPIRES_MS = 24 * 60 * 60_000;

const tabId = randomId();
const lockName = (id: string): string => `fanfare.outbox.${id}`;
/** Missing on pages without https. Then each tab sends everything, and nonces prevent duplicates. */
const locks = navigator.locks as LockManager | undefined;
const tabs = new BroadcastChannel("fanfare.outbox");
void locks?.request(lockName(tabId), () => {
  tabs.postMessage(tabId);
  return new Promise<void>(() => {});
});
/** Those opened later announce themselves. */
tabs.addEventListener("message", ({ data: id }) => waitForTab(id as string));

/** The account whose messages are sent; a new object for each login. */
let account: { client: FanfareClient; userId: string } | null = null;
/** Nonces of the messages that this tab sends or shows as failed. */
const pendingNonces = new Set<string>();
/** Other tabs, whose messages this one takes over when they close. */
const watchedTabs = new Set<string>();
let lastMs = 0;

/** Sends messages left by earlier pages, immediately and on each reconnect. */
export function openOutbox(client: FanfareClient, userId: string): void {
  const opened = { client, userId };
  account = opened;
  pendingNonces.clear();
  client.on("connection.changed", ({ state }) => {
    if (state === "online" && account === opened) void takeOver();
  });
  void takeOver();
}

/** Stops sending. Stored messages wait for the user's next login. */
export function closeOutbox(): void {
  account = null;
  pendingNonces.clear();
}

/** Stops sending and removes the stored messages. */
export function clearOutbox(): void {
  if (account !== null) void removeMessagesOf(account.userId);
  closeOutbox();
}

export function isOutboxFull(): boolean {
  return pendingNonces.size >= MAX_OUTBOX_MESSAGES;
}

/** Never rejects: a message that failed permanently is shown in the list, where it can be retried or deleted. */
export function sendMessage(view: ChannelView, content: string, options: SendOptions = {}): Promise<void> {
  // Keeps the order of two messages written in the same millisecond.
  lastMs = Math.max(Date.now(), lastMs + 1);
  const message: StoredMessage = {
    nonce: options.nonce ?? randomId(),
    userId: account?.userId ?? "",
    channelId: view.channelId,
    content,
    options,
    atMs: lastMs,
    tabId,
    failure: null,
  };
  void putMessage(message);
  return deliver(view, message);
}

/**
 * Sends a message to a channel that isn't shown: failures are thrown instead of being listed there. Without a connection, and behind
 * unsent messages of the channel, the message waits.
 * @returns whether it is sent
 * @throws {FanfareError} as `message.send`
 */
export async function sendNow(client: FanfareClient, channelId: string, content: string): Promise<boolean> {
  const nonce = randomId();
  const open = openViews(client).find((view) => view.channelId === channelId);
  if (open !== undefined && open.snapshot.pending.length > 0) {
    void sendMessage(open, content, { nonce });
    return false;
  }
  try {
    await client.call("message.send", { channelId, content, nonce });
    return true;
  } catch (error) {
    const isLost = isErrorOf(error, "CONNECTION_LOST") || isErrorOf(error, "TIMEOUT");
    if (!isLost || isOutboxFull()) throw error;
    const view = client.channel(channelId);
    showChannel(client, view);
    void sendMessage(view, content, { nonce, resend: true });
    return false;
  }
}

/** Retries a failed message with the same nonce, since the server may have stored it already. */
export function retryMessage(view: ChannelView, { message }: UnsentMessage): Promise<void> {
  removeUnsent(view.channelId, message.nonce);
  const again = {
    ...message,
    atMs: Date.now(),
    failure: null,
    options: { ...message.options, resend: true },
  };
  void putMessage(again);
  return deliver(view, again);
}

export function deleteUnsent({ message }: UnsentMessage): void {
  pendingNonces.delete(message.nonce);
  removeUnsent(message.channelId, message.nonce);
  void removeMessage(message.nonce);
}

async function deliver(view: ChannelView, message: StoredMessage): Promise<void> {
  const { nonce, content, options } = message;
  const sender = account;
  pendingNonces.add(nonce);
  try {
    await view.send(content, { ...options, nonce });
    pendingNonces.delete(nonce);
    await removeMessage(nonce);
  } catch (error) {
    // The session ended, but the message is still wanted: the next login sends it, unless the user logged out.
    if (account !== sender || isErrorOf(error, "CLOSED")) {
      if (account === sender) pendingNonces.delete(nonce);
      return;
    }
    if (isErrorOf(error, "CHANNEL_NOT_FOUND")) {
      // It can't be opened to show the failed message there.
      pendingNonces.delete(nonce);
      void removeMessage(nonce);
      return showUnsent(message, error);
    }
    const failed = { ...message, failure: failureOf(error) };
    const stored = putMessage(failed);
    // At once: the view no longer lists it as pending.
    addUnsent(view.channelId, { message: failed, error });
    if (!isInAddress(view.channelId)) showUnsent(message, error);
    await stored;
  }
}

/** For a message whose channel isn't open. */
function showUnsent({ content }: StoredMessage, error: unknown): void {
  const label = i18next.t("messages:unsent.label");
  showToast({ text: `${label} ${errorText(error)} “${content.slice(0, 200)}”`, tone: "danger" });
}

async function takeOver(): Promise<void> {
  const opened = account;
  if (opened === null) return;
  const { client, userId } = opened;
  const otherIds = await otherTabs();
  otherIds.forEach(waitForTab);
  const messages = await claimMessages(userId, tabId, otherIds);
  if (account !== opened) return;
  for (const message of messages)
    if (message.tabId === tabId && !pendingNonces.has(message.nonce)) resume(client, message);
}

function resume(client: FanfareClient, message: StoredMessage): void {
  const isExpired = Date.now() - message.atMs > OUTBOX_EXPIRES_MS;
  if (message.failure === null && !isExpired) {
    const view = client.channel(message.channelId);
    showChannel(client, view);
    void deliver(view, { ...message, options: { ...message.options, resend: true } });
    return;
  }
  pendingNonces.add(message.nonce);
  const error = message.failure === null ? EXPIRED : new FanfareError(message.failure);
  addUnsent(message.channelId, { message, error });
}

const EXPIRED = new FanfareError({
  type: "CONNECTION_LOST",
  message: "The server could not be reached.",
  retryable: true,
  requestId: "",
});

/** The other live tabs of this browser. */
async function otherTabs(): Promise<Set<string>> {
  const { held: all = [] } = (await locks?.query()) ?? {};
  const prefix = lockName("");
  // Tabs hold their own lock alone, and share those they have waited for.
  const ids = all.flatMap(({ name = "", mode }) =>
    mode === "exclusive" && name.startsWith(prefix) ? name.slice(prefix.length) : [],
  );
  return new Set(ids.filter((id) => id !== tabId));
}

/** A tab that is offline leaves the messages to the others, and looks again when it is online. */
function waitForTab(otherId: string): void {
  if (watchedTabs.has(otherId)) return;
  watchedTabs.add(otherId);
  void locks?.request(lockName(otherId), { mode: "shared" }, () => {
    watchedTabs.delete(otherId);
    if (account?.client.state === "online") void takeOver();
  });
}

function failureOf(error: unknown): StoredMessage["failure"] {
  if (!(error instanceof FanfareError))
    return {
      type: "UNEXPECTED_ANSWER",
      message: String(error),
      data: undefined,
      retryable: true,
      requestId: "",
    };
  const { type, message, data, retryable, requestId } = error;
  return { type, message, data, retryable, requestId };
}
