import type { MessageDocument } from "../message.model.ts";
import { presentMessage } from "../message.presenter.ts";
import { announce } from "./announce.ts";
import { failure } from "./failure.ts";
import type { ChangeItem } from "./item.ts";
import { deadline } from "../within.ts";
import type { WriteContext } from "./write-context.ts";

/** Writes a change, publishes it and answers. Never throws; `again`: it has to be written again, and is not answered yet. */
export async function writeChange(
  context: WriteContext,
  channelId: string,
  item: ChangeItem,
): Promise<"answered" | "again" | "failed"> {
  const { store, heads, writeTimeoutMs } = context;
  const { messageId, set } = item;
  const inTime = deadline(writeTimeoutMs);
  let changed: MessageDocument | "number taken" | null;
  try {
    const { seq, rev: before } = (await inTime(() => heads.get([channelId]))).get(channelId)!;
    const rev = before + 1;
    const raised = new Map([[channelId, { seq, rev }]]);
    [changed] = await inTime((restMs) =>
      Promise.all([
        store.change({ channelId, messageId, rev, set }, restMs),
        store.raiseHeads(raised, restMs),
      ]),
    );
    if (changed === "number taken") {
      heads.forget(channelId);
      return "again";
    }
    if (changed !== null) heads.set(channelId, { seq, rev });
  } catch (error) {
    context.logger.error({ err: error }, "a change could not be stored, or nobody knows");
    heads.forget(channelId);
    item.reject(failure(error));
    return "failed";
  }
  const message = changed === null ? null : presentMessage(changed);
  if (message !== null) announce(context, item.rooms, item.announce, { message });
  item.resolve(message);
  return "answered";
}
