/** Reads a JSON value from browser storage; null if it is missing or unreadable. */
export function loadStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as unknown;
  } catch {
    return null;
  }
}

/** Stores a value; null deletes it. Does nothing if storage is full or disabled. */
export function saveStored(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value is only kept in memory.
  }
}

/** Calls `listener` when another tab changes the value. */
export function followStored(key: string, listener: () => void): void {
  globalThis.addEventListener?.("storage", (event) => {
    if (event.key === key || event.key === null) listener();
  });
}
