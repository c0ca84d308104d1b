import { createHash } from "node:crypto";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccount, createWorld, postRaw, must, type Person, type World } from "@fanfare/testing";
import { io } from "socket.io-client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { failed } from "../support/answers.ts";
import { startGitHub, type GitHub } from "../support/github.ts";
import { startInstance, type Instance } from "../support/instance.ts";

const GITHUB = "plugins/github";
const QUICKPOLL = "plugins/quickpoll";

/** A plug-in that does what it is asked to, to see what it gets. */
const PROBE = {
  fanfare: 1,
  name: "probe",
  version: "1",
  title: "Probe",
  description: "Tries things.",
  server: {
    file: "server.js",
    actions: {
      call: { summary: "Call actions.", permission: { rule: "session" } },
      fetch: { summary: "Send a request.", permission: { rule: "session" } },
      store: { summary: "Use the store.", permission: { rule: "session" } },
      manage: {
        summary: "Only for moderators.",
        permission: { rule: "group", can: "kickMembers" },
        mutates: true,
      },
      limited: {
        summary: "Only twice.",
        permission: { rule: "session" },
        rateLimit: { points: 2, durationMs: 3_600_000 },
      },
    },
    events: ["message.stored"],
    hosts: ["{allowed}"],
    scopes: ["group.read", "messages.manage"],
    settings: { allowed: { description: "The host." } },
  },
};
const PROBE_SERVER = `export default ({ z, store, fetch }) => {
  const heard = [];
  const outcome = async (work) => { try { return await work(); } catch (error) { return error.code ?? error.message; } };
  return {
    actions: {
      call: { params: z.object({ calls: z.array(z.tuple([z.string(), z.any()])) }), async handle({ params, call }) {
        const outcomes = [];
        for (const [name, given] of params.calls) outcomes.push(await outcome(() => call(name, given)));
        return { outcomes, heard };
      } },
      fetch: { params: z.object({ url: z.string() }), handle: ({ params }) => outcome(() => fetch(params.url)).then((got) => ({ got })) },
      store: { params: z.object({ what: z.string(), args: z.array(z.any()) }), handle: ({ params }) => outcome(() => store[params.what](...params.args)).then((got) => ({ got })) },
      manage: { params: z.any(), handle: () => ({}) },
      limited: { params: z.any(), handle: () => ({}) },
    },
    events: { "message.stored": ({ messages }) => { heard.push(...messages.map(({ content }) => content)); } },
  };
};`;

/** A plug-in that repeats each message, so that it could answer itself without end. */
const ECHO = {
  ...PROBE,
  name: "echo",
  title: "Echo",
  server: { file: "server.js", events: ["message.stored"], scopes: ["messages.write"] },
};
const ECHO_SERVER = `export default ({ store }) => ({
  events: {
    async "message.stored"({ channelId, messages }, { callAs, publish }) {
      for (const { id, authorId, content } of messages) {
        if (!content.startsWith("echo")) continue;
        const sending = callAs(authorId, "message.send", { channelId, content, nonce: id });
        await store.set(id, await sending.then(() => "sent", ({ message }) => message));
        await publish("echo", { id });
      }
    },
  },
});`;

let github: GitHub;
let probe: string;
let echo: string;
let instance: Instance;
let admin: Person;
let world: World;

beforeAll(async () => {
  github = await startGitHub();
  probe = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
  await writeFile(join(probe, "plugin.json"), JSON.stringify(PROBE));
  await writeFile(join(probe, "server.js"), PROBE_SERVER);
  echo = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
  await writeFile(join(echo, "plugin.json"), JSON.stringify(ECHO));
  await writeFile(join(echo, "server.js"), ECHO_SERVER);
  instance = await startInstance({
    PLUGINS: `${GITHUB},${QUICKPOLL},${probe},${echo}`,
    PLUGIN_PROBE_ALLOWED: github.url,
    // Otherwise no limit would be reached.
    RATE_LIMIT_FACTOR: "1",
    PLUGIN_GITHUB_API: github.url,
    PLUGIN_GITHUB_TOKEN: "github_pat_example",
    OUTBOUND_ALLOW: "127.0.0.0/8",
    // The gateways run apart from the plug-ins, as in a cluster.
    GATEWAY_THREADS: "2",
  });
  admin = await createAccount(instance.url);
  world = await createWorld(instance.url);
});
afterAll(async () => {
  await instance?.stop();
  await github?.stop();
  for (const folder of [probe, echo]) await rm(folder, { recursive: true, force: true });
});

