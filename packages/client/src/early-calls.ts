/** Calls that are made before something needs their results. An event can change what they returned, so it ends their use. */
export class EarlyCalls {
  #results = new Map<string, Promise<unknown>>();

  add(name: string, params: object, result: Promise<unknown>): void {
    const key = keyOf(name, params);
    const results = this.#results.set(key, result);
    result.catch(() => results.delete(key));
  }

  /** The result of an equal call; each is used once. */
  take(name: string, params: object): Promise<unknown> | undefined {
    const key = keyOf(name, params);
    const result = this.#results.get(key);
    this.#results.delete(key);
    return result;
  }

  clear(): void {
    this.#results = new Map();
  }
}

function keyOf(name: string, params: object): string {
  const sorted = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([name, sorted]);
}
