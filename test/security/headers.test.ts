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
  test("runs no script but the instance's own files, and is in nobody's frame", async () => {
    const { headers } = await page(instance.url);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get("x-frame-options")).toBe("DENY");
  });

  test("tells nobody where it was read, and shares its window with nobody", async () => {
    const { headers } = await page(instance.url);
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("an answer of the API", () => {
  test("is nothing that a browser would run, frame, guess at or keep", async () => {
    const { headers } = await api(instance.url);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("set-cookie")).toBeNull();
  });

  test("names no program behind it", async () => {
    const { headers } = await api(instance.url);
    expect(headers.get("server") ?? headers.get("x-powered-by")).toBeNull();
  });
});

test("HTTPS is asked for where, and only where, the public address has it", async () => {
  for (const ask of [page, api]) {
    expect((await ask(secure.url)).headers.get("strict-transport-security")).toBe("max-age=31536000");
    expect((await ask(instance.url)).headers.get("strict-transport-security")).toBeNull();
  }
});

describe("another origin", () => {
  const allowed = async (url: string, origin: string) =>
    (await api(url, { origin })).headers.get("access-control-allow-origin");

  test("is let in by the configuration alone", async () => {
    expect(await allowed(secure.url, FRIEND)).toBe(FRIEND);
    expect(await allowed(secure.url, `${FRIEND}.evil.example`)).toBeNull();
    expect(await allowed(secure.url, "null")).toBeNull();
    expect(await allowed(instance.url, FRIEND)).toBeNull();
  });

  test("may ask beforehand, and is told the same", async () => {
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

  test("reads nothing of a socket by HTTP", async () => {
    for (const origin of [FRIEND, "https://evil.example"]) {
      const path = "/socket.io/?EIO=4&transport=polling";
      const { headers } = await fetch(`${secure.url}${path}`, { headers: { origin } });
      expect([null, FRIEND]).toContain(headers.get("access-control-allow-origin"));
      expect(headers.get("set-cookie")).toBeNull();
    }
  });

  test("never gets credentials that the browser keeps", async () => {
    const { headers } = await api(secure.url, { origin: FRIEND });
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("a body", () => {
  test("that is too large is not read", async () => {
    const answer = await api(instance.url, {}, JSON.stringify({ a: "x".repeat(LIMITS.httpBodyMaxBytes) }));
    expect(answer.status).toBe(413);
  });

  test.each(['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}'])(
    "that would change prototypes is refused: %s",
    async (body) => {
      expect(await (await api(instance.url, {}, body)).json()).toMatchObject({
        ok: false,
        error: { type: "MALFORMED_REQUEST" },
      });
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    },
  );

  test("of a form that another page could send by itself is refused", async () => {
    const { accessToken } = await createGuest(instance.url);
    const response = await fetch(`${instance.url}/api/user.logout`, {
      method: "POST",
      headers: { "content-type": "text/plain", authorization: `Bearer ${accessToken}` },
      body: "{}",
    });
    expect(await response.json()).toMatchObject({ ok: false, error: { type: "MALFORMED_REQUEST" } });
  });
});
