import { createHmac, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ACCESS_TOKEN_LIFETIME_MS, createAccessTokens, loadTokenSecret } from "./tokens.ts";

const secret = "a secret of at least 32 characters";
const tokens = createAccessTokens(secret);
const actor = { userId: "u", sessionId: "s", kind: "member" } as const;

function forge(header: object, claims: object, key = secret): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${createHmac("sha256", key).update(body).digest("base64url")}`;
}

test("verifies to the actor it was signed for", () => {
  expect(tokens.verify(tokens.sign(actor).accessToken)).toEqual(actor);
  const admin = { ...actor, admin: true } as const;
  expect(tokens.verify(tokens.sign(admin).accessToken)).toEqual(admin);
});

test.each([[false], [1], ["true"], [{}]])("a claim of %j does not make an admin", (adm) => {
  expect(tokens.verify(forge({ alg: "HS256", typ: "JWT" }, { ...claims, adm }))).toEqual(actor);
});

test("rejects a token with another signature than a verified one", () => {
  const { accessToken } = tokens.sign(actor);
  expect(tokens.verify(accessToken)).toEqual(actor);
  const [header, body] = accessToken.split(".");
  for (const signature of [
    "",
    "x".repeat(43),
    tokens.sign({ ...actor, userId: "v" }).accessToken.split(".")[2],
  ]) {
    expect(() => tokens.verify(`${header}.${body}.${signature}`)).toThrow(
      expect.objectContaining({ type: "UNAUTHENTICATED" }),
    );
  }
});

test("rejects a token from its expiry on, although it was verified before", () => {
  vi.useFakeTimers();
  const iat = Math.floor(Date.now() / 1000);
  const { accessToken } = tokens.sign(actor);
  const short = forge({ alg: "HS256", typ: "JWT" }, { ...claims, iat, exp: iat + 10 });
  for (const [token, lifetimeMs] of [
    [accessToken, ACCESS_TOKEN_LIFETIME_MS],
    [short, 10_000],
  ] as const) {
    vi.setSystemTime(iat * 1000 + lifetimeMs - 1);
    expect(tokens.verify(token)).toEqual(actor);
    expect(tokens.verify(token)).toEqual(actor);
    vi.setSystemTime(iat * 1000 + lifetimeMs + 1);
    expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ type: "TOKEN_EXPIRED" }));
    vi.setSystemTime(iat * 1000);
  }
  vi.useRealTimers();
});

test("rejects an expired token", () => {
  vi.useFakeTimers();
  const { accessToken, expiresAt } = tokens.sign(actor);
  vi.setSystemTime(expiresAt.getTime() - 1000);
  expect(tokens.verify(accessToken)).toEqual(actor);
  vi.setSystemTime(Date.now() + ACCESS_TOKEN_LIFETIME_MS);
  expect(() => tokens.verify(accessToken)).toThrow(expect.objectContaining({ type: "TOKEN_EXPIRED" }));
  vi.useRealTimers();
});

test("rejects a token older than the maximum lifetime, even if it states a later expiry", () => {
  const forged = (iat: number) => forge({ alg: "HS256", typ: "JWT" }, { ...claims, iat, exp: now + 1e6 });
  const lifetimeS = ACCESS_TOKEN_LIFETIME_MS / 1000;
  expect(tokens.verify(forged(now - lifetimeS / 2))).toEqual(actor);
  expect(() => tokens.verify(forged(now - lifetimeS - 1))).toThrow(
    expect.objectContaining({ type: "TOKEN_EXPIRED" }),
  );
});

const now = Math.floor(Date.now() / 1000);
const claims = { sub: "u", sid: "s", kind: "member", iss: "fanfare", iat: now, exp: now + 60 };
test.each([
  ["garbage", "garbage"],
  ["nothing", ""],
  ["another secret", createAccessTokens("another secret of 32 characters!").sign(actor).accessToken],
  ["no algorithm", forge({ alg: "none", typ: "JWT" }, claims)],
  ["another algorithm", forge({ alg: "HS512", typ: "JWT" }, claims)],
  ["another issuer", forge({ alg: "HS256", typ: "JWT" }, { ...claims, iss: "another" })],
  ["no issuer", forge({ alg: "HS256", typ: "JWT" }, { ...claims, iss: undefined })],
  ["no beginning", forge({ alg: "HS256", typ: "JWT" }, { ...claims, iat: undefined })],
  ["no end", forge({ alg: "HS256", typ: "JWT" }, { ...claims, exp: undefined })],
  ["no session", forge({ alg: "HS256", typ: "JWT" }, { ...claims, sid: undefined })],
])("rejects a token with %s", (_what, token) => {
  expect(() => tokens.verify(token)).toThrow(expect.objectContaining({ type: "UNAUTHENTICATED" }));
});

test("accepts valid tokens of the previous secret and signs with its own", () => {
  const previous = randomBytes(32).toString("hex");
  const rotated = createAccessTokens(secret, previous);
  const before = createAccessTokens(previous);
  expect(rotated.verify(before.sign(actor).accessToken)).toEqual(actor);
  expect(rotated.verify(tokens.sign(actor).accessToken)).toEqual(actor);
  expect(tokens.verify(rotated.sign(actor).accessToken)).toEqual(actor);
  expect(() => before.verify(rotated.sign(actor).accessToken)).toThrow(
    expect.objectContaining({ type: "UNAUTHENTICATED" }),
  );
  const header = { alg: "HS256", typ: "JWT" };
  expect(() => rotated.verify(forge(header, { ...claims, exp: now - 1 }, previous))).toThrow(
    expect.objectContaining({ type: "TOKEN_EXPIRED" }),
  );
  expect(() => rotated.verify(forge(header, { ...claims, iss: "another" }, previous))).toThrow(
    expect.objectContaining({ type: "UNAUTHENTICATED" }),
  );
});

test("accepts no tokens of a weak previous secret", () => {
  for (const previous of ["short", "x".repeat(32), "change-me-change-me-change-me-change-me"]) {
    const token = forge({ alg: "HS256", typ: "JWT" }, claims, previous);
    expect(() => createAccessTokens(secret, previous).verify(token)).toThrow(
      expect.objectContaining({ type: "UNAUTHENTICATED" }),
    );
  }
});

test("accepts a correctly forged token, so the cases above fail for the stated reason", () => {
  expect(tokens.verify(forge({ alg: "HS256", typ: "JWT" }, claims))).toEqual(actor);
});

test("development stores a random secret with its data, readable by its owner only", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-"));
  const first = await loadTokenSecret({ tokenSecret: undefined, dataDir });
  expect(first.length).toBeGreaterThanOrEqual(32);
  expect(await loadTokenSecret({ tokenSecret: undefined, dataDir })).toBe(first);
  expect((await stat(join(dataDir, "token-secret"))).mode & 0o077).toBe(0);
  await rm(dataDir, { recursive: true });
});

test("processes that start at the same time share one secret", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-"));
  const loaded = await Promise.all(
    Array.from({ length: 8 }, () => loadTokenSecret({ tokenSecret: undefined, dataDir })),
  );
  expect(new Set(loaded).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(["token-secret"]);
  await rm(dataDir, { recursive: true });
});

test("rejects a truncated secret file", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "fanfare-"));
  await writeFile(join(dataDir, "token-secret"), "");
  await expect(loadTokenSecret({ tokenSecret: undefined, dataDir })).rejects.toThrow("Delete it");
  await rm(dataDir, { recursive: true });
});
