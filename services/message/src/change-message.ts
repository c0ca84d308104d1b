import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { CHANGE_TRIES, LOST_RACE_PAUSE_MS, RETRY_AFTER_MS } from "./bounds.ts";
import type { ChangeEvent } from "./commit/write-context.ts";
import type { MessageChange, MessageDocument } from "./message.model.ts";
import { presentMessage } from "./message.presenter.ts";
import type { MessageDependencies } from "./message.dependencies.ts";

export interface MessageChangeOptions {
  channelId: string;
  messageId: string;
  rooms: readonly string[];
  announce: ChangeEvent;
}

type Decide = (message: MessageDocument) => Promise<MessageChange | null> | MessageChange | null;
type Changing = Pick<MessageDependencies, "messages" | "commit" | "changing">;

/**
 * Changes a message as it is: when another worker was faster, `decide` is asked again with what it has made of it.
 * @param decide what to set; null: nothing is to be changed
 * @returns the message as it is then; null where there is none that is not deleted
 * @throws {ServiceError} UNAVAILABLE when others were faster too often, and whatever `decide` throws
 */
export async function changeMessage(
  dependencies: Changing,
  options: MessageChangeOptions,
  decide: Decide,
): Promise<Message | null> {
  const { messageId } = options;
  const { changing } = dependencies;
  // Changes at this worker follow each other, so that they do not make each other begin anew.
  const before = changing.get(messageId) ?? Promise.resolve();
  const change = before.then(() => tryToChange(dependencies, options, decide));
  const settled = change.catch(() => undefined);
  changing.set(messageId, settled);
  try {
    return await change;
  } finally {
    if (changing.get(messageId) === settled) changing.delete(messageId);
  }
}

async function tryToChange(
  { messages, commit }: Changing,
  { channelId, messageId, rooms, announce }: MessageChangeOptions,
  decide: Decide,
): Promise<Message | null> {
  for (let tries = 0; tries < CHANGE_TRIES; tries++) {
    const before = await messages.find(channelId, messageId);
    if (before === null || before.deletedAt !== null) return null;
    const set = await decide(before);
    if (set === null) return presentMessage(before);
    const result = await commit.change(channelId, { messageId, set, ifRev: before.rev, announce, rooms });
    if (result.outcome === "changed") return result.message;
    if (result.outcome === "gone") return null;
    await sleep(Math.random() * LOST_RACE_PAUSE_MS * (tries + 1));
  }
  throw serviceError("UNAVAILABLE", { retryAfterMs: RETRY_AFTER_MS });
}
