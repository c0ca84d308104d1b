/** Texts that are needed before login. */
export const files = import.meta.glob<Record<string, string>>("../../{ui,shared,session}/texts/en.json", {
  eager: true,
  import: "default",
});
