import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Bus } from "./bus.ts";

type Handler = (data: unknown) => void;

/** Publish-subscribe between the threads of one process. */
export interface ThreadBus {
  /**
   * Publishes to all subscribers of the subject, including those in this thread, in order.
   * @param data structured-cloneable; cloning a view copies its whole buffer
   */
  publish(subject: string, data: unknown): void;
  /** @returns a function that ends the subscription; call it once */
  subscribe(subject: string, handler: Handler): () => void;
  /** Whether a publication reaches anyone now. Only the hub knows. */
  hears?(subject: string): boolean;
  /** Resolves when all earlier subscriptions of this thread are active. */
  flush(): Promise<void>;
}

type Packet =
  | readonly ["publish", subject: string, data: unknown]
  | readonly ["subscribe" | "unsubscribe", subject: string]
  | readonly ["flush" | "flushed", id: number];

/** Sends all packets of one turn of the event loop together, because each postMessage costs several microseconds. */
class Outbox {
  readonly #port: MessagePort;
  #packets: Packet[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
  }

  send(packet: Packet): void {
    if (this.#packets.push(packet) > 1) return;
    setImmediate(() => {
      const packets = this.#packets;
      this.#packets = [];
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#port.postMessage(packets);
    });
  }
}

/** Subscribers by subject. Most subjects have only one, so a list is created for the second. */
class Subscribers<T extends object> {
  readonly #bySubject = new Map<string, T | T[]>();

  /** @returns whether it is the first subscriber of the subject */
  add(subject: string, subscriber: T): boolean {
    const known = this.#bySubject.get(subject);
    if (Array.isArray(known)) known.push(subscriber);
    else this.#bySubject.set(subject, known === undefined ? subscriber : [known, subscriber]);
    return known === undefined;
  }

  /** @returns whether it was the last subscriber of the subject */
  remove(subject: string, subscriber: T): boolean {
    const known = this.#bySubject.get(subject);
    if (Array.isArray(known) && known.length > 1) {
      const index = known.indexOf(subscriber);
      if (index >= 0) this.#bySubject.set(subject, known.toSpliced(index, 1));
      return false;
    }
    if (known !== subscriber && !(Array.isArray(known) && known[0] === subscriber)) return false;
    return this.#bySubject.delete(subject);
  }

  has(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  forEach(subject: string, callback: (subscriber: T) => void): void {
    const known = this.#bySubject.get(subject);
    if (Array.isArray(known)) for (const subscriber of known) callback(subscriber);
    else if (known !== undefined) callback(known);
  }
}

/** Runs in the main thread, and forwards each publication to the threads that subscribe to its subject. */
export class ThreadHub implements ThreadBus {
  readonly #handlers = new Subscribers<Handler>();
  readonly #threads = new Subscribers<Outbox>();

  /** Creates a port for another thread; pass it in `workerData` and `transferList`. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const outbox = new Outbox(port1);
    port1.on("message", (packets: readonly Packet[]) => {
      for (const packet of packets) this.#take(packet, outbox);
    });
    // The port must not keep the process alive.
    port1.unref();
    return port2;
  }

  publish(subject: string, data: unknown): void {
    this.#threads.forEach(subject, (thread) => thread.send(["publish", subject, data]));
    this.#handlers.forEach(subject, (handler) => handler(data));
  }

  subscribe(subject: string, handler: Handler): () => void {
    this.#handlers.add(subject, handler);
    return () => void this.#handlers.remove(subject, handler);
  }

  hears(subject: string): boolean {
    return this.#threads.has(subject) || this.#handlers.has(subject);
  }

  /** Receives all publications. */
  flush(): Promise<void> {
    return Promise.resolve();
  }

  #take(packet: Packet, from: Outbox): void {
    switch (packet[0]) {
      case "publish":
        this.publish(packet[1], packet[2]);
        break;
      case "subscribe":
        this.#threads.add(packet[1], from);
        break;
      case "unsubscribe":
        this.#threads.remove(packet[1], from);
        break;
      case "flush":
        from.send(["flushed", packet[1]]);
        break;
      default:
    }
  }
}

/** The bus of a thread, connected to the hub. */
export class ThreadSpoke implements ThreadBus {
  readonly #outbox: Outbox;
  readonly #handlers = new Subscribers<Handler>();
  readonly #flushes = new Map<number, () => void>();
  #lastFlush = 0;

  /** @param port of ThreadHub.connect() */
  constructor(port: MessagePort) {
    this.#outbox = new Outbox(port);
    port.on("message", (packets: readonly Packet[]) => {
      for (const packet of packets) this.#take(packet);
    });
  }

  publish(subject: string, data: unknown): void {
    this.#outbox.send(["publish", subject, data]);
  }

  subscribe(subject: string, handler: Handler): () => void {
    if (this.#handlers.add(subject, handler)) this.#outbox.send(["subscribe", subject]);
    return () => {
      if (this.#handlers.remove(subject, handler)) this.#outbox.send(["unsubscribe", subject]);
    };
  }

  flush(): Promise<void> {
    const id = ++this.#lastFlush;
    this.#outbox.send(["flush", id]);
    return new Promise((resolve) => this.#flushes.set(id, resolve));
  }

  #take(packet: Packet): void {
    if (packet[0] === "publish") {
      this.#handlers.forEach(packet[1], (handler) => handler(packet[2]));
    } else if (packet[0] === "flushed") {
      this.#flushes.get(packet[1])?.();
      this.#flushes.delete(packet[1]);
    }
  }
}

/** A bus between the threads of a process. They exit together, so no message is lost. */
export function threadBus(threads: ThreadBus): Bus {
  return {
    maxMessageBytes: Infinity,
    // Copied, because cloning a view, such as a pooled Buffer, would clone the whole underlying memory.
    publish: (subject, message) => threads.publish(subject, new Uint8Array(message)),
    subscribe: (subject, listener) =>
      threads.subscribe(subject, (message) => listener(message as Uint8Array)),
    ...(threads.hears && { hears: (subject) => threads.hears!(subject) }),
    flush: () => threads.flush(),
    onInterrupted: () => () => {},
  };
}
