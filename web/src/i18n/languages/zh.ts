/** What is said before anybody is logged in. */
export const files = import.meta.glob<Record<string, unknown>>(
  ["../../{ui,shared}/texts/zh.json", "../../features/{session,invites,shell,updates}/texts/zh.json"],
  { eager: true, import: "default" },
);
