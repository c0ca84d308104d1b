/** What is said before anybody is logged in. */
export const files = import.meta.glob<Record<string, unknown>>(
  "../../{ui,shared,session,groups/invites,app/shell,app/updates}/texts/en.json",
  { eager: true, import: "default" },
);
