import { FanfareError } from "@fanfare/client";
import { getEventListeners } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { whenAllowed } from "./pause.ts";

const refused = new FanfareError({
  type: "RATE_LIMITED",
  message: "Too many.",
  data: { retryAfterMs: 1000 },
  retryable: true,
  requestId: "",
});

afterEach(() => {
  vi.useRealTimers();
});

test("a call that is refused is repeated, and leaves nothing at the signal", async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(refused).mockRejectedValueOnce(refused);
  work.mockResolvedValue("done");
  const result = whenAllowed(work, signal);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await result).toBe("done");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an aborted signal ends the wait", async () => {
  const controller = new AbortController();
  const result = whenAllowed(() => Promise.reject(refused), controller.signal);
  controller.abort(new Error("closed"));
  await expect(result).rejects.toThrow("closed");
});
