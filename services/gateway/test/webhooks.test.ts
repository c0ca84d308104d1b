import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { LIMITS } from "@fanfare/contract";
import { createWorld, must, post as tryPost, type World } from "@fanfare/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";

// Payloads of other programs, as they send them, through a real instance.

let instance: Instance;
let world: World;
let path: string;
beforeAll(async () => {
  instance = await startInstance();
  world = await createWorld(instance.url);
  const params = { channelId: world.channel.id, name: "Builds" };
  ({ path } = await must(instance.url, "webhook.create", params, world.owner.accessToken));
});
afterAll(() => instance.stop());

const recorded = (name: string): string => readFileSync(new URL(`payloads/${name}`, import.meta.url), "utf8");

async function send(
  body: string,
  { suffix = "", type = "application/json", ...headers }: Record<string, string> = {},
): Promise<{ status: number; type: string | null; body: string }> {
  const response = await fetch(`${instance.url}${path}${suffix}`, {
    method: "POST",
    headers: { ...(type !== "" && { "content-type": type }), ...headers },
    body,
  });
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

async function newest() {
  const { channel, owner } = world;
  const { messages } = await must(instance.url, "message.list", { channelId: channel.id }, owner.accessToken);
  return messages.at(-1)!;
}

describe("a webhook with a secret", () => {
  const secret = "a secret of 20 chars";
  const body = JSON.stringify({ content: "signed" });
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");

  test("accepts only what is signed with it, until it is removed", async () => {
    const { channel, owner } = world;
    const params = { channelId: channel.id, name: "Signed", secret };
    const made = await must(instance.url, "webhook.create", params, owner.accessToken);
    expect(made.webhook.signed).toBe(true);
    const post = async (headers: Record<string, string>, text = body) => {
      const response = await fetch(instance.url + made.path, { method: "POST", headers, body: text });
      return response.status;
    };
    expect(await post({})).toBe(401);
    expect(await post({ "x-hub-signature-256": `sha256=${sign("other")}` })).toBe(401);
    expect((await newest()).content).not.toBe("signed");
    expect(await post({ "x-hub-signature-256": `sha256=${sign(body)}` })).toBe(200);
    expect(await newest()).toMatchObject({ content: "signed", as: { name: "Signed" } });
    expect(await post({ "x-gitlab-token": secret })).toBe(200);
    const form = new URLSearchParams({ payload: '{"text":"in a form"}' }).toString();
    expect(await post({ "x-gitea-signature": sign(form) }, form)).toBe(200);
    expect(await newest()).toMatchObject({ content: "in a form" });

    const call = { webhookId: made.webhook.id, token: made.token, content: "called" };
    const typeOf = async (more: object) => {
      const answer = await tryPost(instance.url, "webhook.execute", { ...call, ...more });
      return answer.ok ? "ok" : answer.error.type;
    };
    expect(await typeOf({})).toBe("SIGNATURE_INVALID");
    expect(await typeOf({ secret: "another secret, as long" })).toBe("SIGNATURE_INVALID");
    expect(await typeOf({ secret })).toBe("ok");
    const update = { channelId: channel.id, webhookId: made.webhook.id, secret: null };
    const { webhook } = await must(instance.url, "webhook.update", update, owner.accessToken);
    expect(webhook.signed).toBe(false);
    expect(await post({})).toBe(200);
  });
});

const ok = { status: 200, type: "text/plain; charset=utf-8", body: "ok" };

describe("Slack", () => {
  test("a form with the payload becomes a message, and the response is ok", async () => {
    const payload =
      '{"text":"*Deployed* <https://example.org/1|build 1> &amp; more","username":"CI","icon_emoji":":tada:"}';
    const form = new URLSearchParams({ payload }).toString();
    expect(await send(form, { type: "application/x-www-form-urlencoded" })).toEqual(ok);
    expect(await newest()).toMatchObject({
      content: "**Deployed** [build 1](https://example.org/1) & more",
      as: { name: "🎉 CI", avatarUrl: null },
    });
    // As Mattermost documents it: not encoded, and without a type.
    expect(await send('payload={"text":"not encoded"}', { type: "" })).toEqual(ok);
    expect(await newest()).toMatchObject({ content: "not encoded", as: { name: "Builds" } });
    expect(await send("text=a+field", { type: "application/x-www-form-urlencoded" })).toEqual(ok);
    expect(await newest()).toMatchObject({ content: "a field" });
    expect(await send('{"text":"JSON as a form"}', { type: "application/x-www-form-urlencoded" })).toEqual(
      ok,
    );
  });

  test("blocks and attachments become markdown", async () => {
    expect(await send(recorded("slack-blocks.json"))).toEqual(ok);
    expect(await newest()).toMatchObject({ content: recorded("slack-blocks.txt").trim() });
    expect(await send(recorded("slack-attachments.json"))).toEqual(ok);
    expect(await newest()).toMatchObject({ as: { name: "🚨 Alertmanager" } });
  });

  test("errors are Slack's, with a reason", async () => {
    const as = { suffix: "/slack" };
    expect(await send("{}", as)).toMatchObject({ status: 400, body: "no_text\ntext is missing or empty" });
    expect(await send('{"text":1,"blocks":5}', as)).toEqual(ok);
    expect(await send("not JSON", as)).toMatchObject({
      status: 400,
      body: expect.stringMatching(/^invalid_payload\n/),
    });
    const bad = { text: "hi", icon_url: "javascript:alert(1)" };
    expect(await send(JSON.stringify(bad))).toMatchObject({
      status: 400,
      body: "invalid_payload\navatarUrl must start with https:// or http://",
    });
    const gone = await fetch(`${instance.url}${path}x/slack`, { method: "POST", body: '{"text":"hi"}' });
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringMatching(/^no_service\n/)]);
  });

  test("only <!channel> mentions everyone, with the permission of the webhook's creator", async () => {
    const quiet = { title: "@everyone", author_name: "@everyone", footer: "@everyone", text: "@everyone" };
    const fields = [{ title: "@everyone", value: "@everyone" }];
    const blocks = [{ type: "header", text: { type: "plain_text", text: "@everyone" } }];
    const attachments = [{ ...quiet, fields, pretext: "@here", blocks }, { fallback: "@everyone" }];
    expect(await send(JSON.stringify({ text: "@everyone <@U1> look", attachments }))).toEqual(ok);
    expect((await newest()).mentions?.everyone ?? false).toBe(false);
    expect(await send('{"text":"<!channel> look"}')).toEqual(ok);
    expect((await newest()).mentions?.everyone).toBe(true);
    expect(await send('{"attachments":[{"text":"<!channel> look"}]}')).toEqual(ok);
    expect(await newest()).toMatchObject({ content: "", mentions: { everyone: true } });
  });
});

