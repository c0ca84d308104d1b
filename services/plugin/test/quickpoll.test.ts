import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";

interface Action {
  handle: (request: object) => Promise<{ id: string }>;
}

test("a poll and a vote that are stored succeed even if they can't be published", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const file = new URL("../../../plugins/quickpoll/server.js", import.meta.url).href;
  const { default: createPlugin } = (await import(file)) as {
    default: (given: object) => { actions: Record<string, Action> };
  };
  const stored = new Map<string, unknown>();
  const store = {
    get: async (key: string) => stored.get(key) ?? null,
    set: async (key: string, value: unknown) => void stored.set(key, value),
    list: async (prefix: string, after = "") =>
      [...stored]
        .map(([key, value]) => ({ key, value }))
        .filter(({ key }) => key.startsWith(prefix) && key > after),
  };
  const { actions } = createPlugin({ z, store, refuse: (reason: string) => new Error(reason) });
  const publish = vi.fn<() => Promise<never>>().mockRejectedValue(new Error("Published too often"));
  const given = { caller: { userId: "voter" }, call: async () => ({}), publish };
  const params = { channelId: "channel", question: "Lunch?", options: ["Pizza", "Salad"] };
  const { id } = await actions["create"]!.handle({ ...given, params });
  await actions["vote"]!.handle({ ...given, params: { channelId: "channel", pollId: id, option: 1 } });
  expect(stored.get(`vote:channel:${id}:voter`)).toBe(1);
  expect(publish).toHaveBeenCalledTimes(2);
});
