import { FanfareClient } from "@fanfare/client";
import { type Message, PERMISSIONS, type Report } from "@fanfare/contract";
import { createAccount, createGuest, must, type Person, post } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Instance, startInstance } from "../../../test/support/instance.ts";

let instance: Instance;
/** The first account. */
let admin: Person & { username: string };
let owner: Person;
let author: Person & { username: string };
let reporter: Person & { username: string };
let groupId: string;
let channelId: string;

beforeAll(async () => {
  instance = await startInstance();
  admin = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

beforeEach(async () => {
  owner = await createGuest(instance.url);
  [author, reporter] = [await createAccount(instance.url), await createAccount(instance.url)];
  const made = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
  [groupId, channelId] = [made.group.id, made.channels[0]!.id];
  await join(author, reporter);
});

async function join(...people: Person[]): Promise<void> {
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  for (const { accessToken } of people)
    await must(instance.url, "invite.accept", { code: invite.code }, accessToken);
}

/** A member who can manage messages in the group. */
async function newModerator(): Promise<Person & { username: string; roleId: string }> {
  const moderator = await createAccount(instance.url);
  await join(moderator);
  const permissions = PERMISSIONS.manageMessages;
  const named = { groupId, name: "Moderators", permissions };
  const { role } = await must(instance.url, "role.create", named, owner.accessToken);
  const assigned = { groupId, userId: moderator.userId, roleId: role.id };
  await must(instance.url, "role.assign", assigned, owner.accessToken);
  return { ...moderator, roleId: role.id };
}

let nonces = 0;
async function send(content: string, channel = channelId, from: Person = author): Promise<Message> {
  const params = { channelId: channel, content, nonce: String((nonces += 1)) };
  return (await must(instance.url, "message.send", params, from.accessToken)).message;
}

const report = (message: Message, by: Person = reporter, details = "") =>
  post(
    instance.url,
    "report.create",
    { channelId: message.channelId, messageId: message.id, reason: "harassment", details },
    by.accessToken,
  );

const list = async (by: Person = owner): Promise<Report[]> =>
  (await must(instance.url, "report.list", { groupId }, by.accessToken)).reports;
const count = async (by: Person = owner): Promise<number> =>
  (await must(instance.url, "report.getOpenCount", { groupId }, by.accessToken)).open;
const close = (reportId: string, outcome: "dismissed" | "messageDeleted" = "dismissed", by: Person = owner) =>
  post(instance.url, "report.close", { groupId, reportId, outcome }, by.accessToken);

test("reports of a message are grouped, with its texts at the time of each", async () => {
  const message = await send("insult");
  expect(await report(message, reporter, "He insults me.")).toMatchObject({ ok: true });
  const edited = { channelId, messageId: message.id, content: "nothing to see" };
  await must(instance.url, "message.edit", edited, author.accessToken);
  await report(message, owner);
  await must(instance.url, "message.delete", { channelId, messageId: message.id }, author.accessToken);
  expect(await list()).toMatchObject([
    {
      groupId,
      channelId,
      messageId: message.id,
      authorId: author.userId,
      content: "insult",
      sentAt: message.createdAt,
      reporters: [
        { userId: reporter.userId, reason: "harassment", details: "He insults me." },
        { userId: owner.userId, reason: "harassment", details: "", content: "nothing to see" },
      ],
    },
  ]);
  expect(await count()).toBe(1);
});

test("a user has one open report of a message, none of their own or a deleted one, and only where they can read", async () => {
  const message = await send("insult");
  const [first, second] = await Promise.all([report(message), report(message)]);
  expect([first, second].filter(({ ok }) => ok)).toHaveLength(1);
  expect(await report(message)).toMatchObject({ error: { type: "ALREADY_REPORTED" } });
  expect((await list())[0]!.reporters).toHaveLength(1);
  expect(await report(message, author)).toMatchObject({ error: { type: "FORBIDDEN" } });
  expect(await report(message, admin)).toMatchObject({ error: { type: "CHANNEL_NOT_FOUND" } });
  await must(instance.url, "message.delete", { channelId, messageId: message.id }, author.accessToken);
  expect(await report(message, owner)).toMatchObject({ error: { type: "MESSAGE_NOT_FOUND" } });
});

test("they are listed newest first, page by page, until they are closed", async () => {
  const messages = [await send("one"), await send("two"), await send("three")];
  for (const message of messages) await report(message);
  const texts: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = { groupId, limit: 2, ...(cursor !== undefined && { cursor }) };
    const { reports, nextCursor } = await must(instance.url, "report.list", page, owner.accessToken);
    texts.push(...reports.map(({ content }) => content));
    cursor = nextCursor;
  }
  expect(texts).toEqual(["three", "two", "one"]);
  const [, two] = await list();
  expect(await close(two!.id)).toMatchObject({ ok: true });
  expect(await close(two!.id)).toMatchObject({ error: { type: "REPORT_NOT_FOUND" } });
  expect((await list()).map(({ content }) => content)).toEqual(["three", "one"]);
  // It can be reported again.
  expect(await report(messages[1]!)).toMatchObject({ ok: true });
  expect((await list()).map(({ content }) => content)).toEqual(["two", "three", "one"]);
});

test("closing with a deletion deletes the message; both are in the audit log", async () => {
  const message = await send("insult");
  await report(message);
  const [open] = await list();
  expect(await close(open!.id, "messageDeleted")).toMatchObject({ ok: true });
  const one = { channelId, messageId: message.id };
  const { message: after } = await must(instance.url, "message.get", one, owner.accessToken);
  expect(after).toMatchObject({ content: "", deletedAt: expect.any(String) });
  const { entries } = await must(instance.url, "group.auditLog", { groupId }, owner.accessToken);
  expect(entries.slice(0, 2)).toMatchObject([
    {
      action: "report.close",
      actorId: owner.userId,
      targetId: message.id,
      before: { channelId, authorId: author.userId, outcome: "open" },
      after: { outcome: "messageDeleted" },
    },
    { action: "message.delete", targetId: message.id },
  ]);
  expect(JSON.stringify(entries)).not.toContain(reporter.userId);
});

test("moderators see reports of the channels where they can manage messages, and can't close those of their own messages", async () => {
  const moderator = await newModerator();
  const hidden = { groupId, name: "hidden", private: true, memberIds: [author.userId, reporter.userId] };
  const { channel } = await must(instance.url, "channel.create", hidden, owner.accessToken);
  await report(await send("in public"));
  await report(await send("in private", channel.id));
  await report(await send("by the moderator", channelId, moderator));
  expect((await list(moderator)).map(({ content }) => content)).toEqual(["by the moderator", "in public"]);
  expect(await count(moderator)).toBe(2);
  expect(await count(owner)).toBe(3);
  const [own, secret] = await list(owner);
  expect(await close(own!.id, "dismissed", moderator)).toMatchObject({ error: { type: "FORBIDDEN" } });
  expect(await close(secret!.id, "dismissed", moderator)).toMatchObject({
    error: { type: "REPORT_NOT_FOUND" },
  });
  expect(await close(own!.id)).toMatchObject({ ok: true });
});

test("only moderators get events, which stop when they lose the role", async () => {
  const moderator = await newModerator();
  const received: string[] = [];
  const clients: FanfareClient[] = [];
  for (const [name, username] of [
    ["moderator", moderator.username],
    ["reporter", reporter.username],
  ] as const) {
    const client = new FanfareClient({ url: instance.url });
    clients.push(client);
    client.useTokens(await must(instance.url, "user.login", { username, password: "correct horse" }));
    client.on("report.changed", () => received.push(name));
    client.on("group.updated", ({ group }) => received.push(`${name}: ${group.name}`));
    await client.connect();
  }
  await report(await send("insult"));
  await vi.waitFor(() => expect(received).toEqual(["moderator"]));
  const taken = { groupId, userId: moderator.userId, roleId: moderator.roleId };
  await must(instance.url, "role.unassign", taken, owner.accessToken);
  await report(await send("another"));
  await must(instance.url, "group.update", { groupId, name: "Renamed" }, owner.accessToken);
  await vi.waitFor(() => expect(received).toHaveLength(3));
  expect(received.sort()).toEqual(["moderator", "moderator: Renamed", "reporter: Renamed"]);
  for (const client of clients) client.close();
});

test("reports in direct messages are for the admins of the server, who can delete the message", async () => {
  const direct = { userId: reporter.userId };
  const opened = await must(instance.url, "channel.openDirect", direct, author.accessToken);
  const message = await send("insult", opened.channel.id);
  await report(message);
  const { open } = await must(instance.url, "admin.getOpenReportCount", {}, admin.accessToken);
  expect(open).toBe(1);
  const { reports } = await must(instance.url, "admin.listReports", {}, admin.accessToken);
  expect(reports).toMatchObject([{ groupId: null, messageId: message.id, content: "insult" }]);
  const closing = { reportId: reports[0]!.id, outcome: "messageDeleted" as const };
  await must(instance.url, "admin.closeReport", closing, admin.accessToken);
  const one = { channelId: opened.channel.id, messageId: message.id };
  const after = await must(instance.url, "message.get", one, reporter.accessToken);
  expect(after.message).toMatchObject({ content: "", deletedAt: expect.any(String) });
  const again = await post(instance.url, "admin.closeReport", closing, admin.accessToken);
  expect(again).toMatchObject({ error: { type: "REPORT_NOT_FOUND" } });
  const { entries } = await must(instance.url, "admin.auditLog", {}, admin.accessToken);
  expect(entries).toMatchObject([{ outcome: "REPORT_NOT_FOUND" }, { params: closing, outcome: "done" }]);
});

test("reports of a deleted channel disappear", async () => {
  const made = { groupId, name: "second" };
  const { channel } = await must(instance.url, "channel.create", made, owner.accessToken);
  await report(await send("insult", channel.id));
  await report(await send("stays"));
  await must(instance.url, "channel.delete", { channelId: channel.id }, owner.accessToken);
  await vi.waitFor(async () => expect((await list()).map(({ content }) => content)).toEqual(["stays"]));
  expect(await count()).toBe(1);
});
