/** What is kept in this browser: read as JSON, and nothing where it was never kept or cannot be read. */
export function loadStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") as unknown;
  } catch {
    return null;
  }
}

/** Keeps a value; null forgets it. A browser that is full or keeps nothing goes on without. */
export function saveStored(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The value holds until the page is left.
  }
}

/** Calls `listener` when another tab has changed the value. */
export function followStored(key: string, listener: () => void): void {
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) listener();
  });
}
