import { adminsOnly, row } from "../row.ts";

export const adminRows = {
  "admin.stats": row("admin.stats", adminsOnly, () => ({})),
  "admin.listUsers": row("admin.listUsers", adminsOnly, () => ({})),
  "admin.disableUser": row("admin.disableUser", adminsOnly, ({ target }) => ({ userId: target.userId })),
  "admin.enableUser": row("admin.enableUser", adminsOnly, ({ target }) => ({ userId: target.userId })),
  "admin.setAdmin": row("admin.setAdmin", adminsOnly, ({ target }) => ({
    userId: target.userId,
    admin: true,
  })),
  "admin.resetTotp": row("admin.resetTotp", adminsOnly, ({ target }) => ({ userId: target.userId })),
  "admin.listGroups": row("admin.listGroups", adminsOnly, () => ({})),
  "admin.deleteGroup": row("admin.deleteGroup", adminsOnly, ({ group }) => ({ groupId: group.id })),
  "admin.announce": row("admin.announce", adminsOnly, () => ({ text: "Hello" })),
  "admin.setMaintenance": row("admin.setMaintenance", adminsOnly, () => ({ enabled: false })),
  "admin.auditLog": row("admin.auditLog", adminsOnly, () => ({})),
};
