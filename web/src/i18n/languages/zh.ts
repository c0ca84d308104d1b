export const files = import.meta.glob<Record<string, unknown>>("../../**/texts/zh.json", {
  eager: true,
  import: "default",
});
