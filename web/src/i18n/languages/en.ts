export const files = import.meta.glob<Record<string, unknown>>("../../**/texts/en.json", {
  eager: true,
  import: "default",
});
