import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { createGuest, must, post } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startLyingProvider, type Lie, type LyingProvider } from "./lying-provider.ts";

// OpenID Connect logins with a stolen, replayed or forged answer, and open redirects.

const PUBLIC_URL = "https://chat.example.org";
const FAILED = `${PUBLIC_URL}/login#oidcError=OIDC_FAILED`;

let provider: LyingProvider;
let instance: Instance;
beforeAll(async () => {
  provider = await startLyingProvider();
  instance = await startInstance({ ...provider.env, PUBLIC_URL, LOG_LEVEL: "silent" });
});
afterAll(async () => {
  await instance?.stop();
  await provider?.stop();
});
beforeEach(() => {
  provider.lie = {};
});

/** Like a browser that follows no redirect; the path is sent as written. */
async function get(path: string, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
  const { hostname, port } = new URL(instance.url);
  const asked = request({ hostname, port, path, headers }).end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  response.resume();
  return response;
}

interface Flow {
  verifier: string;
  cookie: string;
  sentTo: URL;
}

async function begin(query = "", headers: OutgoingHttpHeaders = {}): Promise<Flow> {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const response = await get(`/auth/oidc/start?challenge=${challenge}${query}`, headers);
  const [cookie = ""] = response.headers["set-cookie"]?.[0]?.split(";") ?? [];
  return { verifier, cookie, sentTo: new URL(response.headers.location!) };
}

type Answer = Record<string, string>;

/** The query the provider redirects the browser back with. */
const answerOf = ({ sentTo }: Flow, subject = "ann"): Answer => ({
  code: provider.code(sentTo, subject),
  state: sentTo.searchParams.get("state")!,
  iss: provider.issuer,
});

/** Returns where the callback redirects to. */
const end = async (answer: Answer, cookie: string, headers: OutgoingHttpHeaders = {}): Promise<string> => {
  const query = new URLSearchParams(answer).toString();
  return (await get(`/auth/oidc/callback?${query}`, { cookie, ...headers })).headers.location!;
};
const SUCCEEDED = /^https:\/\/chat\.example\.org\/login#oidcCode=([\w-]+)$/;

test("an honest login succeeds, so each of the others fails for its own reason", async () => {
  const flow = await begin();
  const [, oidcCode = ""] = SUCCEEDED.exec(await end(answerOf(flow), flow.cookie)) ?? [];
  const tokens = await must(instance.url, "user.exchangeOidcCode", { oidcCode, verifier: flow.verifier });
  expect(tokens.user.oidcLinked).toBe(true);
});

describe("a response that doesn't belong to this login", () => {
  test("is rejected with another login's state, a wrong one, two or none", async () => {
    const [flow, other] = [await begin(), await begin()];
    const answer = answerOf(flow);
    for (const state of ["", "x", `${answer["state"]}x`, answerOf(other)["state"]!])
      expect(await end({ ...answer, state }, flow.cookie)).toBe(FAILED);
    const { state, ...without } = answer;
    expect(await end(without, flow.cookie)).toBe(FAILED);
    const twice = `code=${answer["code"]}&state=x&state=${state}&iss=${encodeURIComponent(provider.issuer)}`;
    const response = await get(`/auth/oidc/callback?${twice}`, { cookie: flow.cookie });
    expect(response.headers.location).toBe(FAILED);
    expect(await end(answer, flow.cookie)).toMatch(SUCCEEDED);
  });

  test("is rejected with the code of another login", async () => {
    const [victim, attacker] = [await begin(), await begin()];
    const injected = { ...answerOf(victim), code: answerOf(attacker, "attacker")["code"]! };
    expect(await end(injected, victim.cookie)).toBe(FAILED);
  });

  test("is rejected if replayed, or without the cookie of its login", async () => {
    const flow = await begin();
    const answer = answerOf(flow);
    expect(await end(answer, "")).toBe(FAILED);
    expect(await end(answer, (await begin()).cookie)).toBe(FAILED);
    expect(await end(answer, flow.cookie)).toMatch(SUCCEEDED);
    expect(await end(answer, flow.cookie)).toBe(FAILED);
  });

  test("is rejected if it is from another issuer", async () => {
    const flow = await begin();
    for (const iss of ["https://evil.example", "", `${provider.issuer}/`])
      expect(await end({ ...answerOf(flow), iss }, flow.cookie)).toBe(FAILED);
    const { iss: _iss, ...without } = answerOf(flow);
    expect(await end(without, flow.cookie)).toBe(FAILED);
  });

  test("returns a code that works once, and only for the page that started the login", async () => {
    const flow = await begin();
    const [, oidcCode = ""] = SUCCEEDED.exec(await end(answerOf(flow), flow.cookie)) ?? [];
    const exchange = (verifier: string) =>
      post(instance.url, "user.exchangeOidcCode", { oidcCode, verifier });
    for (const verifier of ["x", (await begin()).verifier, flow.sentTo.searchParams.get("code_challenge")!])
      expect(await exchange(verifier)).toMatchObject({ ok: false, error: { type: "OIDC_FAILED" } });
    expect((await exchange(flow.verifier)).ok).toBe(true);
    expect(await exchange(flow.verifier)).toMatchObject({ ok: false, error: { type: "OIDC_FAILED" } });
  });
});

