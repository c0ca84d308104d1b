import { Serializers, Transporters } from "moleculer";
import type { Transport } from "../broker.ts";
import type { ThreadBus } from "./thread-bus.ts";

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

/** Broker options that connect the brokers on `bus`. */
export function threadTransport(bus: ThreadBus): Transport {
  return { transporter: new ThreadTransporter(bus), serializer: new NoSerializer() };
}
