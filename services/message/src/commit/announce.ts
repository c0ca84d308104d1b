import type { EventPayload, Message } from "@fanfare/contract";
import type { Item } from "./item.ts";
import type { Announcement, WriteContext } from "./write-context.ts";

/** Publishes what has become of one item. */
export function announceOne(context: WriteContext, item: Item, message: Message): void {
  const name = item.kind === "create" ? "message.created" : item.announce;
  if (name === "message.created") {
    announce(context, item.rooms, name, { channelId: message.channelId, messages: [message] });
  } else announce(context, item.rooms, name, { message });
}

/** What is stored stays stored: a fault of the fan-out must not tell its sender otherwise. */
export function announce<N extends Announcement>(
  { publish, logger }: WriteContext,
  rooms: readonly string[],
  name: N,
  payload: EventPayload<N>,
): void {
  try {
    publish(rooms, name, payload);
  } catch (error) {
    logger.error({ err: error }, "an event could not be published");
  }
}
