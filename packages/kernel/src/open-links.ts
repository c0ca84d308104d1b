import { type Bus, type ThreadBus, threadBus } from "@fanfare/fanout";
import { Serializers, Transporters } from "moleculer";
import type { Transport } from "./broker.ts";
import type { Config } from "./config.ts";
import type { Logger } from "./logger.ts";
import type { Registry } from "./metrics.ts";

/** Lets the brokers of one process's threads talk to each other. */
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

  // The broker chooses who answers: `hasBuiltInBalancer` is false.
  override async subscribeBalancedRequest(): Promise<void> {}
  override async subscribeBalancedEvent(): Promise<void> {}
}

/** Between threads the structured clone of `postMessage` is all the serialisation there is. */
class NoSerializer extends Serializers.Base {
  override serialize(payload: object): Buffer {
    return payload as Buffer;
  }

  override deserialize(payload: Buffer): object {
    return payload;
  }
}

/** How a node reaches others. */
export interface Links {
  /** For calls; undefined: there are no others. */
  transport: Transport | undefined;
  /**
   * For publications and events; null: there are no others.
   * @param onInterrupted is called when what others have published may not have come here
   */
  openBus(parts: { logger: Logger; metrics: Registry }, onInterrupted: () => void): Bus | null;
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
  return { transport: threadTransport(threads), openBus: () => threadBus(threads), close: nothing };
}

/** Broker options that connect the brokers on `bus`. */
function threadTransport(bus: ThreadBus): Transport {
  return { transporter: new ThreadTransporter(bus), serializer: new NoSerializer() };
}
