/** Texts of pages that are rarely opened. */
export const files = import.meta.glob<Record<string, string>>(
  "../../{settings,admin,admin/status}/texts/zh.json",
  { eager: true, import: "default" },
);
