import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { LIMITS, MEMBER_PERMISSIONS, PERMISSIONS } from "@fanfare/contract";
import { createGuest, createWorld, must, type World } from "@fanfare/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../test/support/instance.ts";
import { MAX_FORMS_PER_WEBHOOK, MAX_WEBHOOK_FORMS, WEBHOOK_FILES_RATE_LIMIT } from "../src/constants.ts";

// Files in forms, as programs send them to Discord's webhooks, through a real instance.

const FILE_MAX_BYTES = 200_000;
const SECRET = "a secret of 20 chars";

let instance: Instance;
let world: World;
let path: string;
beforeAll(async () => {
  instance = await startInstance({ FILE_MAX_BYTES: String(FILE_MAX_BYTES) });
});
afterAll(() => instance.stop());
beforeEach(async () => {
  world = await createWorld(instance.url);
  path = await createWebhook();
});

async function createWebhook(secret: string | null = null): Promise<string> {
  const params = { channelId: world.channel.id, name: "Builds", secret };
  return (await must(instance.url, "webhook.create", params, world.owner.accessToken)).path;
}

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Its beginning is that of a PNG. */
const DAMAGED = Buffer.concat([PIXEL.subarray(0, 45), Buffer.alloc(20), PIXEL.subarray(-12)]);

type Parts = readonly (readonly [field: string, value: string | Buffer, fileName?: string])[];

function formOf(parts: Parts): FormData {
  const form = new FormData();
  for (const [field, value, name] of parts) {
    if (typeof value === "string" && name === undefined) form.append(field, value);
    else form.append(field, new Blob([new Uint8Array(Buffer.from(value))]), name ?? "blob");
  }
  return form;
}

async function send(
  body: FormData | string | Buffer,
  { to = path, ...headers }: Record<string, string> = {},
) {
  const sent = body instanceof FormData ? body : new Uint8Array(Buffer.from(body));
  const response = await fetch(`${instance.url}${to}`, { method: "POST", body: sent, headers });
  return { status: response.status, body: await response.text() };
}

async function listMessages() {
  const { channel, owner } = world;
  return (await must(instance.url, "message.list", { channelId: channel.id }, owner.accessToken)).messages;
}
const newest = async () => (await listMessages()).at(-1)!;

async function download(fileId: string): Promise<Buffer> {
  const { url } = await must(instance.url, "file.getUrl", { fileId }, world.member.accessToken);
  return Buffer.from(await (await fetch(instance.url + url)).arrayBuffer());
}

/** Of the webhook's creator. */
const usedBytes = async () =>
  (await must(instance.url, "file.getUsage", {}, world.owner.accessToken)).usedBytes;

