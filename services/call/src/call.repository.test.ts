import { expect, test } from "vitest";
import { type CallDocument, presentEnded } from "./call.repository.ts";

const [ADA, BOB] = ["a".repeat(24), "b".repeat(24)];
const START = new Date("2026-01-01T10:00:00Z");
const after = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);

const call = (changes: Partial<CallDocument>): CallDocument => ({
  _id: "1".repeat(24),
  channelId: "c".repeat(24),
  kind: "text",
  rooms: [],
  startedByUserId: ADA,
  startedAt: START,
  participants: [],
  participantCount: 0,
  joinedUserIds: [ADA],
  mutedUserIds: [],
  endedAt: after(100),
  checkAt: START,
  rev: 1,
  ...changes,
});

test("a call lasts until it ends, or until the last user was seen in it", () => {
  expect(presentEnded(call({ activeAt: after(40) }))).toEqual({
    durationSeconds: 40,
    participantUserIds: [ADA],
    missed: false,
  });
  expect(presentEnded(call({ activeAt: after(40), participantCount: 1 }))?.durationSeconds).toBe(100);
});

test("a direct call is missed if no one else has joined it", () => {
  expect(presentEnded(call({ kind: "direct" }))).toMatchObject({ missed: true, durationSeconds: 0 });
  expect(presentEnded(call({ kind: "groupDirect", joinedUserIds: [ADA, BOB] }))).toMatchObject({
    missed: false,
    participantUserIds: [ADA, BOB],
  });
});

test("no message is written about voice channels, deleted channels, and calls in groups that no one was in", () => {
  expect(presentEnded(call({ kind: "voice", activeAt: after(40) }))).toBeNull();
  expect(presentEnded(call({ isSilent: true, activeAt: after(40) }))).toBeNull();
  expect(presentEnded(call({}))).toBeNull();
});
