/** What may have been lost while the bus was interrupted. Whatever was on its way to this process counts as lost. */
export interface Interruption {
  /** Whether messages that this process had published, or tried to, may not have arrived either; expendable ones aside. */
  readonly publishedLost: boolean;
}

/**
 * Carries messages between the processes or threads of an instance: {@link natsBus} and {@link threadBus}. An instance that is
 * one process and one thread has none. Any other implementation has to keep this: what one process publishes arrives at
 * each other process in the order of publication, whatever the subjects; a message goes to every process subscribed to
 * its subject, the publishing one included.
 */
export interface Bus {
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  /**
   * Never waits, and never throws because the bus is away: a message may then be kept for later or dropped, which
   * `onInterrupted` reports once the bus is back. The caller keeps messages within `maxMessageBytes`.
   * @param isExpendable whether the loss of this message need not be reported. Default false.
   */
  publish(subject: string, message: Uint8Array, isExpendable?: boolean): void;
  /** @returns the function that ends the subscription; the listener is not called afterwards. */
  subscribe(subject: string, listener: (message: Uint8Array) => void): () => void;
  /** Resolves when all subscriptions made before are active, or the bus was interrupted meanwhile. Never rejects. */
  flush(): Promise<void>;
  /**
   * Calls `listener` each time messages may have been lost, as soon as the bus works again and all subscriptions are active.
   * @returns the function that ends this.
   */
  onInterrupted(listener: (interruption: Interruption) => void): () => void;
}
