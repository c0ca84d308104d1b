/** Texts that are needed before login. */
export const files = import.meta.glob<Record<string, unknown>>(
  "../../{ui,shared,session,groups/invites,app/shell,app/updates}/texts/en.json",
  { eager: true, import: "default" },
);
