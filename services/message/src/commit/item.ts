import type { Message } from "@fanfare/contract";
import type { RequestScope } from "@fanfare/kernel";
import type { Change } from "./store.ts";
import type { ChangeEvent } from "./write-context.ts";
import type { MessageDocument } from "../message.model.ts";

interface Waiting<T> {
  /** Who hears of it. */
  rooms: readonly string[];
  enqueuedAtMs: number;
  /** Who asked for it. */
  scope: RequestScope | undefined;
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
  groupId: string | null;
  mentionKeys?: readonly string[] | undefined;
  extras?: CreateExtras | undefined;
}

/** What few messages have besides their text. */
export type CreateExtras = Pick<MessageDocument, "mentions" | "attachments" | "as">;

/**
 * A change that waits to be stored. Resolves to null where there is nothing to change any more, and to "changed" where the
 * message's last change is not `ifRev`.
 */
export interface ChangeItem extends Waiting<Message | "changed" | null> {
  kind: "change";
  messageId: string;
  set: Change["set"];
  ifRev?: number | undefined;
  announce: ChangeEvent;
}

/** New messages of one channel that are written together. */
export interface Run {
  channelId: string;
  creates: CreateItem[];
  /** Of those who sent them. */
  scope?: RequestScope | undefined;
}

/**
 * What one command of the database writes: messages of several channels, one each; or several messages of one channel; or
 * one change.
 */
export type Write = { kind: "create"; runs: Run[] } | { kind: "change"; channelId: string; item: ChangeItem };
