import type { Params } from "@fanfare/contract";
import { keywordKeys } from "@fanfare/contract/notification-rules";
import { expect, test } from "vitest";
import { pushCandidates, type Reason, type Setting, wantsNotification } from "./candidates.ts";

const nowMs = 1_000_000;
const muted = { mutedUntil: new Date(nowMs + 1) };
const wasMuted = { mutedUntil: new Date(nowMs) };

test.each<[Reason, Setting | undefined, Setting | undefined, boolean]>([
  ["direct", undefined, undefined, true],
  ["mention", undefined, undefined, true],
  ["any", undefined, undefined, false],
  ["any", { level: "all" }, undefined, true],
  ["any", { level: "all" }, { level: "mentions" }, false],
  ["any", { level: "nothing" }, { level: "all" }, true],
  ["mention", { level: "nothing" }, undefined, false],
  ["mention", { level: "nothing" }, { level: "mentions" }, true],
  ["mention", undefined, { level: "nothing" }, false],
  ["direct", undefined, { level: "nothing" }, false],
  ["direct", undefined, { level: "mentions" }, false],
  ["mention", muted, { level: "all" }, false],
  ["mention", undefined, muted, false],
  ["direct", undefined, muted, false],
  ["mention", wasMuted, wasMuted, true],
  ["everyone", undefined, undefined, true],
  ["everyone", { suppressEveryone: true }, undefined, false],
  ["everyone", { level: "nothing" }, undefined, false],
  ["everyone", undefined, { level: "all" }, false],
  ["everyone", muted, undefined, false],
  ["any", { level: "all" }, { hidden: true }, false],
  ["mention", { level: "all" }, { hidden: true }, true],
  ["mention", { level: "nothing" }, { hidden: true }, false],
  ["keyword", undefined, undefined, true],
  ["keyword", { level: "nothing" }, undefined, false],
  ["keyword", undefined, muted, false],
  ["role", { suppressEveryone: true }, undefined, true],
  ["role", undefined, { level: "nothing" }, false],
])("%s, group %j, channel %j: %s", (reason, group, channel, expected) => {
  expect(wantsNotification(reason, group, channel, nowMs)).toBe(expected);
});

/** All users see all channels. */
const inGroup = {
  services: { group: { findViewers: async ({ userIds }: Params<"group.findViewers">) => ({ userIds }) } },
};

test("users who are only meant because of a keyword come last, and those who want all messages keep the reason", async () => {
  const messages = [{ id: "1", authorId: "a", content: "the release" }];
  const users = ["outsider", "eager"].map((_id) => ({
    _id,
    keywords: ["release"],
    keywordKeys: ["release"],
  }));
  const sources = {
    node: inGroup,
    settings: { listEager: async () => ["eager", "other"] },
    preferences: { listByKeys: async () => users },
  } as never;
  const stored = { channelId: "c", groupId: "g", messages } as never;
  const found = await pushCandidates(sources, stored);
  expect(found.map(({ userId, reason }) => [userId, reason])).toEqual([
    ["eager", "keyword"],
    ["other", "any"],
    ["outsider", "keyword"],
  ]);
});

test("a keyword in a card notifies as one in the text does", async () => {
  const message = (id: string, parts: object) => ({ id, authorId: "a", content: "", ...parts });
  const messages = [message("1", { cards: [{ title: "Build failed" }] }), message("2", { content: "ok" })];
  const user = { _id: "user", keywords: ["failed"], keywordKeys: keywordKeys("failed") };
  const preferences = { listByKeys: async (keys: string[]) => (keys.length > 0 ? [user] : []) };
  const sources = { node: inGroup, settings: null, preferences } as never;
  const stored = { channelId: "c", groupId: "g", messages } as never;
  expect(await pushCandidates(sources, stored)).toEqual([
    { userId: "user", message: messages[0], reason: "keyword" },
  ]);
});

test("a call notifies those who missed it, and not those who were in it", async () => {
  const [ada, bob, eve] = ["a", "b", "e"].map((digit) => digit.repeat(24));
  const access = { get: async () => ({ rooms: [ada, bob, eve].map((id) => `user:${id}`) }) };
  const preferences = { listByKeys: async () => [] };
  const sources = { node: { access }, settings: null, preferences } as never;
  const candidates = async (participantUserIds: (string | undefined)[]) => {
    const call = { durationSeconds: 5, participantUserIds, missed: false };
    const messages = [{ id: "1", authorId: ada, content: "", call }];
    const stored = { channelId: "c", groupId: null, messages } as never;
    return (await pushCandidates(sources, stored)).map(({ userId }) => userId);
  };
  expect(await candidates([ada])).toEqual([bob, eve]);
  expect(await candidates([ada, bob])).toEqual([eve]);
});
