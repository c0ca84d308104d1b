import type { FanoutBus } from "@fanfare/fanout";
import type { Transport } from "./broker.ts";
import type { Config } from "./config.ts";
import type { Logger } from "./logger.ts";
import type { Registry } from "./metrics.ts";
import type { ThreadBus } from "./threads/thread-bus.ts";
import { threadFanoutBus } from "./threads/thread-fanout-bus.ts";
import { threadTransport } from "./threads/thread-transporter.ts";

/** How a node reaches others. */
export interface Links {
  /** For calls; undefined: there are no others. */
  transport: Transport | undefined;
  /**
   * For publications and events; null: there are no others.
   * @param onInterrupted is called when what others have published may not have come here
   */
  openBus(parts: { logger: Logger; metrics: Registry }, onInterrupted: () => void): FanoutBus | null;
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

/** Over NATS, between the threads of this process, or not at all. What is not used is not loaded: it would cost memory in every thread. */
export async function openLinks(
  { natsUrl }: Pick<Config, "natsUrl">,
  nodeId: string,
  threads: ThreadBus | undefined,
): Promise<Links> {
  if (natsUrl !== undefined) {
    const { connectNats, createBus, natsTransport } = await import("./nats.ts");
    const connection = await connectNats(natsUrl, nodeId);
    return {
      transport: natsTransport(connection),
      openBus: (parts, onInterrupted) => createBus(connection, parts, onInterrupted),
      close: () => connection.close(),
    };
  }
  if (threads === undefined) return { transport: undefined, openBus: () => null, close: nothing };
  return { transport: threadTransport(threads), openBus: () => threadFanoutBus(threads), close: nothing };
}
