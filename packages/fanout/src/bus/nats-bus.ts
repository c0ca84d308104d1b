import type { ConnectionOptions, NatsConnection } from "nats";
import type { Bus, Interruption } from "./bus.ts";

export interface NatsBusOptions {
  /**
   * Maximum size of the buffer while the nats-server is unavailable or slow; further messages are dropped. Default: 32 MiB.
   */
  maxBufferedBytes?: number;
  /** Called for each dropped message. */
  onDropped?: (subject: string, bytes: number) => void;
  /** Called for errors of nats-server, such as a forbidden subscription. */
  onError?: (error: Error) => void;
}

export interface NatsBus extends Bus {
  readonly connection: NatsConnection;
  /** Sends published messages, then closes the connection. */
  close(): Promise<void>;
}

/** nats-server's default for max_payload. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;
/** How often the nats-server is asked to confirm published messages; more often under load. */
const CONFIRM_MS = 250;

/**
 * A bus over a connection of the package `nats` (2.x), which can be shared. The connection must reconnect without limit
 * (`maxReconnectAttempts: -1`) and must not have `noEcho`.
 */
export function natsBus(connection: NatsConnection, options: NatsBusOptions = {}): NatsBus {
  return new ConnectedNatsBus(connection, options);
}

export interface ConnectNatsBusOptions extends NatsBusOptions, Omit<ConnectionOptions, "noEcho"> {}

/**
 * Connects to NATS with settings that detect an outage within three seconds and reconnect without limit.
 * @throws NatsError if no server can be reached, unless `waitOnFirstConnect` is set.
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
}

class ConnectedNatsBus implements NatsBus {
  readonly connection: NatsConnection;
  readonly #options: NatsBusOptions;
  readonly #maxBufferedBytes: number;
  readonly #listeners = new Set<(interruption: Interruption) => void>();
  /** Messages published while disconnected, which the client would lose; null while connected. */
  #buffered: Publication[] | null = null;
  /** Bytes published or buffered, but not confirmed by the nats-server. */
  #unconfirmedBytes = 0;
  #mayBeLost = false;
  #isConfirming = false;
  #confirmTimer: NodeJS.Timeout | null = null;
  #maxPayload = DEFAULT_MAX_PAYLOAD;

  constructor(connection: NatsConnection, options: NatsBusOptions) {
    this.connection = connection;
    this.#options = options;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? 32 * 1_048_576;
    void this.#watch();
  }

  get maxMessageBytes(): number {
    // Unknown while disconnected.
    this.#maxPayload = this.connection.info?.max_payload ?? this.#maxPayload;
    return this.#maxPayload;
  }

  publish(subject: string, message: Uint8Array): void {
    const isFull = this.#unconfirmedBytes + message.length > this.#maxBufferedBytes;
    if (isFull || this.connection.isClosed() || this.connection.isDraining()) {
      this.#drop({ subject, message });
      return;
    }
    this.#unconfirmedBytes += message.length;
    if (this.#buffered !== null) {
      this.#buffered.push({ subject, message });
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
    if (this.#buffered !== null || this.connection.isClosed()) return;
    // Rejects if the connection is lost, and then the interruption is reported.
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

  #drop({ subject, message }: Publication): void {
    this.#mayBeLost = true;
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
    if (this.#buffered !== null) return;
    this.#buffered = [];
    if (this.#unconfirmedBytes > 0) this.#mayBeLost = true;
    this.#unconfirmedBytes = 0;
  }

  async #resume(): Promise<void> {
    const buffered = this.#buffered;
    if (buffered === null) return;
    this.#buffered = null;
    for (const publication of buffered) {
      const { subject, message } = publication;
      // A different nats-server can have a lower limit.
      if (message.length <= this.maxMessageBytes) this.connection.publish(subject, message);
      else this.#drop(publication);
    }
    this.#confirm();
    try {
      await this.connection.flush();
    } catch {
      // Disconnected again: the next reconnect resumes.
      return;
    }
    this.#notifyInterrupted();
  }

  #notifyInterrupted(): void {
    const publishedLost = this.#mayBeLost;
    this.#mayBeLost = false;
    for (const listener of this.#listeners) listener({ publishedLost });
  }

  /** Requests confirmations from the nats-server until everything is confirmed. */
  #confirm(): void {
    if (this.#isConfirming) return;
    if (this.#unconfirmedBytes > this.#maxBufferedBytes / 4) void this.#requestConfirmation();
    else this.#confirmTimer ??= setTimeout(() => void this.#requestConfirmation(), CONFIRM_MS).unref();
  }

  async #requestConfirmation(): Promise<void> {
    if (this.#confirmTimer !== null) clearTimeout(this.#confirmTimer);
    this.#confirmTimer = null;
    if (this.#buffered !== null || this.connection.isClosed()) return;
    this.#isConfirming = true;
    const bytes = this.#unconfirmedBytes;
    try {
      await this.connection.flush();
    } catch {
      // The connection was lost; #interrupt handles unconfirmed messages.
      this.#isConfirming = false;
      return;
    }
    this.#isConfirming = false;
    this.#unconfirmedBytes = Math.max(0, this.#unconfirmedBytes - bytes);
    // Messages were dropped because the buffer was full, without a connection loss.
    if (this.#mayBeLost && this.#buffered === null) this.#notifyInterrupted();
    if (this.#unconfirmedBytes > 0 && this.#buffered === null) this.#confirm();
  }
}
