import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorld, freePort, must, PROJECT_FOLDER, type World } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startInstance, type Instance } from "../../../../test/support/instance.ts";
import { readBridgeConfig } from "../../src/bridge/bridge-config.ts";
import { MAX_MISSED } from "../../src/bridge/constants.ts";
import { runBridge } from "../../src/bridge/run-bridge.ts";
import { FakeMatterbridge } from "./fake-matterbridge.ts";

const FILE_MAX_BYTES = 100_000;

let instance: Instance;
let folder: string;
beforeAll(async () => {
  const [port, opsPort] = [await freePort(), await freePort()];
  instance = await startInstance({
    PORT: String(port),
    OPS_PORT: String(opsPort),
    FILE_MAX_BYTES: String(FILE_MAX_BYTES),
  });
  folder = await mkdtemp(join(tmpdir(), "fanfare-bridge-"));
});
afterAll(async () => {
  await instance.stop();
  await rm(folder, { recursive: true, force: true });
});

let world: World;
let matterbridge: FakeMatterbridge;
let botId: string;
let settings: Awaited<ReturnType<typeof makeSettings>>;
let ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  world = await createWorld(instance.url);
  matterbridge = await FakeMatterbridge.start();
  settings = await makeSettings();
});
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
  await matterbridge.stop();
});

const asOwner = () => world.owner.accessToken;

async function makeSettings() {
  const { group, channel } = world;
  const scopes = ["group.read", "messages.read"] as const;
  const made = { groupId: group.id, name: "Bridge", scopes: [...scopes] };
  const { token: botToken, bot } = await must(instance.url, "bot.create", made, asOwner());
  botId = bot.id;
  const webhook = { channelId: channel.id, name: "IRC" };
  const { path } = await must(instance.url, "webhook.create", webhook, asOwner());
  return {
    url: instance.url,
    botToken,
    matterbridge: { url: matterbridge.url, token: matterbridge.token },
    channels: [{ gateway: matterbridge.gateway, webhook: `https://chat.example.org${path}` }],
  };
}

async function writeSettings(value: unknown = settings): Promise<string> {
  const file = join(folder, "bridge.json");
  await writeFile(file, typeof value === "string" ? value : JSON.stringify(value));
  return file;
}

/** Runs the bridge until the end of the test. */
async function start(): Promise<{ logged: string[]; ended: Promise<void> }> {
  const stopping = new AbortController();
  const logged: string[] = [];
  const config = await readBridgeConfig(await writeSettings());
  const ended = runBridge(config, { signal: stopping.signal, log: (line) => logged.push(line) });
  ended.catch(() => undefined);
  ends.push(async () => {
    stopping.abort();
    await ended.catch(() => undefined);
  });
  await expect.poll(() => logged).toContain("Bridging 1 channel.");
  return { logged, ended };
}

let nonces = 0;
const say = async (content: string, attachmentIds: string[] = []) => {
  const params = { channelId: world.channel.id, content, attachmentIds, nonce: `n${nonces++}` };
  return (await must(instance.url, "message.send", params, world.member.accessToken)).message;
};

const listMessages = async () =>
  (await must(instance.url, "message.list", { channelId: world.channel.id }, world.member.accessToken))
    .messages;
/** Messages of the other network, as Fanfare shows them. */
const bridged = async () =>
  (await listMessages())
    .filter(({ as }) => as !== undefined)
    .map(({ as, content }) => ({ name: as!.name, content }));
const texts = () => matterbridge.received.map(({ text }) => text);

