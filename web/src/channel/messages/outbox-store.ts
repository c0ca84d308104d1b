import type { FanfareError } from "@fanfare/client";
import type { SendOptions } from "./conversation.ts";

/** A message stored in this browser until the server acknowledges it. */
export interface StoredMessage {
  readonly nonce: string;
  readonly userId: string;
  readonly channelId: string;
  readonly content: string;
  readonly options: SendOptions;
  /** When it was written, in Unix milliseconds. Messages are sent in this order. */
  readonly atMs: number;
  readonly tabId: string;
  /** Set if sending failed permanently. */
  readonly failure: Pick<FanfareError, "type" | "message" | "data" | "retryable" | "requestId"> | null;
}

const NAME = "fanfare";
const STORE = "outbox";

let opening: Promise<IDBDatabase> | null = null;

/** Survives reloads. Without browser storage this does nothing. */
export function putMessage(message: StoredMessage): Promise<void> {
  return change((store) => store.put(message));
}

export function removeMessage(nonce: string): Promise<void> {
  return change((store) => store.delete(nonce));
}

/** Removes all messages of a user who logs out, since others may use this browser. */
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
 * Assigns the unclaimed messages to `tabId`, in one transaction so that two tabs can't claim the same ones.
 * @returns all messages of the user, oldest first
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
    // Private window or no space left: messages are only kept in memory.
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
      // A newer page in another tab upgrades the schema.
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
