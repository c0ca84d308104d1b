import type { EventPayload } from "@fanfare/contract";
import type { Announcement, WriteContext } from "./write-context.ts";

/**
 * Publishes a stored change. A failing publication is only logged: its sender is still told that the change is stored.
 * @param change where it stands in the log: a channel's changes are announced in the order of `rev`
 */
export function announce<N extends Announcement>(
  { publish, published, logger }: Pick<WriteContext, "publish" | "published" | "logger">,
  change: { channelId: string; rev: number },
  rooms: readonly string[],
  name: N,
  payload: EventPayload<N>,
): void {
  published.set(change.channelId, change.rev);
  try {
    publish(rooms, name, payload);
  } catch (error) {
    logger.error({ err: error }, "publication failed");
  }
}
