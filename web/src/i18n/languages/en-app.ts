/** All other texts. */
export const files = import.meta.glob<Record<string, unknown>>(
  ["../../features/*/texts/en.json", "!../../features/{session,invites,shell,updates}/texts/en.json"],
  { eager: true, import: "default" },
);
