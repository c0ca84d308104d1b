import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPlugins } from "@fanfare/plugins";
import { expect, onTestFinished, test, vi } from "vitest";
import { PluginProcess, type PluginProcessOptions } from "../src/plugin-process.ts";

const CALLER = { userId: "0123456789abcdef01234567", kind: "member" } as const;

/** A plug-in with one action, `run`, whose handler has this body. */
async function startPlugin(body: string, options: Partial<PluginProcessOptions> = {}, before = "") {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
  const manifest = {
    fanfare: 1,
    name: "hostile",
    version: "1",
    title: "Hostile",
    description: "Does what it must not.",
    server: {
      file: "server.js",
      actions: { run: { summary: "Run", permission: { rule: "session" } } },
      events: ["message.stored"],
    },
  };
  await writeFile(join(folder, "plugin.json"), JSON.stringify(manifest));
  const code = `${before}
    let count = 0;
    export default ({ z, store, fetch, refuse }) => ({
      actions: { run: { params: z.any(), handle: async ({ params, call, caller }) => { count += 1; ${body} } } },
      events: { "message.stored": () => new Promise(() => {}) },
    });`;
  await writeFile(join(folder, "server.js"), code);
  const log = () => vi.fn<(fields: object, text: string) => void>();
  const logger = { warn: log(), error: log() };
  const process = new PluginProcess({
    plugin: readPlugins([folder])[0]!,
    settings: {},
    logger,
    serve: async () => null,
    ...options,
  });
  onTestFinished(async () => {
    await process.stop();
    await rm(folder, { recursive: true });
  });
  await process.start();
  const run = (params: unknown = {}) => process.call("run", params, CALLER, null);
  return { process, run, logger };
}

test("a plug-in can't read other files or the environment, reach the network, or run and end programs", async () => {
  vi.stubEnv("TOKEN_SECRET", "the secret of the server");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { run } = await startPlugin(`
    const [fs, net, children, threads] = await Promise.all(
      ["fs", "net", "child_process", "worker_threads"].map((name) => import("node:" + name)));
    const codeOf = async (work) => { try { await work(); return "done"; } catch (error) { return error.code ?? error.name; } };
    const connect = () => new Promise((resolve, reject) => net.connect(80, "127.0.0.1").on("connect", resolve).on("error", reject));
    return {
      environment: Object.keys(process.env),
      own: await codeOf(() => fs.readFileSync("server.js")),
      passwd: await codeOf(() => fs.readFileSync("/etc/passwd")),
      server: await codeOf(() => fs.readFileSync("/proc/" + process.ppid + "/environ")),
      write: await codeOf(() => fs.writeFileSync("server.js", "")),
      network: await codeOf(connect),
      request: await codeOf(() => globalThis.fetch("http://127.0.0.1/")),
      program: await codeOf(() => children.execSync("id")),
      thread: await codeOf(() => new threads.Worker("", { eval: true })),
      signal: await codeOf(() => process.kill(process.ppid)),
    };`);
  const denied = "ERR_ACCESS_DENIED";
  expect(await run()).toEqual({
    environment: [],
    own: "done",
    passwd: denied,
    server: denied,
    write: denied,
    network: denied,
    request: "TypeError",
    program: denied,
    thread: denied,
    signal: "TypeError",
  });
});

test("an error fails its call, and only that", async () => {
  const { run, process, logger } = await startPlugin(`
    if (params.how === "throw") throw new Error("of the plug-in");
    if (params.how === "refuse") throw refuse("Not on Sundays.");
    return { count };`);
  await expect(run({ how: "throw" })).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  await expect(run({ how: "refuse" })).rejects.toMatchObject({
    type: "PLUGIN_REFUSED",
    data: { reason: "Not on Sundays." },
  });
  expect(await run()).toEqual({ count: 3 });
  expect(process.restarts).toBe(0);
  await vi.waitFor(() => expect(JSON.stringify(logger.warn.mock.calls)).toContain("of the plug-in"));
});

const ENDINGS = [
  ["throws later", `setTimeout(() => { throw new Error("later"); }); return new Promise(() => {});`, /later/],
  ["exits", "process.exit(5);", /ended with 5/],
  ["uses all memory", "const all = []; for (;;) all.push({ all: [...all] });", /ended with/],
  ["sends a message that is too long", "return 'x'.repeat(2 ** 21);", /too long/],
  [
    "sends what is not a message",
    `(await import("node:fs")).writeSync(1, "hello\\n"); return new Promise(() => {});`,
    /not a message/,
  ],
  [
    "sends too many messages",
    `for (let i = 0; i < 20_000; i += 1) store.get("x").catch(() => {}); return new Promise(() => {});`,
    /too many/,
  ],
] as const;

async function expectRestart([, body, reason]: (typeof ENDINGS)[number]): Promise<void> {
  const { run, process } = await startPlugin(`if (params.how === "good") return { count }; ${body}`);
  await expect(run()).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  expect(process.lastError).toMatch(reason);
  await expect(run({ how: "good" })).rejects.toMatchObject({ type: "UNAVAILABLE" });
  await vi.waitFor(() => expect(process.isRunning).toBe(true));
  expect(process.restarts).toBe(1);
  expect(await run({ how: "good" })).toEqual({ count: 1 });
}

test.for(ENDINGS.slice(0, 1))("a plug-in that %s is restarted, and its callers get an error", expectRestart);
test.for(ENDINGS.slice(1))("a plug-in that %s is restarted", { tags: "long" }, expectRestart);

test(
  "a plug-in in an endless loop is restarted, and its caller doesn't wait for that",
  { tags: "long" },
  async () => {
    const { run, process } = await startPlugin(`if (params.how === "good") return { count }; for (;;);`, {
      callTimeoutMs: 200,
      pingIntervalMs: 2000,
    });
    await expect(run()).rejects.toMatchObject({ type: "UNAVAILABLE" });
    await vi.waitFor(() => expect(process.restarts).toBe(1));
    expect(process.lastError).toBe("it is stuck");
    await vi.waitFor(() => expect(process.isRunning).toBe(true));
    expect(await run({ how: "good" })).toEqual({ count: 1 });
  },
);

test("calls and events beyond the limits are rejected and dropped", async () => {
  const onDropped = vi.fn<() => void>();
  const { run, process } = await startPlugin("return new Promise(() => {});", { onDropped });
  const calls = Array.from({ length: 64 }, () => run());
  await expect(run()).rejects.toMatchObject({ type: "OVERLOADED" });
  for (let count = 0; count < 203; count += 1) process.notify("message.stored", {});
  expect(onDropped).toHaveBeenCalledTimes(3);
  const ended = Promise.allSettled(calls);
  await process.stop();
  for (const { status, reason } of (await ended) as PromiseRejectedResult[])
    expect([status, (reason as { type: string }).type]).toEqual(["rejected", "PLUGIN_FAILED"]);
});

test("requests belong to a running call, and end with it", async () => {
  const serve = vi.fn<PluginProcessOptions["serve"]>(async (what, args, call) => [
    what,
    args,
    call?.caller.userId ?? null,
  ]);
  const { run } = await startPlugin(
    `if (params.how === "late") { globalThis.late = call; return {}; }
     return (params.how === "after" ? globalThis.late : call)("message.send", { content: "x" });`,
    { serve },
  );
  expect(await run()).toEqual(["call", { action: "message.send", params: { content: "x" } }, CALLER.userId]);
  await run({ how: "late" });
  expect(await run({ how: "after" })).toEqual(["call", expect.anything(), null]);
});
