/** Texts that the first messages after a login are shown with. */
export const files = import.meta.glob<Record<string, string>>(
  [
    "../../{*,*/*}/texts/en.json",
    "!../../{ui,shared,session}/texts/en.json",
    "!../../{settings,admin,admin/status,groups/group-settings}/texts/en.json",
    "!../../{groups,groups/invites,channel/emoji}/texts/en.json",
    "!../../{inbox,new-message,app/shortcuts,search/quick-switcher}/texts/en.json",
  ],
  { eager: true, import: "default" },
);
