import type { MessageRules } from "@fanfare/contract";
import { createWorld, must, post, type World } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

let instance: Instance;
let world: World;
let nonces = 0;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance.stop());
beforeEach(async () => {
  world = await createWorld(instance.url);
});

const NO_RULES: MessageRules = { links: null, mentions: null, repeats: null, newAccounts: null };

const set = (rules: Partial<MessageRules>) =>
  must(
    instance.url,
    "group.setWordFilter",
    { groupId: world.group.id, rules: { ...NO_RULES, ...rules } },
    world.owner.accessToken,
  );
const send = (content: string, as: "member" | "owner" | "target" = "member", nonce = `n${(nonces += 1)}`) =>
  post(instance.url, "message.send", { channelId: world.channel.id, content, nonce }, world[as].accessToken);
const edit = (messageId: string, content: string) =>
  post(
    instance.url,
    "message.edit",
    { channelId: world.channel.id, messageId, content },
    world.member.accessToken,
  );
const refusedBy = (rule: string, limit: number | null = null) => ({
  ok: false,
  error: { type: "MESSAGE_REFUSED", retryable: false, data: { rule, limit } },
});
const reports = async () => {
  const ofGroup = { groupId: world.group.id };
  return (await must(instance.url, "report.list", ofGroup, world.owner.accessToken)).reports;
};

test("links are refused except to allowed hosts, in new and edited messages; moderators are exempt", async () => {
  await set({ links: { onHit: "block", allowedHosts: ["example.com"] } });
  expect(await send("https://evil.example")).toMatchObject(refusedBy("links"));
  expect(await send("https://evil.example", "owner")).toMatchObject({ ok: true });
  const sent = await send("https://www.example.com/path");
  const messageId = sent.ok ? sent.data.message.id : "";
  expect(await edit(messageId, "https://evil.example")).toMatchObject(refusedBy("links"));
  await set({});
  expect(await edit(messageId, "https://evil.example")).toMatchObject({ ok: true });
});

test("a message with too many mentions is refused", async () => {
  await set({ mentions: { onHit: "block", max: 1 } });
  const [one, two] = [`<@${world.owner.userId}>`, `<@${world.target.userId}>`];
  expect(await send(one)).toMatchObject({ ok: true });
  expect(await send(one + two)).toMatchObject(refusedBy("mentions", 1));
});

test("the same text can be sent a few times by each member, in all channels together", async () => {
  await set({ repeats: { onHit: "block", max: 2 } });
  expect(await send("Buy!", "member", "once")).toMatchObject({ ok: true });
  // The same message again.
  expect(await send("Buy!", "member", "once")).toMatchObject({ ok: true });
  expect(await send("BUY!  ")).toMatchObject({ ok: true });
  expect(await send("buy!")).toMatchObject(refusedBy("repeats", 2));
  expect(await send("buy something else")).toMatchObject({ ok: true });
  expect(await send("buy!", "target")).toMatchObject({ ok: true });
});

test("messages refused by slow mode don't count as repeated", async () => {
  await set({ repeats: { onHit: "block", max: 1 } });
  const { accessToken } = world.owner;
  const slow = { channelId: world.channel.id, slowModeSeconds: 3600 };
  await must(instance.url, "channel.update", slow, accessToken);
  expect(await send("first")).toMatchObject({ ok: true });
  expect(await send("second")).toMatchObject({ error: { type: "SLOW_MODE" } });
  await must(instance.url, "channel.update", { ...slow, slowModeSeconds: 0 }, accessToken);
  expect(await send("second")).toMatchObject({ ok: true });
  expect(await send("second")).toMatchObject(refusedBy("repeats", 1));
});

test("new accounts can't write yet", async () => {
  await set({ newAccounts: { onHit: "block", hours: 24 } });
  expect(await send("hello")).toMatchObject(refusedBy("newAccounts", 24));
  expect(await send("hello", "owner")).toMatchObject({ ok: true });
});

test("a rule can report the message instead, which moderators see once", async () => {
  await set({ links: { onHit: "report", allowedHosts: [] }, mentions: { onHit: "block", max: 1 } });
  const sent = await send("https://evil.example");
  expect(sent).toMatchObject({ ok: true });
  const messageId = sent.ok ? sent.data.message.id : "";
  const found = {
    messageId,
    content: "https://evil.example",
    authorId: world.member.userId,
    reporters: [{ userId: null, reason: "links", details: "" }],
  };
  await vi.waitFor(async () => expect(await reports()).toMatchObject([found]));
  await edit(messageId, "https://worse.example");
  const { accessToken } = world.target;
  const params = { channelId: world.channel.id, messageId, reason: "spam" as const };
  await must(instance.url, "report.create", params, accessToken);
  const [report] = await reports();
  expect(report!.reporters.map(({ userId }) => userId)).toEqual([null, world.target.userId]);
});

test("words and rules are set independently, and both are in the audit log", async () => {
  const { url } = instance;
  const ofGroup = { groupId: world.group.id };
  const { accessToken } = world.owner;
  await must(url, "group.setWordFilter", { ...ofGroup, words: ["bad"], onHit: "mask" }, accessToken);
  const mentions = { onHit: "report", max: 3 } as const;
  await set({ mentions });
  await must(url, "group.setWordFilter", { ...ofGroup, words: ["worse"] }, accessToken);
  const { wordFilter } = await must(url, "group.getWordFilter", ofGroup, accessToken);
  expect(wordFilter).toEqual({ words: ["worse"], onHit: "mask", rules: { ...NO_RULES, mentions } });
  const { entries } = await must(url, "group.auditLog", ofGroup, accessToken);
  expect(entries[1]).toMatchObject({
    action: "group.setWordFilter",
    before: { rules: NO_RULES },
    after: { words: ["bad"], rules: { mentions } },
  });
});

test.each([
  { links: { onHit: "block", allowedHosts: ["https://example.com"] } },
  { links: { onHit: "block", allowedHosts: ["Example.com"] } },
  { links: { onHit: "block", allowedHosts: ["localhost"] } },
  { mentions: { onHit: "block", max: 0 } },
  { repeats: { onHit: "mask", max: 1 } },
])("rejects the rule %o", async (rules) => {
  const params = { groupId: world.group.id, rules: { ...NO_RULES, ...rules } } as never;
  const answer = await post(instance.url, "group.setWordFilter", params, world.owner.accessToken);
  expect(answer).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
});
