/** Texts that are only needed after login. */
export const files = import.meta.glob<Record<string, unknown>>(
  [
    "../../{*,*/*}/texts/zh.json",
    "!../../{ui,shared,session,groups/invites,app/shell,app/updates}/texts/zh.json",
  ],
  { eager: true, import: "default" },
);