describe("Discord", () => {
  test("embeds become a message with cards, and the response is empty", async () => {
    expect(await send(recorded("discord.json"))).toEqual({ status: 204, type: null, body: "" });
    const [content, cards] = recorded("discord.txt").split("\n\n");
    expect(await newest()).toMatchObject({
      content,
      cards: JSON.parse(cards!),
      as: { name: "Webhook", avatarUrl: "https://i.imgur.com/4M34hi2.png" },
    });
  });

  test("a sender that waits receives the message", async () => {
    const { status, body } = await send(recorded("discord.json"), { suffix: "?wait=true" });
    expect(status).toBe(200);
    const { id } = await newest();
    expect(JSON.parse(body)).toMatchObject({
      id,
      channel_id: world.channel.id,
      author: { username: "Webhook" },
    });
  });

  test("allowed mentions are kept", async () => {
    const message = { content: "@everyone", embeds: [{ description: "@everyone" }] };
    await send(JSON.stringify({ ...message, allowed_mentions: { parse: [] } }));
    expect((await newest()).mentions?.everyone ?? false).toBe(false);
    await send(JSON.stringify(message));
    expect((await newest()).mentions?.everyone).toBe(true);
    await send(JSON.stringify({ ...message, content: "see below" }));
    expect((await newest()).mentions?.everyone ?? false).toBe(false);
  });
});

