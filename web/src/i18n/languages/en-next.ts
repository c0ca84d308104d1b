/** Texts that are loaded after the first page. */
export const files = import.meta.glob<Record<string, string>>(
  [
    "../../{groups,groups/invites,channel/emoji}/texts/en.json",
    "../../{inbox,new-message,app/shortcuts,search/quick-switcher}/texts/en.json",
  ],
  { eager: true, import: "default" },
);
