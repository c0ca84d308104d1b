import type { FanfareClient } from "@fanfare/client";
import type { Message, SessionTokens } from "@fanfare/contract";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { delayActions, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const VIEWPORT = { width: 1280, height: 800 };
/** Simulates another window in front. */
const HIDE = `Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" })`;
/** As the page itself does, because a notification that is listed while it is being shown can be dropped. */
const LISTED = `navigator.locks.request("fanfare.notifications", () => it.getNotifications())`;
const SHOWN = `navigator.serviceWorker.ready.then((it) => ${LISTED}).then((all) =>
  all.map(({ title, body, data }) => ({ title, body, path: data.path })))`;

describe.skipIf(!hasBrowser())("search and navigation", () => {
  const site = useSite();
  let page: Page;
  /** The user in the browser, and one who writes. */
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let general: string;
  let rockets: string;

  beforeAll(async () => {
    ({ ada, grace, groupId, channelId: general } = await site.newTeam({ graceName: "Grace Hopper" }));
    await Promise.all([ada.connect(), grace.connect()]);
    rockets = (await ada.call("channel.create", { groupId, name: "rockets" })).channel.id;
  });

  async function write(channelId: string, content: string): Promise<Message> {
    const { message } = await grace.call("message.send", { channelId, content, nonce: crypto.randomUUID() });
    return message;
  }

  const mention = (text: string): string => `<@${ada.user!.id}> ${text}`;

  /** A page shared by tests that don't need their own window. */
  let sharedPage: Page;
  let tokens: SessionTokens;
  beforeAll(async () => {
    sharedPage = await site.keepPage({ viewport: VIEWPORT });
    tokens = await site.logIn("ada");
  });

  async function openIn(context: BrowserContext, path: string): Promise<Page> {
    const opened = await context.newPage();
    site.watch(opened);
    await opened.goto(site.url + path);
    await opened.getByText(t("shell:state.online"), { exact: true }).waitFor();
    return opened;
  }

  async function open(channelId = general, options?: BrowserContextOptions): Promise<void> {
    page = options === undefined ? sharedPage : await site.newPage({ viewport: VIEWPORT, ...options });
    await site.open(page, `/groups/${groupId}/channels/${channelId}`, tokens);
    if (options?.isMobile !== true) await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
  }

  const heading = (name: string) => page.getByRole("heading", { name, exact: true, level: 1 });
  const log = () => page.getByRole("log");

  test(
    "the quick switcher names group DMs as the sidebar does, also in Chinese",
    { tags: "long" },
    async () => {
      const mary = await site.newAccount("Mary");
      for (const one of [grace, mary]) {
        await ada.call("friend.request", { userId: one.user!.id });
        await one.call("friend.accept", { userId: ada.user!.id });
      }
      const { channel } = await ada.call("channel.createGroupDirect", {
        userIds: [grace.user!.id, mary.user!.id],
      });
      const chinese = await site.newPage({ viewport: VIEWPORT, locale: "zh-CN" }, await site.logIn("ada"));
      await chinese.goto(`${site.url}/direct`);
      const name = /^(Grace Hopper、Mary|Mary、Grace Hopper)/;
      await chinese.getByRole("link", { name }).waitFor();
      await chinese.keyboard.press("Control+k");
      await chinese.getByRole("combobox").last().fill("mary");
      await expect.poll(() => chinese.getByRole("option", { name }).count()).toBe(1);
      await ada.call("channel.closeDirect", { channelId: channel.id });
    },
  );

  test("what is typed while the quick switcher or the search is loaded isn't sent", async () => {
    for (const [combo, chunk, name, channelId] of [
      ["Control+k", "quick-switcher", t("quick-switcher:title"), general],
      ["Control+f", "search-panel", t("search:field"), rockets],
    ] as const) {
      // Drafts are on all devices of their user.
      page = await site.newPage({ viewport: VIEWPORT }, await site.logIn("grace"));
      const typed = Promise.withResolvers<void>();
      await page.route(`**/assets/${chunk}*.js`, async (route) => {
        await typed.promise;
        await route.continue();
      });
      await page.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
      // Not by its role: it is hidden behind the switcher.
      const composer = page.locator("main textarea");
      await composer.focus();
      await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
      await page.keyboard.press(combo);
      // Esc closes what isn't there yet, and Tab leads on in the page.
      await page.keyboard.type("gone");
      await page.keyboard.press("Escape");
      await page.keyboard.type("written");
      await expect.poll(() => composer.inputValue()).toBe("written");
      await page.keyboard.press(combo);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.tagName")).not.toBe("TEXTAREA");
      await page.keyboard.type("rocketss");
      await page.keyboard.press("Backspace");
      typed.resolve();
      const field = page.getByRole("combobox", { name });
      await expect.poll(() => field.inputValue()).toBe("rockets");
      expect(await composer.inputValue()).toBe("written");
    }
  });

  test("the quick switcher opens a channel by keyboard, and lists unread ones first", async () => {
    await ada.call("inbox.markAllRead", {});
    await open();
    await log().waitFor();
    await write(rockets, "lift-off");
    await page.getByRole("textbox").first().focus();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: t("quick-switcher:title") });
    await field.waitFor();
    await expect
      .poll(() => page.getByRole("option").first().textContent())
      .toMatch(/^rockets.*Rocket builders/);
    // Closing returns the focus to the composer, and keys typed right after opening are not lost.
    await page.keyboard.press("Escape");
    await expect.poll(() => field.count()).toBe(0);
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type("rkts");
    await page.getByRole("option", { name: /^general/ }).waitFor();
    await expect.poll(() => page.getByRole("option").first().textContent()).toMatch(/^rockets/);
    await page.keyboard.press("Enter");
    await heading("rockets").waitFor();
    await expect.poll(() => field.count()).toBe(0);

    await page.keyboard.press("Alt+ArrowUp");
    await heading("general").waitFor();
    await page.keyboard.press("Control+k");
    await field.waitFor();
    await page.keyboard.type("grace");
    await page.getByRole("option", { name: /Grace Hopper/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading("Grace Hopper").waitFor();
    await page.keyboard.press("Alt+1");
    await expect.poll(() => page.url()).toContain(`/groups/${groupId}/`);
  });

  test("unread channels are reached and marked as read before their counts are loaded", async () => {
    /** @returns a function that lets the counts arrive */
    const openEarly = async (place = "") => {
      page = await site.newPage({ viewport: VIEWPORT }, tokens);
      const counted = Promise.withResolvers<void>();
      await delayActions(page, /^channel\.listUnread$/, counted.promise);
      await page.goto(`${site.url}/groups/${groupId}/channels/${general}${place}`);
      await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
      return counted.resolve;
    };
    await ada.call("inbox.markAllRead", {});
    await write(rockets, "lift-off");
    const count = await openEarly();
    await page.keyboard.press("Alt+Shift+ArrowDown");
    count();
    await heading("rockets").waitFor();

    const first = await write(general, "one of many");
    for (let number = 1; number <= 60; number++) await write(general, `later ${number}`);
    const countAgain = await openEarly(`?message=${first.id}`);
    await log().getByText("one of many").waitFor();
    // The code for the shortcuts is loaded.
    await page.keyboard.press("Control+k");
    const switcher = page.getByRole("combobox", { name: t("quick-switcher:title") });
    await switcher.waitFor();
    await page.keyboard.press("Escape");
    await switcher.waitFor({ state: "detached" });
    // In the composer, Esc would only be for what is written.
    await page.getByRole("link", { name: "general" }).focus();
    await page.keyboard.press("Escape");
    countAgain();
    const unread = async () => (await ada.call("channel.listUnread", {})).channels;
    await expect.poll(async () => (await unread()).map(({ channelId }) => channelId)).not.toContain(general);
  });

  test("an unread shortcut that couldn't act for long is forgotten", async () => {
    await ada.call("inbox.markAllRead", {});
    await write(rockets, "too late");
    page = await site.newPage({ viewport: VIEWPORT }, tokens);
    const counted = Promise.withResolvers<void>();
    await delayActions(page, /^channel\.listUnread$/, counted.promise);
    await page.goto(`${site.url}/groups/${groupId}/channels/${general}`);
    await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
    const openSwitcher = async () => {
      await page.keyboard.press("Control+k");
      const switcher = page.getByRole("combobox", { name: t("quick-switcher:title") });
      await switcher.waitFor();
      await page.keyboard.press("Escape");
      await switcher.waitFor({ state: "detached" });
    };
    // The code for the shortcuts is loaded.
    await openSwitcher();
    await page.keyboard.press("Alt+Shift+ArrowDown");
    await page.evaluate("Date.now = ((now) => () => now() + 60_000)(Date.now)");
    counted.resolve();
    await page
      .getByRole("navigation", { name: t("channels:list.label") })
      .getByRole("link", { name: /rockets.*unread/ })
      .waitFor();
    await openSwitcher();
    expect(page.url()).toContain(general);
  });

  test("a search with filters finds messages, highlights the words, and leads to the message", async () => {
    for (let number = 1; number <= 60; number++) await write(rockets, `filler ${number}`);
    await ada.call("message.send", { channelId: rockets, content: "The zeppelin is mine", nonce: "z1" });
    const wanted = await write(general, "A **zeppelin** flies slowly");
    for (let number = 1; number <= 60; number++) await write(general, `later ${number}`);
    await open(rockets);
    await log().waitFor();
    await page.keyboard.press("Control+f");
    const field = page.getByRole("combobox", { name: t("search:field") });
    await field.waitFor();
    await page.keyboard.type("zeppelin");
    const results = page.getByRole("complementary", { name: t("search:title") }).getByRole("article");
    await expect.poll(() => results.count()).toBe(2);

    await page.getByRole("button", { name: t("search:filter.from") }).focus();
    const focused = await page.evaluate(`document.activeElement.click(), document.activeElement.id`);
    expect(focused).toBe("search-field");
    await page.keyboard.type("hop");
    await expect.poll(() => page.getByRole("option").first().textContent()).toMatch(/Grace Hopper/);
    await page.keyboard.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("zeppelin from:grace ");
    await expect.poll(() => results.count()).toBe(1);
    await expect
      .poll(() => page.evaluate(`[...CSS.highlights.get("search-words")].map(String)`))
      .toEqual(["zeppelin"]);
    await page.getByRole("button", { name: t("search:remove", { filter: "From grace" }) }).click();
    await expect.poll(() => results.count()).toBe(2);
    expect((await field.inputValue()).trim()).toBe("zeppelin");

    await field.fill("zeppelin in:rockets from:grace");
    await page.getByText(t("search:none")).waitFor();
    await field.fill("zeppelin from:unknown-user");
    await page.getByText(t("search:unknown.person", { value: "unknown-user" })).waitFor();
    await field.fill("zeppelin from:grace");
    await results.getByText("flies slowly").click();
    await heading("general").waitFor();
    await log().locator(`[data-message-id="${wanted.id}"]`).waitFor();
  });

  test(
    "a result shows what was written around it, a click there leads to that message, and Back returns",
    { tags: "long" },
    async () => {
      const question = await write(rockets, `Who has **seen** it? ${"Really? ".repeat(40)}`);
      await write(rockets, "The ornithopter is in the hangar");
      await ada.call("message.send", { channelId: rockets, content: "Thanks for the hint", nonce: "hint" });
      await open();
      await site.search(page, "ornithopter");
      const panel = page.getByRole("complementary", { name: t("search:title") });
      const result = panel.getByRole("listitem").filter({ has: page.getByRole("article") });
      const neighbor = result.getByText("Who has seen it?");
      await expect
        .poll(() => result.innerText())
        .toMatch(/Grace Hopper\s+Who has seen it\? .*ornithopter.*Ada\s+Thanks for the hint$/s);
      expect((await neighbor.boundingBox())!.height).toBeLessThan(40);
      // The keyboard has one stop for each result.
      expect(await result.getByRole("button").count()).toBe(1);
      // The address names the message only until it is shown.
      const jumped = page.waitForURL(new RegExp(`message=${question.id}`), { waitUntil: "commit" });
      await neighbor.click();
      await jumped;
      await heading("rockets").waitFor();
      await log().locator(`[data-message-id="${question.id}"]`).waitFor();
      await page.goBack();
      await heading("general").waitFor();
      await neighbor.waitFor();

      await grace.call("message.delete", { channelId: rockets, messageId: question.id });
      await neighbor.waitFor({ state: "detached" });
      await ada.call("user.block", { userId: grace.user!.id });
      await write(rockets, "Forget the hint");
      await open();
      await site.search(page, "thanks");
      await result
        .getByText(t("messages:blocked.count", { count: 1 }))
        .first()
        .waitFor();
      expect(await result.getByText("Forget the hint").count()).toBe(0);
      await ada.call("user.unblock", { userId: grace.user!.id });
    },
  );

  test("a poll that is found by an option shows its options", async () => {
    const poll = { options: ["On a gyrocopter", "On foot"], allowsSeveral: false, endsAt: null };
    const sent = { channelId: rockets, content: "How do we get there?", nonce: "way", poll };
    await grace.call("message.send", sent);
    await open();
    await site.search(page, "gyrocopter");
    const result = page.getByRole("complementary", { name: t("search:title") }).getByRole("article");
    expect(await result.getByRole("listitem").allTextContents()).toEqual(poll.options);
    await expect
      .poll(() => page.evaluate(`[...CSS.highlights.get("search-words")].map(String)`))
      .toEqual(["gyrocopter"]);
  });

  test("saved searches are on all devices of their user, and of no other", async () => {
    await write(general, "The dirigible has landed");
    await open(rockets);
    const phone = await site.newPage(
      { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true },
      await site.logIn("ada"),
    );
    await phone.goto(`${site.url}/groups/${groupId}/channels/${general}`);
    await log().waitFor();
    await site.search(page, "dirigible");
    await page.getByRole("button", { name: t("search:saved.save") }).press("Enter");
    await expect
      .poll(async () => (await ada.call("user.me", {})).user.preferences?.savedSearches)
      .toEqual([{ text: "dirigible", scope: "group" }]);
    expect((await grace.call("user.me", {})).user.preferences?.savedSearches ?? []).toEqual([]);

    await phone
      .getByRole("button", { name: t("search:title"), exact: true })
      .last()
      .click();
    const saved = phone.getByRole("list", { name: t("search:saved.title") });
    await saved.getByRole("button", { name: /^dirigible/ }).click();
    await phone.getByRole("article").getByText("has landed").waitFor();
    const star = phone.getByRole("button", { name: t("search:saved.save") });
    expect(await star.getAttribute("aria-pressed")).toBe("true");

    await page.getByRole("button", { name: t("search:clear") }).click();
    await page.getByRole("button", { name: t("search:saved.remove", { search: "dirigible" }) }).click();
    await expect.poll(() => star.getAttribute("aria-pressed")).toBe("false");
    await phone.close();
  });

  /** Writes the word in two channels of the group, in another group, and directly. */
  async function writeEverywhere(word: string): Promise<{ otherId: string; elsewhere: Message }> {
    const { group, channels } = await ada.call("group.create", { name: "Balloon society" });
    const { channel: direct } = await ada.call("channel.openDirect", { userId: grace.user!.id });
    await write(rockets, `A ${word} in the channel`);
    await write(general, `A ${word} in the group`);
    const params = { channelId: channels[0]!.id, content: `A ${word} in another group`, nonce: word };
    const { message } = await ada.call("message.send", params);
    await write(direct.id, `A ${word} between two`);
    return { otherId: group.id, elsewhere: message };
  }

  test("a global search finds messages of other groups and direct ones, and stays on the way there and back", async () => {
    const { otherId, elsewhere } = await writeEverywhere("kite");
    await open(rockets);
    await site.search(page, "kite");
    const results = page.getByRole("complementary", { name: t("search:title") }).getByRole("article");
    await page.getByRole("radio", { name: t("search:scope.everywhere") }).click();
    await expect.poll(() => results.count()).toBe(4);
    await results.getByText("between two").click();
    await heading("Grace Hopper").waitFor();
    await page.goBack();
    await heading("rockets").waitFor();
    await results.getByText("in another group").click();
    await log().locator(`[data-message-id="${elsewhere.id}"]`).waitFor();
    expect(page.url()).toContain(otherId);
    await page.goBack();
    await heading("rockets").waitFor();
    await expect.poll(() => results.count()).toBe(4);
  });

  test(
    "a global search works from a channel, the inbox and the friends page, and results lead to their group or user",
    { tags: "long" },
    async () => {
      const { otherId, elsewhere } = await writeEverywhere("blimp");

      await open(rockets);
      await log().waitFor();
      await page.keyboard.press("Control+f");
      const field = page.getByRole("combobox", { name: t("search:field") });
      await field.waitFor();
      await page.keyboard.type("blimp");
      const panel = page.getByRole("complementary", { name: t("search:title") });
      const results = panel.getByRole("article");
      const scope = (name: string) => panel.getByRole("radio", { name });
      await expect.poll(() => results.count()).toBe(2);
      await scope("This channel").click();
      await expect.poll(() => results.count()).toBe(1);
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => results.count()).toBe(4);
      expect(await scope("Everywhere").isChecked()).toBe(true);
      // The option keeps the focus, so that the arrow keys keep working.
      expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("radio");
      const places = results.locator("xpath=../p");
      await expect
        .poll(() => places.allTextContents())
        .toEqual([
          "Grace Hopper",
          "general·Balloon society",
          "general·Rocket builders",
          "rockets·Rocket builders",
        ]);

      await results.getByText("in another group").click();
      await heading("general").waitFor();
      await log().locator(`[data-message-id="${elsewhere.id}"]`).waitFor();
      expect(page.url()).toContain(otherId);
      await expect.poll(() => results.count()).toBe(4);

      await field.fill("blimp in:general");
      await panel.getByText(t("search:unknown.inMany", { value: "general" })).waitFor();
      await page.getByRole("option", { name: "general Rocket builders" }).click();
      await expect.poll(() => field.inputValue()).toBe('blimp in:"Rocket builders/general" ');
      await expect.poll(() => results.allTextContents()).toHaveLength(1);
      await results.getByText("in the group").waitFor();
      await field.fill("blimp from:grace");
      await expect.poll(() => results.count()).toBe(3);
      await scope("This group").click();
      await page.getByRole("button", { name: t("ui:close") }).click();

      await page.getByRole("link", { name: /^Inbox/ }).click();
      await heading("Inbox").waitFor();
      await page.getByRole("button", { name: t("search:title") }).click();
      await field.fill("blimp between");
      await expect.poll(() => results.count()).toBe(1);
      expect(await panel.getByRole("radio").count()).toBe(0);
      await results.getByRole("button", { name: t("search:jump") }).click();
      await heading("Grace Hopper").waitFor();
      expect(await scope("Everywhere").isChecked()).toBe(true);
      await scope("This conversation").click();
      await field.fill("blimp");
      await expect.poll(() => results.count()).toBe(1);
      await page.getByRole("link", { name: t("friends:title") }).click();
      await heading("Friends").waitFor();
      await expect.poll(() => results.count()).toBe(4);
    },
  );

  test("a mention appears in the inbox and the title, and visiting it marks it read", async () => {
    await ada.call("inbox.markAllRead", {});
    await open();
    await log().waitFor();
    await expect.poll(() => page.title()).toBe("#general · Rocket builders – Fanfare");
    await write(rockets, mention("look at this valve"));
    await expect.poll(() => page.title()).toBe("(1) #general · Rocket builders – Fanfare");
    await expect.poll(() => page.locator("link[rel=icon]").getAttribute("href")).toBe("/favicon-unread.svg");
    await page.getByText(/Grace Hopper \(#rockets, Rocket builders\): @Ada look at this valve/).waitFor();
    await page
      .getByRole("link", { name: `${t("inbox:title")}, ${t("inbox:unreadCount", { count: 1 })}` })
      .click();
    await heading("Inbox").waitFor();
    await expect.poll(() => page.title()).toBe("(1) Inbox – Fanfare");
    await page.getByRole("article").getByText("look at this valve").hover();
    await page
      .getByRole("button", { name: t("search:jump") })
      .first()
      .click();
    await heading("rockets").waitFor();
    await log().getByText("look at this valve").waitFor();
    await expect.poll(() => page.title()).toBe("#rockets · Rocket builders – Fanfare");

    await write(general, mention("and this one"));
    await page
      .getByRole("link", { name: `${t("inbox:title")}, ${t("inbox:unreadCount", { count: 1 })}` })
      .click();
    await page
      .getByRole("button", { name: t("common:markRead") })
      .first()
      .click();
    await page.getByText(t("inbox:allRead")).waitFor();
    await page.getByRole("tab", { name: t("inbox:tab.all") }).click();
    await page.getByRole("article").getByText("and this one").waitFor();
    await page
      .getByRole("button", { name: t("common:more") })
      .last()
      .click();
    await page.getByRole("menuitem", { name: t("inbox:clear") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: t("inbox:clear") })
      .click();
    await page.getByText(t("inbox:empty")).waitFor();
  });

  test("the tab's title names the page", { tags: "long" }, async () => {
    await ada.call("inbox.markAllRead", {});
    await open();
    for (const [path, title] of [
      ["/direct", t("friends:title")],
      ["/settings/security", `${t("settings:section.security")} · ${t("common:settings")}`],
      [`/groups/${groupId}/settings/roles`, `${t("common:roles")} · Rocket builders`],
    ] as const) {
      await site.visit(page, path);
      await expect.poll(() => page.title()).toBe(`${title} – Fanfare`);
    }
  });

  test(
    "a system notification is shown by one tab only while the page is hidden, and not for a muted channel",
    { tags: "long" },
    async () => {
      const options = { viewport: VIEWPORT, serviceWorker: true, permissions: ["notifications"] };
      const context = await site.newContext(options, await site.logIn("ada"));
      await context.addInitScript(() => {
        localStorage.setItem("fanfare.preferences", JSON.stringify({ desktopNotifications: true }));
      });
      page = await openIn(context, `/groups/${groupId}/channels/${general}`);
      const other = await openIn(context, `/groups/${groupId}/channels/${general}`);
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
      for (const tab of [page, other]) await tab.evaluate(HIDE);
      await ada.call("notification.set", { channelId: rockets, mutedUntil: "9999-12-31T00:00:00.000Z" });
      for (const tab of [page, other]) {
        await tab.getByRole("link", { name: /rockets.*muted/ }).waitFor();
      }
      await write(rockets, mention("you do not want to hear this"));
      const mentioned = await write(general, mention("the *launch* is today"));
      await expect
        .poll(() => page.evaluate(SHOWN))
        .toEqual([
          {
            title: "Grace Hopper (#general, Rocket builders)",
            body: "@Ada the launch is today",
            path: `/groups/${groupId}/channels/${general}?message=${mentioned.id}`,
          },
        ]);

      // Reading it in another session removes the notification.
      await ada.call("channel.markRead", { channelId: general, seq: mentioned.seq });
      await expect.poll(() => page.evaluate(SHOWN)).toEqual([]);

      await ada.call("notification.set", { channelId: rockets, mutedUntil: null });
      await ada.call("inbox.markAllRead", {});
      await ada.call("presence.setStatus", { status: "doNotDisturb" });
      await page.reload();
      await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
      await other.close();
      await page.evaluate(HIDE);
      await write(general, mention("not now"));
      await expect.poll(() => page.title()).toBe("(1) #general · Rocket builders – Fanfare");
      await ada.call("presence.setStatus", { status: "online" });
      expect(await page.evaluate(SHOWN)).toEqual([]);
    },
  );

  test("a keyword notifies like a mention and is highlighted, but not in quiet hours", async () => {
    await ada.call("inbox.markAllRead", {});
    await ada.call("notification.setPreferences", { keywords: ["lift-off"] });
    // A window of its own, because only the one in front notifies.
    await open(general, {});
    const go = page.getByRole("button", { name: t("inbox:view") });
    await write(rockets, "Lift-off at nine");
    await go.click();
    await log().locator("mark").getByText("Lift-off", { exact: true }).waitFor();

    await page.getByRole("link", { name: "general", exact: true }).click();
    const always = { from: "00:00", to: "00:00", days: [1, 2, 3, 4, 5, 6, 7], timeZone: "UTC" };
    await ada.call("notification.setPreferences", { quietHours: always });
    await write(rockets, mention("lift-off, quietly"));
    await page.getByRole("link", { name: /rockets.*1 mention/ }).waitFor();
    await ada.call("notification.setPreferences", { quietHours: null });
    await write(rockets, "lift-off, loudly");
    await page.getByText(/lift-off, loudly/).waitFor();
    expect(await page.getByText(/lift-off, quietly/).count()).toBe(0);
    await ada.call("notification.setPreferences", { keywords: [] });
    await ada.call("inbox.markAllRead", {});
  });

  test("the shortcuts are listed on a sheet, and none fires while typing", async () => {
    await open();
    await log().waitFor();
    await page.getByRole("textbox").first().focus();
    await page.keyboard.type("what?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("heading", { level: 1 }).first().click();
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: t("shortcuts:title") });
    await sheet.getByText(t("shortcuts:action.nextUnread")).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => sheet.count()).toBe(0);
    await page.keyboard.press("Control+/");
    await sheet.waitFor();
  });

  test("axe finds no WCAG violation in any of it, in both themes", { tags: "long" }, async () => {
    await ada.call("channel.markRead", { channelId: general, seq: 1 });
    await write(rockets, mention("for the inbox"));
    await open(general, { reducedMotion: "reduce" });
    await log().waitFor();
    const check = async (where: string) => {
      for (const theme of ["light", "dark"]) {
        await page.locator("html").evaluate((root, name) => root.setAttribute("data-theme", name), theme);
        const found = await violations(page, theme, { within: where });
        expect(found).toEqual([]);
      }
    };
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
    await check("[role=dialog]");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+/");
    await page.getByRole("dialog", { name: t("shortcuts:title") }).waitFor();
    await check("[role=dialog]");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: t("search:title") }).click();
    await page.getByRole("combobox", { name: t("search:field") }).waitFor();
    await page.keyboard.type("inbox from:");
    await page.getByRole("option").first().waitFor();
    await page.getByRole("article").first().waitFor();
    await check("aside");
    await page.getByRole("link", { name: /^Inbox/ }).click();
    await page.getByRole("article").first().waitFor();
    await check("main");
  });

  test(
    "on a phone the search fills the screen, closes when a result is opened, and is there again on the way back",
    { tags: "long" },
    async () => {
      await write(general, "The glider lands");
      for (let number = 1; number <= 15; number++) await write(general, `glider ${number}`);
      await open(rockets, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      await site.search(page, "glider");
      const oldest = page.getByRole("article").getByText("The glider lands");
      const openOldest = async () => {
        await oldest.tap();
        await heading("general").waitFor();
        await log().getByText("The glider lands").waitFor();
        await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
      };
      await oldest.scrollIntoViewIfNeeded();
      const top = () =>
        page
          .getByRole("dialog")
          .locator("div:has(> p[role=status])")
          .evaluate((list) => list.scrollTop);
      const before = await top();
      expect(before).toBeGreaterThan(0);
      await openOldest();
      await page.goBack();
      await expect.poll(top).toBe(before);

      await openOldest();
      await page.reload();
      await page.goBack();
      await oldest.waitFor();
      await page.goBack();
      await heading("rockets").waitFor();
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);

      // Closing it goes back, too.
      const entry = () => page.evaluate("navigation.currentEntry.index");
      const first = await entry();
      await site.search(page, "glider");
      expect(await entry()).not.toBe(first);
      const panel = page.getByRole("dialog");
      await panel.getByRole("button", { name: t("ui:close"), exact: true }).tap();
      await panel.waitFor({ state: "detached" });
      expect(await entry()).toBe(first);
    },
  );
});
