import type { EventName, Message } from "@fanfare/contract";
import type { Change } from "./store.ts";

interface Waiting<T> {
  /** Who hears of it. */
  rooms: readonly string[];
  enqueuedAtMs: number;
  resolve(result: T): void;
  reject(error: unknown): void;
}

/** A message that waits to be stored. */
export interface CreateItem extends Waiting<Message> {
  kind: "create";
  authorId: string;
  content: string;
  replyTo: string | null;
  nonce: string;
}

/** A change that waits to be stored. Resolves to null where there is nothing to change any more. */
export interface ChangeItem extends Waiting<Message | null> {
  kind: "change";
  messageId: string;
  set: Change["set"];
  announce: Extract<EventName, "message.created" | "message.changed" | "message.deleted">;
}

export type Item = CreateItem | ChangeItem;
