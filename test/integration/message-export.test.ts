import type { MessageFileLine } from "@fanfare/contract";
import { FanfareClient } from "@fanfare/client";
import { createAccount, createWorld, must, post, type Person } from "@fanfare/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startInstance, type Instance } from "../support/instance.ts";

const SPAN = { from: "2020-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" };
const REASON = "Request 12/26 of the court";

let instance: Instance;
let admin: Person & { username: string };
beforeAll(async () => {
  instance = await startInstance();
  // The first account of a new instance is an admin.
  admin = await createAccount(instance.url);
});
afterAll(() => instance?.stop());

const requestExport = (params: object, { accessToken }: Person): Promise<Response> =>
  fetch(`${instance.url}/api/admin.exportMessages`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    body: JSON.stringify(params),
  });
const exportOf = async (userId: string, more: object = {}): Promise<MessageFileLine[]> => {
  const response = await requestExport({ userId, ...SPAN, reason: REASON, ...more }, admin);
  const lines = (await response.text()).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as MessageFileLine);
};
const contentsOf = (lines: readonly MessageFileLine[]): string[] =>
  lines.flatMap((line) =>
    line.type === "message" ? [line.message.content] : line.type === "edit" ? [line.content] : [],
  );
const say = (person: Person, channelId: string, content: string) =>
  must(instance.url, "message.send", { channelId, content, nonce: content }, person.accessToken);

test("an export has the user's messages in groups, threads and direct messages, also in those they have left", async () => {
  const { url } = instance;
  const me = await createAccount(url);
  const { inviteCode, channel, group, member, message } = await createWorld(url);
  await must(url, "invite.accept", { code: inviteCode }, me.accessToken);
  const { message: own } = await say(me, channel.id, "draft");
  await must(
    url,
    "message.edit",
    { channelId: channel.id, messageId: own.id, content: "final" },
    me.accessToken,
  );
  const thread = { channelId: channel.id, messageId: message.id };
  const opened = await must(url, "channel.openThread", thread, me.accessToken);
  await say(me, opened.channel.id, "in the thread");
  const direct = await must(url, "channel.openDirect", { userId: member.userId }, me.accessToken);
  await say(me, direct.channel.id, "in private");
  await say(member, direct.channel.id, "of another user");
  await must(url, "channel.closeDirect", { channelId: direct.channel.id }, me.accessToken);
  await must(url, "group.leave", { groupId: group.id }, me.accessToken);
  const wanted = ["draft", "final", "in private", "in the thread"];

  const lines = await exportOf(me.userId);
  expect(contentsOf(lines).sort()).toEqual(wanted);
  const { userId } = me;
  expect(lines[0]).toMatchObject({
    type: "header",
    userId,
    ...SPAN,
    reason: REASON,
    exportedBy: admin.userId,
  });
  expect(lines.at(-1)).toMatchObject({ type: "end", lines: lines.length - 1 });
  expect(lines).toContainEqual(
    expect.objectContaining({ type: "channel", id: channel.id, group: { id: group.id, name: group.name } }),
  );
  const memberIds = expect.arrayContaining([userId, member.userId]) as string[];
  expect(lines).toContainEqual(expect.objectContaining({ id: direct.channel.id, kind: "direct", memberIds }));
  expect(lines).toContainEqual(expect.objectContaining({ type: "user", id: member.userId }));
  // Nothing was sent at another time.
  expect(contentsOf(await exportOf(userId, { to: "2021-01-01T00:00:00.000Z" }))).toEqual([]);
  // Their messages stay when the account is deleted.
  await must(url, "user.deleteMe", { password: "correct horse" }, me.accessToken);
  await expect.poll(async () => contentsOf(await exportOf(userId)).sort()).toEqual(wanted);
});

test("every export is in the audit log with its reason, and none starts without one", async () => {
  const { url } = instance;
  const { target, message } = await createWorld(url);
  const params = { userId: target.userId, ...SPAN };
  for (const reason of [undefined, "", "  "]) {
    const response = await requestExport({ ...params, reason }, admin);
    expect(await response.json()).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
  }
  const client = new FanfareClient({ url });
  await client.call("user.login", { username: admin.username, password: "correct horse" });
  const lines: MessageFileLine[] = [];
  for await (const line of client.exportMessages({ ...params, reason: REASON })) lines.push(line);
  client.close();
  expect(contentsOf(lines)).toEqual([message.content]);
  const { entries } = await must(url, "admin.auditLog", { limit: 1 }, admin.accessToken);
  expect(entries).toMatchObject([
    {
      actorId: admin.userId,
      action: "admin.startMessageExport",
      params: { ...params, reason: REASON },
      outcome: "done",
    },
  ]);
  const backwards = await requestExport({ ...params, from: SPAN.to, to: SPAN.from, reason: REASON }, admin);
  expect(await backwards.json()).toMatchObject({ error: { type: "VALIDATION_FAILED" } });
});

