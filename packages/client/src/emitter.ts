type Listener<T> = (payload: T) => void;

/** Typed listeners by event name. An exception in one listener doesn't affect the others. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Returns a function that removes the listener. */
  on<N extends keyof Events>(name: N, listener: Listener<Events[N]>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  emit<N extends keyof Events>(name: N, payload: Events[N]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      callSafely(() => (listener as Listener<Events[N]>)(payload));
    }
  }
}

/** Rethrows the exception of a listener as an uncaught error, so that it doesn't interrupt the SDK. */
export function callSafely(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
