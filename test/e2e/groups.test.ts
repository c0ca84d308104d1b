import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
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
  async function createGroup({ hasSection = false } = {}): Promise<{
    ada: Page;
    link: string;
    groupPath: string;
  }> {
    const client = new FanfareClient({ url: site.url });
    const tokens = await client.createGuest({ nickname: "Ada" });
    const { group, channels } = await client.call("group.create", { name: "Rocket builders" });
    if (hasSection) await moveIntoSection(client, group.id, channels[0]!.id);
    const { invite } = await client.call("invite.create", { groupId: group.id });
    const groupPath = `/groups/${group.id}`;
    const ada = await openWindow("Ada", groupPath, tokens);
    await channel(ada, "general").waitFor();
    return { ada, link: `${site.url}/invite/${invite.code}`, groupPath };
  }

  async function moveIntoSection(client: FanfareClient, groupId: string, channelId: string): Promise<void> {
    const section = { groupId, name: "Launches", kind: "section" } as const;
    const { id } = (await client.call("channel.create", section)).channel;
    const places = [
      { channelId: id, sectionId: null, position: 0 },
      { channelId, sectionId: id, position: 1 },
    ];
    await client.call("channel.reorder", { groupId, places });
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
    page.getByRole("navigation", { name: t("channels:list.label") }).getByRole("link", { name });
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

  test(
    "a new channel's composer gets the focus, even if its event arrives before the response",
    { tags: "long" },
    async () => {
      const { ada } = await createGroup();
      await delayAnswers(ada, /^channel\.create$/, 500);
      await ada.reload();
      await createChannel(ada, "engines");
      await ada.keyboard.type("First!");
      expect(await ada.getByLabel(t("composer:label", { title: "#engines" })).inputValue()).toBe("First!");
    },
  );

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
    await ada.getByRole("tab", { name: t("group-settings:audit.field.permissions") }).click();
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
    await ada.getByRole("textbox", { name: t("common:members") }).fill("gra");
    await ada.getByRole("dialog").getByRole("button", { name: "Grace" }).waitFor();
    await ada.getByRole("textbox", { name: t("common:members") }).press("Enter");
    await ada.getByRole("button", { name: t("members:pickerRemove", { name: "Grace" }) }).waitFor();
    await ada.getByRole("button", { name: t("channels:create.action"), exact: true }).click();
    await channel(grace, "private crew").waitFor();
    await createChannel(ada, "launchpad");
    await channel(alan, "launchpad").waitFor();
    expect(await channel(alan, "crew").count()).toBe(0);
  });

  test(
    "choices that are made while an earlier one is being saved are saved too",
    { tags: "long" },
    async () => {
      const { ada } = await createGroup();
      await delayAnswers(ada, /^(?:notification\.set|channel\.setOverride)$/, 500);
      await ada.reload();
      await groupMenu(ada).click();
      await choose(ada, t("common:notifications"));
      const dialog = ada.getByRole("dialog");
      const level = dialog.getByRole("radio", { name: t("groups:notifications.nothing") });
      const suppress = dialog.getByRole("switch", { name: t("groups:notifications.suppressEveryone") });
      await level.click();
      await suppress.click();
      for (const choice of [level, suppress]) await expect.poll(() => choice.isChecked()).toBe(true);
      await ada.keyboard.press("Escape");

      await channel(ada, "general").click({ button: "right" });
      await choose(ada, t("channels:menu.edit"));
      await dialog.getByRole("tab", { name: t("group-settings:audit.field.permissions") }).click();
      const denials = ["sendMessages", "attachFiles", "addReactions"].map((name) =>
        dialog.getByRole("radiogroup", { name: t(`group-settings:permission.${name}`) }),
      );
      for (const denial of denials) await denial.getByTitle(t("channels:stance.deny")).click();
      for (const denial of denials)
        await expect
          .poll(() => denial.getByRole("radio", { name: t("channels:stance.deny") }).isChecked())
          .toBe(true);
    },
  );

  test("a custom status is shown to other members, and can be cleared", async () => {
    const { ada, link } = await createGroup();
    const grace = await enter(link, "Grace");
    await grace.keyboard.press("Control+Shift+M");
    const members = grace.getByRole("complementary");
    await members.getByText("Ada").waitFor();
    const openDialog = async () => {
      await ada.getByRole("button", { name: `${t("shell:you")} Ada` }).click();
      await choose(ada, t("shell:customStatus.open"));
    };
    await openDialog();
    await ada.getByRole("button", { name: t("shell:customStatus.vacation") }).click();
    expect(await ada.getByLabel(t("shell:customStatus.text")).inputValue()).toBe("On vacation");
    await ada.getByRole("button", { name: t("common:save") }).click();
    await members.getByRole("img", { name: "On vacation" }).waitFor();
    await members.getByRole("button", { name: /Ada/ }).click();
    await grace.getByRole("article").getByText("🌴 On vacation").waitFor();
    await openDialog();
    // Its end is kept unless another one is chosen.
    const until = ada.getByRole("combobox", { name: t("shell:customStatus.until") });
    expect(await until.textContent()).not.toBe(t("shell:customStatus.end.never"));
    await ada.getByRole("button", { name: t("shell:customStatus.clear") }).click();
    await expect.poll(() => members.getByRole("img", { name: "On vacation" }).count()).toBe(0);
  });

  test(
    "a role's permissions are offered to those who get it, and removed from those who lose it",
    { tags: "long" },
    async () => {
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
      await ada.getByRole("button", { name: t("common:save") }).click();
      await ada.getByRole("button", { name: "Builders", exact: true }).waitFor();
      await ada.getByRole("tab", { name: t("common:members") }).click();
      await ada.getByLabel(t("group-settings:roles.assign")).fill("gra");
      await ada.getByRole("button", { name: "Grace" }).click();
      await ada
        .getByRole("button", { name: t("group-settings:roles.unassign", { name: "Grace" }) })
        .waitFor();

      const createButton = grace.getByRole("menuitem", { name: t("channels:create.action") });
      await groupMenu(grace).click();
      await createButton.waitFor();
      await grace.keyboard.press("Escape");
      await createChannel(grace, "workshop");

      await ada.getByRole("button", { name: t("group-settings:roles.unassign", { name: "Grace" }) }).click();
      await ada.getByText(t("group-settings:roles.noMembers")).waitFor();
      await groupMenu(grace).click();
      await createButton.waitFor({ state: "detached" });
    },
  );

  test("a kicked member is removed at once", async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");

    await site.visit(ada, `${groupPath}/settings/members`);
    await ada.getByRole("button", { name: t("group-settings:moreOptions", { name: "Grace" }) }).click();
    await choose(ada, t("groups:members.kick"));
    await ada.getByLabel(t("group-settings:moderate.reason")).fill("Brought the wrong fuel");
    await ada.getByRole("button", { name: t("groups:members.kick") }).click();
    await grace.getByText(t("home:groupNotFound")).waitFor();
    expect(await grace.getByRole("link", { name: "Rocket builders" }).count()).toBe(0);
    await ada.getByText(t("session:memberCount", { count: 1 }), { exact: true }).waitFor();

    await ada.getByRole("link", { name: t("common:auditLog") }).click();
    await ada
      .getByText(t("group-settings:audit.sentence.group.kick", { actor: "Ada", target: "Grace" }))
      .waitFor();
    await ada.getByText(t("group-settings:audit.reason", { reason: "Brought the wrong fuel" })).waitFor();
  });

  test("bans, unknown pages and invalid invites show what happened", { tags: "long" }, async () => {
    const { ada, link, groupPath } = await createGroup();
    const grace = await enter(link, "Grace");
    await site.visit(ada, `${groupPath}/settings/members`);
    await ada.getByRole("button", { name: t("group-settings:moreOptions", { name: "Grace" }) }).click();
    await choose(ada, t("groups:members.ban"));
    await ada.getByRole("button", { name: t("groups:members.ban") }).click();
    await grace.getByText(t("shared:error.BANNED")).waitFor();
    await site.visit(grace, "/nope");
    await grace.getByText(t("home:pageNotFound")).waitFor();
    expect(await grace.title()).toBe(`${t("home:notFound")} – Fanfare`);
    await site.visit(grace, "/invite/nonsense");
    await grace.getByText(t("shared:error.INVITE_NOT_FOUND")).waitFor();
  });

  test(
    "a single-use invite admits one user, and existing members just continue",
    { tags: "long" },
    async () => {
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
    },
  );

  test("channels are reordered by keyboard and by dragging, for all members", async () => {
    const { ada, link } = await createGroup();
    const grace = await enter(link, "Grace");
    await createChannel(ada, "engines");
    await channel(ada, "general").focus();
    await ada.keyboard.press("ArrowDown");
    await ada.keyboard.press("Alt+ArrowUp");
    const names = (page: Page) =>
      page
        .getByRole("navigation", { name: t("channels:list.label") })
        .getByRole("link")
        .allInnerTexts();
    await expect.poll(() => names(grace)).toEqual(["engines", "general"]);
    await ada.getByText(t("channels:moved", { name: "engines" })).waitFor();
    expect(await names(ada)).toEqual(["engines", "general"]);

    await channel(ada, "engines").dragTo(channel(ada, "general"), { targetPosition: { x: 40, y: 30 } });
    await expect.poll(() => names(grace)).toEqual(["general", "engines"]);
  });

  test(
    "favorite channels are listed first, by menu and by keyboard, also after a reload",
    { tags: "long" },
    async () => {
      const { ada } = await createGroup();
      await createChannel(ada, "engines");
      await createChannel(ada, "avionics");
      const rows = ada.getByRole("navigation", { name: t("channels:list.label") }).getByRole("listitem");
      const listed = () => rows.allInnerTexts();
      await channel(ada, "general").click({ button: "right" });
      await choose(ada, t("channels:favorites.add"));
      const favorites = t("channels:favorites.title");
      await expect.poll(listed).toEqual([favorites, "general", "engines", "avionics"]);

      // While the menu closes, keys are still its own.
      await ada.getByRole("menu").waitFor({ state: "detached" });
      // The open channel is avionics.
      await ada.keyboard.press("Alt+Shift+f");
      await expect.poll(listed).toEqual([favorites, "avionics", "general", "engines"]);
      await ada.keyboard.press("Alt+ArrowDown");
      await expect.poll(() => channel(ada, "general").getAttribute("aria-current")).toBe("page");
      await ada.reload();
      await expect.poll(listed).toEqual([favorites, "avionics", "general", "engines"]);

      await ada.getByRole("button", { name: favorites }).click();
      await expect.poll(listed).toEqual([favorites, "general", "engines"]);
      await ada.getByRole("button", { name: favorites }).click();
      await ada.keyboard.press("Alt+Shift+f");
      await channel(ada, "avionics").click({ button: "right" });
      await choose(ada, t("channels:favorites.remove"));
      await expect.poll(listed).toEqual(["general", "engines", "avionics"]);
    },
  );

  test(
    "a channel that was left is only listed with mentions, and can be joined again among all channels",
    { tags: "long" },
    async () => {
      const { ada, link } = await createGroup();
      const grace = await enter(link, "Grace");
      await createChannel(ada, "engines");
      await createChannel(ada, "avionics");
      await channel(grace, "engines").click({ button: "right" });
      await choose(grace, t("channels:leave.open.action"));
      await channel(grace, "engines").waitFor({ state: "detached" });
      await grace.getByText(t("channels:leave.open.done", { name: "engines" })).waitFor();
      await write(ada, "engines", "Anything");
      await channel(grace, "avionics").waitFor();
      expect(await channel(grace, "engines").count()).toBe(0);
      await write(ada, "engines", "@everyone, look");
      await channel(grace, "engines").click();
      await expect
        .poll(() => channel(grace, "engines").innerText())
        .not.toContain(t("common:mentions", { count: 1 }));
      await channel(grace, "general").click();
      await channel(grace, "engines").waitFor({ state: "detached" });

      await groupMenu(grace).click();
      await choose(grace, t("channels:browse.title"));
      const all = grace.getByRole("list", { name: t("channels:browse.title") });
      await expect.poll(() => all.getByRole("listitem").count()).toBe(3);
      await grace.getByLabel(t("channels:browse.search")).fill("eng");
      await grace.getByText(t("channels:browse.found", { count: 1 })).waitFor();
      await all
        .getByRole("button", { name: t("channels:leave.open.undoNamed", { name: "engines" }) })
        .click();
      await channel(grace, "engines").waitFor();
      await grace.reload();
      await all
        .getByRole("button", { name: t("channels:leave.open.actionNamed", { name: "engines" }) })
        .click();
      await channel(grace, "engines").waitFor({ state: "detached" });

      await channel(grace, "general").click();
      await grace.keyboard.press("Control+k");
      await grace.getByLabel(t("quick-switcher:title")).getByRole("combobox").fill("browse");
      await grace.keyboard.press("Enter");
      await expect.poll(() => new URL(grace.url()).pathname).toMatch(/\/channels$/);
    },
  );

  test(
    "a private channel is hidden, not left, because the user stays one of its members",
    { tags: "long" },
    async () => {
      const { ada } = await createGroup();
      await createChannel(ada, "crew", true);
      await createChannel(ada, "engines");
      await channel(ada, "crew").click({ button: "right" });
      await choose(ada, t("channels:leave.private.action"));
      await channel(ada, "crew").waitFor({ state: "detached" });
      await ada.getByRole("button", { name: t("channels:leave.private.undoShort"), exact: true }).click();
      await channel(ada, "crew").click({ button: "right" });
      await choose(ada, t("channels:leave.private.action"));
      await channel(ada, "crew").waitFor({ state: "detached" });

      await groupMenu(ada).click();
      await choose(ada, t("channels:browse.title"));
      const shown = ada.getByRole("button", {
        name: t("channels:leave.private.undoNamed", { name: "crew" }),
      });
      expect(await shown.innerText()).toBe(t("channels:leave.private.undoShort"));
      await shown.click();
      await channel(ada, "crew").waitFor();
    },
  );

  async function write(page: Page, name: string, content: string): Promise<void> {
    await channel(page, name).click();
    await page.getByLabel(t("composer:label", { title: `#${name}` })).fill(content);
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText(content).waitFor();
  }

  test(
    "joins and departures are lines in a channel, which they don't make unread, until the group turns them off",
    { tags: "long" },
    async () => {
      const owner = new FanfareClient({ url: site.url });
      const tokens = await owner.createGuest({ nickname: "Ada" });
      const { group, channels } = await owner.call("group.create", { name: "Rocket builders" });
      const { invite } = await owner.call("invite.create", { groupId: group.id });
      await owner.call("group.update", { groupId: group.id, systemChannelId: channels[0]!.id });
      const link = `${site.url}/invite/${invite.code}`;
      const join = async (nickname: string) => {
        const guest = new FanfareClient({ url: site.url });
        await guest.createGuest({ nickname });
        await guest.call("invite.accept", { code: invite.code });
        return guest;
      };
      const ada = await openWindow("Ada", `/groups/${group.id}`, tokens);
      const lines = (page: Page, text: RegExp) => page.getByRole("log").getByText(text);
      await channel(ada, "general").waitFor();
      const joan = await join("Joan");
      await lines(ada, /^Joan joined the group\.$/).waitFor();
      for (const name of ["Kay", "Liz"]) await join(name);
      const grace = await enter(link, "Grace");
      for (const page of [ada, grace])
        await lines(page, /^Joan, Kay,? and 2 others joined the group\./).waitFor();
      await joan.call("group.leave", { groupId: group.id });
      for (const page of [ada, grace])
        await lines(page, /others joined the group\. Joan left the group\.$/).waitFor();

      const channelId = channels[0]!.id;
      await owner.call("message.send", { channelId, content: "Welcome, all!", nonce: "welcome" });
      await join("Mary");
      await lines(ada, /^Mary joined the group\.$/).waitFor();
      await owner.call("channel.markRead", { channelId, seq: 1 });
      await join("Nora");
      await lines(grace, /^Mary and Nora joined the group\.$/).waitFor();
      expect((await owner.call("channel.listUnread", {})).channels).toEqual([]);
      await grace.reload();
      await lines(grace, /^Mary and Nora joined the group\.$/).waitFor();

      await site.visit(ada, `/groups/${group.id}/settings/overview`);
      await ada.getByRole("combobox", { name: t("group-settings:overview.systemChannel") }).click();
      await ada.getByRole("option", { name: t("group-settings:overview.noSystemChannel") }).click();
      await ada.getByRole("button", { name: t("common:save"), exact: true }).click();
      await ada.getByText(t("common:saved")).waitFor();
      await expect.poll(() => lines(grace, /joined the group/).count()).toBe(0);
      await lines(grace, /Welcome, all!/).waitFor();
    },
  );

  test("a manager keeps the group's settings for channels that they can't see, until they are deleted", async () => {
    const owner = new FanfareClient({ url: site.url });
    await owner.createGuest({ nickname: "Ada" });
    const { group } = await owner.call("group.create", { name: "Rocket builders" });
    const groupId = group.id;
    const secret = { groupId, name: "secret", private: true };
    const { channel: hidden } = await owner.call("channel.create", secret);
    await owner.call("group.update", { groupId, systemChannelId: hidden.id });
    await owner.call("role.setDefault", {
      groupId,
      permissions: PERMISSIONS.view | PERMISSIONS.manageGroup,
    });
    const { invite } = await owner.call("invite.create", { groupId });
    const grace = await enter(`${site.url}/invite/${invite.code}`, "Grace");
    await site.visit(grace, `/groups/${groupId}/settings/overview`);
    const chosen = grace.getByRole("combobox", { name: t("group-settings:overview.systemChannel") });
    await expect.poll(() => chosen.innerText()).toBe("#…");
    await grace.getByLabel(t("group-settings:audit.field.description")).fill("We build rockets");
    await grace.getByRole("button", { name: t("common:save"), exact: true }).click();
    await grace.getByText(t("common:saved")).waitFor();
    const stored = async () => (await owner.call("group.get", { groupId })).group;
    expect(await stored()).toMatchObject({ description: "We build rockets", systemChannelId: hidden.id });

    // What others change is shown at once, and what was typed stays.
    await grace.getByLabel(t("group-settings:audit.field.description")).fill("We build kites");
    await owner.call("channel.delete", { channelId: hidden.id });
    expect(await stored()).toMatchObject({ systemChannelId: null });
    await expect.poll(() => chosen.innerText()).toBe(t("group-settings:overview.noSystemChannel"));
    await grace.getByRole("button", { name: t("common:save"), exact: true }).click();
    await expect.poll(stored).toMatchObject({ description: "We build kites", systemChannelId: null });
  });

  test("saving a role keeps the permissions that another admin has taken away in the meantime", async () => {
    const client = new FanfareClient({ url: site.url });
    const tokens = await client.createGuest({ nickname: "Ada" });
    const { group } = await client.call("group.create", { name: "Rocket builders" });
    const groupId = group.id;
    const stored = async () => (await client.call("group.get", { groupId })).group.defaultPermissions;
    const before = PERMISSIONS.view | PERMISSIONS.banMembers;
    await client.call("role.setDefault", { groupId, permissions: before });
    const ada = await openWindow("Ada", `/groups/${groupId}/settings/roles`, tokens);
    const permission = (name: string) =>
      ada.getByRole("switch", { name: t(`group-settings:permission.${name}`) });
    await permission("attachFiles").click();
    await client.call("role.setDefault", { groupId, permissions: PERMISSIONS.view });
    await expect.poll(() => permission("banMembers").isChecked()).toBe(false);
    await ada.getByRole("button", { name: t("common:save"), exact: true }).click();
    await expect.poll(stored).toBe(PERMISSIONS.view | PERMISSIONS.attachFiles);
  });

  /** Ada owns two groups, and Grace has written in both. Both users have one of the groups open. */
  async function talkInTwoGroups() {
    const owner = new FanfareClient({ url: site.url });
    const ownTokens = await owner.createGuest({ nickname: "Ada" });
    const guest = new FanfareClient({ url: site.url });
    const tokens = await guest.createGuest({ nickname: "Grace" });
    const make = async (name: string) => {
      const { group, channels } = await owner.call("group.create", { name });
      const { invite } = await owner.call("invite.create", { groupId: group.id });
      await guest.call("invite.accept", { code: invite.code });
      const channelId = channels[0]!.id;
      await guest.call("message.send", { channelId, content: "Ready for launch", nonce: name });
      return { groupId: group.id, path: `/groups/${group.id}/channels/${channelId}` };
    };
    const [here, elsewhere] = [await make("Rocket builders"), await make("Kite builders")];
    const ada = await openWindow("Ada", here.path, ownTokens);
    const grace = await openWindow("Grace", here.path, tokens);
    return { owner, guest, ada, grace, here, elsewhere };
  }

  const author = (page: Page, name: string) =>
    page.getByRole("log").getByRole("button", { name, exact: true }).last();

  /** Opens the dialog for Grace's name and picture. */
  async function openNickname(page: Page, shownName: string): Promise<void> {
    await author(page, shownName).click();
    await page.getByRole("button", { name: t("members:more", { name: "Grace" }) }).click();
    await choose(page, t("groups:members.nickname"));
  }

  test(
    "a nickname is shown in its group only, found after @, and changed by moderators",
    { tags: "long" },
    async () => {
      const { owner, ada, grace, here, elsewhere } = await talkInTwoGroups();
      // Enter sends the message, although the chosen name is the beginning of this one.
      await owner.call("group.setOwnNickname", { groupId: here.groupId, nickname: "Captain Hook" });
      await openNickname(grace, "Grace");
      await grace.getByLabel(t("group-settings:members.nicknameField")).fill("Captain");
      await grace.keyboard.press("Enter");
      for (const page of [ada, grace]) await author(page, "Captain").waitFor();
      await ada.reload();
      await author(ada, "Captain").waitFor();
      await site.search(ada, "from:Captain");
      const results = ada.getByRole("complementary", { name: t("search:title") }).getByRole("article");
      await results.filter({ hasText: "Ready for launch" }).waitFor();

      const field = ada.getByLabel(t("composer:label", { title: "#general" }));
      await field.pressSequentially("@captain");
      const option = ada.getByRole("option").filter({ hasText: "Captain" }).filter({ hasText: "Grace" });
      await option.waitFor();
      await ada.keyboard.press("Enter");
      await expect.poll(() => field.inputValue()).toBe("@Captain ");
      await ada.keyboard.press("Enter");
      for (const page of [ada, grace]) await page.getByRole("log").getByText("@Captain").waitFor();
      await field.pressSequentially("@captain");
      await option.waitFor();
      await field.fill("");

      await author(ada, "Captain").click();
      const card = ada.getByRole("article", { name: t("members:card.label", { name: "Captain" }) });
      await card.getByText("Grace", { exact: true }).waitFor();
      await card.getByRole("button", { name: t("members:more", { name: "Grace" }) }).click();
      await choose(ada, t("groups:members.nickname"));
      await ada.getByLabel(t("group-settings:members.nicknameField")).fill("Pilot");
      await ada.keyboard.press("Enter");
      for (const page of [ada, grace]) await page.getByRole("log").getByText("@Pilot").waitFor();
      await site.visit(ada, `/groups/${here.groupId}/settings/audit-log`);
      await ada.getByText(/Captain → Pilot/).waitFor();
      await site.visit(ada, elsewhere.path);
      await author(ada, "Grace").waitFor();
    },
  );

  test(
    "a picture in a group replaces the own one there, until a moderator removes it",
    { tags: "long" },
    async () => {
      const { guest, ada, grace, here, elsewhere } = await talkInTwoGroups();
      const { fileId } = await guest.uploadPicture(new Blob([new Uint8Array(await drawSquare("teal"))]));
      const own = (await guest.call("user.setAvatar", { fileId })).user.avatarUrl!;
      const pictureIn = (place: Locator) => place.locator("img").last().getAttribute("src");
      const log = (page: Page) => page.getByRole("log");
      for (const page of [ada, grace]) await expect.poll(() => pictureIn(log(page))).toBe(own);

      await openNickname(grace, "Grace");
      const dialog = grace.getByRole("dialog", {
        name: t("group-settings:members.nicknameOf", { name: "Grace" }),
      });
      const chosen = { name: "me.png", mimeType: "image/png", buffer: await drawSquare("red") };
      await dialog.locator("input[type=file]").setInputFiles(chosen);
      await dialog.getByRole("button", { name: t("common:save"), exact: true }).click();
      await dialog.waitFor({ state: "detached" });
      const { nicknames } = await guest.call("group.listNicknames", { groupId: here.groupId });
      const { avatarUrl } = nicknames[0]!;
      expect(nicknames).toEqual([
        { userId: guest.user!.id, avatarUrl: expect.stringMatching(/webp$/) as string },
      ]);
      for (const page of [ada, grace]) await expect.poll(() => pictureIn(log(page))).toBe(avatarUrl);
      await ada.reload();
      await expect.poll(() => pictureIn(log(ada))).toBe(avatarUrl);
      await ada.keyboard.press("Control+Shift+M");
      const members = ada.getByRole("complementary", { name: t("common:members") });
      await expect.poll(() => pictureIn(members)).toBe(avatarUrl);
      await ada.keyboard.press("Control+Shift+M");
      await author(ada, "Grace").click();
      const card = ada.getByRole("article", { name: t("members:card.label", { name: "Grace" }) });
      await expect.poll(() => pictureIn(card)).toBe(avatarUrl);
      await ada.keyboard.press("Escape");
      await site.visit(ada, elsewhere.path);
      await expect.poll(() => pictureIn(log(ada))).toBe(own);

      await site.visit(ada, here.path);
      await openNickname(ada, "Grace");
      await ada.getByRole("button", { name: t("group-settings:members.removePicture") }).click();
      await ada.getByRole("button", { name: t("common:save"), exact: true }).click();
      for (const page of [ada, grace]) await expect.poll(() => pictureIn(log(page))).toBe(own);
      await site.visit(ada, `/groups/${here.groupId}/settings/audit-log`);
      await ada.getByText(new RegExp(t("group-settings:audit.field.avatarUrl"))).waitFor();
    },
  );

  test("a group that is listed in the directory is found and joined", { tags: "long" }, async () => {
    const { ada, groupPath } = await createGroup({ hasSection: true });
    await site.visit(ada, `${groupPath}/settings/overview`);
    await ada.getByLabel(t("group-settings:audit.field.description")).fill("We build rockets");
    await ada.getByRole("checkbox", { name: t("group-settings:overview.listed") }).click();
    await ada.getByRole("button", { name: t("common:save"), exact: true }).click();
    await ada.getByText(t("common:saved")).waitFor();

    const tokens = await new FanfareClient({ url: site.url }).createGuest({ nickname: "Grace" });
    const grace = await openWindow("Grace", "/", tokens);
    await grace.getByRole("link", { name: t("groups:directory.title") }).click();
    await grace.getByLabel(t("groups:directory.search")).fill("no such group");
    await grace.getByText(t("groups:directory.none")).waitFor();
    await grace.getByLabel(t("groups:directory.search")).fill("ROCKETS");
    const listed = grace.getByRole("list", { name: t("groups:directory.title") }).getByRole("listitem");
    await expect.poll(() => listed.count()).toBe(1);
    expect(await listed.innerText()).toContain(t("session:memberCount", { count: 1 }));
    await listed.getByRole("button").click();
    await grace.getByRole("heading", { name: "general" }).waitFor();
    expect(new URL(grace.url()).pathname.startsWith(groupPath)).toBe(true);

    await grace.getByRole("button", { name: t("groups:rail.add") }).click();
    await grace
      .getByRole("dialog")
      .getByRole("link", { name: t("groups:directory.title") })
      .click();
    await grace
      .getByRole("link", { name: t("groups:directory.openNamed", { name: "Rocket builders" }) })
      .click();
    await channel(grace, "general").waitFor();
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
      .getByRole("navigation", { name: t("common:groups") })
      .locator("img")
      .waitFor();

    await settings("webhooks");
    const webhookName = ada.getByLabel(t("channels:webhooks.name"));
    await webhookName.fill("Monitoring");
    await ada.getByRole("button", { name: t("channels:webhooks.create") }).click();
    await ada.getByRole("button", { name: t("shared:secretDone") }).click();
    await webhookName.fill("Build server");
    await ada.getByRole("button", { name: t("channels:webhooks.create") }).click();
    const addressField = ada.getByRole("textbox", { name: t("channels:webhooks.address") });
    await addressField.press("Escape");
    await ada.mouse.click(5, 5);
    await addressField.hover();
    const address = await addressField.inputValue();
    const suffix = "/slack";
    await ada.getByText(t("channels:webhooks.suffix", { example: suffix })).waitFor();
    const posted = await fetch(address + suffix, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "The build is *green*: <https://ci.example/1|details>" }),
    });
    expect(await posted.text()).toBe("ok");
    await grace.getByRole("log").getByText("The build is green").waitFor();
    await grace.getByRole("log").getByRole("link", { name: "details" }).waitFor();
    await ada.getByRole("button", { name: t("shared:secretDone") }).click();
    expect(await webhookName.inputValue()).toBe("");

    await settings("bots");
    await ada.getByRole("button", { name: t("group-settings:bots.create") }).click();
    const dialog = ada.getByRole("dialog");
    await dialog.getByLabel(t("group-settings:bots.name")).fill("Clock");
    await dialog.getByRole("button", { name: t("group-settings:bots.create") }).click();
    expect(await ada.getByRole("textbox", { name: t("group-settings:bots.token") }).inputValue()).toMatch(
      /^fbot\./,
    );
    await ada.getByRole("button", { name: t("shared:secretDone") }).click();

    await settings("danger");
    const deleteButton = ada.getByRole("button", { name: t("group-settings:danger.delete") });
    expect(await deleteButton.isDisabled()).toBe(true);
    await ada
      .getByLabel(t("group-settings:danger.confirmName", { name: "Rocket builders" }))
      .fill("Rocket builders");
    await deleteButton.click();
    await ada
      .getByRole("alertdialog")
      .getByRole("button", { name: t("group-settings:danger.delete") })
      .click();
    await ada.getByRole("heading", { name: t("groups:first.title", { name: "Fanfare" }) }).waitFor();
    await grace.getByText(t("home:groupNotFound")).waitFor();
  });
});