describe("a bridge", () => {
  test("sends messages both ways, with names and pictures, and doesn't echo them", async () => {
    await say("before the bridge");
    await start();
    matterbridge.write({ text: "hello from IRC", avatar: "https://irc.example/ada.png" });
    await expect.poll(bridged).toEqual([{ name: "ada", content: "hello from IRC" }]);
    expect((await listMessages()).at(-1)).toMatchObject({ as: { avatarUrl: "https://irc.example/ada.png" } });
    const nickname = "Grace";
    await must(instance.url, "user.updateProfile", { nickname }, world.member.accessToken);
    await say("hello from **Fanfare**");
    await expect
      .poll(() => matterbridge.received)
      .toEqual([{ nick: nickname, text: "hello from **Fanfare**", avatar: "" }]);
    matterbridge.write({ text: "hello again", username: "alan" });
    await expect.poll(async () => (await bridged()).at(-1)).toEqual({ name: "alan", content: "hello again" });
    expect(matterbridge.received).toHaveLength(1);
  });

  test("sends names instead of mentions, links of files, and edits", async () => {
    await start();
    const { owner, member, channel } = world;
    await must(instance.url, "user.updateProfile", { nickname: "Ada" }, owner.accessToken);
    await say(`<@${owner.userId}> look, <@${owner.userId}>`);
    const form = await fetch(`${instance.url}/api/file.upload?channelId=${channel.id}&name=build.log`, {
      method: "POST",
      headers: { authorization: `Bearer ${member.accessToken}` },
      body: "all green",
    });
    const { data } = (await form.json()) as { data: { file: { fileId: string } } };
    const { id: messageId } = await say("the log", [data.file.fileId]);
    await expect.poll(texts).toEqual(["@Ada look, @Ada", expect.stringMatching(/^the log\nbuild\.log http/)]);
    const link = texts()[1]!.split(" ").at(-1)!;
    expect(await (await fetch(link)).text()).toBe("all green");
    const edit = { channelId: channel.id, messageId, content: "the new log" };
    await must(instance.url, "message.edit", edit, member.accessToken);
    await expect.poll(() => texts().at(-1)).toMatch(/^the new log\nbuild\.log http\S+ \(edited\)$/);
    await must(instance.url, "message.delete", { channelId: channel.id, messageId }, member.accessToken);
    await say("the end");
    await expect.poll(() => texts().at(-1)).toBe("the end");
    expect(texts()).toHaveLength(4);
  });

  test("also sends messages of other webhooks, and ignores other gateways", async () => {
    await start();
    const webhook = { channelId: world.channel.id, name: "CI" };
    const { path } = await must(instance.url, "webhook.create", webhook, asOwner());
    matterbridge.write({ text: "elsewhere", gateway: "other" });
    await fetch(instance.url + path, { method: "POST", body: '{"content":"green"}' });
    await expect.poll(() => matterbridge.received).toMatchObject([{ nick: "CI", text: "green" }]);
    matterbridge.write({ text: "here" });
    await expect.poll(async () => (await bridged()).at(-1)?.content).toBe("here");
    expect(await bridged()).toHaveLength(2);
  });

  test("makes messages of other networks safe and readable", async () => {
    await start();
    const { owner } = world;
    const shown = async (message: Parameters<FakeMatterbridge["write"]>[0]) => {
      const before = (await listMessages()).length;
      matterbridge.write(message);
      await expect.poll(async () => (await listMessages()).length).toBe(before + 1);
      return (await listMessages()).at(-1)!;
    };
    const loud = await shown({ text: `@everyone <@${owner.userId}> look` });
    expect(loud.mentions).toBeUndefined();
    expect(loud.content).toMatch(/everyone.* look$/);
    expect((await shown({ text: "\u0002bold\u000f \u000304,01red\u0003 12\u001d\u0000" })).content).toBe(
      "bold red 12",
    );
    expect((await shown({ text: "waves", event: "user_action" })).content).toBe("*waves*");
    expect(await shown({ text: "hi", username: "everyone" })).toMatchObject({
      content: "**everyone**: hi",
      as: { name: "IRC" },
    });
    expect(await shown({ text: "hi", username: "a".repeat(100) })).toMatchObject({
      as: { name: `${"a".repeat(31)}…` },
    });
    expect((await shown({ text: "x".repeat(20_000) })).content.length).toBeLessThanOrEqual(10_000);
    expect((await shown({ text: "hi", avatar: "javascript:alert(1)" })).as).toEqual({
      name: "ada",
      avatarUrl: null,
    });
  });

  test("passes on files of other networks, or says that it can't", async () => {
    await start();
    const file = (Name: string, bytes: string | null, more = {}) => ({
      Name,
      Data: bytes === null ? null : Buffer.from(bytes).toString("base64"),
      Comment: "",
      URL: "",
      Size: 1,
      Avatar: false,
      SHA: "",
      NativeID: "",
      ...more,
    });
    const files = [
      file("a.txt", "first", { Comment: "two files" }),
      file("b.txt", null, { URL: "https://media.example/b.txt" }),
      file("c.txt", null),
    ];
    matterbridge.write({ Extra: { file: files } });
    await expect
      .poll(async () => (await listMessages()).at(-1))
      .toMatchObject({
        content: "two files\n📎 b.txt https://media.example/b.txt\n📎 c.txt",
        attachments: [{ name: "a.txt", bytes: 5 }],
        as: { name: "ada" },
      });
    // Too large for the instance.
    matterbridge.write({ text: "big", Extra: { file: [file("big.bin", "x".repeat(FILE_MAX_BYTES + 1))] } });
    await expect.poll(async () => (await bridged()).at(-1)?.content).toBe("big\n📎 big.bin");
  });

  test("ignores what isn't a message", async () => {
    await start();
    matterbridge.write({ text: "typing", event: "user_typing" });
    matterbridge.write({ text: "gone", event: "msg_delete" });
    matterbridge.write({ text: "", Extra: {} });
    matterbridge.write({ text: 7 as never, Extra: { file: "none" as never } });
    matterbridge.write({ text: "a message" });
    await expect.poll(bridged).toEqual([{ name: "ada", content: "a message" }]);
  });
});