describe("an ID token that isn't from the provider or isn't for this client", () => {
  const changed = (change: object): Lie => ({ claims: (honest) => ({ ...honest, ...change }) });
  const lies: [string, Lie][] = [
    ["with another nonce", changed({ nonce: "another" })],
    ["without a nonce", changed({ nonce: undefined })],
    ["for another client", changed({ aud: "another" })],
    [
      "for several clients, authorized for another one",
      changed({ aud: ["fanfare", "another"], azp: "another" }),
    ],
    ["of another issuer", changed({ iss: "https://evil.example" })],
    ["that has expired", changed({ iat: 1000, exp: 2000 })],
    ["without an expiry", changed({ exp: undefined })],
    ["without a subject", changed({ sub: undefined })],
    ["signed with another key", { signer: "other" }],
    ["with alg none", { signer: "none", header: { alg: "none" } }],
    ["without its signature", { signer: "none" }],
    ["signed with the public key as an HMAC secret", { signer: "publicKey", header: { alg: "HS256" } }],
    ["that names its own keys", { signer: "other", header: { jku: "https://evil.example/keys" } }],
    ["with userinfo about another user", { userinfo: () => ({ sub: "another" }) }],
  ];

  test.each(lies)("is rejected %s", async (_what, lie) => {
    const flow = await begin();
    provider.lie = lie;
    expect(await end(answerOf(flow), flow.cookie)).toBe(FAILED);
  });

  test("ignores names and addresses of the wrong type", async () => {
    const flow = await begin();
    const email = { address: "evil@example.net" };
    provider.lie = {
      userinfo: (honest) => ({
        ...honest,
        email,
        email_verified: "true",
        preferred_username: { $ne: 1 },
        name: [1],
      }),
    };
    const answer = answerOf(flow, "odd");
    const [, oidcCode = ""] = SUCCEEDED.exec(await end(answer, flow.cookie)) ?? [];
    const login = { oidcCode, verifier: flow.verifier };
    const { user } = await must(instance.url, "user.exchangeOidcCode", login);
    expect(user).toMatchObject({ email: null, username: expect.stringMatching(/^user\d{5}$/) });
  });
});

describe("no redirect leaves our own origin", () => {
  const evil = "https://evil.example";
  const params = ["redirect_uri", "redirect", "returnTo", "return_to", "next", "continue", "url", "rd"]
    .map((name) => `&${name}=${encodeURIComponent(evil)}`)
    .join("");
  const hosts: OutgoingHttpHeaders = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "http",
    "x-original-url": evil,
    forwarded: "host=evil.example",
    origin: evil,
    referer: evil,
  };

  test("with hostile parameters at the start of a login", async () => {
    const { sentTo } = await begin(params, hosts);
    expect(sentTo.origin).toBe(provider.issuer);
    expect(sentTo.searchParams.get("redirect_uri")).toBe(`${PUBLIC_URL}/auth/oidc/callback`);
    expect(sentTo.href).not.toContain("evil");
    const wrong = await get(`/auth/oidc/start?challenge=x${params}`, hosts);
    expect(wrong.headers.location).toBe(FAILED);
  });

  test("with hostile parameters in the callback", async () => {
    const flow = await begin();
    const more = Object.fromEntries(new URLSearchParams(params));
    expect(await end({ ...answerOf(flow), ...more }, flow.cookie, hosts)).toMatch(SUCCEEDED);
    const errors = [
      "access_denied",
      `"><script>alert(1)</script>`,
      `x#oidcCode=stolen`,
      `\r\nlocation: ${evil}`,
    ];
    for (const error of errors) {
      const refused = { error, error_description: evil, error_uri: evil, state: answerOf(flow)["state"]! };
      expect(await end({ ...refused, iss: provider.issuer }, flow.cookie, hosts)).toBe(FAILED);
    }
  });

  const paths = [
    "//evil.example/auth/oidc/start",
    "/auth/oidc/start//evil.example",
    "/auth/oidc/callback/..//evil.example",
    "/auth/oidc/callback%0d%0alocation:%20https://evil.example",
    "/\\evil.example/auth/oidc/callback",
    "/auth/oidc/start?challenge=%0d%0alocation:%20https://evil.example",
    "/auth/oidc/callback?state=%0d%0aset-cookie:%20a=b",
    "https://evil.example/auth/oidc/start?challenge=x",
  ];
  test.each(paths)("%s", async (path) => {
    const { headers } = await get(path, hosts);
    expect(headers.location ?? FAILED).toBe(FAILED);
    expect(JSON.stringify(headers["set-cookie"] ?? [])).not.toContain("a=b");
  });
});

test("a signed value can't be used for another purpose: access tokens and login flows", async () => {
  const flow = await begin();
  const value = flow.cookie.slice("fanfare_oidc=".length);
  expect(await post(instance.url, "user.me", {}, value)).toMatchObject({
    ok: false,
    error: { type: "UNAUTHENTICATED" },
  });
  const { accessToken } = await createGuest(instance.url);
  expect(await end(answerOf(flow), `fanfare_oidc=${accessToken}`)).toBe(FAILED);
});
