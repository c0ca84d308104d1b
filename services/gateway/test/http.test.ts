import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { connect as connectTcp } from "node:net";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { LIMITS } from "@fanfare/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import release from "../../../package.json" with { type: "json" };
import { ADDRESS_RATE_LIMIT, PAGE_RATE_LIMIT } from "../src/constants.ts";
import { CHANNEL_ID, isHealthy, startGateway, type Gateway } from "./support.ts";

let gateway: Gateway;
let bearer: { authorization: string };
beforeAll(async () => {
  gateway = await startGateway();
  bearer = { authorization: `Bearer ${gateway.signIn().accessToken}` };
});
afterAll(() => gateway.stop());

describe("calls", () => {
  test("an action returns its data and the request id", async () => {
    const { status, headers, answer } = await gateway.post("user.me", "{}", bearer);
    expect([status, answer]).toMatchObject([200, { ok: true, data: { user: {} } }]);
    expect(headers.get("x-request-id")).toMatch(/^[\w.-]+$/);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("a call without a body is a call without parameters", async () => {
    expect((await gateway.post("user.me", "", bearer)).status).toBe(200);
  });

  test.each([
    ["nothing.there"],
    ["group.listRooms"],
    ["user.listRevokedSessions"],
    ["$node.list"],
    ["__proto__"],
    ["constructor"],
    ["%00"],
  ])("%s can't be called by clients", async (name) => {
    const { status, answer } = await gateway.post(name, "{}", bearer);
    expect([status, answer]).toMatchObject([404, { ok: false, error: { type: "UNKNOWN_ACTION" } }]);
  });

  test.each([
    ["{", 400, "MALFORMED_REQUEST"],
    ['{"__proto__": {"x": 1}}', 400, "MALFORMED_REQUEST"],
    ["[]", 422, "VALIDATION_FAILED"],
    ["5", 422, "VALIDATION_FAILED"],
    [JSON.stringify({ channelId: CHANNEL_ID, content: 7, nonce: "1" }), 422, "VALIDATION_FAILED"],
    [
      JSON.stringify({ channelId: CHANNEL_ID, content: "x".repeat(LIMITS.messageMaxChars + 1), nonce: "1" }),
      422,
      "VALIDATION_FAILED",
    ],
    [JSON.stringify({ content: "x".repeat(LIMITS.httpBodyMaxBytes) }), 413, "PAYLOAD_TOO_LARGE"],
  ])("a body that starts with %.20s returns %i %s", async (body, status, code) => {
    const { answer, ...rest } = await gateway.post("message.send", body, bearer);
    expect([rest.status, answer]).toMatchObject([status, { ok: false, error: { type: code } }]);
    expect(await isHealthy(gateway)).toBe(true);
  });

  test.each([["%ZZ"], ["x".repeat(500)]])(
    "rejects a path that the router can't parse: %.10s",
    async (name) => {
      const { status, answer } = await gateway.post(name, "{}", bearer);
      expect([status, answer]).toMatchObject([400, { ok: false, error: { type: "MALFORMED_REQUEST" } }]);
    },
  );

  test("rejects anything but JSON", async () => {
    const { status } = await gateway.post("user.me", "<xml/>", { ...bearer, "content-type": "text/xml" });
    expect(status).toBe(400);
  });

  test("rejects malformed HTTP", async () => {
    const socket = connectTcp(gateway.port, "127.0.0.1");
    socket.write("this is not HTTP\r\n\r\n");
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain("400 Bad Request");
    socket.destroy();
    expect(await isHealthy(gateway)).toBe(true);
  });

  test("without a token only public actions can be called", async () => {
    expect((await gateway.post("user.me")).status).toBe(401);
    expect((await gateway.post("user.createGuest")).status).toBe(200);
  });

  test("a bad token is rejected where one is needed, and ignored otherwise", async () => {
    const bad = { authorization: "Bearer nonsense" };
    expect((await gateway.post("user.me", "{}", bad)).status).toBe(401);
    expect((await gateway.post("user.createGuest", "{}", bad)).status).toBe(200);
  });

  test("an unexpected error of a service becomes INTERNAL without details", async () => {
    const { me } = gateway.stubs;
    gateway.stubs.me = () => Promise.reject(new Error("secret of the database"));
    const { status, answer } = await gateway.post("user.me", "{}", bearer);
    gateway.stubs.me = me;
    expect([status, answer]).toMatchObject([500, { error: { type: "INTERNAL" } }]);
    expect(JSON.stringify(answer)).not.toContain("secret");
  });

  test("GET on an action explains how to call it; anything else is not found", async () => {
    const get = async (path: string): Promise<unknown> => (await fetch(`${gateway.url}${path}`)).json();
    expect(await get("/api/user.me")).toMatchObject({ error: { type: "MALFORMED_REQUEST" } });
    expect(await get("/api/group.access")).toMatchObject({ error: { type: "UNKNOWN_ACTION" } });
    expect(await get("/api/nothing")).toMatchObject({ error: { type: "UNKNOWN_ACTION" } });
  });

  test("a request id is accepted only from a trusted proxy, and only if it is valid", async () => {
    const given = async (to: Gateway, id: string): Promise<string | null> =>
      (await to.post("nothing", "{}", { "x-request-id": id })).headers.get("x-request-id");
    expect(await given(gateway, "abc")).not.toBe("abc");
    const behindProxy = await startGateway({ TRUST_PROXY: "true" });
    expect(await given(behindProxy, "abc")).toBe("abc");
    expect(await given(behindProxy, "a b")).not.toBe("a b");
    await behindProxy.stop();
  });
});

describe("rate limits", () => {
  test("a limit applies per user, returns when to retry, and doesn't affect others", async () => {
    const strict = await startGateway({ RATE_LIMIT_FACTOR: "0.02" });
    const one = { authorization: `Bearer ${strict.signIn().accessToken}` };
    const two = { authorization: `Bearer ${strict.signIn().accessToken}` };
    expect((await strict.post("user.me", "{}", one)).status).toBe(200);
    expect((await strict.post("user.me", "{}", one)).status).toBe(200);
    const { status, headers, answer } = await strict.post("user.me", "{}", one);
    expect([status, answer]).toMatchObject([
      429,
      { error: { type: "RATE_LIMITED", retryable: true, data: { retryAfterMs: expect.any(Number) } } },
    ]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await strict.post("user.me", "{}", two)).status).toBe(200);
    await strict.stop();
  });

  test("without a user it applies per address", async () => {
    const strict = await startGateway({ RATE_LIMIT_FACTOR: "0.017", TRUST_PROXY: "true" });
    const from = async (address: string): Promise<number> =>
      (await strict.post("user.createGuest", "{}", { "x-forwarded-for": `9.9.9.9, ${address}` })).status;
    expect([await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.2")]).toEqual([
      200, 429, 200,
    ]);
    await strict.stop();
  });
});

describe("requests that aren't action calls", () => {
  const get = async ({ url }: Gateway, path: string, address: string): Promise<number> =>
    (await fetch(`${url}${path}`, { headers: { "x-forwarded-for": address } })).status;

  /** Counts the successful requests before the first rejection. */
  async function answered(strict: Gateway, path: string, address: string): Promise<number> {
    let count = 0;
    while (count < 1000 && (await get(strict, path, address)) !== 429) count += 1;
    return count;
  }

  test("count toward the limits of their address", async () => {
    const factor = 0.0015;
    const strict = await startGateway({ RATE_LIMIT_FACTOR: String(factor), TRUST_PROXY: "true" });
    const paths = ["/api/meta", "/api/user.me", "/api/nothing"];
    for (const [n, path] of paths.entries())
      expect(await answered(strict, path, `192.0.2.${n}`)).toBe(ADDRESS_RATE_LIMIT.points * factor);
    expect(await answered(strict, "/", "192.0.2.9")).toBe(PAGE_RATE_LIMIT.points * factor);
    expect(await get(strict, "/api/meta", "192.0.2.8")).toBe(200);
    await strict.stop();
  });

  test("are charged for the size of a document", async () => {
    const factor = 0.01;
    const strict = await startGateway({ RATE_LIMIT_FACTOR: String(factor), TRUST_PROXY: "true" });
    const count = await answered(strict, "/api/openapi.json", "192.0.2.1");
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan((ADDRESS_RATE_LIMIT.points * factor) / 2);
    expect(await get(strict, "/api/openapi.json", "192.0.2.2")).toBe(200);
    await strict.stop();
  });
});

describe("the page", () => {
  test("meta returns the name and the version of the release", async () => {
    const meta = await (await fetch(`${gateway.url}/api/meta`)).json();
    expect(meta).toMatchObject({ name: "fanfare", version: release.version, protocolVersion: 1 });
  });

  test("if it isn't built, a plain page explains how to build it", async () => {
    const response = await fetch(gateway.url, { headers: { accept: "text/html" } });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("pnpm build");
  });

  test("serves files, the index for every other path, and a policy without inline scripts or foreign hosts", async () => {
    const dist = await mkdtemp(join(tmpdir(), "fanfare-page-"));
    await mkdir(join(dist, "assets"));
    await writeFile(join(dist, "index.html"), "<title>the page</title>");
    await writeFile(join(dist, "assets", "app-1a2b.js"), "let a;");
    await writeFile(join(dist, "sw.js"), "let b;");
    await writeFile(join(dist, "sw.js.gz"), gzipSync("let b;"));
    await mkdir(join(dist, ".vite"));
    await writeFile(join(dist, ".vite", "manifest.json"), "{}");
    const built = await startGateway({ WEB_DIR: dist });
    const page = async (path: string): Promise<Response> =>
      fetch(`${built.url}${path}`, { headers: { accept: "text/html" } });
    for (const path of ["/", "/groups/1"]) {
      const response = await page(path);
      expect([response.status, await response.text()]).toEqual([200, "<title>the page</title>"]);
      expect(response.headers.get("cache-control")).toBe("no-cache");
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain(
        `connect-src 'self' ws://127.0.0.1:${built.port} wss://127.0.0.1:${built.port}`,
      );
      expect(policy).not.toMatch(/unsafe|\*/);
    }
    expect((await page("/assets/app-1a2b.js")).headers.get("cache-control")).toContain("immutable");
    expect((await page("/api/nothing")).status).toBe(404);
    expect((await fetch(`${built.url}/.vite/manifest.json`)).status).toBe(404);
    const script = (encodings: string): Promise<Response> =>
      fetch(`${built.url}/sw.js`, { headers: { "accept-encoding": encodings } });
    const compressed = await script("gzip");
    expect(await compressed.text()).toBe("let b;");
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect(compressed.headers.get("content-type")).toContain("javascript");
    expect(compressed.headers.get("vary")).toContain("accept-encoding");
    expect((await script("identity")).headers.get("content-encoding")).toBeNull();
    // A cached service worker would keep everything else cached.
    expect(compressed.headers.get("cache-control")).toBe("no-cache");
    expect((await fetch(`${built.url}/assets/missing.js`)).status).toBe(404);
    expect((await page("/..%2f..%2fpackage.json")).status).not.toBe(500);
    await built.stop();
  });

  test("the documentation is served under /docs, with its own page for unknown paths", async () => {
    const docs = await mkdtemp(join(tmpdir(), "fanfare-docs-"));
    await mkdir(join(docs, "run"));
    await mkdir(join(docs, "assets"));
    await writeFile(join(docs, "index.html"), "documentation");
    await writeFile(join(docs, "404.html"), "no such page");
    await writeFile(join(docs, "run", "index.html"), "administrator guide");
    await writeFile(join(docs, "run", "install.html"), "installation");
    await writeFile(join(docs, "assets", "theme.1a2b.js"), "let a;");
    const built = await startGateway({ DOCS_DIR: docs });
    const page = async (path: string): Promise<Response> =>
      fetch(`${built.url}${path}`, { headers: { accept: "text/html" } });
    for (const [path, status, text] of [
      ["/docs", 200, "documentation"],
      ["/docs/", 200, "documentation"],
      ["/docs/run/", 200, "administrator guide"],
      ["/docs/run/install.html", 200, "installation"],
      ["/docs/run/missing.html", 404, "no such page"],
    ] as const) {
      const response = await page(path);
      expect([path, response.status, await response.text()]).toEqual([path, status, text]);
      expect(response.headers.get("content-security-policy")).toContain("script-src 'self';");
    }
    expect((await page("/docs")).url).toBe(`${built.url}/docs/`);
    const asset = await fetch(`${built.url}/docs/assets/theme.1a2b.js`);
    expect(asset.headers.get("cache-control")).toContain("immutable");
    await built.stop();

    const notBuilt = await fetch(`${gateway.url}/docs/`, { headers: { accept: "text/html" } });
    expect([notBuilt.status, await notBuilt.text()]).toEqual([
      503,
      expect.stringContaining("documentation is not built"),
    ]);
  });

  test("only configured origins can call from another page", async () => {
    const open = await startGateway({ CORS_ORIGINS: "https://chat.example" });
    const allowed = async (origin: string): Promise<string | null> =>
      (await open.post("user.createGuest", "{}", { origin })).headers.get("access-control-allow-origin");
    expect(await allowed("https://chat.example")).toBe("https://chat.example");
    expect(await allowed("https://evil.example")).toBeNull();
    await open.stop();
  });
});

test("in development, on a loopback address, rejects requests with a foreign Host header", async () => {
  const local = await startGateway({ NODE_ENV: "development" });
  try {
    const statusOf = async (host: string): Promise<number | undefined> => {
      const request = requestHttp(`${local.url}/api/meta`, { headers: { host } }).end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await statusOf("rebound.example.net")).toBe(403);
    expect(await statusOf("localhost:3000")).toBe(200);
  } finally {
    await local.stop();
  }
});
