import { expect, test } from "vitest";
import { emailOf, nicknameFor, usernameFor } from "./external-accounts.ts";
import { externalIdsOf } from "./sign-on/oidc-provider.ts";

const person = (username?: string, nickname?: string, email: string | null = null) => ({
  provider: "default",
  key: "key",
  email,
  names: { username, nickname },
});

test("keeps names as far as they are valid", () => {
  expect(usernameFor(person("ann.lee"), false)).toBe("ann.lee");
  expect(usernameFor(person("ann lee <b>"), false)).toBe("annleeb");
  expect(usernameFor(person("x".repeat(100)), false)).toBe("x".repeat(32));
  for (const none of [undefined, "", "李", "ab"])
    expect(usernameFor(person(none), false)).toMatch(/^user\d{5}$/);
});

test("appends digits to a taken name within the length limit", () => {
  expect(usernameFor(person("ann"), true)).toMatch(/^ann\d{5}$/);
  expect(usernameFor(person("x".repeat(32)), true)).toMatch(/^x{27}\d{5}$/);
});

test("omits an invalid nickname", () => {
  expect(nicknameFor(person("ann", "Ann 李"), "ann")).toBe("Ann 李");
  expect(nicknameFor(person("ann", "a\u202eb"), "ann")).toBe("ann");
  expect(nicknameFor(person("ann", "😀".repeat(50)), "ann")).toBe("😀".repeat(16));
  expect(nicknameFor(person("ann"), "ann")).toBe("ann");
});

test("ignores an invalid email address", () => {
  expect(emailOf(person("ann", "Ann", "ann@example.org"))).toBe("ann@example.org");
  expect(emailOf(person("ann", "Ann", "ann"))).toBeNull();
  expect(emailOf(person("ann", "Ann", null))).toBeNull();
});

test("an identity has the ids that a provider sends by SCIM; only Entra ID decides on oid", () => {
  const claims = { sub: "subject", oid: "object" };
  for (const issuer of ["https://login.microsoftonline.com/tenant/v2.0", "https://sts.windows.net/tenant/"])
    expect(externalIdsOf(issuer, claims)).toEqual(["subject", "object"]);
  for (const issuer of ["https://login.example.org", "https://microsoftonline.com.example.org"])
    expect(externalIdsOf(issuer, claims)).toEqual(["subject"]);
});
