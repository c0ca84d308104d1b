import { freshName, row } from "../row.ts";

export const adminRows = {
  "admin.stats": row("admin.stats", () => ({})),
  "admin.getTrends": row("admin.getTrends", () => ({ days: 60 })),
  "admin.listUsers": row("admin.listUsers", () => ({})),
  "admin.createUser": row("admin.createUser", () => ({ username: freshName() })),
  "admin.sendPasswordReset": row("admin.sendPasswordReset", ({ target }) => ({ userId: target.userId })),
  "admin.disableUser": row("admin.disableUser", ({ target }) => ({ userId: target.userId })),
  "admin.enableUser": row("admin.enableUser", ({ target }) => ({ userId: target.userId })),
  "admin.setAdmin": row("admin.setAdmin", ({ target }) => ({ userId: target.userId, admin: true })),
  "admin.resetTotp": row("admin.resetTotp", ({ target }) => ({ userId: target.userId })),
  "admin.listGroups": row("admin.listGroups", () => ({})),
  "admin.deleteGroup": row("admin.deleteGroup", ({ group }) => ({ groupId: group.id })),
  "admin.startGroupImport": row("admin.startGroupImport", () => ({})),
  "admin.startExportUpload": row("admin.startExportUpload", () => ({
    origin: "slack",
    fileName: "export.zip",
    bytes: 10,
  })),
  "admin.listChatImports": row("admin.listChatImports", () => ({})),
  "admin.runChatImport": row(
    "admin.runChatImport",
    ({ group }) => ({ importId: group.id, matchUsernames: false, createAccounts: false, again: false }),
    { why: "there is no such import", allowed: "IMPORT_NOT_FOUND" },
  ),
  "admin.deleteChatImport": row("admin.deleteChatImport", ({ group }) => ({ importId: group.id }), {
    why: "there is no such import",
    allowed: "IMPORT_NOT_FOUND",
  }),
  "admin.startGroupExport": row("admin.startGroupExport", ({ group }) => ({ groupId: group.id })),
  "admin.startMessageExport": row("admin.startMessageExport", ({ target }) => ({
    userId: target.userId,
    from: "2026-01-01T00:00:00.000Z",
    to: "2027-01-01T00:00:00.000Z",
    reason: "A request of the court",
  })),
  "admin.listHolds": row("admin.listHolds", () => ({})),
  "admin.listPlugins": row("admin.listPlugins", () => ({})),
  "admin.deletePluginData": row("admin.deletePluginData", () => ({ plugin: "removed" })),
  "plugin.list": row("plugin.list", () => ({})),
  "admin.startHold": row("admin.startHold", ({ target }) => ({
    userId: target.userId,
    reason: "A request of the court",
  })),
  "admin.endHold": row(
    "admin.endHold",
    ({ target }) => ({ userId: target.userId, holdId: "0".repeat(24), reason: "Settled" }),
    {
      why: "there is no such hold",
      allowed: "HOLD_NOT_FOUND",
    },
  ),
  "admin.announce": row("admin.announce", () => ({ text: "Hello" })),
  "admin.setMaintenance": row("admin.setMaintenance", () => ({ enabled: false })),
  "admin.getPolicy": row("admin.getPolicy", () => ({})),
  "admin.setPolicy": row("admin.setPolicy", () => ({})),
  "admin.setBranding": row("admin.setBranding", () => ({})),
  "admin.setLogo": row("admin.setLogo", () => ({ fileId: "0".repeat(24) }), {
    why: "there is no such file",
    allowed: "FILE_NOT_FOUND",
  }),
  "admin.removeLogo": row("admin.removeLogo", () => ({})),
  "admin.listDeadJobs": row("admin.listDeadJobs", () => ({})),
  "admin.retryJob": row("admin.retryJob", () => ({ jobId: "0".repeat(24) }), {
    why: "there is no such job",
    allowed: "JOB_NOT_FOUND",
  }),
  "admin.deleteJob": row("admin.deleteJob", () => ({ jobId: "0".repeat(24) }), {
    why: "there is no such job",
    allowed: "JOB_NOT_FOUND",
  }),
  "admin.auditLog": row("admin.auditLog", () => ({})),
};
