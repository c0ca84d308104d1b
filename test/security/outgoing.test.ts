import { randomBytes, createECDH } from "node:crypto";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import type { BotScope } from "@fanfare/contract";
import { createAccount, createGuest, createWorld, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Requests that users make the server send: push, bot callbacks, link previews and webhook avatars. The
// instance is configured to allow 127.0.0.2, and no other address that is not public.

const ALLOWED = "127.0.0.2";
const PASSWORD = "correct horse";
const SCOPES: BotScope[] = ["messages.read", "events"];

interface Listener {
  port: number;
  /** The bytes received on each connection. */
  connections: string[];
  stop(): Promise<void>;
}

/** Records every byte received, and answers each connection. */
async function listen(host: string, answer: (head: string) => string): Promise<Listener> {
  const connections: string[] = [];
  const server: Server = createServer((socket) => {
    const index = connections.push("") - 1;
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      connections[index] += bytes.toString("latin1");
      if (connections[index]!.includes("\r\n\r\n")) socket.end(answer(connections[index]!));
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const response = (status: string, headers: string, body = ""): string =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n${headers}\r\n${body}`;

let instance: Instance;
let secret: Listener;
let open: Listener;
let privateUrls: string[];
beforeAll(async () => {
  secret = await listen("127.0.0.1", () => response("200 OK", "content-type: text/html\r\n", "<title>no"));
  open = await listen(ALLOWED, (head) =>
    head.includes(" /redirect")
      ? response("302 Found", `location: http://127.0.0.1:${secret.port}/\r\n`)
      : response("200 OK", "content-type: text/html\r\n", "<title>Open</title>"),
  );
  instance = await startInstance({ OUTBOUND_ALLOW: ALLOWED });
  const hosts = [
    "127.0.0.1",
    "localhost",
    "localhost.",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "127.1",
    "0",
    "①②⑦.⓪.⓪.①",
  ];
  privateUrls = [
    ...hosts.map((host) => `http://${host}:${secret.port}/`),
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://172.16.0.1/",
    "http://100.64.0.1/",
    "http://[fd00::1]/",
    "http://[fe80::1]/",
    "http://[64:ff9b::7f00:1]/",
    "https://127.0.0.1/",
  ];
});
afterAll(async () => {
  await instance?.stop();
  await Promise.all([secret?.stop(), open?.stop()]);
});

/** A push subscription as a browser creates it. */
function subscription(endpoint: string) {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  return {
    endpoint,
    keys: { p256dh: ecdh.getPublicKey("base64url"), auth: randomBytes(16).toString("base64url") },
  };
}

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${instance.opsUrl}/metrics`)).text();
  const found = text.split("\n").find((one) => one.startsWith(`${line} `));
  return Number(found?.split(" ").at(-1) ?? 0);
}

const pushesBy = (outcome: string) => metric(`fanfare_pushes_total{outcome="${outcome}"}`);
/** Permanently failed, or waiting for a retry. */
const failedPushes = async () =>
  (await pushesBy("failed")) + (await metric('fanfare_jobs_total{kind="inbox.push",outcome="failed"}'));

/** Messages an offline account that has one session, and so one push, for each endpoint. */
async function pushTo(endpoints: readonly string[]): Promise<void> {
  const { url } = instance;
  const { username, userId } = await createAccount(url);
  for (const endpoint of endpoints) {
    const { accessToken } = await must(url, "user.login", { username, password: PASSWORD });
    await must(url, "push.subscribe", subscription(endpoint), accessToken);
  }
  const { accessToken } = await createAccount(url);
  const { channel } = await must(url, "channel.openDirect", { userId }, accessToken);
  await must(url, "message.send", { channelId: channel.id, content: "hello", nonce: "n" }, accessToken);
}

const until = <T>(what: () => Promise<T>) => expect.poll(what);

describe("private addresses are never connected to", () => {
  test("for push, not even by a redirect", async () => {
    const [failed, refused] = [await failedPushes(), await pushesBy("refused")];
    await pushTo([...privateUrls, `http://${ALLOWED}:${open.port}/redirect`]);
    await until(failedPushes).toBeGreaterThanOrEqual(failed + privateUrls.length);
    await until(() => pushesBy("refused")).toBe(refused + 1);
    expect(secret.connections).toEqual([]);
  });

  test("for push in production, which requires HTTPS", async () => {
    const production = await startInstance({
      NODE_ENV: "production",
      GUESTS: "on",
      TOKEN_SECRET: randomBytes(32).toString("hex"),
      LOG_LEVEL: "silent",
    });
    try {
      const { accessToken } = await createGuest(production.url);
      const subscribe = (endpoint: string) =>
        post(production.url, "push.subscribe", subscription(endpoint), accessToken);
      expect((await subscribe("https://push.example.org/x")).ok).toBe(true);
      for (const endpoint of ["http://push.example.org/x", "ftp://push.example.org/x", "file:///etc/passwd"])
        expect(await subscribe(endpoint)).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
    } finally {
      await production.stop();
    }
  });

  test("for bot callbacks, not even by a redirect", async () => {
    const { url } = instance;
    const urls = [...privateUrls, `http://${ALLOWED}:${open.port}/redirect`];
    const tokens = [];
    // In two parts, because the number of bots in a group is limited.
    for (const some of [urls.slice(0, 12), urls.slice(12)]) {
      const { owner, member, group, channel } = await createWorld(url);
      for (const address of some) {
        const wanted = { groupId: group.id, name: "Robot", scopes: SCOPES };
        const { token } = await must(url, "bot.create", wanted, owner.accessToken);
        const params = { url: address, secret: "x".repeat(32), events: ["message.created" as const] };
        await must(url, "bot.subscribe", params, token);
        tokens.push(token);
      }
      const said = { channelId: channel.id, content: "hello", nonce: "n" };
      await must(url, "message.send", said, member.accessToken);
    }
    for (const token of tokens)
      await until(async () => (await must(url, "bot.me", {}, token)).bot.callback?.state).toBe("failing");
    expect(secret.connections).toEqual([]);
  });

  test("for link previews, not even by a redirect", async () => {
    const { url } = instance;
    const { member, channel } = await createWorld(url);
    const token = member.accessToken;
    const links = [...privateUrls, `http://${ALLOWED}:${open.port}/redirect`];
    for (const [index, link] of links.entries()) {
      const content = `${link} http://${ALLOWED}:${open.port}/${index}`;
      const sent = { channelId: channel.id, content, nonce: `p${index}` };
      const { message } = await must(url, "message.send", sent, token);
      const embeds = async () =>
        (await must(url, "message.get", { channelId: channel.id, messageId: message.id }, token)).message
          .embeds;
      await until(embeds).toMatchObject([{ title: "Open" }]);
    }
    expect(secret.connections).toEqual([]);
  });

  test("for webhook avatars, which browsers don't load either", async () => {
    const { url } = instance;
    const { owner, channel } = await createWorld(url);
    const hook = { channelId: channel.id, name: "Hook" };
    const { webhook, token } = await must(url, "webhook.create", hook, owner.accessToken);
    const tries = [
      ...privateUrls,
      "javascript:alert(1)",
      "data:image/svg+xml,<svg onload=alert(1)>",
      "file:///",
    ];
    const answers = await Promise.all(
      tries.map((avatarUrl) =>
        post(url, "webhook.execute", { webhookId: webhook.id, token, content: "hi", avatarUrl }),
      ),
    );
    expect(answers.slice(privateUrls.length).map(({ ok }) => ok)).toEqual([false, false, false]);
    const page = await fetch(url, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-security-policy")).toMatch(/img-src 'self' data: blob:(;|$)/);
    expect(secret.connections).toEqual([]);
  });
});

