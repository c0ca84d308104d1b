import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@fanfare/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { copyNewDatabase } from "../../../test/support/new-database.ts";

/** What `pnpm dev` runs. */
const SOURCE = fileURLToPath(new URL("../src/main.ts", import.meta.url));
/** What runs in production, and starts much faster. */
const BUILT = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** As operators start it; other tests use fewer threads, which start with less CPU. */
const DEFAULT_THREADS = { GATEWAY_THREADS: "" };

interface Program {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  exited: Promise<number | null>;
}

let dataDir: string;
const started: Program[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "fanfare-program-"));
});
afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill("SIGKILL");
    await exited;
  }
  await rm(dataDir, { recursive: true, force: true });
});

/** Only the sources make a new database: a copy of one needs less CPU. */
function run(env: Record<string, string> = {}, main = BUILT): Program {
  if (main === BUILT) copyNewDatabase(join(dataDir, "db"));
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env["PATH"],
      DATA_DIR: dataDir,
      PORT: "0",
      OPS_PORT: "0",
      MAX_CONNECTIONS: "1000",
      GATEWAY_THREADS: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const program: Program = { child, stdout: "", stderr: "", exited };
  child.stdout.on("data", (chunk: Buffer) => (program.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (program.stderr += chunk.toString()));
  started.push(program);
  return program;
}

/** The URL that it prints when it is running. */
async function address(program: Program): Promise<string> {
  for (;;) {
    const found = /running at (\S+)/.exec(program.stdout)?.[1];
    if (found !== undefined) return found;
    if (program.child.exitCode !== null) throw new Error(`It ended: ${program.stderr}`);
    await delay(10);
  }
}

async function createGuest(url: string): Promise<{ accessToken: string }> {
  const response = await fetch(`${url}/api/user.createGuest`, { method: "POST" });
  return ((await response.json()) as { data: { accessToken: string } }).data;
}

async function register(url: string): Promise<void> {
  const body = JSON.stringify({ username: "first", password: "correct horse" });
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/api/user.register`, { method: "POST", headers, body });
}

async function me(url: string, accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await fetch(`${url}/api/user.me`, { method: "POST", headers })).status;
}

describe("pnpm dev", () => {
  test("prints its URL and the next steps, and preserves its data across a restart", async () => {
    const first = run({ GATEWAY_THREADS: "1" }, SOURCE);
    const url = await address(first);
    expect(first.stdout).toContain("two browser windows");
    expect(first.stdout).toContain(dataDir);
    expect(first.stdout).toContain("Ctrl-C");
    expect(first.stdout).toContain("npx -y pnpm@12 bench:broadcast --users 1000");
    expect(first.stdout).toContain("the first to register becomes admin");
    const { accessToken } = await createGuest(url);
    expect(await me(url, accessToken)).toBe(200);
    await register(url);
    first.child.kill("SIGINT");
    expect(await first.exited).toBe(0);
    expect(first.stderr).toBe("");

    const second = run();
    expect(await me(await address(second), accessToken)).toBe(200);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  });

  test("a second signal ends it immediately", async () => {
    const program = run(DEFAULT_THREADS);
    await address(program);
    program.child.kill("SIGINT");
    program.child.kill("SIGTERM");
    expect([0, 130]).toContain(await program.exited);
  });
});

describe("startup errors are one clear line, with exit code 1", () => {
  test("the data folder is in use", async () => {
    await address(run());
    const second = run({ PORT: "3000", OPS_PORT: "3001" });
    expect(await second.exited).toBe(1);
    expect(second.stderr).toMatch(
      /^The data folder \S+ is in use by process \d+\. .*DATA_DIR=\S+-2 PORT=3100.*\n$/,
    );
    expect(second.stdout).toBe("");
  });

  for (const name of ["PORT", "OPS_PORT"])
    test(`${name} is in use`, { tags: name === "PORT" ? [] : "long" }, async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      const program = run({ ...DEFAULT_THREADS, [name]: String(port) });
      expect(await program.exited).toBe(1);
      expect(program.stderr).toMatch(
        new RegExp(`^Port ${port} is in use .*PORT=\\d+ OPS_PORT=\\d+ npx -y pnpm@12 dev\\n$`),
      );
      other.close();
    });

  test("MongoDB is unreachable", { tags: "long" }, async () => {
    const program = run({ MONGO_URL: "mongodb://me:secret@127.0.0.1:1/chat" });
    expect(await program.exited).toBe(1);
    expect(program.stderr).toMatch(
      /^The database at mongodb:\/\/127\.0\.0\.1:1\/chat cannot be reached.*\n$/,
    );
    expect(program.stderr).not.toContain("secret");
  });

  test("the bucket is unusable", async () => {
    const keys = { S3_ACCESS_KEY_ID: "hunter2", S3_SECRET_ACCESS_KEY: "hunter2" };
    const program = run({ S3_BUCKET: "files", S3_ENDPOINT: "http://127.0.0.1:1", ...keys });
    expect(await program.exited).toBe(1);
    expect(program.stderr).toMatch(/^Cannot use the bucket files \(S3_BUCKET\): .*ECONNREFUSED.*\n$/);
    expect(program.stderr).not.toContain("hunter2");
  });

  test("the data folder can't be created", async () => {
    const program = run({ DATA_DIR: join(import.meta.filename, "data") });
    expect(await program.exited).toBe(1);
    expect(program.stderr).toMatch(/^DATA_DIR=\S+ cannot be used: ENOTDIR.*\n$/);
  });

  test("SERVICES omits a service that no other process runs", async () => {
    const program = run({ SERVICES: "gateway,user" });
    expect(await program.exited).toBe(1);
    expect(program.stderr).toMatch(
      /\n {2}NATS_URL: is required to reach the processes that host group, message, presence\b.*\n$/,
    );
  });

  test.each<[string, Record<string, string>]>([
    ["MONGO_URL", { MONGO_URL: "mongodb://me:hun/ter2@127.0.0.1:1/chat" }],
    ["MONGO_URL", { MONGO_URL: "mongodb://me:hunter2@127.0.0.1:x/chat" }],
    [
      "REDIS_URL",
      {
        NODE_ENV: "production",
        MONGO_URL: "mongodb://me:hunter2@127.0.0.1:1/chat",
        NATS_URL: "nats://me:hunter2@127.0.0.1:1",
        REDIS_URL: "redis://:hunter2@127.0.0.1:1",
        TOKEN_SECRET: randomBytes(32).toString("hex"),
        FILES_DIR: tmpdir(),
      },
    ],
  ])("the error for %s doesn't contain the password", async (name, env) => {
    const program = run({ ...env, LOG_LEVEL: "trace" });
    expect(await program.exited).toBe(1);
    expect(program.stderr).toContain(name);
    expect(program.stderr + program.stdout).not.toMatch(/hunter2|hun\/ter2/);
  });

  test("lists all configuration errors", async () => {
    const program = run({ NODE_ENV: "production", PORT: "x", LOG_LEVEL: "loud", MONGO_URL: "redis://x" });
    expect(await program.exited).toBe(1);
    for (const name of ["TOKEN_SECRET", "PORT", "LOG_LEVEL", "MONGO_URL"])
      expect(program.stderr).toContain(`  ${name}: `);
    expect(program.stderr).not.toContain("    at ");
  });
});

test("warns about a variable that looks like a misspelled setting", async () => {
  const program = run({ MONGO_URI: "mongodb://me:hunter2@host/chat" });
  await address(program);
  program.child.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  expect(program.stderr).toBe("MONGO_URI is not a setting of Fanfare. Did you mean MONGO_URL?\n");
});

test("in production prints only logs, and a setup link while there is no admin", async () => {
  const [port, opsPort] = [await freePort(), await freePort()];
  const env = {
    NODE_ENV: "production",
    TOKEN_SECRET: randomBytes(32).toString("hex"),
    PORT: String(port),
    OPS_PORT: String(opsPort),
    LOG_LEVEL: "trace",
    ...DEFAULT_THREADS,
  };
  const opsUrl = `http://127.0.0.1:${opsPort}`;
  const start = async (more = {}): Promise<Program> => {
    const program = run({ ...env, ...more });
    while (!/"msg":"Fanfare is running"/.test(program.stderr) || !(await fetch(`${opsUrl}/readyz`)).ok)
      await delay(10);
    return program;
  };
  const end = async ({ child, exited }: Program): Promise<void> => {
    child.kill("SIGTERM");
    expect(await exited).toBe(0);
  };
  const setUp = (token: string) => {
    const body = JSON.stringify({ token, username: "first", password: "correct horse" });
    const headers = { "content-type": "application/json" };
    return fetch(`http://127.0.0.1:${port}/api/user.setUpAdmin`, { method: "POST", headers, body });
  };

  const fresh = await start();
  await vi.waitFor(() => expect(fresh.stdout).toContain("#token="), { timeout: 60_000 });
  const token = new RegExp(`^http://127\\.0\\.0\\.1:${port}/setup#token=([\\w-]{43})$`, "m").exec(
    fresh.stdout,
  )?.[1];
  expect(fresh.stdout.split("\n")).toHaveLength(3);
  expect((await setUp(token!)).status).toBe(200);
  expect((await setUp(token!)).status).toBe(404);
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  expect(metrics).toContain("user.setUpAdmin");
  expect(metrics).not.toContain(token);
  await end(fresh);
  const lines = fresh.stderr.split("\n").slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).msg)).toContainEqual(
    expect.stringContaining("open the setup link on standard output"),
  );
  expect(fresh.stderr).not.toContain(token);

  const again = await start({ GATEWAY_THREADS: "0" });
  await end(again);
  expect(again.stdout).toBe("");
  expect(again.stderr).not.toContain("Admin:");
});

