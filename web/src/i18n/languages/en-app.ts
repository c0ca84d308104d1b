/** Texts that are only needed after login. */
export const files = import.meta.glob<Record<string, unknown>>(
  [
    "../../{*,*/*}/texts/en.json",
    "!../../{ui,shared,session,groups/invites,app/shell,app/updates}/texts/en.json",
  ],
  { eager: true, import: "default" },
);
