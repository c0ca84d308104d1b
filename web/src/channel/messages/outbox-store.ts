import type { FanfareError } from "@fanfare/client";
import type { SendOptions } from "./conversation.ts";

/** A message that this browser keeps until the server has it. */
export interface StoredMessage {
  readonly nonce: string;
  readonly userId: string;
  readonly channelId: string;
  readonly content: string;
  readonly options: SendOptions;
  /** When it was written, in milliseconds since 1970; messages are sent in this order. */
  readonly atMs: number;
  readonly tabId: string;
  /** Why it could not be sent, if it failed for good. */
  readonly failure: Pick<FanfareError, "type" | "message" | "data" | "retryable" | "requestId"> | null;
}

const NAME = "fanfare";
const STORE = "outbox";

let opening: Promise<IDBDatabase> | null = null;

/** Keeps a message, also over a reload. A browser that stores nothing goes on without. */
export function putMessage(message: StoredMessage): Promise<void> {
  return change((store) => store.put(message));
}

export function removeMessage(nonce: string): Promise<void> {
  return change((store) => store.delete(nonce));
}

/** Removes everything of a user who logs out: others may use this browser. */
export function removeMessagesOf(userId: string): Promise<void> {
  return change((store) => {
    const request = store.index("userId").openKeyCursor(userId);
    request.addEventListener("success", () => {
      const { result: cursor } = request;
      if (cursor === null) return;
      store.delete(cursor.primaryKey);
      cursor.continue();
    });
  });
}

/**
 * Makes `tabId` the sender of the messages that no other tab sends, in one transaction, so that two tabs do not take the same ones.
 * @returns all messages of the user by now, the oldest first
 */
export async function claimMessages(
  userId: string,
  tabId: string,
  otherTabIds: ReadonlySet<string>,
): Promise<StoredMessage[]> {
  let claimed: StoredMessage[] = [];
  await change((store) => {
    const request = store.index("userId").getAll(userId) as IDBRequest<StoredMessage[]>;
    request.addEventListener("success", () => {
      claimed = request.result
        .map((message) => (otherTabIds.has(message.tabId) ? message : { ...message, tabId }))
        .sort((a, b) => a.atMs - b.atMs);
      for (const message of claimed) store.put(message);
    });
  });
  return claimed;
}

async function change(work: (store: IDBObjectStore) => unknown): Promise<void> {
  try {
    const database = await (opening ??= open());
    await new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(STORE, "readwrite");
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () =>
        reject(transaction.error ?? new Error("The transaction was aborted.")),
      );
      work(transaction.objectStore(STORE));
    });
  } catch {
    // A private window, or no space: messages wait until the page is left, as they are in memory too.
    opening = null;
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.addEventListener("upgradeneeded", () => {
      request.result.createObjectStore(STORE, { keyPath: "nonce" }).createIndex("userId", "userId");
    });
    request.addEventListener("success", () => {
      const { result: database } = request;
      // A newer page in another tab changes the schema.
      database.addEventListener("versionchange", () => {
        database.close();
        opening = null;
      });
      resolve(database);
    });
    request.addEventListener("error", () =>
      reject(request.error ?? new Error("IndexedDB cannot be opened.")),
    );
  });
}
