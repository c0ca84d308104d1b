/** Texts that the first messages after a login are shown with. */
export const files = import.meta.glob<Record<string, string>>(
  [
    "../../{*,*/*}/texts/zh.json",
    "!../../{ui,shared,session}/texts/zh.json",
    "!../../{settings,admin,admin/status,groups/group-settings}/texts/zh.json",
    "!../../{groups,groups/invites,channel/emoji}/texts/zh.json",
    "!../../{inbox,new-message,app/shortcuts,search/quick-switcher}/texts/zh.json",
  ],
  { eager: true, import: "default" },
);
