import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { delayAnswers, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const FOCUSED = `document.activeElement.getAttribute("aria-label")`;

describe.skipIf(!hasBrowser())("groups", () => {
  const site = useSite();

  /** One per user, reused by all tests. */
  const windows = new Map<string, Page>();
  beforeAll(async () => {
    for (const name of ["Ada", "Grace", "Alan"]) windows.set(name, await site.keepPage());
  });

  async function openWindow(name: string, path: string, tokens?: SessionTokens): Promise<Page> {
    const page = windows.get(name)!;
    await site.open(page, path, tokens);
    return page;
  }

  /** Creates a group owned by Ada, with her in it, and returns its invite link. */
  async function createGroup(): Promise<{ ada: Page; link: string; groupPath: string }> {
    const client = new FanfareClient({ url: site.url });
    const tokens = await client.createGuest({ nickname: "Ada" });
    const { group } = await client.call("group.create", { name: "Rocket builders" });
    const { invite } = await client.call("invite.create", { groupId: group.id });
    const groupPath = `/groups/${group.id}`;
    const ada = await openWindow("Ada", groupPath, tokens);
    await channel(ada, "general").waitFor();
    return { ada, link: `${site.url}/invite/${invite.code}`, groupPath };
  }

  async function enter(link: string, nickname: string): Promise<Page> {
    const client = new FanfareClient({ url: site.url });
    const tokens = await client.createGuest({ nickname });
    const { group } = await client.call("invite.accept", { code: link.split("/").at(-1)! });
    const page = await openWindow(nickname, `/groups/${group.id}`, tokens);
    await channel(page, "general").waitFor();
    return page;
  }

  async function linkShown(page: Page, not = ""): Promise<string> {
    const field = page.getByRole("textbox", { name: t("invites:link") });
    await field.waitFor();
    await expect.poll(async () => [not, ""].includes(await field.inputValue())).toBe(false);
    return field.inputValue();
  }

  const channel = (page: Page, name: string) =>
    page.getByRole("navigation", { name: t("group-settings:section.channels") }).getByRole("link", { name });
  const groupMenu = (page: Page) => page.getByRole("button", { name: "Rocket builders", exact: true });
  const choose = (page: Page, item: string) =>
    page.getByRole("menuitem", { name: item, exact: true }).click();

  async function createChannel(page: Page, name: string, isPrivate = false): Promise<void> {
    await groupMenu(page).click();
    await choose(page, t("groups:menu.createChannel"));
    await page.getByLabel(t("channels:create.name")).fill(name);
    if (isPrivate) await page.getByRole("switch", { name: t("channels:create.private") }).click();
    await page.getByRole("button", { name: t("channels:create.action"), exact: true }).click();
    // The channel is open when the composer has the focus.
    await expect.poll(() => page.evaluate(FOCUSED)).toBe(t("composer:label", { title: `#${name}` }));
  }

  test("a new channel's composer gets the focus, even if its event arrives before the response", async () => {
    const { ada } = await createGroup();
    await delayAnswers(ada, /^channel\.create$/, 500);
    await ada.reload();
    await createChannel(ada, "engines");
    await ada.keyboard.type("First!");
    expect(await ada.getByLabel(t("composer:label", { title: "#engines" })).inputValue()).toBe("First!");
  });

  test("a new channel appears for all members at once, a private one only for those with access", async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");

    await createChannel(ada, "engines");
    await channel(grace, "engines").waitFor();
    await createChannel(ada, "secret", true);
    const secretPath = new URL(ada.url()).pathname;
    // A later channel is shown, so this one would be too.
    await createChannel(ada, "avionics");
    await channel(grace, "avionics").waitFor();
    expect(await channel(grace, "secret").count()).toBe(0);
    await grace.goto(site.url + secretPath);
    await grace.getByText(t("home:channelNotFound")).waitFor();

    const tokens = await new FanfareClient({ url: site.url }).createGuest();
    const stranger = await openWindow("Alan", secretPath, tokens);
    await stranger.getByText(t("home:groupNotFound")).waitFor();

    await site.visit(ada, secretPath);
    await channel(ada, "secret").click({ button: "right" });
    await choose(ada, t("channels:menu.edit"));
    await ada.getByRole("tab", { name: t("channels:settings.permissions") }).click();
    await ada.getByRole("button", { name: t("channels:overrides.open") }).click();
    await channel(grace, "secret").waitFor();
    expect(new URL(ada.url()).pathname.startsWith(groupPath)).toBe(true);
  });

  test("a channel can be for announcements, or private for chosen members", { tags: "long" }, async () => {
    const { ada, link } = await createGroup();
    const grace = await enter(link, "Grace");
    const alan = await enter(link, "Alan");
    await groupMenu(ada).click();
    await choose(ada, t("groups:menu.createChannel"));
    await ada.getByLabel(t("channels:create.name")).fill("news");
    await ada.getByRole("radio", { name: /Announcements/ }).click();
    await ada.getByRole("button", { name: t("channels:create.action"), exact: true }).click();
    await channel(grace, "announcements news").waitFor();
    expect(await channel(ada, "announcements news").count()).toBe(0);

    await groupMenu(ada).click();
    await choose(ada, t("groups:menu.createChannel"));
    await ada.getByLabel(t("channels:create.name")).fill("crew");
    await ada.getByRole("switch", { name: t("channels:create.private") }).click();
    await ada.getByRole("textbox", { name: t("members:panel.title") }).fill("gra");
    await ada.getByRole("dialog").getByRole("button", { name: "Grace" }).waitFor();
    await ada.getByRole("textbox", { name: t("members:panel.title") }).press("Enter");
    await ada.getByRole("button", { name: t("group-settings:picker.remove", { name: "Grace" }) }).waitFor();
    await ada.getByRole("button", { name: t("channels:create.action"), exact: true }).click();
    await channel(grace, "private crew").waitFor();
    await createChannel(ada, "launchpad");
    await channel(alan, "launchpad").waitFor();
    expect(await channel(alan, "crew").count()).toBe(0);
  });

  test("a role's permissions are offered to those who get it, and removed from those who lose it", async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");
    await groupMenu(grace).click();
    await grace.getByRole("menuitem", { name: t("groups:menu.markRead") }).waitFor();
    expect(await grace.getByRole("menuitem", { name: t("channels:create.action") }).count()).toBe(0);
    await grace.keyboard.press("Escape");

    await site.visit(ada, `${groupPath}/settings/roles`);
    await ada.getByRole("button", { name: t("group-settings:roles.create") }).click();
    await ada.getByLabel(t("group-settings:roles.name")).fill("Builders");
    await ada.getByRole("switch", { name: t("group-settings:permission.manageChannels") }).click();
    await ada.getByRole("button", { name: t("group-settings:save") }).click();
    await ada.getByRole("button", { name: "Builders", exact: true }).waitFor();
    await ada.getByRole("tab", { name: t("members:panel.title") }).click();
    await ada.getByLabel(t("group-settings:roles.assign")).fill("gra");
    await ada.getByRole("button", { name: "Grace" }).click();
    await ada.getByRole("button", { name: t("group-settings:roles.unassign", { name: "Grace" }) }).waitFor();

    const createButton = grace.getByRole("menuitem", { name: t("channels:create.action") });
    await groupMenu(grace).click();
    await createButton.waitFor();
    await grace.keyboard.press("Escape");
    await createChannel(grace, "workshop");

    await ada.getByRole("button", { name: t("group-settings:roles.unassign", { name: "Grace" }) }).click();
    await ada.getByText(t("group-settings:roles.noMembers")).waitFor();
    await groupMenu(grace).click();
    await createButton.waitFor({ state: "detached" });
  });

  test("a kicked member is removed at once", async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");

    await site.visit(ada, `${groupPath}/settings/members`);
    await ada.getByRole("button", { name: t("group-settings:moreOptions", { name: "Grace" }) }).click();
    await choose(ada, t("group-settings:members.kick"));
    await ada.getByLabel(t("group-settings:moderate.reason")).fill("Brought the wrong fuel");
    await ada.getByRole("button", { name: t("group-settings:members.kick") }).click();
    await grace.getByText(t("home:groupNotFound")).waitFor();
    expect(await grace.getByRole("link", { name: "Rocket builders" }).count()).toBe(0);
    await ada.getByText(t("invites:memberCount", { count: 1 }), { exact: true }).waitFor();

    await ada.getByRole("link", { name: t("group-settings:section.audit") }).click();
    await ada
      .getByText(t("group-settings:audit.sentence.group.kick", { actor: "Ada", target: "Grace" }))
      .waitFor();
    await ada.getByText(t("group-settings:audit.reason", { reason: "Brought the wrong fuel" })).waitFor();
  });

  test("bans, unknown pages and invalid invites show what happened", async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");
    await site.visit(ada, `${groupPath}/settings/members`);
    await ada.getByRole("button", { name: t("group-settings:moreOptions", { name: "Grace" }) }).click();
    await choose(ada, t("group-settings:members.ban"));
    await ada.getByRole("button", { name: t("group-settings:members.ban") }).click();
    await grace.getByText(t("shared:error.BANNED")).waitFor();
    await site.visit(grace, "/nope");
    await grace.getByText(t("home:pageNotFound")).waitFor();
    expect(await grace.title()).toBe(`${t("home:notFound")} – Fanfare`);
    await site.visit(grace, "/invite/nonsense");
    await grace.getByText(t("shared:error.INVITE_NOT_FOUND")).waitFor();
  });

  test("a single-use invite admits one user, and existing members just continue", async () => {
    const { ada } = await createGroup();
    await ada.getByRole("button", { name: t("groups:invite"), exact: true }).click();
    const link = await linkShown(ada);
    await ada.getByText(t("invites:more")).click();
    await ada.getByRole("combobox", { name: t("invites:uses") }).click();
    await ada.getByRole("option", { name: t("invites:usesLimit", { count: 1 }) }).click();
    await ada.getByRole("button", { name: t("invites:new") }).click();
    const limited = await linkShown(ada, link);
    await ada.getByText(t("invites:usedOf", { count: 0, max: 1 })).waitFor();

    const grace = await enter(limited, "Grace");
    const late = await openWindow("Alan", new URL(limited).pathname);
    await late.getByText(t("shared:error.INVITE_NOT_FOUND")).waitFor();

    await grace.goto(link);
    await channel(grace, "general").waitFor();
    expect(await grace.getByRole("button", { name: /^Join/ }).count()).toBe(0);
  });

  test("channels are reordered by keyboard and by dragging, for all members", async () => {
    const { ada, link } = await createGroup();
    const grace = await enter(link, "Grace");
    await createChannel(ada, "engines");
    await channel(ada, "general").focus();
    await ada.keyboard.press("ArrowDown");
    await ada.keyboard.press("Alt+ArrowUp");
    const names = (page: Page) =>
      page
        .getByRole("navigation", { name: t("group-settings:section.channels") })
        .getByRole("link")
        .allInnerTexts();
    await expect.poll(() => names(grace)).toEqual(["engines", "general"]);
    await ada.getByText(t("channels:moved", { name: "engines" })).waitFor();
    expect(await names(ada)).toEqual(["engines", "general"]);

    await channel(ada, "engines").dragTo(channel(ada, "general"), { targetPosition: { x: 40, y: 30 } });
    await expect.poll(() => names(grace)).toEqual(["general", "engines"]);
  });

  test("a group gets an avatar, a webhook that posts and a bot with a token, and can be deleted", async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");
    const settings = (section: string) => site.visit(ada, `${groupPath}/settings/${section}`);

    await settings("overview");
    const png = await readFile(join(import.meta.dirname, "../../web/public/icons/apple-touch-icon.png"));
    await ada
      .locator('input[type="file"]')
      .setInputFiles({ name: "rocket.png", mimeType: "image/png", buffer: png });
    await grace
      .getByRole("navigation", { name: t("groups:rail.label") })
      .locator("img")
      .waitFor();

    await settings("webhooks");
    await ada.getByLabel(t("channels:webhooks.name")).fill("Build server");
    await ada.getByRole("button", { name: t("channels:webhooks.create") }).click();
    const address = await ada.getByRole("textbox", { name: t("channels:webhooks.address") }).inputValue();
    const posted = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "The build is green" }),
    });
    expect(posted.status).toBe(200);
    await grace.getByRole("log").getByText("The build is green").waitFor();
    await ada.getByRole("button", { name: t("group-settings:secret.done") }).click();

    await settings("bots");
    await ada.getByRole("button", { name: t("group-settings:bots.create") }).click();
    const dialog = ada.getByRole("dialog");
    await dialog.getByLabel(t("group-settings:bots.name")).fill("Clock");
    await dialog.getByRole("button", { name: t("group-settings:bots.create") }).click();
    expect(await ada.getByRole("textbox", { name: t("group-settings:bots.token") }).inputValue()).toMatch(
      /^fbot\./,
    );
    await ada.getByRole("button", { name: t("group-settings:secret.done") }).click();

    await settings("danger");
    const deleteButton = ada.getByRole("button", { name: t("group-settings:danger.deleteAction") });
    expect(await deleteButton.isDisabled()).toBe(true);
    await ada
      .getByLabel(t("group-settings:danger.confirmName", { name: "Rocket builders" }))
      .fill("Rocket builders");
    await deleteButton.click();
    await ada
      .getByRole("alertdialog")
      .getByRole("button", { name: t("group-settings:danger.deleteAction") })
      .click();
    await ada.getByRole("heading", { name: t("groups:first.title") }).waitFor();
    await grace.getByText(t("home:groupNotFound")).waitFor();
  });
});
