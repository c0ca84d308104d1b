import { type Invocation, LIMITS } from "@fanfare/contract";
import { serviceError } from "@fanfare/kernel";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { BotDocument } from "../bot.repository.ts";
import { PendingInteractions } from "../actions/interactions.ts";
import { createCallbacks } from "./callbacks.ts";
import { deliverChanges } from "./deliver-changes.ts";

const bot = {
  _id: "b".repeat(24),
  groupId: "c".repeat(24),
  createdBy: "d".repeat(24),
  scopes: ["messages.write", "events"],
  callback: { id: "c", url: "https://bot.example", events: ["command.invoked", "interaction.created"] },
} as unknown as BotDocument;
const asked = { id: "i", botId: bot._id, channelId: "c", userId: "u", messageId: "m" };
const refuse = async (error: Error): Promise<never> => {
  throw error;
};
const unavailable = () => serviceError("UNAVAILABLE", { retryAfterMs: 1 });

/** What callbacks use of a node; the bot responds with a text. */
function createOptions(changes: { isActive?: () => unknown; answer?: () => unknown } = {}) {
  const requests: { timeoutMs: number }[] = [];
  const warnings: string[] = [];
  const removed: string[] = [];
  const options = {
    node: {
      services: {
        user: { isActive: async () => (await changes.isActive?.()) ?? { isActive: true } },
        message: { answer: async () => changes.answer?.() },
      },
      access: { get: async () => ({ permissions: -1 }) },
      logger: { warn: (_data: object, text: string) => warnings.push(text) },
      metrics: { registerMetric: () => undefined },
      jobs: { define: () => ({}) },
    },
    sealer: { open: () => ({ text: "secret" }) },
    outbound: {
      request: async (request: { timeoutMs: number }) => {
        requests.push(request);
        return { status: 200, body: '{"text":"answer"}' };
      },
    },
    invocations: {
      list: async () => [asked as unknown as Invocation],
      remove: async (id: string) => void removed.push(id),
    },
  };
  return { options: options as never, requests, warnings, removed };
}

describe("an interaction", () => {
  const interact = ({ options }: ReturnType<typeof createOptions>, answered: () => boolean) =>
    createCallbacks(options).ask(bot, { type: "interaction.created", interaction: asked as never }, answered);

  test("isn't answered while the server is unavailable", async () => {
    const place = createOptions({ isActive: () => refuse(unavailable()) });
    expect(await interact(place, () => true)).toBeNull();
    expect(place.warnings).toHaveLength(1);
  });

  test("isn't answered after the call timed out", async () => {
    const answer = vi.fn<() => void>();
    await interact(createOptions({ answer }), () => false);
    expect(answer).not.toHaveBeenCalled();
    await interact(createOptions({ answer }), () => true);
    expect(answer).toHaveBeenCalledOnce();
  });

  test("leaves the bot as much time as its user still waits", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const place = createOptions({ isActive: () => void vi.advanceTimersByTime(1000) });
    await interact(place, () => true);
    expect(place.requests).toMatchObject([{ timeoutMs: LIMITS.interactionTimeoutMs - 1000 }]);
  });

  test("that was acknowledged can still be answered, one that timed out can't", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const interactions = new PendingInteractions();
    const first = interactions.start("first", "bot");
    interactions.acknowledge({ interactionId: "first", botId: "bot", errors: {} });
    expect(await first.answer).toEqual({});
    const second = interactions.start("second", "bot");
    vi.advanceTimersByTime(LIMITS.interactionTimeoutMs);
    expect(await second.answer).toBeNull();
    expect([first.waiting.stopTimeout(), second.waiting.stopTimeout()]).toEqual([true, false]);
  });
});

describe("an answer to a command", () => {
  const deliver = ({ options }: ReturnType<typeof createOptions>) =>
    deliverChanges(options, async () => bot as never);

  test("is delivered again after a temporary error", async () => {
    const place = createOptions({ answer: () => refuse(unavailable()) });
    await expect(deliver(place)).rejects.toMatchObject({ type: "UNAVAILABLE" });
    expect(place.removed).toEqual([]);
  });

  test.each([serviceError("FORBIDDEN"), serviceError("SLOW_MODE", { retryAfterMs: 1 })])(
    "is given up after $type",
    async (error) => {
      const place = createOptions({ answer: () => refuse(error) });
      await deliver(place);
      expect([place.removed, place.warnings]).toEqual([["i"], [expect.any(String)]]);
    },
  );
});
