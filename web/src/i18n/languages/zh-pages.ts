/** Texts of pages that are rarely opened. */
export const files = import.meta.glob<Record<string, unknown>>(
  "../../{settings,admin,admin/status}/texts/zh.json",
  { eager: true, import: "default" },
);
