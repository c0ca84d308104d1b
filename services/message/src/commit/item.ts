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
  announce: Exclude<Announcement, "message.created">;
}

/** New messages of one channel that are written together. */
export interface Run {
  channelId: string;
  creates: CreateItem[];
}

/**
 * What one command of the database writes: messages of several channels, one each; or several messages of one channel; or
 * one change.
 */
export type Write = { kind: "create"; runs: Run[] } | { kind: "change"; channelId: string; item: ChangeItem };
