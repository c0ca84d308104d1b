/** Texts that the first page after a login needs. */
export const files = import.meta.glob<Record<string, string>>(
  [
    "../../{*,*/*}/texts/zh.json",
    "!../../{ui,shared,session}/texts/zh.json",
    "!../../{settings,admin,admin/status}/texts/zh.json",
  ],
  { eager: true, import: "default" },
);