describe("services", () => {
  test("alerts of Alertmanager become a message", async () => {
    expect(await send(recorded("alertmanager.json"))).toMatchObject({ status: 200 });
    expect(await newest()).toMatchObject({
      content: recorded("alertmanager.txt").trim(),
      as: { name: "Builds" },
    });
  });

  test("a push to GitHub becomes a message, also as a form, and mentions no one", async () => {
    const headers = { "x-github-event": "push" };
    expect(await send(recorded("github-push.json"), headers)).toMatchObject({ status: 200 });
    expect(await newest()).toMatchObject({ content: recorded("github-push.txt").trim() });
    const payload = recorded("github-push.json").replace("Initial commit", "@everyone Initial commit");
    const form = new URLSearchParams({ payload }).toString();
    const type = "application/x-www-form-urlencoded";
    expect(await send(form, { ...headers, type })).toMatchObject({ status: 200 });
    const { content, mentions } = await newest();
    expect(content).toContain("everyone Initial commit");
    expect(mentions?.everyone ?? false).toBe(false);
  });

  test("an event that isn't worth a message is accepted, if the webhook exists", async () => {
    const before = await newest();
    const headers = { "x-github-event": "watch" };
    expect(await send(recorded("github-star.json"), headers)).toMatchObject({ status: 200 });
    expect(await newest()).toEqual(before);
    const wrong = await fetch(`${instance.url}${path}x`, { method: "POST", headers, body: "{}" });
    expect(wrong.status).toBe(404);
  });
});

describe("hostile requests", () => {
  const deep = `{"text":"a","blocks":${"[".repeat(400_000)}${"]".repeat(400_000)}}`;
  const rich = (depth: number): unknown =>
    depth === 0 ? [] : [{ type: "rich_text_section", elements: rich(depth - 1) }];
  test.each([
    ["deep lists", deep, {}, 200],
    [
      "deep blocks",
      JSON.stringify({ text: "a", blocks: [{ type: "rich_text", elements: rich(2000) }] }),
      {},
      200,
    ],
    ["a long text", JSON.stringify({ text: "a".repeat(1_000_000) }), {}, 200],
    [
      "many alerts",
      JSON.stringify({ status: "firing", alerts: Array.from({ length: 300_000 }, () => ({})) }),
      {},
      200,
    ],
    ["many blocks", JSON.stringify({ blocks: Array.from({ length: 100_000 }, () => ({})) }), {}, 400],
    ["a prototype", '{"__proto__":{"text":"a"},"constructor":{"prototype":{"text":"a"}}}', {}, 422],
    ["a prototype beside text", '{"__proto__":{"toString":1},"text":"a"}', {}, 200],
    [
      "labels named like properties",
      '{"status":"firing","alerts":[{"labels":{"__proto__":{"a":1},"constructor":"b"}}]}',
      {},
      200,
    ],
    ["a body over the limit", `{"text":"${"a".repeat(LIMITS.webhookBodyMaxBytes)}"}`, {}, 413],
    ["half a JSON", '{"text":', {}, 400],
    ["a list", "[]", {}, 400],
    ["null", "null", {}, 400],
    ["nothing", "", {}, 400],
    ["half a character", '{"text":"\\ud800"}', {}, 200],
    ["an unknown suffix", '{"text":"a"}', { suffix: "/teams" }, 422],
    ["a missing header", recorded("github-push.json"), { suffix: "/github" }, 422],
    ["another event than its header", recorded("github-star.json"), { "x-github-event": "push" }, 422],
    ["a name that isn't allowed", '{"text":"a","username":"everyone"}', {}, 400],
  ])("%s", async (_what, body, options: Record<string, string>, status) => {
    const answer = await send(body, options);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toBe("");
  });
});
