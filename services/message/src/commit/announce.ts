import type { EventPayload } from "@fanfare/contract";
import type { Announcement, WriteContext } from "./write-context.ts";

/** What is stored stays stored: a fault of the fan-out must not tell its sender otherwise. */
export function announce<N extends Announcement>(
  { publish, logger }: Pick<WriteContext, "publish" | "logger">,
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