/** Plug-ins' actions are not in the contract's types. */
const call = (name: string, params: object, { accessToken }: Pick<Person, "accessToken">) =>
  postRaw(instance.url, name, JSON.stringify(params), accessToken);

const dataOf = async <T>(name: string, params: object, person: Person): Promise<T> => {
  const answer = await call(name, params, person);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer.data as T;
};

/** What plug-ins have published to a person since now. */
async function listen({ accessToken }: Person) {
  const socket = io(instance.url, { transports: ["websocket"], auth: { token: accessToken } });
  onTestFinished(() => void socket.close());
  const published: { plugin: string; key: string; data: { id: string; votes?: number[] } }[] = [];
  const announced: string[] = [];
  socket.on("plugin.published", (payload) => published.push(payload));
  socket.on("server.announced", ({ text }) => announced.push(text));
  await new Promise<void>((resolve) => socket.once("ready", () => resolve()));
  return { published, announced };
}

describe("what clients see", () => {
  test("the list has the program's address and its hash, and the gateway serves just that", async () => {
    const { plugins } = await must(instance.url, "plugin.list", {}, world.member.accessToken);
    expect(plugins.map(({ name }) => name)).toEqual(["github", "quickpoll"]);
    const { path, integrity } = plugins[1]!.page!;
    const response = await fetch(instance.url + path);
    const content = Buffer.from(await response.arrayBuffer());
    expect(`sha384-${createHash("sha384").update(content).digest("base64")}`).toBe(integrity);
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("immutable");
    expect(plugins[1]!.commands).toMatchObject([{ name: "quickpoll", action: "plugin.quickpoll.run" }]);
    const others = ["server.js", "plugin.json", "../github/server.js"];
    for (const other of others)
      expect((await fetch(instance.url + path.replace("page.js", other))).status).toBe(404);
    expect(await (await fetch(`${instance.url}/api/meta`)).json()).toMatchObject({ plugins: true });
  });

  test("admins see all that a plug-in can do, and no secret", async () => {
    const { plugins } = await must(instance.url, "admin.listPlugins", {}, admin.accessToken);
    expect(plugins[0]!.server).toMatchObject({
      isRunning: true,
      restarts: 0,
      hosts: ["{api}"],
      events: ["message.stored"],
      actions: [{ name: "plugin.github.get", rule: "session", permission: null }],
      settings: [
        { variable: "PLUGIN_GITHUB_API", isSet: true },
        { variable: "PLUGIN_GITHUB_TOKEN", isSet: true },
      ],
    });
    expect(plugins[1]!.server).toMatchObject({ scopes: ["messages.write"] });
    expect(JSON.stringify(plugins)).not.toContain("github_pat_example");
  });
});

describe("the GitHub example", () => {
  test("answers with an issue, a merged pull request and a commit", async () => {
    const get = (path: string) =>
      dataOf("plugin.github.get", { link: `https://github.com/octocat/Hello-World/${path}` }, world.member);
    expect(await get("issues/1347")).toEqual({
      found: {
        kind: "issues",
        link: "https://github.com/octocat/Hello-World/issues/1347",
        repository: "octocat/Hello-World",
        number: 1347,
        title: "Found a bug",
        state: "open",
        author: "octocat",
        labels: ["bug"],
        comments: 3,
      },
    });
    expect(await get("pull/1348")).toMatchObject({
      found: { state: "merged", additions: 100, from: "new-topic" },
    });
    expect(await get("commit/6dcb09b5b57875f334f61aebed695e2e4193db5e")).toMatchObject({
      found: { sha: "6dcb09b", title: "Fix all the bugs", author: "octocat" },
    });
    expect(await get("issues/404")).toEqual({ found: null });
    expect(await get("wiki")).toEqual({ found: null });
    expect(github.requests[0]!.headers).toMatchObject({
      authorization: "Bearer github_pat_example",
      accept: "application/vnd.github+json",
    });
  });

  test("loads what a new message links to before someone asks, once", async () => {
    const path = "/repos/octocat/Spoon-Knife/issues/7";
    const link = "https://github.com/octocat/Spoon-Knife/issues/7";
    const count = () => github.requests.filter((request) => request.path === path).length;
    const message = { channelId: world.channel.id, content: `See ${link}.`, nonce: "link" };
    await must(instance.url, "message.send", message, world.member.accessToken);
    await expect.poll(count).toBe(1);
    expect(await call("plugin.github.get", { link }, world.member)).toMatchObject({ data: { found: null } });
    expect(count()).toBe(1);
  });
});

