import { vi } from "vitest";

const PATIENCE_MS = 60_000;

/** `vi.waitFor` gives up after one second by default, too little on a busy machine. */
const { waitFor } = vi;
vi.waitFor = (callback, options) => {
  const { timeout = 0, ...more } = typeof options === "number" ? { timeout: options } : (options ?? {});
  return waitFor(callback, { ...more, timeout: Math.max(timeout, PATIENCE_MS) });
};
