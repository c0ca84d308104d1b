import { messageOf, row, type Exceptions } from "../row.ts";

const noReport: Exceptions = { why: "there is no such report", allowed: "REPORT_NOT_FOUND" };
const closing = { reportId: "0".repeat(24), outcome: "dismissed" as const };

export const reportRows = {
  "report.create": row("report.create", (world) => ({ ...messageOf(world), reason: "spam" })),
  "report.list": row("report.list", ({ group }) => ({ groupId: group.id })),
  "report.getOpenCount": row("report.getOpenCount", ({ group }) => ({ groupId: group.id })),
  "report.close": row("report.close", ({ group }) => ({ groupId: group.id, ...closing }), noReport),
  "admin.listReports": row("admin.listReports", () => ({})),
  "admin.getOpenReportCount": row("admin.getOpenReportCount", () => ({})),
  "admin.closeReport": row("admin.closeReport", () => closing, noReport),
};
