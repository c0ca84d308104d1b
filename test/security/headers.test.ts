import { LIMITS } from "@fanfare/contract";
import { createGuest } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const FRIEND = "https://friend.example";

let instance: Instance;
let secure: Instance;
beforeAll(async () => {
  [instance, secure] = await Promise.all([
    startInstance(),
    startInstance({ PUBLIC_URL: "https://chat.example", CORS_ORIGINS: FRIEND }),
  ]);
});
afterAll(() => Promise.all([instance?.stop(), secure?.stop()]));

const page = (url: string) => fetch(`${url}/groups/somewhere`, { headers: { accept: "text/html" } });
const api = (url: string, headers: Record<string, string> = {}, body = "{}") =>
  fetch(`${url}/api/user.createGuest`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

describe("a page", () => {
  test("runs only scripts of the instance itself and can't be framed", async () => {
    const { headers } = await page(instance.url);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get("x-frame-options")).toBe("DENY");
  });

  test("can frame only the one that diagrams are drawn in", async () => {
    expect((await page(instance.url)).headers.get("content-security-policy")).toContain("frame-src 'self'");
    const { headers } = await fetch(`${instance.url}/diagram.html`, { headers: { accept: "text/html" } });
    expect(headers.get("content-security-policy")).toContain("script-src 'self';");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
  });

  test("sends no referrer and shares its window with no other origin", async () => {
    const { headers } = await page(instance.url);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("an API response", () => {
  test("can't be executed, framed, sniffed or cached by a browser", async () => {
    const { headers } = await api(instance.url);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("set-cookie")).toBeNull();
  });

  test("doesn't reveal the server software", async () => {
    const { headers } = await api(instance.url);
    expect(headers.get("server") ?? headers.get("x-powered-by")).toBeNull();
  });
});

test("HSTS is sent if and only if the public URL uses HTTPS", async () => {
  for (const ask of [page, api]) {
    expect((await ask(secure.url)).headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect((await ask(instance.url)).headers.get("strict-transport-security")).toBeNull();
  }
});

describe("a cross-origin request", () => {
  const allowed = async (url: string, origin: string) =>
    (await api(url, { origin })).headers.get("access-control-allow-origin");

  test("is allowed only for configured origins", async () => {
    expect(await allowed(secure.url, FRIEND)).toBe(FRIEND);
    expect(await allowed(secure.url, `${FRIEND}.evil.example`)).toBeNull();
    expect(await allowed(secure.url, "null")).toBeNull();
    expect(await allowed(instance.url, FRIEND)).toBeNull();
  });

  test("gets the same response to its preflight", async () => {
    const preflight = async (origin: string) => {
      const asks = { origin, "access-control-request-method": "POST" };
      const headers = { ...asks, "access-control-request-headers": "authorization,content-type" };
      const answer = await fetch(`${secure.url}/api/user.me`, { method: "OPTIONS", headers });
      return answer.headers.get("access-control-allow-origin");
    };
    expect(await preflight(FRIEND)).toBe(FRIEND);
    for (const origin of ["https://evil.example", "http://friend.example", `${FRIEND}:8443`, "null"])
      expect(await preflight(origin)).toBeNull();
  });

  test("can't read a socket over HTTP polling", async () => {
    for (const origin of [FRIEND, "https://evil.example"]) {
      const path = "/socket.io/?EIO=4&transport=polling";
      const { headers } = await fetch(`${secure.url}${path}`, { headers: { origin } });
      expect([null, FRIEND]).toContain(headers.get("access-control-allow-origin"));
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  test("never gets credentials that the browser stores", async () => {
    const { headers } = await api(secure.url, { origin: FRIEND });
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("a request body", () => {
  test("is not read if it is too large", async () => {
    const answer = await api(instance.url, {}, JSON.stringify({ a: "x".repeat(LIMITS.httpBodyMaxBytes) }));
    expect(answer.status).toBe(413);
  });

  test.each(['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}'])(
    "is rejected if it would pollute prototypes: %s",
    async (body) => {
      expect(await (await api(instance.url, {}, body)).json()).toMatchObject({
        ok: false,
        error: { type: "MALFORMED_REQUEST" },
      });
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    },
  );

  test("is rejected if its type is one that another site's form can send", async () => {
    const { accessToken } = await createGuest(instance.url);
    const response = await fetch(`${instance.url}/api/user.logout`, {
      method: "POST",
      headers: { "content-type": "text/plain", authorization: `Bearer ${accessToken}` },
      body: "{}",
    });
    expect(await response.json()).toMatchObject({ ok: false, error: { type: "MALFORMED_REQUEST" } });
  });
});
