import { expect, test } from "vitest";
import { MAX_QUEUED_PER_CHANNEL } from "../../src/bridge/constants.ts";
import { postAll } from "../../src/bridge/run-bridge.ts";
import type { RemoteMessage } from "../../src/bridge/matterbridge.ts";

const message = (gateway: string, text: string): RemoteMessage => ({
  text,
  username: "ada",
  avatar: "",
  event: "",
  gateway,
  protocol: "irc",
  Extra: { file: [] },
});

test("a channel that waits doesn't hold up others, and keeps its order and a full queue", async () => {
  const slow = Promise.withResolvers<void>();
  const posted: string[] = [];
  let read = 0;
  async function* messages() {
    const all = Array.from({ length: MAX_QUEUED_PER_CHANNEL + 5 }, (_, n) => message("slow", `s${n}`));
    for (const one of [all[0]!, message("fast", "f0"), ...all.slice(1), message("fast", "f1")]) {
      read += 1;
      yield one;
    }
  }
  const done = postAll(messages(), async ({ gateway, text }) => {
    if (gateway === "slow") await slow.promise;
    posted.push(text);
  });
  await expect.poll(() => posted).toEqual(["f0"]);
  // The next one of the slow channel waits for space in its queue.
  await expect.poll(() => read).toBe(MAX_QUEUED_PER_CHANNEL + 2);
  slow.resolve();
  await done;
  expect(read).toBe(MAX_QUEUED_PER_CHANNEL + 7);
  expect(posted.filter((text) => text.startsWith("s"))).toEqual(
    Array.from({ length: MAX_QUEUED_PER_CHANNEL + 5 }, (_, n) => `s${n}`),
  );
  expect(posted).toContain("f1");
});

test("an error of one channel ends the bridge", async () => {
  async function* messages() {
    yield message("a", "x");
    await new Promise(() => undefined);
  }
  await expect(postAll(messages(), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
