/** Texts that are needed before login. */
export const files = import.meta.glob<Record<string, unknown>>("../../{ui,shared,session}/texts/en.json", {
  eager: true,
  import: "default",
});
