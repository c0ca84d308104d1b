import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { verifyCallback } from "./bots.ts";

const NOW = 1_800_000_000;
const body = '{"events":[]}';
const sign = (secret: string, timestamp: number, text = body) =>
  `v1=${createHmac("sha256", secret).update(`${timestamp}.${text}`).digest("hex")}`;
const check = (timestamp: number, signature: string) =>
  verifyCallback("secret", body, { timestamp: String(timestamp), signature }, NOW * 1000);

test("accepts a recent callback signed with the secret", () => {
  expect(check(NOW, sign("secret", NOW))).toBe(true);
  expect(check(NOW - 299, sign("secret", NOW - 299))).toBe(true);
});

test.each([
  ["another secret", NOW, sign("other", NOW)],
  ["another body", NOW, sign("secret", NOW, "{}")],
  ["another time", NOW, sign("secret", NOW - 1)],
  ["long ago", NOW - 301, sign("secret", NOW - 301)],
  ["no time", Number.NaN, sign("secret", Number.NaN)],
  ["no signature", NOW, ""],
])("rejects %s", (_what, timestamp, signature) => expect(check(timestamp, signature)).toBe(false));
