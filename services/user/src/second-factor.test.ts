import { expect, test } from "vitest";
import {
  newRecoveryCodes,
  newTotpSecret,
  normalizeRecoveryCode,
  stepOfCode,
  totpUri,
} from "./second-factor.ts";

/** "12345678901234567890", the secret of RFC 6238's test vectors. */
const RFC_SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

test.each([
  [59_000, "287082", 1],
  [1_111_111_109_000, "081804", 37_037_036],
  [20_000_000_000_000, "353130", 666_666_666],
])("RFC 6238 at %d", (nowMs, code, step) => {
  expect(stepOfCode(RFC_SECRET, code, nowMs)).toBe(step);
  // Half a minute early or late it is accepted, and attributed to its own period.
  expect(stepOfCode(RFC_SECRET, code, nowMs + 30_000)).toBe(step);
  expect(stepOfCode(RFC_SECRET, code, nowMs - 30_000)).toBe(step);
  expect(stepOfCode(RFC_SECRET, code, nowMs + 60_000)).toBeNull();
});

test.each(["", "28708", "2870820", "28708a", "-87082", "２８７０８２"])("%j is not a code", (code) => {
  expect(stepOfCode(RFC_SECRET, code, 59_000)).toBeNull();
});

test("a code can be typed with a space", () => {
  expect(stepOfCode(RFC_SECRET, "287 082", 59_000)).toBe(1);
});

test("the URI names the account and contains the secret", () => {
  const secret = newTotpSecret();
  const uri = new URL(totpUri(secret, "chat.example.org", "ann"));
  expect(uri.protocol).toBe("otpauth:");
  expect(uri.searchParams.get("secret")).toBe(secret);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

test("there are ten recovery codes, all different, accepted in any spelling", () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  const [code = ""] = codes;
  expect(normalizeRecoveryCode(` ${code.toLowerCase().replaceAll("-", " ")}`)).toBe(code.replaceAll("-", ""));
});
