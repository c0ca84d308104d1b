type Listener<T> = (payload: T) => void;

/** Typed listeners by name. A listener that throws does not keep the others from hearing. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Returns the function that takes the listener away again. */
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

/** Runs a caller's function; what it throws surfaces as an uncaught error instead of breaking the SDK's own work. */
export function callSafely(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
