import { type Bus, type ThreadBus, threadBus } from "@fanfare/fanout";
import { Serializers, Transporters } from "moleculer";
import type { Transport } from "./broker.ts";
import type { Config } from "./config.ts";
import type { Logger } from "./logger.ts";
import type { Registry } from "./metrics.ts";

/** Connects the brokers of a process's threads. */
class ThreadTransporter extends Transporters.Base {
  readonly #bus: ThreadBus;
  readonly #subscriptions: (() => void)[] = [];

  constructor(bus: ThreadBus) {
    super({});
    this.#bus = bus;
  }

  override async connect(): Promise<void> {
    await this.onConnected();
  }

  override async disconnect(): Promise<void> {
    this.connected = false;
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
  }

  override async subscribe(command: string, nodeId?: string): Promise<void> {
    const receive = (payload: unknown): void => void this.receive(command, payload as Buffer);
    this.#subscriptions.push(this.#bus.subscribe(this.getTopicName(command, nodeId), receive));
    await this.#bus.flush();
  }

  override async send(topic: string, payload: unknown): Promise<void> {
    this.#bus.publish(topic, payload);
  }

  // The broker balances requests itself, because `hasBuiltInBalancer` is false.
  override async subscribeBalancedRequest(): Promise<void> {}
  override async subscribeBalancedEvent(): Promise<void> {}
}

/** Threads need no serialization beyond the structured clone of `postMessage`. */
class NoSerializer extends Serializers.Base {
  override serialize(payload: object): Buffer {
    return payload as Buffer;
  }

  override deserialize(payload: Buffer): object {
    return payload;
  }
}

/** The connections of a node to the others. */
export interface Links {
  /** For calls; undefined if there are no other nodes. */
  transport: Transport | undefined;
  /**
   * For publications and events; null if there are no other nodes.
   * @param onInterrupted called when publications of other nodes may have been lost
   */
  openBus(parts: { logger: Logger; metrics: Registry }, onInterrupted: () => void): Bus | null;
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

/** Connects by NATS, between the threads of this process, or not at all. Loads only what is needed, to save memory in every thread. */
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
  return { transport: threadTransport(threads), openBus: () => threadBus(threads), close: nothing };
}

/** Broker options that connect the brokers on `bus`. */
function threadTransport(bus: ThreadBus): Transport {
  return { transporter: new ThreadTransporter(bus), serializer: new NoSerializer(), hasHeartbeats: false };
}
