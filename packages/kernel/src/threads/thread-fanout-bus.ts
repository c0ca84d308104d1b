import type { FanoutBus } from "@fanfare/fanout";
import type { ThreadBus } from "./thread-bus.ts";

/** Publications to the sockets of other threads. They share their fate, so nothing is ever lost between them. */
export function threadFanoutBus(bus: ThreadBus): FanoutBus {
  return {
    maxMessageBytes: Infinity,
    // Of a view on a larger buffer the whole buffer would be copied.
    publish: (subject, message) => bus.publish(subject, message.slice()),
    subscribe: (subject, listener) => bus.subscribe(subject, (message) => listener(message as Uint8Array)),
    flush: () => bus.flush(),
    onInterrupted: () => () => {},
  };
}
