import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serviceError } from "@fanfare/kernel";
import { readPlugins } from "@fanfare/plugins";
import { expect, onTestFinished, test, vi } from "vitest";
import { PluginProcess, type PluginProcessOptions } from "../src/plugin-process.ts";
import { endsWithParent } from "../src/host-process.ts";

type Options = PluginProcessOptions<unknown>;

const CALLER = { userId: "0123456789abcdef01234567", kind: "member" } as const;

async function writePlugin(folder: string, code: string): Promise<void> {
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
  await writeFile(join(folder, "server.js"), code);
}

/** A plug-in with one action, `run`, whose handler has this body. */
async function startPlugin(body: string, options: Partial<Options> = {}, before = "") {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
  const code = `${before}
    let count = 0;
    export default ({ z, store, fetch, refuse }) => ({
      actions: { run: { params: z.any(), handle: async ({ params, call, caller }) => { count += 1; ${body} } } },
      events: { "message.stored": () => new Promise(() => {}) },
    });`;
  await writePlugin(folder, code);
  const log = () => vi.fn<(fields: object, text: string) => void>();
  const logger = { warn: log(), error: log() };
  const process = new PluginProcess<unknown>({
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
  const run = (params: unknown = {}) => process.call("run", params, CALLER, "handling");
  return { process, run, logger };
}

test("a plug-in can't read other files or the environment, reach the network, or run and end programs", async () => {
  vi.stubEnv("TOKEN_SECRET", "the secret of the server");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { run } = await startPlugin(`
    const [fs, net, children, threads, os] = await Promise.all(
      ["fs", "net", "child_process", "worker_threads", "os"].map((name) => import("node:" + name)));
    const codeOf = async (work) => { try { await work(); return "done"; } catch (error) { return error.code ?? error.name; } };
    const connect = () => new Promise((resolve, reject) => net.connect(80, "127.0.0.1").on("connect", resolve).on("error", reject));
    return {
      environment: Object.keys(process.env),
      own: await codeOf(() => fs.readFileSync("server.js")),
      passwd: await codeOf(() => fs.readFileSync("/etc/passwd")),
      throughLink: await codeOf(() => fs.readFileSync(params.link)),
      server: await codeOf(() => fs.readFileSync("/proc/" + process.ppid + "/environ")),
      write: await codeOf(() => fs.writeFileSync("server.js", "")),
      network: await codeOf(connect),
      request: await codeOf(() => globalThis.fetch("http://127.0.0.1/")),
      program: await codeOf(() => children.execSync("id")),
      thread: await codeOf(() => new threads.Worker("", { eval: true })),
      signal: await codeOf(() => process.kill(process.ppid)),
      database: await codeOf(() => import("node:sqlite")),
      debugger: await codeOf(() => process._debugProcess(process.ppid)),
      priority: await codeOf(() => os.setPriority(process.ppid, os.getPriority(process.ppid))),
      ownPriority: await codeOf(() => process.getBuiltinModule("os").setPriority(0)),
    };`);
  const denied = "ERR_ACCESS_DENIED";
  // The path begins in a folder of the service, and the link leads to the packages.
  const link = fileURLToPath(new URL("../node_modules/@fanfare/kernel", import.meta.url));
  expect(existsSync(`${link}/../../SECURITY.md`)).toBe(true);
  expect(await run({ link: `${link}/../../SECURITY.md` })).toEqual({
    environment: [],
    own: "done",
    passwd: denied,
    throughLink: denied,
    server: denied,
    write: denied,
    network: denied,
    request: "TypeError",
    program: denied,
    thread: denied,
    signal: "TypeError",
    database: "ERR_UNKNOWN_BUILTIN_MODULE",
    debugger: "TypeError",
    priority: "TypeError",
    ownPriority: "TypeError",
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
  [
    "allocates buffers",
    "const all = []; for (;;) { all.push(Buffer.alloc(4 * 2 ** 20, 1)); await new Promise((resolve) => setTimeout(resolve, 5)); }",
    /MB of memory/,
  ],
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
  const { run, process } = await startPlugin(`if (params.how === "good") return { count }; ${body}`, {
    // However long it takes to end.
    callTimeoutMs: 60_000,
    pingIntervalMs: 60_000,
  });
  await expect(run()).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  expect(process.lastError).toMatch(reason);
  await expect(run({ how: "good" })).rejects.toMatchObject({ type: "UNAVAILABLE" });
  await vi.waitFor(() => expect(process.isRunning).toBe(true));
  expect(process.restarts).toBe(1);
  expect(await run({ how: "good" })).toEqual({ count: 1 });
}

test("a plug-in that allocates buffers before it is ready does not start", async () => {
  const before =
    "globalThis.all = Array.from({ length: 100 }, () => Buffer.alloc(4 * 2 ** 20, 1)); await new Promise(() => {});";
  await expect(startPlugin("", {}, before)).rejects.toThrow(/server\.js was ended: it used \d+ MB of memory/);
});

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
    await vi.waitFor(() => expect(process.restarts).toBeGreaterThan(0));
    expect(process.lastError).toBe("was ended: it is stuck.");
    // On a busy machine, the first calls of the new process may take too long.
    await vi.waitFor(async () => expect(await run({ how: "good" })).toEqual({ count: expect.any(Number) }));
  },
);

test("calls and events beyond the limits are rejected and dropped", async () => {
  const onDropped = vi.fn<() => void>();
  const { run, process } = await startPlugin("return new Promise(() => {});", { onDropped });
  const calls = Array.from({ length: 64 }, () => run());
  await expect(run()).rejects.toMatchObject({ type: "OVERLOADED" });
  for (let count = 0; count < 203; count += 1) process.notify("message.stored", {}, null);
  expect(onDropped).toHaveBeenCalledTimes(3);
  const ended = Promise.allSettled(calls);
  await process.stop();
  for (const { status, reason } of (await ended) as PromiseRejectedResult[])
    expect([status, (reason as { type: string }).type]).toEqual(["rejected", "UNAVAILABLE"]);
});

test("requests belong to a running call, and end with it", async () => {
  const serve = vi.fn<Options["serve"]>(async (what, args, handling) => [what, args, handling]);
  const { run } = await startPlugin(
    `if (params.how === "late") { globalThis.late = call; return {}; }
     return (params.how === "after" ? globalThis.late : call)("message.send", { content: "x" });`,
    { serve },
  );
  expect(await run()).toEqual(["call", { action: "message.send", params: { content: "x" } }, "handling"]);
  await run({ how: "late" });
  expect(await run({ how: "after" })).toEqual(["call", expect.anything(), null]);
});

test("a plug-in does not start where Node can't block its network", async () => {
  vi.spyOn(process, "allowedNodeEnvironmentFlags", "get").mockReturnValue(new Set());
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(startPlugin("")).rejects.toThrow(/newer Node/);
});

test("a result that is too deep for the encoders fails its call, and only that", async () => {
  const serve = vi.fn<Options["serve"]>(async () => null);
  const { run, process } = await startPlugin(
    `const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
     if (params.how === "ask") return store.set("x", nested(10_000)).catch(({ message }) => message);
     return nested(params.depth);`,
    { serve },
  );
  await expect(run({ depth: 10_000 })).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  await expect(run({ depth: 101 })).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  expect(JSON.stringify(await run({ depth: 100 }))).toHaveLength(200);
  expect(await run({ how: "ask" })).toMatch(/nested/);
  expect(serve).not.toHaveBeenCalled();
  expect(process.restarts).toBe(0);
});

test("a plug-in can only pass on an error of a call that it has made", async () => {
  const failure = serviceError("RATE_LIMITED", { retryAfterMs: 5 });
  const { run } = await startPlugin(
    `try { await call(params.action ?? "message.send", {}); } catch (error) {
       if (params.code !== undefined) error.code = params.code;
       error.data = { retryAfterMs: 1 };
       throw error;
     }`,
    {
      serve: async (_what, args) => {
        throw (args as { action: string }).action === "account.me" ? serviceError("TOKEN_EXPIRED") : failure;
      },
    },
  );
  await expect(run()).rejects.toMatchObject({ type: "RATE_LIMITED", data: { retryAfterMs: 5 } });
  for (const params of [{ code: "TOKEN_EXPIRED" }, { code: "NOT_FOUND" }, { action: "account.me" }])
    await expect(run(params)).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
});

test("requests beyond 64 wait, and answers wait until the plug-in reads", async () => {
  let atATime = 0;
  let most = 0;
  const { promise: isFull, resolve: full } = Promise.withResolvers<void>();
  const serve = async () => {
    most = Math.max(most, (atATime += 1));
    // Then more would come, if they didn't wait.
    if (atATime === 64) setTimeout(full, 100);
    await isFull;
    atATime -= 1;
    return "x".repeat(200_000);
  };
  const { run, process } = await startPlugin(
    `const texts = await Promise.all(Array.from({ length: 100 }, () => store.get("x"))); return texts.length;`,
    { serve, callTimeoutMs: 60_000 },
  );
  expect(await run()).toBe(100);
  expect(most).toBe(64);
  expect(process.restarts).toBe(0);
});

test("answers of a plug-in don't count as too many messages", { tags: "long" }, async () => {
  const { run, process } = await startPlugin("return {};", { callTimeoutMs: 60_000 });
  for (let round = 0; round < 120; round += 1) await Promise.all(Array.from({ length: 64 }, () => run()));
  expect([process.restarts, process.lastError]).toEqual([0, null]);
});

test("a plug-in is not stuck because the server was late", { tags: "long" }, async () => {
  const { run, process } = await startPlugin("return count;", { pingIntervalMs: 1500 });
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    const untilMs = performance.now() + 2000;
    while (performance.now() < untilMs);
  }
  expect(await run()).toBe(1);
  expect(process.lastError).toBe(null);
});

test("a restart that fails is tried again", { tags: "long" }, async () => {
  const launch = vi.fn<NonNullable<Options["spawn"]>>(spawn);
  const { run, process } = await startPlugin(`if (params.how === "exit") process.exit(); return count;`, {
    spawn: launch,
  });
  // What Node does without memory, and without file descriptors.
  launch.mockImplementationOnce(() => {
    throw new Error("spawn ENOMEM");
  });
  launch.mockImplementationOnce(() => {
    const child = spawn("/nowhere", [], { stdio: "pipe" });
    Object.assign(child, { stdin: undefined, stdout: undefined, stderr: undefined });
    return child;
  });
  await expect(run({ how: "exit" })).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  await vi.waitFor(() => expect(process.isRunning).toBe(true), 20_000);
  expect(launch).toHaveBeenCalledTimes(4);
  expect(await run()).toBe(1);
});

test("what a plug-in makes the server log is limited", async () => {
  const { process, logger } = await startPlugin("", { callTimeoutMs: 1 });
  await Promise.all(
    Array.from({ length: 150 }, () => process.deliver("message.stored", {}, null).catch(() => {})),
  );
  expect(logger.warn.mock.calls.length).toBe(100);
});

test("a signal of the terminal does not end a plug-in", async () => {
  const { run, process: plugin } = await startPlugin("return process.pid;");
  const pid = (await run()) as number;
  process.kill(pid, "SIGINT");
  process.kill(pid, "SIGTERM");
  expect(await run()).toBe(pid);
  expect(plugin.restarts).toBe(0);
});

test.for(["process.exit(1)", `process.kill(process.pid, "SIGKILL")`])(
  "a plug-in in an endless loop ends with the server (%s)",
  { tags: "long" },
  async (end, { skip }) => {
    skip(end.includes("SIGKILL") && !endsWithParent(), "needs setpriv of Linux");
    const folder = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writePlugin(
      folder,
      `export default () => ({
      actions: { run: { params: { parse: () => {} }, handle: () => { console.log("pid " + process.pid); for (;;); } } },
      events: { "message.stored": () => {} },
    });`,
    );
    const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      const { PluginProcess } = await import(${at("../src/plugin-process.ts")});
      const { readPlugins } = await import(${at("../../../packages/plugins/src/index.ts")});
      const log = (fields) => {
        if (!fields.output?.startsWith("pid ")) return;
        process.stdout.write(fields.output, () => { ${end}; });
      };
      const plugin = new PluginProcess({
        plugin: readPlugins([${JSON.stringify(folder)}])[0], settings: {}, logger: { warn: log, error: log }, serve: async () => null,
      });
      await plugin.start();
      await plugin.call("run", {}, { userId: "x", kind: "member" }, null);`;
    const server = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [output] = (await once(server.stdout, "data")) as [Buffer];
    const pid = Number(/pid (\d+)/.exec(output.toString())![1]);
    onTestFinished(() => {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    });
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 20_000);
  },
);

test.for([
  ["sends", `store.get("x".repeat(500_000)).catch(() => {})`],
  ["prints", `console.log("x".repeat(500_000))`],
] as const)("a plug-in that %s too much is killed", { tags: "long" }, async ([, statement]) => {
  const { run, process } = await startPlugin(
    `for (let i = 0; i < 50; i += 1) ${statement}; return new Promise(() => {});`,
    { callTimeoutMs: 60_000 },
  );
  // However slow the machine is, all of it is within one second.
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(run()).rejects.toMatchObject({ type: "PLUGIN_FAILED" });
  expect(process.lastError).toMatch(/too many/);
});
