import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { weaknessOf } from "./rules.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const inProduction = (TOKEN_SECRET: string) => () => loadConfig({ NODE_ENV: "production", TOKEN_SECRET });

test.each([
  "x".repeat(64),
  "abababababababababababababababababababab",
  "correct-horse-battery-staple-42!correct-horse-battery-staple-42!",
  "abcdefghijklmnopqrstuvwxyz0123456789",
  "0123456789012345678901234567890123456789",
  "my-very-own-SECRET-for-the-chat-of-us-all",
  "please-change-me-please-change-me-1",
  "$(openssl rand -base64 48 | tr -d =)",
])("production rejects %s without printing it", (secret) => {
  expect(inProduction(secret)).toThrow(/TOKEN_SECRET: is /);
  expect(inProduction(secret)).not.toThrow(secret);
});

test("accepts the output of random generators", () => {
  for (let round = 0; round < 500; round += 1) {
    for (const encoding of ["hex", "base64", "base64url"] as const)
      expect(weaknessOf(randomBytes(24).toString(encoding))).toBeUndefined();
  }
  const password = randomBytes(32).toString("base64");
  expect(inProduction(password)().tokenSecret).toBe(password);
});

test("development accepts any secret, and the previous secret can be weak", () => {
  expect(loadConfig({ TOKEN_SECRET: "x".repeat(32) }).tokenSecret).toBe("x".repeat(32));
  const rotated = {
    NODE_ENV: "production",
    TOKEN_SECRET: randomBytes(32).toString("hex"),
    TOKEN_SECRET_PREVIOUS: "x".repeat(32),
  };
  expect(loadConfig(rotated).tokenSecretPrevious).toBe("x".repeat(32));
});

test("rejects the examples in the documentation, the chart and the compose file", () => {
  const shown = globSync(["*.md", ".env.example", "{docs,docker}/**/*.{md,yaml}"], { cwd: ROOT })
    .flatMap((path) => [
      ...readFileSync(join(ROOT, path), "utf8").matchAll(/TOKEN_SECRET(?:=|: )["']?([^"'`|\n]+)/g),
    ])
    .map(([, value]) => value!.trim());
  expect(shown.length).toBeGreaterThan(5);
  const taken = shown.filter((value) => {
    try {
      return inProduction(value)();
    } catch {
      return false;
    }
  });
  expect(taken).toEqual([]);
});
