import { describe, expect, test } from "vitest";
import { loadConfig } from "@fanfare/kernel";
import { createPasswords, assertNotWeak } from "./passwords.ts";

const passwords = createPasswords(64);

test("new hashes are as expensive as configured", async () => {
  const { passwordHashKiB } = loadConfig({});
  expect(await createPasswords(passwordHashKiB).hash("correct horse", {})).toMatch(
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
  );
});

test("verifies only the hashed password", async () => {
  const hash = await passwords.hash("correct horse", {});
  expect(await passwords.verify("correct horse", hash)).toBe(true);
  expect(await passwords.verify("correct horse ", hash)).toBe(false);
  expect(await passwords.verify("correct horse", undefined)).toBe(false);
});

test("hashes the same password differently each time", async () => {
  expect(await passwords.hash("correct horse", {})).not.toBe(await passwords.hash("correct horse", {}));
});

test("treats composed and decomposed characters as equal", async () => {
  expect(await passwords.verify("cafe\u0301-latte", await passwords.hash("caf\u00e9-latte", {}))).toBe(true);
});

/** Verifying it takes a fraction of a millisecond. */
const CHEAP = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$VpHZPiWPkO4rWWcXfz+Kkw";

test("verifies a hash with its own parameters", async () => {
  expect(await passwords.verify("anything", CHEAP)).toBe(false);
  await expect(passwords.verify("anything", "$2b$10$old")).rejects.toThrow("unknown format");
});

test("two at once are computed, a hundred wait, others are rejected until there is room", async () => {
  const attempts = Array.from({ length: 105 }, () => passwords.verify("anything", CHEAP));
  const results = await Promise.allSettled(attempts);
  const rejected = results.filter((result) => result.status === "rejected");
  expect(rejected).toHaveLength(3);
  const overloaded = { type: "OVERLOADED", retryable: true, data: { retryAfterMs: expect.any(Number) } };
  for (const { reason } of rejected) expect(reason).toMatchObject(overloaded);
  expect(await passwords.verify("anything", CHEAP)).toBe(false);
});

const names = { username: "grace.h", nickname: "Grace Hopper", email: "ghopper@navy-yard.example.org" };

function reasonOf(password: string): string | undefined {
  try {
    assertNotWeak(password, names);
    return undefined;
  } catch (error) {
    return (error as { data: { reason: string } }).data.reason;
  }
}

describe("rejects a password", () => {
  test.each([
    "password",
    "PassWord1",
    "12345678",
    "qwertyui",
    "ｉｌｏｖｅｙｏｕ",
    "aaaaaaaa",
    "        ",
    "abababab",
  ])("that is common: %j", (password) => {
    expect(reasonOf(password)).toBe("common");
  });

  test.each([
    "grace.h1",
    "Grace Hopper",
    "hopper2026",
    "GraceHopper!",
    "ghopper@navy-yard.example.org",
    "navy-yard1",
    "hopperpassword",
  ])("that consists of the account's names: %s", (password) => {
    expect(reasonOf(password)).toBe("personal");
  });
});

test.each(["correct horse", "grace under pressure", "V8!kd02-", "ｐａssｗort42x"])(
  "accepts %s",
  (password) => {
    expect(reasonOf(password)).toBeUndefined();
  },
);
