import type { ConnectionOptions, NatsConnection } from "nats";
import type { Bus, Interruption } from "./bus.ts";

export interface NatsBusOptions {
  /**
   * Bytes that may wait to be taken by the nats-server, while it is away or does not read. What is published beyond is
   * dropped. Default 32 MiB.
   */
  maxBufferedBytes?: number;
  /** Called for each message dropped. */
  onDropped?: (subject: string, bytes: number) => void;
  /** Called for errors of nats-server, such as a forbidden subscription. */
  onError?: (error: Error) => void;
}

export interface NatsBus extends Bus {
  readonly connection: NatsConnection;
  /** Sends what is published, then closes the connection. */
  close(): Promise<void>;
}

/** A nats-server's own default for max_payload. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;
/** How often the nats-server is asked whether it has taken everything; more often where much is under way. */
const CONFIRM_MS = 250;

/**
 * A bus over a connection of the package `nats` (2.x), which may be used for other things as well. The connection must
 * reconnect without limit (`maxReconnectAttempts: -1`) and must not have `noEcho`.
 */
export function natsBus(connection: NatsConnection, options: NatsBusOptions = {}): NatsBus {
  return new ConnectedNatsBus(connection, options);
}

export interface ConnectNatsBusOptions extends NatsBusOptions, Omit<ConnectionOptions, "noEcho"> {}

/**
 * Connects to NATS with settings under which an outage is noticed within three seconds and outlived.
 * @throws NatsError when no server can be reached, unless `waitOnFirstConnect` is set.
 */
export async function connectNatsBus({
  maxBufferedBytes,
  onDropped,
  onError,
  ...connection
}: ConnectNatsBusOptions): Promise<NatsBus> {
  const { connect } = await import("nats");
  const connected = await connect({
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 1000,
    maxPingOut: 2,
    timeout: 5000,
    ...connection,
  });
  return natsBus(connected, {
    ...(maxBufferedBytes === undefined ? {} : { maxBufferedBytes }),
    ...(onDropped === undefined ? {} : { onDropped }),
    ...(onError === undefined ? {} : { onError }),
  });
}

interface Publication {
  readonly subject: string;
  readonly message: Uint8Array;
  readonly isExpendable: boolean;
}

class ConnectedNatsBus implements NatsBus {
  readonly connection: NatsConnection;
  readonly #options: NatsBusOptions;
  readonly #maxBufferedBytes: number;
  readonly #listeners = new Set<(interruption: Interruption) => void>();
  /** While the connection is away the client would lose what is published: it is kept here. */
  #held: Publication[] | null = null;
  /** Published or held, and not confirmed by the nats-server. */
  #unconfirmedBytes = 0;
  #unconfirmedVitalBytes = 0;
  #mayBeLost = false;
  #isAsking = false;
  #askTimer: NodeJS.Timeout | null = null;
  #maxPayload = DEFAULT_MAX_PAYLOAD;

  constructor(connection: NatsConnection, options: NatsBusOptions) {
    this.connection = connection;
    this.#options = options;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? 32 * 1_048_576;
    void this.#watch();
  }

  get maxMessageBytes(): number {
    // Unknown while the connection is away.
    this.#maxPayload = this.connection.info?.max_payload ?? this.#maxPayload;
    return this.#maxPayload;
  }

  publish(subject: string, message: Uint8Array, isExpendable = false): void {
    const isFull = this.#unconfirmedBytes + message.length > this.#maxBufferedBytes;
    if (isFull || this.connection.isClosed() || this.connection.isDraining()) {
      this.#drop({ subject, message, isExpendable });
      return;
    }
    this.#unconfirmedBytes += message.length;
    if (!isExpendable) this.#unconfirmedVitalBytes += message.length;
    if (this.#held !== null) {
      this.#held.push({ subject, message, isExpendable });
      return;
    }
    this.connection.publish(subject, message);
    this.#confirm();
  }

  subscribe(subject: string, listener: (message: Uint8Array) => void): () => void {
    if (this.connection.isClosed() || this.connection.isDraining()) return () => {};
    const { onError } = this.#options;
    const subscription = this.connection.subscribe(subject, {
      callback: (error, { data }) => {
        if (error === null) listener(data);
        else onError?.(error);
      },
    });
    return () => {
      if (!this.connection.isClosed()) subscription.unsubscribe();
    };
  }

  async flush(): Promise<void> {
    if (this.#held !== null || this.connection.isClosed()) return;
    // Rejected when the connection is lost: the interruption is reported then.
    await this.connection.flush().catch(() => {});
  }

  onInterrupted(listener: (interruption: Interruption) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.flush();
    await this.connection.close();
  }

  #drop({ subject, message, isExpendable }: Publication): void {
    if (!isExpendable) this.#mayBeLost = true;
    this.#options.onDropped?.(subject, message.length);
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      const type: string = status.type;
      if (type === "disconnect") this.#interrupt();
      else if (type === "reconnect") void this.#resume();
    }
  }

  #interrupt(): void {
    if (this.#held !== null) return;
    this.#held = [];
    if (this.#unconfirmedVitalBytes > 0) this.#mayBeLost = true;
    this.#unconfirmedBytes = 0;
    this.#unconfirmedVitalBytes = 0;
  }

  async #resume(): Promise<void> {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    for (const publication of held) {
      const { subject, message } = publication;
      // The nats-server that it has come back to may be another one.
      if (message.length <= this.maxMessageBytes) this.connection.publish(subject, message);
      else this.#drop(publication);
    }
    this.#confirm();
    try {
      await this.connection.flush();
    } catch {
      // Away again: there will be another end of it.
      return;
    }
    this.#notifyInterrupted();
  }

  #notifyInterrupted(): void {
    const publishedLost = this.#mayBeLost;
    this.#mayBeLost = false;
    for (const listener of this.#listeners) listener({ publishedLost });
  }

  /** Asks the nats-server whether it has taken what was published, until nothing is under way. */
  #confirm(): void {
    if (this.#isAsking) return;
    if (this.#unconfirmedBytes > this.#maxBufferedBytes / 4) void this.#ask();
    else this.#askTimer ??= setTimeout(() => void this.#ask(), CONFIRM_MS).unref();
  }

  async #ask(): Promise<void> {
    if (this.#askTimer !== null) clearTimeout(this.#askTimer);
    this.#askTimer = null;
    if (this.#held !== null || this.connection.isClosed()) return;
    this.#isAsking = true;
    const [bytes, vitalBytes] = [this.#unconfirmedBytes, this.#unconfirmedVitalBytes];
    try {
      await this.connection.flush();
    } catch {
      // The connection is lost, and with it what was under way: see #interrupt.
      this.#isAsking = false;
      return;
    }
    this.#isAsking = false;
    this.#unconfirmedBytes = Math.max(0, this.#unconfirmedBytes - bytes);
    this.#unconfirmedVitalBytes = Math.max(0, this.#unconfirmedVitalBytes - vitalBytes);
    // Dropped because too much was under way, though the connection stood.
    if (this.#mayBeLost && this.#held === null) this.#notifyInterrupted();
    if (this.#unconfirmedBytes > 0 && this.#held === null) this.#confirm();
  }
}
