import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { measure } from "./measure.ts";

test.each([
  { what: "a single message", held: 0 },
  { what: "a burst", held: 1 },
])(
  "$what acknowledged after the time for arrivals isn't lost when the run is interrupted",
  async ({ held }) => {
    const interrupt = new AbortController();
    const acknowledge: (() => void)[] = [];
    let sent = 0;
    const measuring = measure(
      { messages: 0, burst: [5], timeoutMs: 100 },
      {
        name: "socket.io",
        signal: interrupt.signal,
        withSender: (sender) => ({
          ...sender,
          close: () => sender.close(),
          // From the message with this number on, nothing is delivered.
          send: (text) =>
            sent++ < held ? sender.send(text) : new Promise((resolve) => acknowledge.push(resolve)),
        }),
      },
    );
    await expect.poll(() => acknowledge.length, { timeout: 30_000 }).toBe(held === 0 ? 1 : 5);
    await sleep(500);
    for (const each of acknowledge) each();
    await sleep(0);
    interrupt.abort();
    const { counts } = await measuring;
    expect(counts).toMatchObject({ acknowledged: held === 0 ? 1 : 6, received: held * 40, lost: 0 });
  },
);
