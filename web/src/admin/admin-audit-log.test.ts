import { expect, test } from "vitest";
import { auditDetails } from "./admin-audit-log.tsx";

test("separates the target user and reason from the other details", () => {
  expect(auditDetails({ userId: "u", reason: "spam", admin: true, note: "x" })).toEqual({
    userId: "u",
    reason: "spam",
    others: "admin: true, note: x",
  });
  expect(auditDetails({})).toEqual({ userId: null, reason: null, others: null });
  expect(auditDetails("odd")).toEqual({ userId: null, reason: null, others: null });
});
