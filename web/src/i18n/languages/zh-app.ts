/** All other texts. */
export const files = import.meta.glob<Record<string, unknown>>(
  ["../../features/*/texts/zh.json", "!../../features/{session,invites,shell,updates}/texts/zh.json"],
  { eager: true, import: "default" },
);
