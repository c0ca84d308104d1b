import { PERMISSIONS } from "@fanfare/contract/permissions";
import { expect, test } from "vitest";
import { bitsOf, flagsOf } from "./role-form.tsx";

test("a role keeps the permissions that only a newer server knows", () => {
  const unknown = 2 ** 30;
  expect(Object.values(PERMISSIONS)).not.toContain(unknown);
  const before = PERMISSIONS.view | PERMISSIONS.banMembers | unknown;
  const flags = { ...flagsOf(before), banMembers: false, attachFiles: true };
  expect(bitsOf(flags, before)).toBe(PERMISSIONS.view | PERMISSIONS.attachFiles | unknown);
});