describe("the poll example", () => {
  const polls = async (person: Person) =>
    (
      await dataOf<{ polls: { id: string }[] }>(
        "plugin.quickpoll.list",
        { channelId: world.channel.id },
        person,
      )
    ).polls;

  test("a command starts a poll as the user, members vote, and change their vote", async () => {
    const channelId = world.channel.id;
    const run = { channelId, text: "Lunch?; Pizza; Salad" };
    expect(await call("plugin.quickpoll.run", run, world.member)).toMatchObject({
      ok: true,
      data: { notice: expect.any(String) },
    });
    const { messages } = await must(instance.url, "message.list", { channelId }, world.owner.accessToken);
    expect(messages.at(-1)).toMatchObject({
      authorId: world.member.userId,
      content: expect.stringContaining("Lunch?"),
    });
    const { id } = (await polls(world.owner))[0]!;
    const vote = (person: Person, option: number) =>
      call("plugin.quickpoll.vote", { channelId, pollId: id, option }, person);
    expect(await vote(world.owner, 0)).toMatchObject({ ok: true });
    expect(await vote(world.member, 0)).toMatchObject({ ok: true });
    expect(await vote(world.member, 1)).toMatchObject({ ok: true });
    expect(await polls(world.member)).toEqual([
      {
        id,
        question: "Lunch?",
        options: [
          { text: "Pizza", votes: 1 },
          { text: "Salad", votes: 1 },
        ],
        own: 1,
      },
    ]);
    expect(await vote(world.member, 2)).toEqual(failed("PLUGIN_REFUSED"));
  });

  test("votes are published to those who see the channel", async () => {
    const { owner, member, stranger, channel } = world;
    const [watcher, other] = [await listen(member), await listen(stranger)];
    const params = { channelId: channel.id, question: "Where?", options: ["a", "b"] };
    const { id } = await dataOf<{ id: string }>("plugin.quickpoll.create", params, owner);
    for (const person of [owner, member])
      await dataOf("plugin.quickpoll.vote", { channelId: channel.id, pollId: id, option: 1 }, person);
    const votes = () => watcher.published.map(({ data }) => data.votes);
    await expect.poll(votes).toContainEqual([0, 2]);
    expect(watcher.published).toContainEqual({
      plugin: "quickpoll",
      channelId: channel.id,
      key: "created",
      data: { id },
    });
    await must(instance.url, "admin.announce", { text: "all published" }, admin.accessToken);
    await expect.poll(() => other.announced).toEqual(["all published"]);
    expect(other.published).toEqual([]);
  });

  test("those who can't write in the channel can't start a poll there, and others can't read it", async () => {
    const params = { channelId: world.channel.id, question: "?", options: ["a", "b"] };
    expect(await call("plugin.quickpoll.create", params, world.stranger)).toEqual(
      failed("CHANNEL_NOT_FOUND"),
    );
    expect(await call("plugin.quickpoll.list", params, world.stranger)).toEqual(failed("CHANNEL_NOT_FOUND"));
    expect(await call("plugin.quickpoll.list", params, { accessToken: "" })).toEqual(
      failed("UNAUTHENTICATED"),
    );
    expect(await call("plugin.quickpoll.create", { ...params, options: ["a"] }, world.member)).toEqual(
      failed("VALIDATION_FAILED"),
    );
    expect(await call("plugin.quickpoll.create", { ...params, channelId: "x" }, world.member)).toEqual(
      failed("VALIDATION_FAILED"),
    );
    expect(await call("plugin.quickpoll.create", params, world.muted)).toEqual(failed("MUTED"));
    expect(await call("plugin.quickpoll.nothing", params, world.member)).toEqual(failed("UNKNOWN_ACTION"));
  });

  test("votes go with their user, and polls with their channel", async () => {
    const { owner, group } = world;
    const { channel } = await must(
      instance.url,
      "channel.create",
      { groupId: group.id, name: "short" },
      owner.accessToken,
    );
    const params = { channelId: channel.id, question: "?", options: ["a", "b"] };
    const created = await dataOf<{ id: string }>("plugin.quickpoll.create", params, owner);
    await call("plugin.quickpoll.vote", { channelId: channel.id, pollId: created.id, option: 0 }, owner);
    const values = () => instance.collection("pluginValues").countDocuments({ key: { $regex: created.id } });
    expect(await values()).toBe(2);
    const leaving = await createAccount(instance.url);
    const { invite } = await must(instance.url, "invite.create", { groupId: group.id }, owner.accessToken);
    await must(instance.url, "invite.accept", { code: invite.code }, leaving.accessToken);
    await call("plugin.quickpoll.vote", { channelId: channel.id, pollId: created.id, option: 0 }, leaving);
    expect(await values()).toBe(3);
    await must(instance.url, "user.deleteMe", { password: "correct horse" }, leaving.accessToken);
    await expect.poll(values).toBe(2);
    await must(instance.url, "channel.delete", { channelId: channel.id }, owner.accessToken);
    await expect.poll(values).toBe(0);
  });

  test("the polls that are no longer shown are removed with their votes", async () => {
    const { owner, group } = world;
    const { channel } = await must(
      instance.url,
      "channel.create",
      { groupId: group.id, name: "many polls" },
      owner.accessToken,
    );
    const { invite } = await must(instance.url, "invite.create", { groupId: group.id }, owner.accessToken);
    const channelId = channel.id;
    let oldest = "";
    // Three people, because each can only start a few polls a minute.
    for (let person = 0; person < 3; person += 1) {
      const member = await createAccount(instance.url);
      await must(instance.url, "invite.accept", { code: invite.code }, member.accessToken);
      for (let poll = 0; poll < 7; poll += 1) {
        const params = { channelId, question: `${person} ${poll}`, options: ["a", "b"] };
        const { id } = await dataOf<{ id: string }>("plugin.quickpoll.create", params, member);
        await dataOf("plugin.quickpoll.vote", { channelId, pollId: id, option: 0 }, member);
        oldest ||= id;
      }
    }
    const { polls } = await dataOf<{ polls: object[] }>("plugin.quickpoll.list", { channelId }, owner);
    expect(polls).toHaveLength(20);
    expect(polls.at(-1)).toMatchObject({ question: "0 1", options: [{ votes: 1 }, { votes: 0 }], own: null });
    const values = instance.collection("pluginValues");
    expect(await values.countDocuments({ key: { $regex: oldest } })).toBe(0);
  });
});

