import { FanfareError, randomId, type ChannelView, type FanfareClient } from "@fanfare/client";
import i18next from "i18next";
import { showChannel } from "../../data/open-channels.ts";
import { errorText } from "../../shared/use-action.ts";
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
 * Every message is stored in this browser until the server has acknowledged it. A tab sends what it has written and what tabs that are gone
 * have left, each with its first nonce, of which the server stores one message only. A tab is alive as long as it holds the lock of its id.
 */

/** Messages of one account that wait or have failed; more are refused. */
const MAX_OUTBOX_MESSAGES = 200;
/** What was written earlier than this is not sent without asking: its time may have passed. */
export const OUTBOX_EXPIRES_MS = 24 * 60 * 60_000;

const tabId = randomId();
const lockName = (id: string): string => `fanfare.outbox.${id}`;
/** Absent on pages that do not come by https. Then each tab sends everything, and the nonces prevent duplicates. */
const locks = navigator.locks as LockManager | undefined;
void locks?.request(lockName(tabId), () => new Promise<void>(() => {}));

/** Whose messages are sent now; another object for each login. */
let account: { client: FanfareClient; userId: string } | null = null;
/** The nonces of the messages that this tab sends, or shows as not sent. */
const held = new Set<string>();
/** Tabs whose end this one waits for. */
const awaited = new Set<string>();
let lastMs = 0;

/** Sends what was left by earlier pages, now and whenever the connection is back. */
export function openOutbox(client: FanfareClient, userId: string): void {
  const opened = { client, userId };
  account = opened;
  held.clear();
  client.on("connection.changed", ({ state }) => {
    if (state === "online" && account === opened) void takeOver();
  });
  void takeOver();
}

/** Stops sending; what is stored waits for the user's next login. */
export function closeOutbox(): void {
  account = null;
  held.clear();
}

/** The same, and removes what is stored. */
export function forgetOutbox(): void {
  if (account !== null) void removeMessagesOf(account.userId);
  closeOutbox();
}

export function isOutboxFull(): boolean {
  return held.size >= MAX_OUTBOX_MESSAGES;
}

/** Sends a message. If it fails for good it is shown in the list, to be sent again or deleted; this never rejects. */
export function sendMessage(view: ChannelView, content: string, options: SendOptions = {}): Promise<void> {
  // Two messages of one millisecond have an order too.
  lastMs = Math.max(Date.now(), lastMs + 1);
  const message: StoredMessage = {
    nonce: randomId(),
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

/** Sends a message that has failed again. The server may have it already, so it keeps its nonce. */
export function sendAgain(view: ChannelView, { message }: UnsentMessage): Promise<void> {
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
  held.delete(message.nonce);
  removeUnsent(message.channelId, message.nonce);
  void removeMessage(message.nonce);
}

async function deliver(view: ChannelView, message: StoredMessage): Promise<void> {
  const { nonce, content, options } = message;
  const sender = account;
  held.add(nonce);
  try {
    await view.send(content, { ...options, nonce });
    held.delete(nonce);
    await removeMessage(nonce);
  } catch (error) {
    // The session has ended, not the wish to send it: the next login takes it over, unless the user has logged out.
    if (account !== sender || isOf(error, "CLOSED")) {
      if (account === sender) held.delete(nonce);
      return;
    }
    if (isOf(error, "CHANNEL_NOT_FOUND")) return dropWithChannel(message, error);
    const failed = { ...message, failure: failureOf(error) };
    await putMessage(failed);
    addUnsent(view.channelId, { message: failed, error });
  }
}

/** Nobody can open the channel to see that the message was not sent. */
function dropWithChannel({ nonce, content }: StoredMessage, error: unknown): void {
  held.delete(nonce);
  void removeMessage(nonce);
  const label = i18next.t("messages:unsent.label");
  showToast({ text: `${label} ${errorText(error)} “${content.slice(0, 200)}”`, tone: "danger" });
}

async function takeOver(): Promise<void> {
  const opened = account;
  if (opened === null) return;
  const { client, userId } = opened;
  const otherIds = await otherTabs();
  const messages = await claimMessages(userId, tabId, otherIds);
  if (account !== opened) return;
  for (const message of messages) {
    if (message.tabId !== tabId) awaitEnd(message.tabId);
    else if (!held.has(message.nonce)) resume(client, message);
  }
}

function resume(client: FanfareClient, message: StoredMessage): void {
  const isExpired = Date.now() - message.atMs > OUTBOX_EXPIRES_MS;
  if (message.failure === null && !isExpired) {
    const view = client.channel(message.channelId);
    showChannel(client, view);
    void deliver(view, { ...message, options: { ...message.options, resend: true } });
    return;
  }
  held.add(message.nonce);
  const error = message.failure === null ? EXPIRED : new FanfareError(message.failure);
  addUnsent(message.channelId, { message, error });
}

const EXPIRED = new FanfareError({
  type: "CONNECTION_LOST",
  message: "The server could not be reached.",
  retryable: true,
  requestId: "",
});

/** The tabs of this browser that are alive, without this one. */
async function otherTabs(): Promise<Set<string>> {
  const { held: all = [] } = (await locks?.query()) ?? {};
  const prefix = lockName("");
  const ids = all.flatMap(({ name = "" }) => (name.startsWith(prefix) ? name.slice(prefix.length) : []));
  return new Set(ids.filter((id) => id !== tabId));
}

/** Takes over what a tab leaves when it is closed. */
function awaitEnd(otherId: string): void {
  if (awaited.has(otherId)) return;
  awaited.add(otherId);
  void locks?.request(lockName(otherId), { mode: "shared" }, () => {
    awaited.delete(otherId);
    void takeOver();
  });
}

const isOf = (error: unknown, type: FanfareError["type"]): boolean =>
  error instanceof FanfareError && error.type === type;

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
