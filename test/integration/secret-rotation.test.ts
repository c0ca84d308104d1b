import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { FanfareClient } from "@fanfare/client";
import { createAccount, createWorld, isInstalled, must, post, startNats, startRedis } from "@fanfare/testing";
import { startNewDatabase } from "../support/new-database.ts";
import { startNode, type FanfareNode } from "../support/node-process.ts";
import { Secret, TOTP } from "otpauth";
import { expect, onTestFinished, test } from "vitest";

const CLI = join(import.meta.dirname, "../../services/cli/src/main.ts");
const OLD = randomBytes(32).toString("hex");
const NEW = randomBytes(32).toString("hex");
const STEP_MS = 30_000;
/** Each test starts a dozen processes one after the other. */
const TIMEOUT_MS = 240_000;

interface Secrets {
  TOKEN_SECRET: string;
  TOKEN_SECRET_PREVIOUS?: string;
}

/** A gateway and a worker that are replaced one after the other with new secrets. */
async function startCluster(secrets: Secrets) {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-rotation-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const servers = await Promise.all([startNats(), startRedis(), startNewDatabase()]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
  const [nats, redis, database] = servers;
  const shared = {
    NATS_URL: nats.url,
    REDIS_URL: redis.url,
    MONGO_URL: database.url,
    FILES_DIR: join(folder, "files"),
  };
  let started = 0;
  const start = async (role: "gateway" | "workers", env: Secrets, port?: number): Promise<FanfareNode> => {
    const name = `${role}-${started++}`;
    const own = join(folder, name);
    await mkdir(own);
    const node = await startNode({
      name,
      folder: own,
      services: [role],
      env: { ...shared, ...env },
      ...(port !== undefined && { port }),
    });
    onTestFinished(() => node.process.stop());
    return node;
  };
  let worker = await start("workers", secrets);
  let gateway = await start("gateway", secrets);
  const { url } = gateway;
  return {
    url,
    /** @param between runs while the worker already has the new secrets and the gateway doesn't */
    async roll(next: Secrets, between: () => Promise<void>): Promise<void> {
      const newWorker = await start("workers", next);
      await worker.process.stop();
      worker = newWorker;
      await between();
      const { port } = gateway.process;
      await gateway.process.stop();
      gateway = await start("gateway", next, port);
    },
    async fanfare(env: Secrets, ...args: string[]): Promise<string> {
      const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], {
        env: { PATH: process.env["PATH"], NODE_ENV: "production", ...shared, NATS_URL: "", ...env },
      });
      return stdout;
    },
  };
}

/** A user with a second factor, who can log in repeatedly although each code works once. */
async function createProtected(url: string) {
  const { username, accessToken } = await createAccount(url);
  const { secret } = await must(url, "user.setupTotp", { password: "correct horse" }, accessToken);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  let stepAtMs = Date.now() - STEP_MS;
  const code = (): string => {
    // The server also accepts the codes just before and after, but none twice.
    stepAtMs = Math.max(stepAtMs + STEP_MS, Date.now() - STEP_MS);
    return totp.generate({ timestamp: stepAtMs });
  };
  await must(url, "user.enableTotp", { code: code() }, accessToken);
  return () => post(url, "user.login", { username, password: "correct horse", code: code() });
}

const isReady = isInstalled("nats-server") && isInstalled("redis-server");

