import { createLogger, createRateLimits, MemoryCounters, type NodeContext } from "@fanfare/kernel";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { EVENT_CALLS } from "../src/constants.ts";
import { handlingOfEvent, handlingOfMessages } from "../src/handling.ts";

const [AUTHOR, BOT, OTHER] = ["author", "bot", "other"] as const;
const GROUP = "group";
const as = { name: "A webhook", avatarUrl: null };

const post = vi.fn<(params: object) => Promise<object>>();
const react = vi.fn<(params: object) => Promise<object>>();
const servicesAs = vi.fn<(actor: object) => object>(() => ({ message: { react } }));
beforeEach(() => {
  vi.clearAllMocks();
  post.mockResolvedValue({ message: {} });
  react.mockResolvedValue({});
});

const node = {
  services: {
    user: {
      isActive: async ({ userId }: { userId: string }) => ({ kind: userId === BOT ? "bot" : "member" }),
    },
    message: { post },
  },
  servicesAs,
  access: {
    get: async (_userId: string, { channelId }: { channelId: string }) => ({
      groupId: channelId === "elsewhere" ? "another" : GROUP,
    }),
  },
} as unknown as NodeContext;

/** In a process of its own. */
function handleIn(counters: MemoryCounters | null, ...messages: { authorId: string; as?: typeof as }[]) {
  const limits = createRateLimits({ counters, logger: createLogger("silent"), factor: 1 });
  onTestFinished(() => limits.stop());
  return handlingOfMessages(
    { node, title: "Echo", limiter: limits.exact("plugin.echo", EVENT_CALLS) },
    { channelId: "channel", groupId: GROUP, messages },
  );
}
const handle = (...messages: { authorId: string; as?: typeof as }[]) => handleIn(null, ...messages);
const message = { channelId: "channel", content: "Hello", nonce: "1" };

test("an event handler acts for the author of a message, and sends messages with the name of the plug-in", async () => {
  const { call, place } = handle({ authorId: AUTHOR });
  expect(place).toEqual({ channelId: "channel", userId: AUTHOR });
  const reaction = { channelId: "thread of the group", messageId: "m", emoji: "👍" };
  await call("message.react", reaction, AUTHOR);
  expect(servicesAs).toHaveBeenCalledWith(expect.objectContaining({ userId: AUTHOR, kind: "member" }));
  expect(servicesAs.mock.calls[0]![0]).not.toHaveProperty("admin");
  expect(react).toHaveBeenCalledWith(reaction);
  await call("message.send", message, AUTHOR);
  expect(post).toHaveBeenCalledWith({ ...message, authorId: AUTHOR, as: { name: "Echo", avatarUrl: null } });
});

test("not for bots, webhooks, other plug-ins and other users, which could cause an endless loop", async () => {
  await expect(handle({ authorId: BOT }).call("message.send", message, BOT)).rejects.toThrow(/not a bot/);
  await expect(handle({ authorId: AUTHOR, as }).call("message.send", message, AUTHOR)).rejects.toThrow(
    /not a webhook or plug-in/,
  );
  for (const userId of [OTHER, undefined])
    await expect(handle({ authorId: AUTHOR }).call("message.send", message, userId)).rejects.toThrow(
      /author of one of the messages/,
    );
  const later = { channelId: "channel", content: "Again", sendAt: "2030-01-01T00:00:00.000Z" };
  await expect(handle({ authorId: AUTHOR }).call("scheduled.add", later, AUTHOR)).rejects.toThrow(
    /can't call scheduled.add/,
  );
  await expect(handlingOfEvent().call("message.send", message, AUTHOR)).rejects.toThrow(/no user/);
  expect([post.mock.calls, servicesAs.mock.calls]).toEqual([[], []]);
});

test("it can do nothing outside of the group of the message", async () => {
  const { call } = handle({ authorId: AUTHOR });
  await expect(call("message.send", { ...message, channelId: "elsewhere" }, AUTHOR)).rejects.toThrow(/group/);
  await expect(call("group.listMembers", { groupId: "another" }, AUTHOR)).rejects.toThrow(/group/);
  await expect(call("user.search", { query: "a" }, AUTHOR)).rejects.toThrow(/group/);
  await expect(call("message.send", { ...message, stickerId: "x" }, AUTHOR)).rejects.toThrow(/stickerId/);
});

test("calls in a channel are limited, in all processes together", async () => {
  const counters = new MemoryCounters();
  const [here, there] = [counters, counters].map((shared) => handleIn(shared, { authorId: AUTHOR }));
  for (let count = 0; count < EVENT_CALLS.points; count += 1)
    await here!.call("message.send", message, AUTHOR);
  for (const { call } of [here!, there!])
    await expect(call("message.send", message, AUTHOR)).rejects.toMatchObject({ type: "RATE_LIMITED" });
});
