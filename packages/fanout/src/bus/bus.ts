/** What may have been lost during an interruption. Messages in flight to this process always count as lost. */
export interface Interruption {
  /** Whether messages published by this process may have been lost too. */
  readonly publishedLost: boolean;
}

/**
 * Transports messages between the processes or threads of an instance; see {@link natsBus} and {@link threadBus}. Implementations
 * must deliver the messages of a publisher in order, across all subjects, to every subscribed process including the publisher.
 */
export interface Bus {
  /** Maximum size of a message in bytes. */
  readonly maxMessageBytes: number;
  /**
   * Never waits, and never throws if the bus is unavailable: the message is then buffered, or dropped, which `onInterrupted` reports
   * after reconnecting. Messages must not exceed `maxMessageBytes`.
   */
  publish(subject: string, message: Uint8Array): void;
  /** @returns a function that ends the subscription; the listener is not called afterwards. */
  subscribe(subject: string, listener: (message: Uint8Array) => void): () => void;
  /** Whether a message on the subject reaches anyone now. Absent: unknown. */
  hears?(subject: string): boolean;
  /** Resolves when all earlier subscriptions are active, or when the bus is interrupted. Never rejects. */
  flush(): Promise<void>;
  /**
   * Calls `listener` whenever messages may have been lost, once the bus works again and all subscriptions are active.
   * @returns a function that removes the listener.
   */
  onInterrupted(listener: (interruption: Interruption) => void): () => void;
}
