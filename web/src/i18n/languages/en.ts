/** What is said before anybody is logged in. */
export const files = import.meta.glob<Record<string, unknown>>(
  ["../../{ui,shared}/texts/en.json", "../../features/{session,invites,shell,updates}/texts/en.json"],
  { eager: true, import: "default" },
);