test("only admins can export, and no internal action is reachable", async () => {
  const { url } = instance;
  const { owner, member, target, stranger } = await createWorld(url);
  const params = { userId: target.userId, ...SPAN, reason: REASON };
  for (const person of [owner, member, target, stranger]) {
    const response = await requestExport(params, person);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ ok: false, error: { type: "FORBIDDEN" } });
  }
  expect((await requestExport(params, { ...owner, accessToken: "none" })).status).toBe(401);
  for (const name of [
    "message.exportSent",
    "message.exportHeld",
    "message.startHold",
    "group.describeChannels",
  ]) {
    const answer = await post(url, name as never, { ...params, after: null } as never, admin.accessToken);
    expect(answer).toMatchObject({ ok: false, error: { type: "UNKNOWN_ACTION" } });
  }
});

test("a hold keeps what is deleted with a group and its files, for exports only", async () => {
  const { url } = instance;
  const { owner, member, target, group, channel, message } = await createWorld(url);
  const started = { userId: target.userId, reason: REASON };
  const { hold } = await must(url, "admin.startHold", started, admin.accessToken);
  const body = new Blob(["contract"]);
  const uploaded = await fetch(`${url}/api/file.upload?channelId=${channel.id}&name=a.txt`, {
    method: "POST",
    headers: { authorization: `Bearer ${target.accessToken}`, "content-type": "application/octet-stream" },
    body,
  });
  const { data } = (await uploaded.json()) as { data: { file: { fileId: string } } };
  const attachmentIds = [data.file.fileId];
  const withFile = { channelId: channel.id, content: "with a file", nonce: "file", attachmentIds };
  await must(url, "message.send", withFile, target.accessToken);
  const ids = { channelId: channel.id, messageId: message.id };
  await must(url, "message.delete", ids, owner.accessToken);
  const seen = await must(url, "message.get", ids, member.accessToken);
  expect(seen.message).toMatchObject({ content: "", deletedAt: expect.any(String) });
  await must(url, "group.delete", { groupId: group.id }, owner.accessToken);
  const texts = [message.content, "with a file"];
  await expect
    .poll(async () => {
      const lines = await exportOf(target.userId);
      return lines.flatMap((line) => (line.type === "message" && line.held ? [line.message.content] : []));
    })
    .toEqual(texts);
  // Where they were sent, although it is gone.
  const { id, name } = channel;
  const sentIn = { type: "channel", id, kind: "text", name, group: { id: group.id, name: group.name } };
  await expect.poll(async () => (await exportOf(target.userId))[1]).toMatchObject(sentIn);
  const lines = await exportOf(target.userId, { fileLinks: true });
  expect(contentsOf(lines)).toEqual(texts);
  const links = lines.flatMap((line) => (line.type === "file" ? [new URL(line.url)] : []));
  expect(links).toHaveLength(1);
  const file = await fetch(`${url}${links[0]!.pathname}${links[0]!.search}`);
  expect(await file.text()).toBe("contract");

  await must(
    url,
    "admin.endHold",
    { userId: target.userId, holdId: hold.id, reason: "Settled" },
    admin.accessToken,
  );
  await expect.poll(async () => contentsOf(await exportOf(target.userId))).toEqual([]);
  const { holds } = await must(url, "admin.listHolds", {}, admin.accessToken);
  expect(holds[0]).toMatchObject({ id: hold.id, endedBy: admin.userId });
});

test("an admin neither sees nor ends a hold on themselves, nor sees an export of their messages", async () => {
  const { url } = instance;
  const before = await createAccount(url);
  await must(url, "admin.setAdmin", { userId: before.userId, admin: true }, admin.accessToken);
  // Only the next access token carries the role.
  const credentials = { username: before.username, password: "correct horse" };
  const { accessToken } = await must(url, "user.login", credentials);
  const other = { ...before, accessToken };
  const started = { userId: other.userId, reason: REASON };
  const { hold } = await must(url, "admin.startHold", started, admin.accessToken);
  const ending = { ...started, holdId: hold.id };
  await exportOf(other.userId);
  const { holds } = await must(url, "admin.listHolds", {}, accessToken);
  const { entries } = await must(url, "admin.auditLog", {}, accessToken);
  expect(JSON.stringify([holds, entries])).not.toContain(hold.id);
  const aboutThem = entries.filter(({ params }) => JSON.stringify(params).includes(other.userId));
  expect(aboutThem.map(({ action }) => action)).toEqual(["admin.setAdmin"]);
  expect(await post(url, "admin.endHold", ending, accessToken)).toMatchObject({
    error: { type: "FORBIDDEN" },
  });
  const ofAnother = { ...ending, userId: admin.userId };
  expect(await post(url, "admin.endHold", ofAnother, accessToken)).toMatchObject({
    error: { type: "HOLD_NOT_FOUND" },
  });
  expect((await requestExport({ ...started, ...SPAN }, other)).status).toBe(403);
  expect((await must(url, "admin.endHold", ending, admin.accessToken)).hold.endedBy).toBe(admin.userId);
});
