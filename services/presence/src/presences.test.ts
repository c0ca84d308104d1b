import { LIMITS } from "@fanfare/contract";
import type { NodeContext, Request } from "@fanfare/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MAX_TYPING_PER_CHANNEL_PER_SECOND } from "./constants.ts";
import { typingActions } from "./presences.ts";

const publish = vi.fn<NodeContext["publish"]>();
let call: (userId: string, channelId?: string) => void;

beforeEach(() => {
  vi.useFakeTimers();
  publish.mockClear();
  const handle = typingActions({ node: { publish } as unknown as NodeContext })["channel.typing"]!;
  call = (userId, channelId = "channel") => {
    const request = { params: { channelId }, actor: { userId }, access: { rooms: ["group:1"] } };
    void handle(request as unknown as Request<"channel.typing">);
  };
});
afterEach(() => {
  vi.useRealTimers();
});

test("publishes typing of one user only once per interval", () => {
  for (let i = 0; i < 10; i++) call("ann");
  expect(publish.mock.calls).toEqual([
    [
      ["group:1"],
      "typing.started",
      { channelId: "channel", userId: "ann", expiresInMs: LIMITS.typingExpiresInMs },
    ],
  ]);
  vi.advanceTimersByTime(LIMITS.typingIntervalMs);
  call("ann");
  expect(publish).toHaveBeenCalledTimes(2);
});

test("publishes only a few of many typing users per channel", () => {
  for (let i = 0; i < 1000; i++) call(`user ${i}`);
  expect(publish).toHaveBeenCalledTimes(MAX_TYPING_PER_CHANNEL_PER_SECOND);
  call("ann", "another channel");
  expect(publish).toHaveBeenCalledTimes(MAX_TYPING_PER_CHANNEL_PER_SECOND + 1);
});
