import { FanfareClient } from "@fanfare/client";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { createAccount, must, post } from "@fanfare/testing";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe.skipIf(!hasBrowser())("reports", () => {
  const site = useSite();
  /** The first account. */
  let admin: Awaited<ReturnType<typeof createAccount>>;
  let owner: FanfareClient;
  let author: FanfareClient;
  let reporter: FanfareClient;
  let groupId: string;
  let channelId: string;
  let path: string;

  beforeAll(async () => {
    admin = await createAccount(site.url);
  });

  beforeEach(async () => {
    [owner, author, reporter] = [newClient(), newClient(), newClient()];
    await owner.createGuest({ nickname: "Olivia" });
    await author.createGuest({ nickname: "Mallory" });
    await reporter.createGuest({ nickname: "Rosa" });
    const { group, channels } = await owner.call("group.create", { name: "Rocket builders" });
    [groupId, channelId] = [group.id, channels[0]!.id];
    path = `/groups/${groupId}/channels/${channelId}`;
    const { invite } = await owner.call("invite.create", { groupId });
    for (const client of [author, reporter]) await client.call("invite.accept", { code: invite.code });
  });

  const newClient = () => new FanfareClient({ url: site.url });
  let nonces = 0;
  const write = (content: string, channel = channelId) =>
    author.call("message.send", { channelId: channel, content, nonce: String((nonces += 1)) });
  const message = (page: Page, text: string) => page.getByRole("log").getByText(text, { exact: true });
  const dialog = (page: Page) => page.getByRole("dialog", { name: t("messages:report.title") });
  const send = (page: Page) =>
    dialog(page)
      .getByRole("button", { name: t("messages:report.action"), exact: true })
      .click();
  const listed = async () => (await owner.call("report.list", { groupId })).reports;

  test("a message is reported with a reason, once, and never one's own", async () => {
    await write("buy my coins");
    const page = await site.newPage({}, reporter.tokens!);
    await page.goto(site.url + path);
    await message(page, "buy my coins").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.report") }).click();
    await dialog(page)
      .getByRole("radio", { name: t("messages:report.reasons.other") })
      .click();
    const button = dialog(page).getByRole("button", { name: t("messages:report.action"), exact: true });
    expect(await button.isDisabled()).toBe(true);
    await dialog(page).getByLabel(t("messages:report.details")).fill("They sell fake coins.");
    await button.click();
    await page.getByText(t("messages:report.sent")).waitFor();
    await dialog(page).waitFor({ state: "detached" });
    expect(await listed()).toMatchObject([
      { content: "buy my coins", reporters: [{ reason: "other", details: "They sell fake coins." }] },
    ]);

    await message(page, "buy my coins").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.report") }).click();
    await send(page);
    await dialog(page).getByText(t("shared:error.ALREADY_REPORTED")).waitFor();

    const own = await site.newPage({}, author.tokens!);
    await own.goto(site.url + path);
    await message(own, "buy my coins").click({ button: "right" });
    await own.getByRole("menuitem", { name: t("common:copyLink") }).waitFor();
    expect(await own.getByRole("menuitem", { name: t("messages:action.report") }).count()).toBe(0);
  });

  test("by keyboard", { tags: "long" }, async () => {
    await write("you are all stupid");
    const page = await site.newPage({}, reporter.tokens!);
    await page.goto(site.url + path);
    await message(page, "you are all stupid").waitFor();
    // It takes the focus when it appears.
    await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
    await page.getByRole("log").locator("article").last().focus();
    await page
      .getByRole("log")
      .getByRole("button", { name: t("common:more") })
      .focus();
    await page.keyboard.press("Enter");
    const item = page.getByRole("menuitem", { name: t("messages:action.report") });
    await item.waitFor();
    // The menu takes the focus a moment after it appears.
    await expect
      .poll(async () => {
        await page.keyboard.press("End");
        return item.evaluate((element) => element === element.ownerDocument.activeElement);
      })
      .toBe(true);
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await page.getByRole("radio", { name: t("messages:report.reasons.spam") }).focus();
    await page.keyboard.press("ArrowDown");
    await dialog(page).getByLabel(t("messages:report.optionalDetails")).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText(t("messages:report.sent")).waitFor();
    expect(await listed()).toMatchObject([{ reporters: [{ reason: "harassment", details: "" }] }]);
  });

  test("on a phone, in a direct message, to the admins of the server", { tags: "long" }, async () => {
    const { channel } = await author.call("channel.openDirect", { userId: reporter.user!.id });
    await write("send me money", channel.id);
    const page = await site.newPage(PHONE, reporter.tokens!);
    await page.goto(`${site.url}/direct/${channel.id}`);
    await message(page, "send me money").dispatchEvent("contextmenu");
    await page.getByRole("button", { name: t("messages:action.report") }).tap();
    await dialog(page).getByText(t("messages:report.textForAdmins")).waitFor();
    await send(page);
    await page.getByText(t("messages:report.sentToAdmins")).waitFor();
    const { reports } = await must(site.url, "admin.listReports", {}, admin.accessToken);
    expect(reports).toMatchObject([{ groupId: null, content: "send me money" }]);
    const closing = { reportId: reports[0]!.id, outcome: "dismissed" as const };
    await must(site.url, "admin.closeReport", closing, admin.accessToken);
  });

  const openReports = (page: Page, count: number) =>
    page.getByRole("link", { name: t("groups:reports.open", { count }) });
  const cards = (page: Page) => page.getByRole("article", { name: /^Reported message by/ });
  const button = (page: Page, key: string) =>
    cards(page)
      .first()
      .getByRole("button", { name: t(`group-settings:reports.${key}`), exact: true });
  const queue = () => `/groups/${groupId}/settings/reports`;

  async function report(content: string, details = ""): Promise<string> {
    const { message: written } = await write(content);
    const params = { channelId, messageId: written.id, reason: "spam" as const, details };
    await reporter.call("report.create", params);
    return written.id;
  }

  async function newModerator(): Promise<FanfareClient> {
    const moderator = newClient();
    const { user } = await moderator.createGuest({ nickname: "Mona" });
    const { invite } = await owner.call("invite.create", { groupId });
    await moderator.call("invite.accept", { code: invite.code });
    const permissions = PERMISSIONS.manageMessages;
    const { role } = await owner.call("role.create", { groupId, name: "Moderators", permissions });
    await owner.call("role.assign", { groupId, userId: user.id, roleId: role.id });
    return moderator;
  }

  test(
    "moderators see a report at once, and that one of them has kicked the author",
    { tags: "long" },
    async () => {
      const moderator = await newModerator();
      const page = await site.newPage({}, owner.tokens!);
      await page.goto(site.url + path);
      const other = await site.newPage({}, moderator.tokens!);
      await other.goto(site.url + queue());
      await other.getByText(t("group-settings:reports.none")).waitFor();
      expect(await openReports(page, 1).count()).toBe(0);

      const messageId = await report("buy my coins", "fake coins");
      await openReports(page, 1).click();
      for (const window of [page, other]) {
        await cards(window).getByText("buy my coins").waitFor();
        await cards(window).getByText("fake coins").waitFor();
        await cards(window).getByText("Rosa").waitFor();
      }
      // The text is that of the report.
      await author.call("message.edit", { channelId, messageId, content: "nothing" });
      await page.reload();
      await cards(page).getByText("buy my coins").waitFor();
      await cards(page)
        .getByRole("link", { name: t("group-settings:reports.goTo", { channel: "general" }) })
        .click();
      await message(page, "nothing").waitFor();
      await openReports(page, 1).click();

      // The moderator's role doesn't allow it.
      expect(await button(other, "kick").count()).toBe(0);
      await button(page, "kick").click();
      await page.getByLabel(t("group-settings:moderate.reason")).fill("Sells fake coins");
      await page.getByRole("button", { name: t("groups:moderate.kick.action"), exact: true }).click();
      for (const window of [page, other]) {
        await window.getByText(t("group-settings:reports.none")).waitFor();
        await openReports(window, 1).waitFor({ state: "detached" });
      }
      await page.getByRole("link", { name: t("common:auditLog") }).click();
      const closed = { actor: "Olivia", target: "Mallory" };
      await page.getByText(t("group-settings:audit.sentence.report.close", closed)).waitFor();
      await page.getByText(t("group-settings:audit.sentence.group.kick", closed)).waitFor();
      await page.getByText(t("group-settings:audit.reason", { reason: "Sells fake coins" })).waitFor();
    },
  );

  test(
    "a moderator deletes one message and dismisses the report of another, on a phone",
    { tags: "long" },
    async () => {
      await report("fine, really");
      const messageId = await report("an insult");
      const page = await site.newPage(PHONE, (await newModerator()).tokens!);
      await page.goto(site.url + queue());
      await openReports(page, 2).waitFor();
      await cards(page).first().getByText("an insult").waitFor();
      await button(page, "deleteMessage").tap();
      await page.getByRole("button", { name: t("messages:delete.action") }).tap();
      await openReports(page, 1).waitFor();
      const { message: deleted } = await author.call("message.get", { channelId, messageId });
      expect(deleted.deletedAt).not.toBeNull();
      await button(page, "dismiss").tap();
      await page.getByText(t("group-settings:reports.none")).waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.viewport.width);
    },
  );

  test("an admin disables the author of a reported direct message", { tags: "long" }, async () => {
    const { channel } = await author.call("channel.openDirect", { userId: reporter.user!.id });
    const page = await site.newPage({}, await site.logIn(admin.username));
    await page.goto(site.url);
    const menu = page.getByRole("button", { name: t("groups:reports.open", { count: 1 }) });
    await page.getByRole("button", { name: admin.username }).waitFor();
    expect(await menu.count()).toBe(0);
    const { message: written } = await write("send me money", channel.id);
    const params = { channelId: channel.id, messageId: written.id, reason: "harassment" as const };
    await reporter.call("report.create", params);
    await menu.click();
    await page.getByRole("menuitem", { name: t("shell:admin") }).click();
    // The overview has another one, once it has loaded.
    await openReports(page, 1).first().click();
    await cards(page).getByText("send me money").waitFor();
    await cards(page)
      .getByRole("button", { name: t("admin:users.disable.menu") })
      .click();
    await page.getByRole("button", { name: t("admin:users.disable.action") }).click();
    await page.getByText(t("group-settings:reports.none")).waitFor();
    expect(await post(site.url, "user.me", {}, author.tokens!.accessToken)).toMatchObject({
      error: { type: "SESSION_REVOKED" },
    });
  });

  test("a rule refuses links with an explanation, or reports them", { tags: "long" }, async () => {
    const page = await site.newPage({}, owner.tokens!);
    const rule = page.getByRole("group", { name: t("group-settings:rules.links.title") });
    const apply = () => page.getByRole("button", { name: t("group-settings:rules.save") }).click();
    const saved = page.getByText(t("common:saved"), { exact: true });
    await page.goto(`${site.url}/groups/${groupId}/settings/filter`);
    await rule.getByRole("switch").click();
    await rule.getByLabel(t("group-settings:rules.links.hosts")).fill("no host");
    await rule.getByText(t("group-settings:rules.badHost")).waitFor();
    await rule.getByLabel(t("group-settings:rules.links.hosts")).fill("https://Example.com/about");
    await apply();
    await saved.waitFor();

    const writing = await site.newPage(PHONE, author.tokens!);
    await writing.goto(site.url + path);
    const field = writing.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    const submit = async (text: string) => {
      await field.fill(text);
      await writing.getByRole("button", { name: t("composer:send"), exact: true }).tap();
    };
    await submit("https://evil.example");
    await writing.getByText(t("shared:refused.links")).first().waitFor();
    await submit("https://www.example.com");
    await message(writing, "https://www.example.com").waitFor();
    const { messages } = await author.call("message.list", { channelId });
    expect(messages.map(({ content }) => content)).toEqual(["https://www.example.com"]);

    await page.reload();
    await rule.getByText("example.com").waitFor();
    await rule.getByRole("combobox").click();
    await page.getByRole("option", { name: t("group-settings:rules.report") }).click();
    await apply();
    await saved.waitFor();
    await author.call("message.send", { channelId, content: "https://evil.example", nonce: "reported" });
    await openReports(page, 1).click();
    await cards(page).getByText("https://evil.example").waitFor();
    await cards(page).getByText(t("group-settings:rules.links.title"), { exact: true }).waitFor();
    await cards(page).getByText(t("groups:section.filter")).waitFor();
  });
});
