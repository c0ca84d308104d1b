import { LIMITS } from "@fanfare/contract";
import { must, post, type World, createWorld } from "@fanfare/testing";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
});
afterAll(() => instance.stop());

const notFound = { ok: false, error: expect.objectContaining({ type: "WEBHOOK_NOT_FOUND" }) };

async function createWebhook(world: World) {
  const params = { channelId: world.channel.id, name: "Builds" };
  return must(instance.url, "webhook.create", params, world.owner.accessToken);
}

async function send(path: string, body: unknown): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(`${instance.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
}

async function newest({ channel, owner }: World) {
  const { messages } = await must(instance.url, "message.list", { channelId: channel.id }, owner.accessToken);
  return messages.at(-1)!;
}

test.each([
  ["ours", { content: "green" }, { name: "Builds", avatarUrl: null }],
  [
    "ours under another name",
    { content: "green", name: "CI", avatarUrl: "https://ci.example/a.png" },
    { name: "CI", avatarUrl: "https://ci.example/a.png" },
  ],
  [
    "ours with the names of other services",
    { content: "green", username: "CI", icon_url: "https://ci.example/a.png" },
    { name: "CI", avatarUrl: "https://ci.example/a.png" },
  ],
])("accepts a message in the format of %s", async (_form, body, as) => {
  const world = await createWorld(instance.url);
  const { path } = await createWebhook(world);
  expect(await send(path, body)).toMatchObject({ status: 200, answer: { ok: true } });
  expect(await newest(world)).toMatchObject({ content: "green", as });
});

test("rejects invalid messages and sends nothing", async () => {
  const world = await createWorld(instance.url);
  const { path } = await createWebhook(world);
  const before = await newest(world);
  for (const body of [
    {},
    { content: "" },
    { content: 1 },
    { content: "x".repeat(LIMITS.messageMaxChars + 1) },
    [],
    "text",
    null,
  ])
    expect((await send(path, body)).status).toBeGreaterThanOrEqual(400);
  const bad = { content: "hi", icon_url: "javascript:alert(1)" };
  expect((await send(path, bad)).status).toBe(422);
  expect(await newest(world)).toEqual(before);
});

test("a nonce creates one message", async () => {
  const world = await createWorld(instance.url);
  const { path } = await createWebhook(world);
  const [first, second] = [
    await send(path, { content: "once", nonce: "n" }),
    await send(path, { content: "once", nonce: "n" }),
  ];
  expect(first.answer).toEqual(second.answer);
});

test("a check posts nothing and fails like a message", async () => {
  const { url } = instance;
  const world = await createWorld(url);
  const { webhook, token } = await createWebhook(world);
  const before = await newest(world);
  expect(await post(url, "webhook.check", { webhookId: webhook.id, token })).toMatchObject({ ok: true });
  expect(await newest(world)).toEqual(before);
  expect(await post(url, "webhook.check", { webhookId: webhook.id, token: "no" })).toEqual(notFound);
  const ofWebhook = { channelId: world.channel.id, webhookId: webhook.id };
  await must(url, "webhook.delete", ofWebhook, world.owner.accessToken);
  expect(await post(url, "webhook.check", { webhookId: webhook.id, token })).toEqual(notFound);
});

test("a wrong token, a wrong id and a deleted webhook return the same error", async () => {
  const world = await createWorld(instance.url);
  const { webhook, token, path } = await createWebhook(world);
  const wrong = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const content = { content: "hi" };
  expect((await send(`/api/webhooks/${webhook.id}/${wrong}`, content)).answer).toEqual(notFound);
  expect((await send(`/api/webhooks/${"0".repeat(24)}/${token}`, content)).answer).toEqual(notFound);
  const { owner, channel } = world;
  const ofWebhook = { channelId: channel.id, webhookId: webhook.id };
  await must(instance.url, "webhook.delete", ofWebhook, owner.accessToken);
  expect((await send(path, content)).answer).toEqual(notFound);
  const { webhooks } = await must(instance.url, "webhook.list", { channelId: channel.id }, owner.accessToken);
  expect(webhooks).toEqual([]);
});

test("the token is shown once, and webhooks of other channels are not found", async () => {
  const { url } = instance;
  const [world, otherWorld] = [await createWorld(url), await createWorld(url)];
  const { webhook, token } = await createWebhook(otherWorld);
  const other = { channelId: world.channel.id, webhookId: webhook.id };
  expect(await post(url, "webhook.delete", other, world.owner.accessToken)).toEqual(notFound);
  const listed = await must(
    url,
    "webhook.list",
    { channelId: otherWorld.channel.id },
    otherWorld.owner.accessToken,
  );
  expect(JSON.stringify(listed)).not.toContain(token);
  const renamed = { channelId: otherWorld.channel.id, webhookId: webhook.id, name: "Other" };
  const updated = await must(url, "webhook.update", renamed, otherWorld.owner.accessToken);
  expect(updated.webhook).toMatchObject({ name: "Other", id: webhook.id });
});

test("the group's audit log contains changes of its webhooks, but not calls without effect", async () => {
  const { url } = instance;
  const { group, channel, owner } = await createWorld(url);
  const [as, channelId] = [owner.accessToken, channel.id];
  const { webhook } = await must(url, "webhook.create", { channelId, name: "Builds" }, as);
  const change = { channelId, webhookId: webhook.id, name: "Other" };
  for (const _twice of [1, 2]) await must(url, "webhook.update", change, as);
  await must(url, "webhook.delete", { channelId, webhookId: webhook.id }, as);
  const { entries } = await must(url, "group.auditLog", { groupId: group.id }, as);
  const ofWebhook = entries.filter(({ targetId }) => targetId === webhook.id);
  expect(ofWebhook.map(({ action }) => action)).toEqual([
    "webhook.delete",
    "webhook.update",
    "webhook.create",
  ]);
  expect(ofWebhook[1]).toMatchObject({
    actorId: owner.userId,
    before: { channelId, name: "Builds" },
    after: { channelId, name: "Other" },
  });
});

test("a webhook stops working when its creator can no longer manage webhooks", async () => {
  const { url } = instance;
  const world = await createWorld(url);
  const { owner, member, group, channel } = world;
  const role = { groupId: group.id, name: "Integrations", permissions: 1 << 15 };
  const { role: made } = await must(url, "role.create", role, owner.accessToken);
  const ofMember = { groupId: group.id, roleId: made.id, userId: member.userId };
  await must(url, "role.assign", ofMember, owner.accessToken);
  const params = { channelId: channel.id, name: "Mine" };
  const { path } = await must(url, "webhook.create", params, member.accessToken);
  expect((await send(path, { content: "hi" })).status).toBe(200);
  await must(url, "role.unassign", ofMember, owner.accessToken);
  expect((await send(path, { content: "hi" })).answer).toEqual(notFound);
});

test("each webhook has its own rate limit", async () => {
  const limited = await startInstance({ RATE_LIMIT_FACTOR: "1" });
  try {
    const params = { webhookId: "0".repeat(24), token: "x", content: "hi" };
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => post(limited.url, "webhook.execute", params)),
    );
    const limits = answers.filter((answer) => !answer.ok && answer.error.type === "RATE_LIMITED");
    expect(limits).toHaveLength(10);
  } finally {
    await limited.stop();
  }
});