// The short run covers the parts: TOKEN_SECRET_PREVIOUS in packages/kernel/src/tokens.test.ts, sealed values in
// sealer.test.ts.
test.skipIf(!isReady)(
  "a rolling change of TOKEN_SECRET ends no session and breaks no link",
  { tags: "long", timeout: TIMEOUT_MS },
  async () => {
    const cluster = await startCluster({ TOKEN_SECRET: OLD });
    const { url } = cluster;
    const { owner, channel } = await createWorld(url);
    const logIn = await createProtected(url);
    const client = new FanfareClient({ url });
    onTestFinished(() => client.close());
    const changes: boolean[] = [];
    client.on("tokens.changed", (tokens) => changes.push(tokens !== null));
    await client.createGuest();
    const query = new URLSearchParams({ channelId: channel.id, name: "a.txt" });
    const uploaded = await fetch(`${url}/api/file.upload?${query.toString()}`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.accessToken}` },
      body: "content",
    });
    const { publicKey } = await must(url, "push.getKey", {}, owner.accessToken);
    const { data } = (await uploaded.json()) as { data: { file: { fileId: string } } };
    const { url: address } = await must(url, "file.getUrl", { fileId: data.file.fileId }, owner.accessToken);

    const goesOn = async (): Promise<void> => {
      await must(url, "user.me", {}, owner.accessToken);
      const { accessToken } = await must(url, "user.createGuest", {});
      await must(url, "user.me", {}, accessToken);
      expect(await (await fetch(url + address)).text()).toBe("content");
      expect(await must(url, "push.getKey", {}, owner.accessToken)).toMatchObject({ publicKey });
    };
    await cluster.roll({ TOKEN_SECRET: OLD, TOKEN_SECRET_PREVIOUS: NEW }, goesOn);
    await goesOn();
    const during = { TOKEN_SECRET: NEW, TOKEN_SECRET_PREVIOUS: OLD };
    await cluster.roll(during, goesOn);
    await goesOn();
    expect(await cluster.fanfare(during, "reseal")).toBe("Secrets re-encrypted: 2. Already up to date: 0.\n");
    expect(await cluster.fanfare(during, "reseal")).toBe("Secrets re-encrypted: 0. Already up to date: 2.\n");
    const { user } = await client.call("user.me", {});
    expect(user.id).toBe(client.user?.id);

    // This stands for the fifteen minutes after which all clients have new tokens and the old secret is
    // worthless.
    await cluster.roll({ TOKEN_SECRET: NEW }, async () => undefined);
    expect(await post(url, "user.me", {}, owner.accessToken)).toMatchObject({
      error: { type: "UNAUTHENTICATED" },
    });
    expect((await fetch(url + address)).status).not.toBe(200);
    expect(await logIn()).toMatchObject({ ok: true });
    await client.call("user.me", {});
    expect(changes).not.toContain(false);
  },
);

test.skipIf(!isReady)(
  "after a leak, nothing signed with the old secret works",
  { timeout: TIMEOUT_MS, tags: "long" },
  async () => {
    const cluster = await startCluster({ TOKEN_SECRET: OLD });
    const { url } = cluster;
    const { username, accessToken } = await createAccount(url);
    const { refreshToken } = await must(url, "user.login", { username, password: "correct horse" });
    const guest = await must(url, "user.createGuest", {});
    const { publicKey } = await must(url, "push.getKey", {}, guest.accessToken);
    const keys = { p256dh: "B".repeat(87), auth: "B".repeat(22) };
    await must(url, "push.subscribe", { endpoint: "https://push.example.org/x", keys }, guest.accessToken);
    await cluster.roll({ TOKEN_SECRET: NEW }, async () => undefined);
    expect(await post(url, "user.me", {}, accessToken)).toMatchObject({ error: { type: "UNAUTHENTICATED" } });
    expect(await cluster.fanfare({ TOKEN_SECRET: NEW }, "end-sessions", "--all")).toContain(
      "2 sessions have ended",
    );
    expect(await post(url, "user.refresh", { refreshToken })).toMatchObject({ ok: false });
    const refreshed = await must(url, "user.refresh", { refreshToken: guest.refreshToken });
    // The old key can't be decrypted. What it signed is refused.
    const now = await must(url, "push.getKey", {}, refreshed.accessToken);
    expect(now.publicKey).not.toBe(publicKey);
    expect(await must(url, "push.list", {}, refreshed.accessToken)).toEqual({ subscriptions: [] });
    await must(url, "user.login", { username, password: "correct horse" });
  },
);