test("no secret of the configuration is logged at any level, even on failures", async () => {
  const program = run({
    NODE_ENV: "production",
    TOKEN_SECRET: `hunter2${randomBytes(32).toString("hex")}`,
    PUBLIC_URL: "https://chat.example.org",
    SMTP_URL: "smtp://me:hunter2@127.0.0.1:1",
    MAIL_FROM: "chat@example.org",
    OIDC_ISSUER: "https://127.0.0.1:1",
    OIDC_CLIENT_ID: "chat",
    OIDC_CLIENT_SECRET: "hunter2",
    LDAP_URL: "ldaps://127.0.0.1:1",
    LDAP_BASE_DN: "dc=example,dc=org",
    LDAP_BIND_DN: "cn=search",
    LDAP_BIND_PASSWORD: "hunter2",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=hunter2",
    LOG_LEVEL: "trace",
  });
  const url = await loggedAddress(program);
  const body = JSON.stringify({ username: "first", password: "hunter2-2", email: "a@example.org" });
  const headers = { "content-type": "application/json" };
  const registered = await fetch(`${url}/api/user.register`, { method: "POST", headers, body });
  expect(registered.status).toBe(200);
  await fetch(`${url}/auth/oidc/start`, { redirect: "manual" });
  const login = JSON.stringify({ username: "second", password: "hunter2-3" });
  expect((await fetch(`${url}/api/user.login`, { method: "POST", headers, body: login })).status).toBe(503);
  for (const logged of ["ECONNREFUSED", "LDAP login not possible"])
    while (!program.stderr.includes(logged)) await delay(10);
  program.child.kill("SIGTERM");
  expect(await program.exited).toBe(0);
  expect(program.stdout + program.stderr).not.toContain("hunter2");
});

/** The URL that production logs when it is running. */
async function loggedAddress(program: Program): Promise<string> {
  for (;;) {
    const found = /"url":"([^"]+)"/.exec(program.stderr)?.[1];
    if (found !== undefined) return found;
    if (program.child.exitCode !== null) throw new Error(`It ended: ${program.stderr}`);
    await delay(10);
  }
}
