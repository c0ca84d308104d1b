import type { ConnectionOptions, NatsConnection } from "nats";
import type { FanoutBus, Interruption } from "./bus.ts";

export interface NatsBusOptions {
  /**
   * Bytes that may wait to be taken by the nats-server, while it is away or does not read. What is published beyond is
   * dropped. Default 32 MiB.
   */
  maxBufferedBytes?: number;
  /** Called for each message dropped. */
  onDropped?: (subject: string, bytes: number) => void;
  /** Told what the nats-server refuses, a subscription that it does not permit for instance. */
  onError?: (error: Error) => void;
}

export interface NatsBus extends FanoutBus {
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
 * reconnect by itself and for ever (`maxReconnectAttempts: -1`) and must not have `noEcho`.
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

class ConnectedNatsBus implements NatsBus {
  readonly connection: NatsConnection;
  readonly #options: NatsBusOptions;
  readonly #maxBufferedBytes: number;
  readonly #listeners = new Set<(interruption: Interruption) => void>();
  /** While the connection is away the client would lose what is published: it is kept here. */
  #held: { subject: string; message: Uint8Array }[] | null = null;
  /** Published or held, and not confirmed by the nats-server. */
  #unconfirmedBytes = 0;
  #mayBeLost = false;
  #isConfirming = false;
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

  publish(subject: string, message: Uint8Array): void {
    const isFull = this.#unconfirmedBytes + message.length > this.#maxBufferedBytes;
    if (isFull || this.connection.isClosed() || this.connection.isDraining()) {
      this.#mayBeLost = true;
      this.#options.onDropped?.(subject, message.length);
      return;
    }
    this.#unconfirmedBytes += message.length;
    if (this.#held !== null) {
      this.#held.push({ subject, message });
      return;
    }
    this.connection.publish(subject, message);
    if (!this.#isConfirming) this.#confirm();
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
    // Rejected when the connection is lost: then the interruption will be told.
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

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      const type: string = status.type;
      if (type === "disconnect") this.#interrupt();
      else if (type === "reconnect") void this.#resume();
    }
  }

  #interrupt(): void {
    this.#held ??= [];
    if (this.#unconfirmedBytes > 0) this.#mayBeLost = true;
    this.#unconfirmedBytes = 0;
  }

  async #resume(): Promise<void> {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { subject, message } of held) this.connection.publish(subject, message);
    this.#confirm();
    try {
      await this.connection.flush();
    } catch {
      // Away again: there will be another end of it.
      return;
    }
    const publishedLost = this.#mayBeLost;
    this.#mayBeLost = false;
    for (const listener of this.#listeners) listener({ publishedLost });
  }

  /** Asks until nothing is under way. */
  #confirm(): void {
    if (this.#isConfirming) return;
    this.#isConfirming = true;
    const isMuch = this.#unconfirmedBytes > this.#maxBufferedBytes / 4;
    setTimeout(
      () => {
        const bytes = this.#unconfirmedBytes;
        const settle = (confirmed: number): void => {
          this.#isConfirming = false;
          this.#unconfirmedBytes = Math.max(0, this.#unconfirmedBytes - confirmed);
          if (this.#unconfirmedBytes > 0 && this.#held === null) this.#confirm();
        };
        if (this.#held !== null || this.connection.isClosed()) settle(0);
        else
          void this.connection.flush().then(
            () => settle(bytes),
            () => settle(0),
          );
      },
      isMuch ? 0 : CONFIRM_MS,
    ).unref();
  }
}
