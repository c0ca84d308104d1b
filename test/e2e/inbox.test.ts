import type { FanfareClient } from "@fanfare/client";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { hasBrowser } from "./browser.ts";
import { layoutFaults } from "./layout-faults.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("the inbox", () => {
  const site = useSite();
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let page: Page;

  beforeAll(async () => {
    ({ ada, grace, groupId, channelId } = await site.newTeam());
    await grace.connect();
    page = await site.keepPage();
  });

  const send = async (
    who: FanfareClient,
    content: string,
    more: { channelId?: string; replyTo?: string } = {},
  ) => {
    const params = { channelId, content, nonce: crypto.randomUUID(), ...more };
    return (await who.call("message.send", params)).message;
  };
  const newChannel = async (name: string) => (await ada.call("channel.create", { groupId, name })).channel.id;
  const mention = (text: string) => send(grace, `<@${ada.user!.id}> ${text}`);
  const open = async () => {
    await site.open(page, "/inbox", await site.logIn("ada"));
    await site.loaded(page);
  };
  const entry = (text: string) => page.getByRole("tabpanel").getByRole("listitem").filter({ hasText: text });
  const row = (text: string) => entry(text).locator("[data-walk]");
  const hasFocus = async (one: Locator) => (await one.and(page.locator(":focus")).count()) === 1;
  const isFocused = (text: string) => hasFocus(row(text));
  const readAll = () => ada.call("inbox.markAllRead", {});
  const last = async () => (await ada.call("message.list", { channelId, limit: 1 })).messages.at(-1)!;

  test("messages are answered from the list, which stays, and are read then", async () => {
    await mention("is the tower there?");
    const asked = await mention("is the pad clear?");
    await open();
    await row("is the pad clear?").hover();
    await entry("is the pad clear?")
      .getByRole("button", { name: t("messages:action.reply") })
      .click();
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    await field.fill("Clear since noo");

    // The reply stays when its message is read elsewhere.
    await ada.call("channel.markRead", { channelId, seq: asked.seq });
    await entry("is the tower there?").waitFor({ state: "detached" });
    await field.press("n");
    await field.press("Enter");
    await entry("is the pad clear?").getByText(t("inbox:reply.sent")).waitFor();
    expect(await last()).toMatchObject({ content: "Clear since noon", replyTo: asked.id });
    expect(new URL(page.url()).pathname).toBe("/inbox");
    // Not on the message, where what is typed next would run actions.
    const state = entry("is the pad clear?").getByRole("status");
    await expect.poll(() => hasFocus(state)).toBe(true);
    await expect.poll(async () => (await ada.call("inbox.getUnreadCount", {})).unread).toBe(0);

    // The next time, only what is still unread is listed.
    await open();
    await page.getByText(t("inbox:allRead")).waitFor();
  });

  test(
    "the keyboard moves between entries, answers, reacts and marks as read",
    { tags: "long" },
    async () => {
      await mention("first");
      await mention("second");
      const third = await mention("third");
      await open();
      await row("third").focus();
      await page.keyboard.press("ArrowDown");
      expect(await isFocused("second")).toBe(true);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("r");
      const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
      await expect.poll(() => hasFocus(field)).toBe(true);
      expect(await field.inputValue()).toBe("");
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
      await expect.poll(() => isFocused("third")).toBe(true);
      expect((await last()).id).toBe(third.id);

      await page.keyboard.press("+");
      await page
        .getByRole("dialog", { name: t("messages:reaction.choose") })
        .getByRole("button", { name: "👍" })
        .first()
        .click();
      const reaction = entry("third").getByRole("button", {
        name: t("messages:reaction.label", { emoji: "👍", count: 1 }),
      });
      expect(await reaction.getAttribute("aria-pressed")).toBe("true");

      // Marking a message as read includes the earlier ones of its channel.
      await row("second").focus();
      await page.keyboard.press("e");
      await entry("second").waitFor({ state: "detached" });
      await entry("first").waitFor({ state: "detached" });
      await expect.poll(() => isFocused("third")).toBe(true);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname.endsWith(channelId));
      // The open channel would read the next messages.
      await page.goto("about:blank");
      await readAll();
    },
  );

  test("one click and one key mark one message as read, and keep the focus", { tags: "long" }, async () => {
    await mention("older");
    const launchId = await newChannel("launch");
    const { seq } = await send(grace, `<@${ada.user!.id}> newer`, { channelId: launchId });
    await open();
    const done = (text: string) => entry(text).getByRole("button", { name: t("common:markRead") });
    await row("newer").hover();
    const { x, y } = (await done("newer").boundingBox())!;
    await page.mouse.click(x + 4, y + 4);
    await entry("newer").waitFor({ state: "detached" });
    await done("older").waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await row("older").focus();
    // A key that is held repeats.
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent("keydown", { key: "e", repeat: true, bubbles: true, cancelable: true }))`);
    expect((await ada.call("inbox.getUnreadCount", {})).unread).toBe(1);

    await ada.call("channel.markUnread", { channelId: launchId, seq });
    await page.getByRole("tab", { name: t("inbox:tab.all") }).click();
    await row("newer").focus();
    await done("newer").press("Enter");
    await done("newer").waitFor({ state: "detached" });
    await expect.poll(() => isFocused("newer")).toBe(true);

    // Who uses another part of the page isn't interrupted.
    await page.getByRole("tab", { name: t("inbox:tab.unread") }).click();
    await row("older").focus();
    await page.getByRole("heading", { level: 1 }).click();
    await readAll();
    await entry("older").waitFor({ state: "detached" });
    expect(await hasFocus(page.getByRole("tab"))).toBe(false);
  });

  test("mentions and replies can be listed separately", async () => {
    await mention("a mention");
    const own = await send(ada, "a question");
    await send(grace, "an answer", { replyTo: own.id });
    await open();
    await page.getByRole("radio", { name: t("inbox:kind.replies") }).click();
    await entry("a mention").waitFor({ state: "detached" });
    await entry("an answer").waitFor();
    await page.getByRole("radio", { name: t("inbox:kind.mentions") }).click();
    await entry("an answer").waitFor({ state: "detached" });
    expect(await entry("a mention").count()).toBe(1);
    await readAll();
    await page.getByText(t("inbox:allRead")).waitFor();
  });

  test("back from a message, the list is where it was", async () => {
    for (let number = 1; number <= 30; number += 1) await mention(`Number ${number}.`);
    await open();
    await page.getByRole("tab", { name: t("inbox:tab.all") }).click();
    await row("Number 8.").focus();
    const scrolled = () =>
      page
        .locator("main .overflow-y-auto")
        .first()
        .evaluate((one) => one.scrollTop);
    const before = await scrolled();
    expect(before).toBeGreaterThan(300);
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("Number 8.").waitFor();
    await page.goBack();
    await row("Number 8.").waitFor();
    expect(Math.abs((await scrolled()) - before)).toBeLessThan(2);
    await expect.poll(() => isFocused("Number 8.")).toBe(true);

    // Opened by a link, it starts afresh.
    await page.keyboard.press("Enter");
    await page.getByRole("log").waitFor();
    await page.locator("a[href='/inbox']").first().click();
    const first = page.getByRole("tab", { name: t("inbox:tab.unread") });
    await expect.poll(() => first.getAttribute("aria-selected")).toBe("true");
    expect(await scrolled()).toBe(0);
    await readAll();
  });

  test(
    "with a reply open, it has no violations and no layout faults on a phone, with long names",
    { tags: "long" },
    async () => {
      const name = "wolfeschlegelsteinhausen".repeat(4).slice(0, 100);
      await ada.call("channel.update", { channelId, name });
      await mention("x".repeat(200));
      const phone = await site.newPage(
        { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
        await site.logIn("ada"),
      );
      await phone.goto(`${site.url}/inbox`);
      await phone
        .getByRole("tabpanel")
        .getByRole("button", { name: t("messages:action.reply") })
        .first()
        .tap();
      await phone.getByRole("textbox", { name: t("composer:label", { title: `#${name}` }) }).waitFor();
      expect(await layoutFaults(phone, "inbox")).toEqual([]);
      expect(await violations(phone, "inbox")).toEqual([]);
    },
  );

  test(
    "a refused reply leaves its message unread, and none is offered without the permission",
    { tags: "long" },
    async () => {
      const fuelId = await newChannel("fuel");
      await ada.call("group.setWordFilter", { groupId, words: ["hydrazine"] });
      await grace.call("inbox.markAllRead", {});
      await send(ada, `<@${grace.user!.id}> which fuel?`, { channelId: fuelId });
      await site.open(page, "/inbox", await site.logIn("grace"));
      await row("which fuel?").focus();
      const button = (label: string) => entry("which fuel?").getByRole("button", { name: label });
      await button(t("messages:action.reply")).waitFor();
      await page.keyboard.press("r");
      const field = page.getByRole("textbox", { name: t("composer:label", { title: "#fuel" }) });
      await field.fill("hydrazine");
      await field.press("Enter");
      await entry("which fuel?").getByText(t("inbox:scheduled.failed")).waitFor();
      expect((await grace.call("inbox.getUnreadCount", {})).unread).toBe(1);

      await row("which fuel?").focus();
      const deny = PERMISSIONS.sendMessages | PERMISSIONS.addReactions;
      await ada.call("channel.setOverride", {
        channelId: fuelId,
        target: { type: "everyone" },
        allow: 0,
        deny,
      });
      await button(t("messages:action.reply")).waitFor({ state: "detached" });
      expect(await button(t("messages:action.react")).count()).toBe(0);
      await page.keyboard.press("r");
      await button(t("messages:action.save")).waitFor();
      expect(await field.count()).toBe(0);
    },
  );
});
