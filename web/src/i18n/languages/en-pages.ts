/** Texts of pages that are rarely opened. */
export const files = import.meta.glob<Record<string, string>>(
  "../../{settings,admin,admin/status}/texts/en.json",
  { eager: true, import: "default" },
);
