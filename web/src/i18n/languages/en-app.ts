/** Texts that the first page after a login needs. */
export const files = import.meta.glob<Record<string, string>>(
  [
    "../../{*,*/*}/texts/en.json",
    "!../../{ui,shared,session}/texts/en.json",
    "!../../{settings,admin,admin/status}/texts/en.json",
  ],
  { eager: true, import: "default" },
);