describe("what a plug-in can do", () => {
  const outcomes = async (calls: [string, object][]) =>
    (await dataOf<{ outcomes: unknown[] }>("plugin.probe.call", { calls }, world.member)).outcomes;

  test("it can call actions of its scopes for the user, and no others", async () => {
    const [groupId, channelId] = [world.group.id, world.channel.id];
    expect(
      await outcomes([
        ["group.listMembers", { groupId }],
        ["message.send", { channelId, content: "x", nonce: "probe" }],
        ["message.pin", { channelId, messageId: world.message.id }],
        ["user.me", {}],
        ["user.deleteMe", { password: "correct horse" }],
        ["admin.stats", {}],
        ["group.count", {}],
        ["plugin.github.get", { link: "" }],
        ["constructor", {}],
      ]),
    ).toEqual([
      expect.objectContaining({ members: expect.any(Array) }),
      "message.send needs the scope messages.write in server.scopes of plugin.json.",
      "Only an action with `mutates` in plugin.json can call message.pin.",
      ...["user.me", "user.deleteMe", "admin.stats", "group.count", "plugin.github.get", "constructor"].map(
        (name) => `Plug-ins can't call ${name}.`,
      ),
    ]);
    // With the user's own permissions.
    const params = { calls: [["group.listMembers", { groupId }]] };
    expect(await dataOf("plugin.probe.call", params, world.stranger)).toMatchObject({
      outcomes: ["GROUP_NOT_FOUND"],
    });
  });

  test("it can make 20 calls during one", async () => {
    const calls = Array.from({ length: 21 }, (): [string, object] => [
      "group.get",
      { groupId: world.group.id },
    ]);
    expect((await outcomes(calls)).slice(19)).toEqual([
      expect.any(Object),
      "A handler can make at most 20 calls.",
    ]);
  });

  test("it can send requests to its hosts, and to no others", async () => {
    const got = async (url: string) =>
      (await dataOf<{ got: unknown }>("plugin.probe.fetch", { url }, world.member)).got;
    expect(await got(`${github.url}/repos/octocat/Hello-World/issues/1347`)).toMatchObject({ status: 200 });
    const { host } = new URL(github.url);
    for (const url of [
      instance.opsUrl,
      `http://${host}.evil.example/`,
      `http://user:password@${host}1/`,
      "file:///etc/passwd",
      "x",
    ])
      expect(await got(url)).toMatch(/does not allow requests to/);
  });

  test("it has values of its own, of a limited size", async () => {
    const use = async (what: string, ...args: unknown[]) =>
      (await dataOf<{ got: unknown }>("plugin.probe.store", { what, args }, world.member)).got;
    const { channel, owner } = world;
    const poll = { channelId: channel.id, question: "?", options: ["a", "b"] };
    await call("plugin.quickpoll.create", poll, owner);
    expect(await use("list", "poll:")).toEqual([]);
    for (const key of ["b:2", "a:1", "b:1"]) await use("set", key, { of: key });
    expect(await use("list", "b:")).toEqual([
      { key: "b:1", value: { of: "b:1" } },
      { key: "b:2", value: { of: "b:2" } },
    ]);
    expect(await use("list", "b:", "b:1")).toHaveLength(1);
    await use("delete", "b:1");
    expect([await use("get", "b:1"), await use("get", "b:2")]).toEqual([null, { of: "b:2" }]);
    expect(await use("set", "c", "x".repeat(16_384))).toMatch(/at most 16384 characters/);
    expect(await use("set", "", 1)).toMatch(/key/);
  });

  test("it never gets direct messages", async () => {
    const { member, owner, channel } = world;
    const direct = await must(
      instance.url,
      "channel.openDirect",
      { userId: owner.userId },
      member.accessToken,
    );
    const write = (channelId: string, content: string) =>
      must(instance.url, "message.send", { channelId, content, nonce: content }, member.accessToken);
    await write(direct.channel.id, "Just between us");
    await write(channel.id, "For everyone");
    const heard = async () =>
      (await dataOf<{ heard: string[] }>("plugin.probe.call", { calls: [] }, member)).heard;
    await expect.poll(heard).toContain("For everyone");
    expect(await heard()).not.toContain("Just between us");
  });

  test("an event handler can act for the author of a message, and never answers itself", async () => {
    const { owner, member, group } = world;
    const { channel } = await must(
      instance.url,
      "channel.create",
      { groupId: group.id, name: "echo" },
      owner.accessToken,
    );
    const channelId = channel.id;
    const { published } = await listen(owner);
    const outcome = async (id: string) =>
      (await instance.collection("pluginValues").findOne({ plugin: "echo", key: id }))?.["value"] as string;
    for (const content of ["echo 1", "echo 2"]) {
      const message = { channelId, content, nonce: content };
      const sent = await must(instance.url, "message.send", message, member.accessToken);
      await expect.poll(() => outcome(sent.message.id)).toBe('"sent"');
    }
    const { messages } = await must(instance.url, "message.list", { channelId }, owner.accessToken);
    expect(messages.map(({ authorId, content, as }) => [authorId, content, as?.name])).toEqual([
      [member.userId, "echo 1", undefined],
      [member.userId, "echo 1", "Echo"],
      [member.userId, "echo 2", undefined],
      [member.userId, "echo 2", "Echo"],
    ]);
    await expect.poll(() => outcome(messages.at(-1)!.id)).toContain("not a webhook or plug-in");
    expect(published.map(({ plugin }) => plugin)).toContain("echo");
    expect(
      (await must(instance.url, "message.list", { channelId }, owner.accessToken)).messages,
    ).toHaveLength(4);
  });

  test("its actions have permissions, rate limits and maintenance mode, as all others", async () => {
    const params = { groupId: world.group.id };
    expect(await call("plugin.probe.manage", params, world.member)).toEqual(failed("FORBIDDEN"));
    expect(await call("plugin.probe.manage", params, world.owner)).toMatchObject({ ok: true });
    const limited = () => call("plugin.probe.limited", {}, world.target);
    expect([await limited(), await limited()]).toEqual([
      expect.objectContaining({ ok: true }),
      expect.objectContaining({ ok: true }),
    ]);
    await expect.poll(limited).toEqual(failed("RATE_LIMITED"));
    await must(instance.url, "admin.setMaintenance", { enabled: true }, admin.accessToken);
    await expect.poll(() => call("plugin.probe.manage", params, world.owner)).toEqual(failed("MAINTENANCE"));
    await must(instance.url, "admin.setMaintenance", { enabled: false }, admin.accessToken);
    await expect.poll(() => call("plugin.probe.manage", params, world.owner)).toMatchObject({ ok: true });
  });
});

