import { LIMITS } from "@fanfare/contract";
import type { NodeContext } from "@fanfare/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MAX_SPEAKER_EVENTS_PER_SECOND, REFRESH_INTERVAL_MS } from "./constants.ts";
import { createSpeakers, type Speakers } from "./speakers.ts";

const publish = vi.fn<NodeContext["publish"]>();
let speakers: Speakers;

beforeEach(() => {
  vi.useFakeTimers();
  publish.mockClear();
  speakers = createSpeakers({ publish });
});
afterEach(() => {
  speakers.stop();
  vi.useRealTimers();
});

const call = (_id = "call", room = "group:1") => ({ _id, channelId: `channel of ${_id}`, rooms: [room] });
const inSecond = (run: () => void) => {
  publish.mockClear();
  run();
  vi.advanceTimersByTime(REFRESH_INTERVAL_MS);
  return publish.mock.calls.length;
};

test("collects the last state of each speaker for a second", () => {
  const published = inSecond(() => {
    for (let times = 0; times < 50; times++) speakers.report(call(), "ann", times % 2 === 0);
    speakers.report(call(), "bob", true);
    expect(publish).not.toHaveBeenCalled();
  });
  expect(published).toBe(1);
  expect(publish).toHaveBeenCalledWith(["group:1"], "speaking.changed", {
    channelId: "channel of call",
    callId: "call",
    speakers: [
      { userId: "ann", isSpeaking: false },
      { userId: "bob", isSpeaking: true },
    ],
    expiresInMs: LIMITS.speakingExpiresInMs,
  });
  expect(inSecond(() => {})).toBe(0);
  expect(inSecond(() => speakers.report(call(), "ann", true))).toBe(1);
});

test("publishes only a few of many calls in a group, and not more users than a call shows", () => {
  const many = inSecond(() => {
    for (let number = 0; number < 100; number++) speakers.report(call(`call ${number}`), "ann", true);
    speakers.report(call("elsewhere", "group:2"), "bob", true);
  });
  expect(many).toBe(MAX_SPEAKER_EVENTS_PER_SECOND + 1);
  inSecond(() => {
    for (let number = 0; number < 1000; number++) speakers.report(call(), `user ${number}`, true);
  });
  expect(publish.mock.calls[0]![2]).toMatchObject({ speakers: { length: LIMITS.callParticipantsShown } });
});