describe("a form with files becomes a message with attachments", () => {
  test("as Discord documents it", async () => {
    const payload = {
      username: "CI",
      embeds: [{ title: "Coverage", image: { url: "attachment://pixel.png" } }],
      attachments: [{ id: 0, filename: "pixel.png" }],
    };
    const parts: Parts = [
      ["payload_json", JSON.stringify(payload)],
      ["files[0]", PIXEL, "pixel.png"],
      ["files[1]", "all green", "größe 测试.log"],
    ];
    expect(await send(formOf(parts))).toEqual({ status: 204, body: "" });
    const message = await newest();
    expect(message).toMatchObject({
      content: "",
      cards: [{ title: "Coverage" }],
      as: { name: "CI" },
      attachments: [
        { name: "pixel.png", contentType: "image/png", width: 1, height: 1 },
        { name: "größe 测试.log", bytes: 9, width: null },
      ],
    });
    expect((await download(message.attachments![1]!.fileId)).toString()).toBe("all green");
  });

  test("with fields instead of JSON, and only with files", async () => {
    const text: Parts = [
      ["content", "Log of **build 7**"],
      ["username", "CI"],
      ["file", "log", "build.log"],
    ];
    expect(await send(formOf(text))).toMatchObject({ status: 200 });
    expect(await newest()).toMatchObject({
      content: "Log of **build 7**",
      as: { name: "CI" },
      attachments: [{ name: "build.log" }],
    });
    for (const field of ["file", "files[0]"]) {
      expect((await send(formOf([[field, "log", `${field}.log`]]))).status).toBeLessThan(300);
      expect(await newest()).toMatchObject({ content: "", attachments: [{ name: `${field}.log` }] });
    }
  });

  test("once, if it is sent again with the same nonce", async () => {
    const form = () =>
      formOf([
        ["payload_json", JSON.stringify({ content: "log", nonce: "build 7" })],
        ["file", "all green", "build.log"],
      ]);
    await send(form(), { to: `${path}/fanfare` });
    const before = await usedBytes();
    const { body } = await send(form(), { to: `${path}/fanfare` });
    const { id: messageId, channelId } = await newest();
    expect(JSON.parse(body)).toEqual({ ok: true, data: { messageId, channelId } });
    expect((await listMessages()).filter(({ content }) => content === "log")).toHaveLength(1);
    expect(await usedBytes()).toBe(before);
    expect((await download((await newest()).attachments![0]!.fileId)).toString()).toBe("all green");
  });

  test("in the format of Slack and Mattermost", async () => {
    const parts: Parts = [
      ["payload", '{"text":"*Deployed*"}'],
      ["file", "log", "deploy.log"],
    ];
    expect(await send(formOf(parts))).toEqual({ status: 200, body: "ok" });
    expect(await newest()).toMatchObject({ content: "**Deployed**", attachments: [{ name: "deploy.log" }] });
    expect(await send(formOf([["file", "log", "a.log"]]), { to: `${path}/slack` })).toEqual({
      status: 200,
      body: "ok",
    });
  });

  test("without files, as JSON would", async () => {
    expect(await send(formOf([["payload_json", '{"content":"no file"}']]))).toMatchObject({ status: 204 });
    expect(await newest()).toMatchObject({ content: "no file" });
    expect(await send(formOf([["text", "a *field*"]]))).toEqual({ status: 200, body: "ok" });
    expect(await newest()).toMatchObject({ content: "a **field**" });
  });

  test("if its bytes are signed, for a webhook with a secret", async () => {
    const to = await createWebhook(SECRET);
    const body = await new Response(
      formOf([
        ["content", "signed"],
        ["file", "log", "a.log"],
      ]),
    ).text();
    const type = `multipart/form-data; boundary=${/^--(\S+)/.exec(body)![1]!}`;
    const sign = (text: string) => `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`;
    const post = (signature: string) =>
      send(body, { to, "content-type": type, "x-hub-signature-256": signature });
    expect(await post(sign(`${body} `))).toMatchObject({ status: 401 });
    expect(await usedBytes()).toBe(0);
    expect(await post(sign(body))).toMatchObject({ status: 200 });
    expect(await newest()).toMatchObject({ content: "signed", attachments: [{ name: "a.log" }] });
  });

  test("with names that are safe", async () => {
    const body = [
      '--x\r\nContent-Disposition: form-data; name="a"; filename="../../etc/pass\u202ewd"\r\n\r\na\r\n',
      `--x\r\nContent-Disposition: form-data; name="b"; filename="${"n".repeat(1000)}.log"\r\n\r\nb\r\n`,
      '--x\r\nContent-Disposition: form-data; name="c"\r\nContent-Type: application/octet-stream\r\n\r\nc\r\n--x--\r\n',
    ].join("");
    expect(await send(body, { "content-type": "multipart/form-data; boundary=x" })).toMatchObject({
      status: 200,
    });
    const names = (await newest()).attachments!.map(({ name }) => name);
    expect(names).toEqual(["pass_wd", expect.stringMatching(/^n{251}\.log$/), "file"]);
  });
});

