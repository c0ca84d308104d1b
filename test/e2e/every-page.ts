import type { Page } from "playwright-core";
import { t } from "./texts.ts";

const USER_SETTINGS = ["profile", "account", "security", "notifications", "privacy", "appearance", "data"];
const GROUP_SETTINGS = [
  "overview",
  "roles",
  "channels",
  "members",
  "invites",
  "join-requests",
  "emoji",
  "reports",
  "bans",
  "audit-log",
  "filter",
  "webhooks",
  "bots",
  "storage",
  "danger",
];
const ADMIN = [
  "overview",
  "users",
  "groups",
  "imports",
  "reports",
  "access",
  "branding",
  "announcements",
  "maintenance",
  "holds",
  "plugins",
  "jobs",
  "audit-log",
];

/** Of the pages beside channels and conversations, for an admin who owns the group. */
export function otherPaths(groupId: string): string[] {
  return [
    "/status",
    "/direct",
    "/inbox",
    "/new-message",
    "/find-groups",
    `/groups/${groupId}/channels`,
    "/groups/nowhere",
    "/settings/nowhere",
    ...USER_SETTINGS.map((section) => `/settings/${section}`),
    ...GROUP_SETTINGS.map((section) => `/groups/${groupId}/settings/${section}`),
    ...ADMIN.map((section) => `/admin/${section}`),
  ];
}

interface Options {
  /** The name of a channel in the list. */
  listed: string;
  /** Whether the lists are in a drawer. */
  isPhone?: boolean;
}

/**
 * Opens the dialogs that are reached from #general, and calls `look` while each is open. The newest message is someone
 * else's, the user has a template, and the group a sticker.
 */
export async function visitDialogs(
  page: Page,
  { listed, isPhone = false }: Options,
  look: (what: string) => Promise<void>,
): Promise<void> {
  const visit = async (name: string) => {
    const dialog = page.getByRole("dialog", { name });
    await dialog.waitFor();
    await look(name);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  };
  /** In a menu, or on phones in a sheet. */
  const choose = (name: string) =>
    page.getByRole("menuitem", { name }).or(page.getByRole("dialog").getByRole("button", { name })).click();

  const message = page.getByRole("log").getByRole("article").last();
  for (const [action, title] of [
    ["readers", "readers.title"],
    ["remind", "reminder.title"],
    ["report", "report.title"],
  ] as const) {
    // Beside what has the browser's own menu, such as links.
    await message.click({ button: "right", position: { x: 4, y: 4 } });
    await choose(t(`messages:action.${action}`));
    await visit(t(`messages:${title}`));
  }

  const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
  await field.fill("Good morning");
  const add = async (item: string) => {
    await page.getByRole("button", { name: t("common:add"), exact: true }).click();
    await choose(t(`composer:${item}`));
  };
  await add("poll.title");
  await visit(t("composer:poll.title"));
  await add("schedule.open");
  await visit(t("composer:schedule.title"));
  await add("template.title");
  await visit(t("composer:template.title"));
  await add("template.title");
  const edit = t("composer:template.edit", { name: "" }).trim();
  await choose(edit);
  await visit(edit);
  await field.fill("");

  await page.getByRole("button", { name: t("composer:emoji"), exact: true }).click();
  const picker = page.getByRole("dialog", { name: t("composer:emoji") });
  await picker.getByRole("gridcell").first().waitFor();
  await look("emoji");
  await picker.getByRole("tab", { name: t("emoji:kind.sticker") }).click();
  await picker.getByRole("tabpanel").getByRole("button").first().waitFor();
  await visit(t("composer:emoji"));

  if (isPhone) await page.getByRole("button", { name: t("shell:openLists") }).click();
  const channels = page.getByRole("navigation", { name: t("channels:list.label") });
  await channels.getByRole("link", { name: listed }).click({ button: "right" });
  await choose(t("common:notifications"));
  await visit(t("groups:notifications.title", { name: `#${listed}` }));
  await page.getByRole("button", { name: t("shell:you") }).click();
  await choose(t("shell:customStatus.open"));
  await visit(t("shell:customStatus.title"));
}
