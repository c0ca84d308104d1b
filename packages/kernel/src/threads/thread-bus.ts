import { MessageChannel, type MessagePort } from "node:worker_threads";

export type Handler = (data: unknown) => void;

/** What the threads of one process publish on and listen to. */
export interface ThreadBus {
  /**
   * To every subscriber of the subject, this thread's own included, in the order of publication.
   * @param data what a structured clone can carry; of a view on a larger buffer all of the buffer is carried
   */
  publish(subject: string, data: unknown): void;
  /** @returns ends the subscription */
  subscribe(subject: string, handler: Handler): () => void;
  /** Resolves when the other threads know of every earlier subscription of this one. */
  flush(): Promise<void>;
}

type Packet =
  | readonly ["publish", subject: string, data: unknown]
  | readonly ["subscribe" | "unsubscribe", subject: string]
  | readonly ["flush" | "flushed", id: number];

/** Sends packets of one turn of the event loop together: a packet costs several microseconds by itself. */
class Outbox {
  readonly #port: MessagePort;
  #packets: Packet[] = [];

  constructor(port: MessagePort) {
    this.#port = port;
  }

  send(packet: Packet): void {
    if (this.#packets.push(packet) > 1) return;
    queueMicrotask(() => {
      const packets = this.#packets;
      this.#packets = [];
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#port.postMessage(packets);
    });
  }
}

/** Subscribers by subject. */
class Subscribers<T> {
  readonly #bySubject = new Map<string, Set<T>>();

  /** @returns whether it is the subject's first */
  add(subject: string, subscriber: T): boolean {
    const known = this.#bySubject.get(subject);
    known?.add(subscriber);
    if (known === undefined) this.#bySubject.set(subject, new Set([subscriber]));
    return known === undefined;
  }

  /** @returns whether it was the subject's last */
  remove(subject: string, subscriber: T): boolean {
    const known = this.#bySubject.get(subject);
    if (known === undefined || !known.delete(subscriber) || known.size > 0) return false;
    this.#bySubject.delete(subject);
    return true;
  }

  of(subject: string): Iterable<T> {
    return this.#bySubject.get(subject) ?? [];
  }
}

/** The middle of the star: lives in the main thread, and hands each publication to the threads that listen to its subject. */
export class ThreadHub implements ThreadBus {
  readonly #handlers = new Subscribers<Handler>();
  readonly #threads = new Subscribers<Outbox>();

  /** A port for one more thread: pass it on in `workerData` and `transferList`. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const outbox = new Outbox(port1);
    port1.on("message", (packets: readonly Packet[]) => {
      for (const packet of packets) this.#take(packet, outbox);
    });
    // The thread keeps the process alive, not its port.
    port1.unref();
    return port2;
  }

  publish(subject: string, data: unknown): void {
    for (const thread of this.#threads.of(subject)) thread.send(["publish", subject, data]);
    for (const handler of this.#handlers.of(subject)) handler(data);
  }

  subscribe(subject: string, handler: Handler): () => void {
    const own: Handler = (data) => handler(data);
    this.#handlers.add(subject, own);
    return () => void this.#handlers.remove(subject, own);
  }

  /** Everybody's publications come through here. */
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

/** The bus as a thread sees it, by way of the hub. */
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
    const own: Handler = (data) => handler(data);
    if (this.#handlers.add(subject, own)) this.#outbox.send(["subscribe", subject]);
    return () => {
      if (this.#handlers.remove(subject, own)) this.#outbox.send(["unsubscribe", subject]);
    };
  }

  flush(): Promise<void> {
    const id = ++this.#lastFlush;
    this.#outbox.send(["flush", id]);
    return new Promise((resolve) => this.#flushes.set(id, resolve));
  }

  #take(packet: Packet): void {
    if (packet[0] === "publish") {
      for (const handler of this.#handlers.of(packet[1])) handler(packet[2]);
    } else if (packet[0] === "flushed") {
      this.#flushes.get(packet[1])?.();
      this.#flushes.delete(packet[1]);
    }
  }
}
