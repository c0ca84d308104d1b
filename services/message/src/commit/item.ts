import type { Message } from "@fanfare/contract";
import type { Change } from "./store.ts";
import type { Announcement } from "./write-context.ts";

interface Waiting<T> {
  /** Who hears of it. */
  rooms: readonly string[];
  enqueuedAtMs: number;
  resolve: (result: T) => void;
  reject: (error: unknown) => void;
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
  announce: Announcement;
}

export type Item = CreateItem | ChangeItem;