describe("nothing can be injected into request headers", () => {
  const ends = ["\r\n", "\n", "\r", "\u2028", "\u0085", "%0d%0a", "\u560d\u560a"];
  const injected = (bytes: string): string[] =>
    bytes.split(/\r\n|\r|\n/).filter((line) => /^(x-injected|host: evil)/i.test(line));

  test("by the keys of a push subscription", async () => {
    const { accessToken } = await createAccount(instance.url);
    const good = subscription(`http://${ALLOWED}:${open.port}/keys`);
    for (const end of ends) {
      for (const name of ["p256dh", "auth"] as const) {
        const key = `${good.keys[name].slice(0, -20)}${end}X-Injected: 1`;
        const keys = { ...good.keys, [name]: key.padEnd(good.keys[name].length, "A") };
        const answer = await post(instance.url, "push.subscribe", { ...good, keys }, accessToken);
        expect(answer).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
      }
    }
  });

  test("by the URL of a push subscription or a callback", async () => {
    const { url } = instance;
    const base = `http://${ALLOWED}:${open.port}/injection`;
    const { owner, member, group, channel } = await createWorld(url);
    const wanted = { groupId: group.id, name: "Robot", scopes: SCOPES };
    const { token } = await must(url, "bot.create", wanted, owner.accessToken);
    const taken = { callbacks: 0, pushes: 0 };
    for (const end of ends) {
      const address = `${base} HTTP/1.1${end}X-Injected: 1${end}Host: evil.example`;
      const seen = () => open.connections.filter((bytes) => bytes.includes("/injection")).length;
      const before = seen();
      const callback = { url: address, secret: "x".repeat(32), events: ["message.created" as const] };
      const { ok: isCalled } = await post(url, "bot.subscribe", callback, token);
      const { ok: isPushed } = await post(url, "push.subscribe", subscription(address), member.accessToken);
      const said = { channelId: channel.id, content: "hello", nonce: `i${end}` };
      if (isCalled) await must(url, "message.send", said, owner.accessToken);
      if (isPushed) await pushTo([address]);
      await until(async () => seen() - before).toBeGreaterThanOrEqual(Number(isCalled) + Number(isPushed));
      taken.callbacks += Number(isCalled);
      taken.pushes += Number(isPushed);
    }
    expect(Math.min(taken.callbacks, taken.pushes)).toBeGreaterThan(0);
    expect(open.connections.flatMap(injected)).toEqual([]);
    const hosts = open.connections.map((bytes) => /^host: (.*)$/im.exec(bytes)?.[1]);
    expect(new Set(hosts)).toEqual(new Set([`${ALLOWED}:${open.port}`]));
  });
});
