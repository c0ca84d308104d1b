/**
 * What services publish through. In one process it is handed straight to the gateway's adapter
 * (LocalFanout); between processes a message bus carries the same calls (BusEmitter).
 */
export interface Emitter {
  /**
   * One publication to every socket in any of `rooms`; a socket in several of them gets it once. No rooms, no receivers.
   * @param payload anything JSON can carry.
   * @param except sockets in any of these rooms do not get it
   */
  emit(rooms: string | readonly string[], event: string, payload: unknown, except?: readonly string[]): void;
  /** All sockets now in `room`, or in any of several, join `rooms`, but not those in any of `except`; with exceptions every server is told. */
  socketsJoin(room: string | readonly string[], rooms: readonly string[], except?: readonly string[]): void;
  /** The same with leaving. What was published before still reaches them, nothing after does. */
  socketsLeave(room: string | readonly string[], rooms: readonly string[], except?: readonly string[]): void;
  /** Closes the connection of every socket in `room`, after what was already sent to them. */
  disconnectSockets(room: string): void;
  /** All sockets are told to fetch the state anew: something published to them may be lost. */
  publishResync(): void;
}
