/** Texts that are needed before login. */
export const files = import.meta.glob<Record<string, string>>("../../{ui,shared,session}/texts/zh.json", {
  eager: true,
  import: "default",
});