test("admins can delete what a removed plug-in has stored", async () => {
  const { accessToken } = admin;
  const values = instance.collection("pluginValues");
  await values.insertMany(["a", "b"].map((key) => ({ plugin: "removed", key, value: "1" })));
  const leftovers = async () => (await must(instance.url, "admin.listPlugins", {}, accessToken)).leftovers;
  expect(await leftovers()).toEqual([{ plugin: "removed", values: 2 }]);
  const own = await values.countDocuments({ plugin: "quickpoll" });
  const remove = (plugin: string) => call("admin.deletePluginData", { plugin }, admin);
  expect(await remove("quickpoll")).toEqual(failed("VALIDATION_FAILED"));
  expect(await remove("removed")).toMatchObject({ ok: true });
  expect(await leftovers()).toEqual([]);
  expect(await values.countDocuments({ plugin: "quickpoll" })).toBe(own);
  const { entries } = await must(instance.url, "admin.auditLog", {}, accessToken);
  expect(entries.slice(0, 2)).toMatchObject([
    { action: "admin.deletePluginData", params: { plugin: "removed" }, outcome: "done" },
    { action: "admin.deletePluginData", params: { plugin: "quickpoll" }, outcome: "VALIDATION_FAILED" },
  ]);
});

describe("a plug-in that can't be used", () => {
  /** Of the start with this changed example. */
  const startError = async (files: Readonly<Record<string, string | null>>): Promise<Error | null> => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
    try {
      await cp(QUICKPOLL, folder, { recursive: true });
      for (const [name, content] of Object.entries(files))
        await (content === null ? rm(join(folder, name)) : writeFile(join(folder, name), content));
      return await startInstance({ PLUGINS: folder }).then(
        () => null,
        (thrown: unknown) => thrown as Error,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  test("a program that throws stops the start", async () => {
    const error = await startError({ "server.js": 'throw new Error("no luck")' });
    expect(error).toMatchObject({ name: "PluginError", message: expect.stringContaining("no luck") });
    expect(error!.message).toMatch(
      /^The plug-in in .+fanfare-plugin-.+ can't be started: .*remove the folder from PLUGINS\.$/s,
    );
  });

  test.for([
    ["a folder without plugin.json", { "plugin.json": null }, /plugin\.json can't be read/],
    [
      "a manifest with an unknown field",
      { "plugin.json": '{"fanfare":1,"power":"all"}' },
      /plugin\.json: .*power/s,
    ],
    [
      "a program with a syntax error",
      { "server.js": "export default (" },
      /server\.js can't be loaded: .*SyntaxError/s,
    ],
    [
      "a program without a declared action",
      { "server.js": "export default () => ({})" },
      /has no action create/,
    ],
    ["a program that ends", { "server.js": "process.exit(3)" }, /ended with 3/],
  ] as const)("%s stops the start", { tags: "long" }, async ([, files, reason]) => {
    expect(await startError(files)).toMatchObject({
      name: "PluginError",
      message: expect.stringMatching(reason),
    });
  });
});