describe("a form is rejected, and leaves no files behind", () => {
  const type = "multipart/form-data; boundary=x";
  const file = (name: string, value = "a") =>
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a.txt"\r\n\r\n${value}\r\n`;
  const tooMany = Array.from({ length: LIMITS.attachmentsPerMessage + 1 }, (_, i) => file(`f${i}`)).join("");
  test.each([
    ["without a boundary", file("a"), "multipart/form-data", 422, "form is incomplete or malformed"],
    ["that ends too early", file("a"), type, 422, "form is incomplete or malformed"],
    ["that is empty", "", type, 422, "form is incomplete or malformed"],
    ["with too many files", `${tooMany}--x--\r\n`, type, 422, "files must be at most 10"],
    ["with an empty file", `${file("a")}${file("b", "")}--x--\r\n`, type, 422, "files.1 is empty"],
    [
      "with a file over the limit",
      `${file("a")}${file("b", "b".repeat(FILE_MAX_BYTES + 1))}--x--\r\n`,
      type,
      413,
      "FILE_TOO_LARGE",
    ],
    [
      "over the limit",
      `${file("a", "b".repeat(LIMITS.webhookFormMaxBytes))}--x--\r\n`,
      type,
      413,
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "with a damaged picture",
      `${file("a")}${file("b", DAMAGED.toString("latin1"))}--x--\r\n`,
      type,
      422,
      "IMAGE_REFUSED",
    ],
    [
      "with a text that is too long",
      `--x\r\nContent-Disposition: form-data; name="content"\r\n\r\n${"a".repeat(10_001)}\r\n${file("a")}--x--\r\n`,
      type,
      422,
      "content",
    ],
  ])("%s", async (_what, body, contentType, status, says) => {
    const before = await listMessages();
    const answer = await send(Buffer.from(body, "latin1"), { "content-type": contentType });
    expect({ ...answer, body: answer.body.replaceAll(/"path":"([^"]*)","message":"/g, "$1 ") }).toMatchObject(
      {
        status,
        body: expect.stringContaining(says),
      },
    );
    expect(await listMessages()).toEqual(before);
    expect(await usedBytes()).toBe(0);
  });

  test("without the webhook's token, before it is read", async () => {
    const answer = await send(formOf([["file", "a", "a.txt"]]), { to: `${path}x` });
    expect(answer).toMatchObject({ status: 404, body: expect.stringContaining("WEBHOOK_NOT_FOUND") });
  });

  test("if the webhook's creator can't attach files", async () => {
    const { group, channel, owner, member } = world;
    const as = owner.accessToken;
    const inGroup = { groupId: group.id };
    const { role } = await must(
      instance.url,
      "role.create",
      { ...inGroup, name: "CI", permissions: PERMISSIONS.manageWebhooks },
      as,
    );
    await must(instance.url, "role.assign", { ...inGroup, roleId: role.id, userId: member.userId }, as);
    const params = { channelId: channel.id, name: "Builds" };
    const made = await must(instance.url, "webhook.create", params, member.accessToken);
    const form = () =>
      formOf([
        ["content", "hi"],
        ["file", "a", "a.txt"],
      ]);
    expect(await send(form(), { to: made.path })).toMatchObject({ status: 200 });
    const permissions = MEMBER_PERMISSIONS & ~PERMISSIONS.attachFiles;
    await must(instance.url, "role.setDefault", { ...inGroup, permissions }, as);
    await expect.poll(async () => (await send(form(), { to: made.path })).status).toBe(403);
    expect(await send(formOf([["content", "hi"]]), { to: made.path })).toMatchObject({ status: 200 });
  });

  test("while too many others are being read, until their connections break", async () => {
    const { hostname, port } = new URL(instance.url);
    const answers: string[] = [];
    const hold = (to: string) => {
      const head = `POST ${to} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: ${type}\r\ncontent-length: 1000\r\n\r\n`;
      const socket = connect(Number(port), hostname).on("data", (data) => answers.push(data.toString()));
      socket.write(head + file("a"));
      return socket;
    };
    const refused = expect.stringMatching(/^HTTP\/1\.1 503 [^]*OVERLOADED/);
    const of = (count: number, to: string) => Array.from({ length: count }, () => hold(to));
    const sockets = of(MAX_FORMS_PER_WEBHOOK + 1, path);
    await expect.poll(() => answers).toEqual([refused]);
    // Other webhooks still work, until all places are taken.
    const status = async (to: string) => (await send(formOf([["file", "a", "a.txt"]]), { to })).status;
    expect(await status(await createWebhook())).toBe(200);
    for (let held = MAX_FORMS_PER_WEBHOOK; held < MAX_WEBHOOK_FORMS; held += MAX_FORMS_PER_WEBHOOK)
      sockets.push(...of(MAX_FORMS_PER_WEBHOOK, await createWebhook()));
    sockets.push(hold(await createWebhook()));
    await expect.poll(() => answers).toEqual([refused, refused]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => status(path)).toBe(200);
    expect((await newest()).attachments).toHaveLength(1);
  });
});

test("a webhook has a limit of files", async () => {
  // Less than the files of one form.
  const limited = await startInstance({ RATE_LIMIT_FACTOR: String(9 / WEBHOOK_FILES_RATE_LIMIT.points) });
  try {
    const { accessToken } = await createGuest(limited.url);
    const { channels } = await must(limited.url, "group.create", { name: "A group" }, accessToken);
    const params = { channelId: channels[0]!.id, name: "Builds" };
    const { path: to } = await must(limited.url, "webhook.create", params, accessToken);
    const ten: Parts = Array.from({ length: 10 }, (_, i) => [`f${i}`, "a", "a.txt"] as const);
    const post = () => fetch(limited.url + to, { method: "POST", body: formOf(ten) });
    let refused = await post();
    await expect.poll(async () => (refused = await post()).status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  } finally {
    await limited.stop();
  }
});