describe("after an interruption", () => {
  test("of Matterbridge, what was written is sent, up to a limit", async () => {
    const { logged } = await start();
    await say("one");
    await expect.poll(texts).toEqual(["one"]);
    await matterbridge.stop();
    await say("two");
    await expect.poll(() => logged.join()).toContain("a message waits for Matterbridge");
    for (let i = 1; i <= MAX_MISSED + 3; i++) await say(`missed ${i}`);
    await matterbridge.start();
    await expect.poll(() => texts().at(-1)).toBe(`missed ${MAX_MISSED + 3}`);
    expect(texts()).toEqual([
      "one",
      "two",
      ...Array.from({ length: MAX_MISSED }, (_, i) => `missed ${i + 4}`),
    ]);
    expect(logged.join()).toContain("3 messages were left out");
    matterbridge.write({ text: "back" });
    await expect.poll(bridged).toEqual([{ name: "ada", content: "back" }]);
  });

  test("of Fanfare, each message is sent once, in order", async () => {
    const { logged } = await start();
    await say("one");
    await expect.poll(texts).toEqual(["one"]);
    const restarted = instance.restart();
    for (const text of ["a", "b", "c"]) matterbridge.write({ text });
    await restarted;
    await say("two");
    await expect.poll(bridged).toEqual(["a", "b", "c"].map((content) => ({ name: "ada", content })));
    await expect.poll(texts).toEqual(["one", "two"]);
    expect(logged.filter((line) => line.includes("left out"))).toEqual([]);
  });

  test("of the bridge, Matterbridge still has what was written there", async () => {
    matterbridge.write({ text: "early" });
    await start();
    await expect.poll(bridged).toEqual([{ name: "ada", content: "early" }]);
  });
});

describe("a bridge ends with an error", () => {
  const reasonOf = async (changed: unknown): Promise<string> => {
    try {
      const config = await readBridgeConfig(await writeSettings(changed));
      await runBridge(config, { signal: AbortSignal.timeout(60_000), log: () => undefined });
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("if its configuration is wrong", async () => {
    expect(await reasonOf("{")).toContain("can't be read as JSON");
    expect(await reasonOf({ ...settings, botToken: "secret", more: 1, channels: [] })).toMatch(
      /has errors:\n {2}botToken: must be the token of a bot[^]*channels: [^]*more/,
    );
    const [channel] = settings.channels;
    expect(await reasonOf({ ...settings, channels: [channel, channel] })).toContain(
      "must have different gateways",
    );
    const other = { ...channel, webhook: "https://discord.com/api/webhooks/1/x" };
    expect(await reasonOf({ ...settings, channels: [other] })).toContain("must be the URL of a webhook");
  });

  test("if a token is wrong", async () => {
    const wrong = { ...settings.matterbridge, token: "wrong" };
    expect(await reasonOf({ ...settings, matterbridge: wrong })).toContain("Matterbridge rejects the token");
    const [channel] = settings.channels;
    const channels = [{ ...channel, webhook: `${channel!.webhook}x` }];
    expect(await reasonOf({ ...settings, channels })).toContain(
      'The webhook of the gateway "irc" can\'t be used',
    );
    const botToken = `fbot.${"0".repeat(24)}.${"x".repeat(43)}`;
    expect(await reasonOf({ ...settings, botToken })).toContain("a valid access token is required");
  });

  test("if the bot can't read the channel", async () => {
    const { group } = world;
    const hidden = { groupId: group.id, name: "hidden", private: true };
    const { channel } = await must(instance.url, "channel.create", hidden, asOwner());
    const { path } = await must(
      instance.url,
      "webhook.create",
      { channelId: channel.id, name: "IRC" },
      asOwner(),
    );
    const channels = [{ gateway: "irc", webhook: path }];
    expect(await reasonOf({ ...settings, channels })).toContain("The bot can't read the channel");
  });

  test("if the bot is removed", async () => {
    const { ended } = await start();
    await must(instance.url, "bot.delete", { groupId: world.group.id, botId }, asOwner());
    await expect(ended).rejects.toThrow("The bot was disconnected");
  });
});

test("the command runs until it is stopped", async () => {
  const main = join(PROJECT_FOLDER, "services/cli/src/main.ts");
  const child = spawn(process.execPath, [main, "bridge", await writeSettings()], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(async () => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed).toBe("Bridging 1 channel.\n");
  await say("from the command");
  await expect.poll(texts).toEqual(["from the command"]);
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  expect(await exit).toEqual([0, null]);
});
