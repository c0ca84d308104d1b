import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createWorld, must, post, type World } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startInstance, type Instance } from "../../support/instance.ts";

// Packages are built and installed as users do it, which can download what they need.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const python = ["python3", "/usr/bin/python3"].find((program) =>
  runs(program, "-c", "import socketio, websocket"),
);
const canBuild = {
  python: python !== undefined && runs("python3", "-m", "pip", "--version"),
  go: runs("go", "version"),
};
if (process.env["REQUIRE_ALL_TESTS"] === "1" && !(canBuild.python && canBuild.go))
  throw new Error(
    "Install python3-socketio, python3-pip and Go: REQUIRE_ALL_TESTS=1 allows no test to be skipped.",
  );

let folder: string;
let instance: Instance;
const bots: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fanfare-sdks-"));
  await run(ROOT, process.execPath, ["scripts/build-sdks.ts", folder]);
  instance = await startInstance();
});
afterEach(async () => {
  for (const bot of bots.splice(0)) {
    const exited = bot.exitCode === null ? once(bot, "exit") : null;
    bot.kill("SIGKILL");
    await exited;
  }
});
afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (cwd: string, program: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env } });

/** Starts an example bot in a new group. */
async function startBot(program: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<World> {
  const world = await createWorld(instance.url);
  const { group, owner } = world;
  const scopes = ["messages.read", "messages.write", "commands"] as const;
  const params = { groupId: group.id, name: "Ping", scopes: [...scopes] };
  const { token } = await must(instance.url, "bot.create", params, owner.accessToken);
  const options = { env: { ...process.env, ...env, FANFARE_BOT_TOKEN: token }, stdio: "inherit" } as const;
  bots.push(spawn(program, [...args, instance.url], options));
  return world;
}

/** The answers of the bot, once it is connected, to a message, a command and its button. */
async function askBot({ channel, member }: World): Promise<string[]> {
  const channelId = channel.id;
  const { accessToken } = member;
  const messages = async () =>
    (await must(instance.url, "message.list", { channelId }, accessToken)).messages;
  let count = 0;
  // Until the bot is connected.
  await expect
    .poll(async () => {
      const nonce = `ping-${(count += 1)}`;
      await must(instance.url, "message.send", { channelId, content: "ping", nonce }, accessToken);
      return (await messages()).some(({ content, replyTo }) => content === "pong" && replyTo !== null);
    })
    .toBe(true);
  await must(instance.url, "command.invoke", { channelId, name: "ping" }, accessToken);
  const offered = await vi.waitFor(async () => {
    const found = (await messages()).find(({ controls }) => controls !== undefined);
    expect(found).toBeDefined();
    return found!;
  });
  const pressed = { channelId, messageId: offered.id, controlId: "again" };
  // Again if a busy machine took longer than a bot may.
  await expect
    .poll(async () => (await post(instance.url, "interaction.create", pressed, accessToken)).ok)
    .toBe(true);
  const again = `pong again, <@${member.userId}>`;
  return vi.waitFor(async () => {
    const texts = (await messages()).map(({ content }) => content);
    expect(texts).toContain(again);
    return [...new Set(texts)].filter((text) => text.startsWith("pong")).map((text) => text.split(",")[0]!);
  });
}

describe.skipIf(!canBuild.python)("the SDK for Python", () => {
  let site: string;
  beforeAll(async () => {
    const wheels = join(folder, "wheels");
    site = join(folder, "site");
    await run(folder, "python3", [
      "-m",
      "pip",
      "wheel",
      "--quiet",
      "--no-deps",
      "--wheel-dir",
      wheels,
      "./python",
    ]);
    const [wheel] = readdirSync(wheels);
    await run(wheels, "python3", ["-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel!]);
  });

  test("passes its own tests", async () => {
    const args = ["-m", "unittest", "discover", "tests"];
    const { stderr } = await run(join(folder, "python"), python!, args, { PYTHONPATH: site });
    expect(stderr).toMatch(/^OK$/m);
  });

  test("the example bot answers a message, a command and a button", async () => {
    const example = join(folder, "python/examples/ping_bot.py");
    const world = await startBot(python!, [example], { PYTHONPATH: site });
    expect(await askBot(world)).toEqual(["pong", "pong again"]);
  });
});

describe.skipIf(!canBuild.go)("the SDK for Go", { tags: "long" }, () => {
  const env = { GOFLAGS: "-mod=readonly", GOTOOLCHAIN: "local" };

  test("passes its own tests", async () => {
    await run(join(folder, "go"), "go", ["vet", "./..."], env);
    const { stdout } = await run(join(folder, "go"), "go", ["test", "./..."], env);
    expect(stdout).toMatch(/^ok\s+fanfare\s/m);
  });

  test("the example bot answers a message, a command and a button", async () => {
    await run(join(folder, "go"), "go", ["build", "-o", "ping-bot", "./examples/ping-bot"], env);
    const world = await startBot(join(folder, "go/ping-bot"), []);
    expect(await askBot(world)).toEqual(["pong", "pong again"]);
  });
});
