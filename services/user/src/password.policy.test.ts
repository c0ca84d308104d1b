import { describe, expect, test } from "vitest";
import { refuseWeak } from "./password.policy.ts";

const names = { username: "grace.h", nickname: "Grace Hopper", email: "ghopper@navy-yard.example.org" };

function reasonOf(password: string): string | undefined {
  try {
    refuseWeak(password, names);
    return undefined;
  } catch (error) {
    return (error as { data: { reason: string } }).data.reason;
  }
}

describe("a password is refused", () => {
  test.each([
    "password",
    "PassWord1",
    "12345678",
    "qwertyui",
    "ｉｌｏｖｅｙｏｕ",
    "aaaaaaaa",
    "        ",
    "abababab",
  ])("as common: %j", (password) => {
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
  ])("as made of the account's names: %s", (password) => {
    expect(reasonOf(password)).toBe("personal");
  });
});

test.each(["correct horse", "grace under pressure", "V8!kd02-", "ｐａssｗort42x"])(
  "%s is taken",
  (password) => {
    expect(reasonOf(password)).toBeUndefined();
  },
);
