import { expect, test } from "vitest";
import { auditDetails } from "./admin-page.tsx";

test("who and why stand by themselves, everything else is text", () => {
  expect(auditDetails({ userId: "u", reason: "spam", admin: true, note: "x" })).toEqual({
    userId: "u",
    reason: "spam",
    others: "admin: true, note: x",
  });
  expect(auditDetails({})).toEqual({ userId: null, reason: null, others: null });
  expect(auditDetails("odd")).toEqual({ userId: null, reason: null, others: null });
});
