import type { FanfareClient } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const LAPTOP = { viewport: { width: 1100, height: 700 } };
const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
const UNREACHABLE = t("shared:error.CONNECTION_LOST");

describe.skipIf(!hasBrowser())("what people do every day", () => {
  const site = useSite();
  /** The user in the browser, and one who writes to her. */
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let asideId: string;

  beforeAll(async () => {
    ({ ada, grace, groupId, channelId } = await site.newTeam());
    asideId = (await ada.call("channel.create", { groupId, name: "aside" })).channel.id;
    for (const inChannel of [channelId, asideId]) await write(ada, "Good morning", { channelId: inChannel });
  });

  async function write(client: FanfareClient, content: string, more: object = {}): Promise<Message> {
    const params = { channelId, content, nonce: crypto.randomUUID(), ...more };
    return (await client.call("message.send", params)).message;
  }

  /** A device of Ada's. */
  async function open(options: BrowserContextOptions, inChannelId: string): Promise<Page> {
    const page = await site.newPage(options, await site.logIn("ada"));
    await page.goto(`${site.url}/groups/${groupId}/channels/${inChannelId}`);
    await page.getByRole("log").getByText("Good morning").waitFor();
    return page;
  }

  /** Resolves when the page knows: what it does from then on fails, or waits. */
  async function goOffline(page: Page): Promise<void> {
    await page.context().setOffline(true);
    await page.getByText(t("shell:connection.noNetwork")).waitFor();
  }

  async function goOnline(page: Page): Promise<void> {
    await page.context().setOffline(false);
    const notices = ["noNetwork", "reconnecting"].map((kind) =>
      page.getByText(t(`shell:connection.${kind}`)),
    );
    for (const notice of notices) await notice.waitFor({ state: "detached" });
  }

  /** Each call waits for one more toast that says so. Toasts vanish by themselves, so the page remembers them. */
  async function watchFailures(page: Page): Promise<() => Promise<void>> {
    await page.evaluate(`window.toasts = new Set();
      new MutationObserver(() => document.querySelectorAll("[role=alertdialog]").forEach((one) => toasts.add(one)))
        .observe(document.body, { childList: true, subtree: true })`);
    const texts = () => page.evaluate<string[]>("[...toasts].map(({ textContent }) => textContent)");
    const expected: string[] = [];
    return async () => {
      expected.push(UNREACHABLE);
      await expect.poll(texts).toEqual(expected);
    };
  }

  const text = (page: Page, content: string) => page.getByRole("log").getByText(content, { exact: true });
  const lists = (page: Page) => page.getByRole("navigation", { name: t("channels:list.label") });
  const row = (page: Page) => lists(page).getByRole("link", { name: "general" });
  const sign = (page: Page, key: string) => row(page).getByText(t(`channels:${key}`), { exact: true });
  const favorites = (page: Page) => lists(page).getByRole("button", { name: t("channels:favorites.title") });
  const choose = (page: Page, item: string) => page.getByRole("menuitem", { name: t(item) }).click();
  const mute = async (page: Page) => {
    await row(page).click({ button: "right" });
    await choose(page, "common:notifications");
    // Toasts are dialogs too.
    const dialog = page.getByRole("dialog", { name: t("groups:notifications.title", { name: "#general" }) });
    await dialog.waitFor();
    return dialog;
  };
  /** The focus goes back then, which closes a popover that is opened too early. A tooltip takes the first Esc. */
  const dismiss = (dialog: Locator) =>
    expect
      .poll(async () => {
        await dialog.page().keyboard.press("Escape");
        return dialog.count();
      })
      .toBe(0);

  const author = (page: Page, name: string) =>
    page.getByRole("log").getByRole("button", { name, exact: true }).first();
  /** What is still being loaded can take the focus, which closes the card. */
  const openMore = async (page: Page, name: string) => {
    const more = page.getByRole("button", { name: t("members:more", { name }) });
    const isOpened = async () => {
      await author(page, name).click();
      return more.click({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isOpened).toBe(true);
  };
  const openStickers = async (page: Page) => {
    await page.getByRole("button", { name: t("composer:emoji"), exact: true }).click();
    await page.getByRole("tab", { name: t("emoji:kind.sticker") }).click();
    const sticker = page.getByRole("dialog").getByRole("button", { name: "Happy cat" });
    await sticker.waitFor();
    return sticker;
  };

  test("what is set on a laptop is seen on the phone, without a reload", async () => {
    const [laptop, phone] = await Promise.all([open(LAPTOP, asideId), open(PHONE, asideId)]);
    await phone.getByRole("button", { name: t("shell:openLists") }).click();
    await write(grace, "Lunch at noon?");
    await sign(phone, "unread").waitFor();
    await row(laptop).click();
    await text(laptop, "Lunch at noon?").waitFor();
    await sign(phone, "unread").waitFor({ state: "detached" });
    await text(laptop, "Lunch at noon?").click({ button: "right" });
    await choose(laptop, "messages:action.markUnread");
    await sign(phone, "unread").waitFor();

    await text(laptop, "Lunch at noon?").click({ button: "right" });
    await choose(laptop, "messages:action.save");
    await row(laptop).click({ button: "right" });
    await choose(laptop, "channels:favorites.add");
    await favorites(phone).waitFor();
    const dialog = await mute(laptop);
    await dialog.getByRole("button", { name: t("channels:mute.forever") }).click();
    await dialog.getByText(t("groups:notifications.mutedForever"), { exact: true }).waitFor();
    await dismiss(dialog);
    await sign(phone, "muted").waitFor();
    await laptop.getByRole("button", { name: t("shell:you") }).click();
    await choose(laptop, "shell:customStatus.open");
    await laptop.getByRole("button", { name: t("shell:customStatus.meeting") }).click();
    await laptop.getByRole("button", { name: t("common:save") }).click();
    await phone
      .getByRole("dialog")
      .getByRole("img", { name: t("shell:customStatus.meeting") })
      .waitFor();

    await phone.keyboard.press("Escape");
    await openMore(laptop, "Ada");
    await choose(laptop, "groups:members.nickname");
    await laptop.getByLabel(t("group-settings:members.nicknameField")).fill("Captain");
    await laptop.keyboard.press("Enter");
    await author(phone, "Captain").waitFor();

    await site.visit(phone, "/inbox");
    await phone.getByRole("tab", { name: t("inbox:tab.saved") }).click();
    await phone.getByRole("tabpanel").getByText("Lunch at noon?").waitFor();
    await site.visit(laptop, "/settings/appearance");
    await laptop.getByRole("combobox", { name: t("session:language") }).click();
    await laptop.getByRole("option", { name: "Deutsch" }).click();
    await phone.getByRole("tab", { name: "Gespeichert" }).waitFor();
    await expect.poll(() => phone.locator("html").getAttribute("lang")).toBe("de");

    await ada.call("user.setPreferences", { language: null });
    await ada.call("saved.remove", { messageId: (await ada.call("saved.list", {})).saved[0]!.messageId });
    await ada.call("notification.set", { channelId, favorite: false, mutedUntil: null });
  });

  test("without a connection, a vote, a reaction, a favorite and a status fail visibly, and work later", async () => {
    await write(grace, "Where to?", { poll: { options: ["Mars", "Venus"] } });
    const { id: messageId } = await write(grace, "Well done");
    await grace.call("message.react", { channelId, messageId, emoji: "🎉" });
    const page = await open(LAPTOP, channelId);
    const vote = (device: Page, count: number, checked: boolean) =>
      device.getByRole("radio", { name: `Mars: ${count} vote`, checked });
    const party = (device: Page, count: number, pressed: boolean) =>
      device.getByRole("button", { name: t("messages:reaction.label", { emoji: "🎉", count }), pressed });
    const favor = async () => {
      await row(page).click({ button: "right" });
      await choose(page, "channels:favorites.add");
    };
    const away = async (checked: boolean) => {
      await page.getByRole("button", { name: t("shell:you") }).click();
      const status = page.getByRole("menuitemcheckbox", { name: t("members:status.idle"), checked });
      await status.waitFor();
      return status;
    };
    const expectFailure = await watchFailures(page);
    await party(page, 1, false).waitFor();
    await goOffline(page);
    await vote(page, 0, false).click();
    await expectFailure();
    await party(page, 1, false).click();
    await expectFailure();
    await favor();
    await expectFailure();
    await (await away(false)).click();
    await expectFailure();
    await dismiss(await away(false));
    await vote(page, 0, false).waitFor();
    await party(page, 1, false).waitFor();
    expect(await favorites(page).count()).toBe(0);

    await goOnline(page);
    await vote(page, 0, false).click();
    await vote(page, 1, true).waitFor();
    await party(page, 1, false).click();
    await party(page, 2, true).waitFor();
    await favor();
    await favorites(page).waitFor();
    await (await away(false)).click();
    await dismiss(await away(true));
    await page.reload();
    for (const device of [page, await open(PHONE, channelId)]) {
      await vote(device, 1, true).waitFor();
      await party(device, 2, true).waitFor();
    }
    await favorites(page).waitFor();
    await away(true);

    await ada.call("presence.setStatus", { status: "online" });
    await ada.call("notification.set", { channelId, favorite: false });
  });

  test(
    "without a connection, a channel can't be muted, and a sticker is sent later, once",
    { tags: "long" },
    async () => {
      const { fileId } = await ada.uploadPicture(new Blob([new Uint8Array(await drawSquare("teal", 200))]));
      await ada.call("emoji.add", { groupId, kind: "sticker", name: "Happy cat", fileId });
      const page = await open(LAPTOP, channelId);
      // The code is loaded when it is first opened.
      await dismiss(await openStickers(page));
      const dialog = await mute(page);
      const forever = dialog.getByRole("button", { name: t("channels:mute.forever") });
      await goOffline(page);
      await forever.click();
      await dialog.getByText(UNREACHABLE).waitFor();
      await forever.waitFor();
      await dismiss(dialog);
      await (await openStickers(page)).click();
      const cat = page.getByRole("log").getByRole("img", { name: "Happy cat" });
      const pending = page.getByRole("log").locator(".pending");
      await pending.getByRole("img", { name: "Happy cat" }).waitFor();

      await goOnline(page);
      await pending.waitFor({ state: "detached" });
      await mute(page);
      await forever.click();
      await forever.waitFor({ state: "detached" });
      await page.reload();
      await sign(page, "muted").waitFor();
      await cat.waitFor();
      const { messages } = await grace.call("message.list", { channelId });
      expect(messages.filter(({ content }) => content === "Happy cat")).toHaveLength(1);
      await ada.call("notification.set", { channelId, mutedUntil: null });
    },
  );

  test(
    "without a connection, a nickname, a picture and an emoji fail visibly, and can be saved later",
    { tags: "long" },
    async () => {
      await ada.call("group.setOwnNickname", { groupId, nickname: null });
      const picture = { name: "comet.png", mimeType: "image/png", buffer: await drawSquare("teal") };
      const page = await open(LAPTOP, channelId);
      await openMore(page, "Ada");
      await choose(page, "groups:members.nickname");
      const dialog = page.getByRole("dialog", {
        name: t("group-settings:members.nicknameOf", { name: "Ada" }),
      });
      const field = dialog.getByLabel(t("group-settings:members.nicknameField"));
      await field.fill("Commander");
      await dialog.locator("input[type=file]").setInputFiles(picture);
      await goOffline(page);
      await field.press("Enter");
      await dialog.getByRole("alert").getByText(UNREACHABLE).waitFor();
      await goOnline(page);
      await field.press("Enter");
      await dialog.waitFor({ state: "detached" });
      await author(page, "Commander").waitFor();
      const { nicknames } = await grace.call("group.listNicknames", { groupId });
      expect(nicknames).toMatchObject([{ nickname: "Commander", avatarUrl: expect.any(String) as string }]);

      await site.visit(page, `/groups/${groupId}/settings/emoji`);
      const add = () => page.locator("input[type=file]").setInputFiles(picture);
      await goOffline(page);
      await add();
      await page.getByText(`comet.png: ${UNREACHABLE}`).waitFor();
      await goOnline(page);
      await add();
      await page.getByText(t("group-settings:emoji.added", { count: 1 })).waitFor();
      const { emoji } = await grace.call("emoji.list", { groupId });
      expect(emoji.map(({ name }) => name)).toContain("comet");
    },
  );

  test(
    "without a connection, an unread mark, a reminder, a report and a schedule fail visibly, and work later",
    { tags: "long" },
    async () => {
      const { seq } = await write(grace, "Buy my coins");
      const page = await open(LAPTOP, channelId);
      const act = async (action: string) => {
        await text(page, "Buy my coins").click({ button: "right" });
        await choose(page, `messages:action.${action}`);
      };
      const schedule = async () => {
        await page.getByRole("button", { name: t("common:add"), exact: true }).click();
        await choose(page, "composer:schedule.open");
      };
      const dialogs = [
        { ask: () => act("remind"), title: "messages:reminder.title", button: "shared:later.tomorrow" },
        { ask: () => act("report"), title: "messages:report.title", button: "messages:report.action" },
        { ask: schedule, title: "composer:schedule.title", button: "shared:later.tomorrow" },
      ];
      const openDialog = async ({ ask, title }: (typeof dialogs)[number]) => {
        await ask();
        const dialog = page.getByRole("dialog", { name: t(title) });
        await dialog.waitFor();
        return dialog;
      };
      const confirm = async (of: (typeof dialogs)[number]) => {
        const dialog = await openDialog(of);
        // In the evening, "in 3 hours" is tomorrow too.
        await dialog.getByRole("button", { name: new RegExp(`^${t(of.button)}`) }).click();
        return dialog;
      };
      const lastReadSeq = async () => (await ada.call("channel.get", { channelId })).channel.lastReadSeq;
      const made = async () => [
        (await ada.call("saved.list", {})).saved.length,
        (await ada.call("report.list", { groupId })).reports.length,
        (await ada.call("scheduled.list", {})).scheduled.length,
      ];
      const expectFailure = await watchFailures(page);
      await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).fill("See you");
      // Their code is loaded when they are first opened.
      for (const each of dialogs) await dismiss(await openDialog(each));
      await expect.poll(lastReadSeq).toBe(seq);
      await goOffline(page);
      await act("markUnread");
      await expectFailure();
      for (const each of dialogs) {
        const dialog = await confirm(each);
        await dialog.getByRole("alert").getByText(UNREACHABLE).waitFor();
        await dismiss(dialog);
      }

      await goOnline(page);
      // What waits for the connection is sent before this arrives.
      await write(grace, "Half price");
      await text(page, "Half price").waitFor();
      expect(await made()).toEqual([0, 0, 0]);
      expect(await lastReadSeq()).toBeGreaterThanOrEqual(seq);
      for (const each of dialogs) await (await confirm(each)).waitFor({ state: "detached" });
      expect(await made()).toEqual([1, 1, 1]);
      await act("markUnread");
      await expect.poll(lastReadSeq).toBe(seq - 1);
    },
  );

  test(
    "without a connection, earlier results of a search are shown, and a new one waits",
    { tags: "long" },
    async () => {
      await write(grace, "A comet returns");
      await write(grace, "An eclipse begins");
      const page = await open(LAPTOP, channelId);
      const panel = page.getByRole("complementary", { name: t("search:title") });
      const words = panel.getByRole("combobox", { name: t("search:field") });
      const results = panel.getByRole("article");
      await site.search(page, "comet");
      await goOffline(page);
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      await words.fill("eclipse");
      await panel.getByText(t("search:searching")).waitFor();
      await words.fill("comet");
      await results.getByText("A comet returns").waitFor();
      await words.fill("eclipse");
      await panel.getByText(t("search:searching")).waitFor();
      expect(await panel.getByRole("alert").count()).toBe(0);
      await goOnline(page);
      await results.getByText("An eclipse begins").waitFor();
      expect(await results.count()).toBe(1);
      // It really has waited.
      expect(requests.filter((url) => url.includes("message.search"))).toEqual([]);
    },
  );

  test(
    "without a connection, what is opened for the first time doesn't break the page, and opens later",
    { tags: "long" },
    async () => {
      const page = await open(LAPTOP, channelId);
      await goOffline(page);
      await page.getByRole("button", { name: t("shell:you") }).click();
      await choose(page, "shell:customStatus.open");
      await page
        .getByRole("button", { name: t("search:title"), exact: true })
        .last()
        .click();
      await goOnline(page);
      await page.getByRole("dialog", { name: t("shell:customStatus.title") }).waitFor();
      await page.getByRole("combobox", { name: t("search:field"), includeHidden: true }).waitFor();
      expect(await text(page, "Good morning").count()).toBe(1);
    },
  );

  test(
    "without a connection, the language changes once its texts can be loaded, on all devices",
    { tags: "long" },
    async () => {
      const [page, phone] = await Promise.all([open(LAPTOP, channelId), open(PHONE, channelId)]);
      await site.visit(page, "/settings/appearance");
      const language = page.getByRole("combobox", { name: /^(Language|Sprache|Langue)/ });
      const chooseLanguage = async (name: string) => {
        await language.click();
        await page.getByRole("option", { name }).click();
      };
      const expectLanguage = (device: Page, tag: string) =>
        expect.poll(() => device.locator("html").getAttribute("lang")).toBe(tag);
      await chooseLanguage("Deutsch");
      await expectLanguage(page, "de");
      await page.context().setOffline(true);
      await page.getByText("Du bist offline.").waitFor();
      await chooseLanguage("English");
      await page.getByText(t("shell:connection.noNetwork")).waitFor();
      await chooseLanguage("Français");
      await language.filter({ hasText: "Français" }).waitFor();
      await expectLanguage(page, "en");
      await page.context().setOffline(false);
      await expectLanguage(page, "fr");
      await expectLanguage(phone, "fr");
      // The language of mails too.
      await expect.poll(async () => (await ada.call("user.me", {})).user.locale).toBe("fr");
      await page.reload();
      await expectLanguage(page, "fr");
      await ada.call("user.setPreferences", { language: null });
      await ada.call("user.updateProfile", { locale: "en" });
    },
  );

  test(
    "two people read each other, each in their own language and direction, also after a reload",
    { tags: "long" },
    async () => {
      const { channel } = await ada.call("channel.create", { groupId, name: "tower" });
      const openIn = async (language: string, username: string, label: string) => {
        const page = await site.newPage(LAPTOP, await site.logIn(username));
        await page.goto(`${site.url}/settings/appearance`);
        await page.getByRole("combobox", { name: t("session:language") }).click();
        await page.getByRole("option", { name: language }).click();
        await site.visit(page, `/groups/${groupId}/channels/${channel.id}`);
        return { page, field: page.getByRole("textbox", { name: label }) };
      };
      const [german, arabic] = await Promise.all([
        openIn("Deutsch", "ada", "Nachricht an #tower"),
        openIn("العربية", "grace", "رسالة إلى \u2068#tower\u2069"),
      ]);
      const [greeting, answer] = ["Guten Tag, Grace", "مرحبًا يا آدا"];
      await german.field.fill(greeting);
      await german.field.press("Enter");
      await text(arabic.page, greeting).waitFor();
      await arabic.field.fill(answer);
      await arabic.field.press("Enter");
      await text(german.page, answer).waitFor();

      const seen = (page: Page) =>
        page.evaluate<
          string[]
        >(`[document.documentElement, ...document.querySelectorAll(".message .markdown")]
        .map((one) => getComputedStyle(one).direction + " " + (one.lang || one.innerText))`);
      for (const { page, field } of [german, arabic]) {
        await page.reload();
        await field.waitFor();
        const own = page === german.page ? "ltr de" : "rtl ar";
        await expect.poll(() => seen(page)).toEqual([own, `ltr ${greeting}`, `rtl ${answer}`]);
      }
      for (const client of [ada, grace]) await client.call("user.setPreferences", { language: null });
    },
  );
});
