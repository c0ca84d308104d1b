/** Texts of pages and dialogs that are rarely opened. */
export const files = import.meta.glob<Record<string, string>>(
  "../../{settings,admin,admin/status,groups/group-settings}/texts/zh.json",
  { eager: true, import: "default" },
);
