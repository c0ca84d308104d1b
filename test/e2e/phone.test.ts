import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { CDPSession, Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
const MESSAGES = 30;

type Point = readonly [x: number, y: number];

describe.skipIf(!hasBrowser())("on a phone", () => {
  const site = useSite();
  let tokens: SessionTokens;
  let groupId: string;
  let path: string;
  let page: Page;
  let session: CDPSession;

  beforeAll(async () => {
    const ada = new FanfareClient({ url: site.url });
    tokens = await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    const channelId = channels[0]!.id;
    path = `/groups/${groupId}/channels/${channelId}`;
    for (let number = 1; number <= MESSAGES; number++)
      await ada.call("message.send", { channelId, content: `message ${number}`, nonce: `n${number}` });
    const square = new Blob([new Uint8Array(await drawSquare("teal"))]);
    const { fileId } = await ada.upload(channelId, "square.png", square);
    await ada.call("message.send", { channelId, content: "", nonce: "square", attachmentIds: [fileId] });
    const code = "```\n" + "a long line ".repeat(30) + "\n```";
    await ada.call("message.send", { channelId, content: code, nonce: "code" });
    await ada.call("message.send", { channelId, content: "the last one", nonce: "last" });
    page = await site.keepPage(PHONE);
    session = await page.context().newCDPSession(page);
  });

  beforeEach(async () => {
    await page.emulateMedia({ reducedMotion: null });
    tokens = await site.logIn("ada");
    await site.open(page, path, tokens);
    await site.loaded(page);
    await message("the last one").tap({ trial: true });
  });

  const message = (text: string) => page.getByRole("log").getByText(text, { exact: true });
  const replyBar = () => page.getByText(t("composer:reply.to", { name: "Ada" }));
  const lists = () => page.getByRole("dialog", { name: t("shell:lists") });

  async function center(of: Locator): Promise<Point> {
    const { x, y, width, height } = (await of.boundingBox())!;
    return [x + width / 2, y + height / 2];
  }

  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...points: Point[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });

  /** Moves a finger by the distances, one after another, and lifts it. */
  async function swipe([x, y]: Point, ...by: Point[]): Promise<void> {
    // The first steps don't wait for the page: while a busy machine takes its time, a finger that stays opens the menu.
    const begun = [touch("touchStart", [x, y])];
    let [atX, atY] = [x, y];
    for (const [byX, byY] of by) {
      for (let step = 1; step <= 8; step++) {
        const moved = touch("touchMove", [atX + (byX * step) / 8, atY + (byY * step) / 8]);
        if (begun.push(moved) > 3) await moved;
      }
      [atX, atY] = [atX + byX, atY + byY];
    }
    await Promise.all([...begun, touch("touchEnd")]);
  }

  /** On a busy machine, touches can come so late that they mean something else: then once more, on a fresh page. */
  async function untilItWorks(
    gesture: () => Promise<void>,
    hasWorked: () => Promise<boolean>,
  ): Promise<void> {
    let tries = 0;
    let untilMs = 0;
    await expect
      .poll(async () => {
        if (await hasWorked()) return true;
        if (performance.now() < untilMs) return false;
        if ((tries += 1) > 1) {
          await page.reload();
          await site.loaded(page);
          await message("the last one").tap({ trial: true });
        }
        await gesture();
        untilMs = performance.now() + 5000;
        return hasWorked();
      })
      .toBe(true);
  }

  const appears = (element: Locator): Promise<boolean> =>
    element.waitFor({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );

  /** Waits until nothing moves by itself. */
  const stillness = () =>
    page.evaluate("Promise.allSettled(document.getAnimations().map((animation) => animation.finished))");

  test("a swipe to the left replies to the message", async () => {
    await untilItWorks(
      async () => swipe(await center(message("the last one")), [-110, 6]),
      () => replyBar().isVisible(),
    );
    expect(await page.locator("textarea:focus").count()).toBe(1);
    // The row is back in its place.
    await expect
      .poll(() =>
        page
          .locator("article")
          .last()
          .evaluate((row) => row.style.translate),
      )
      .toBe("");
  });

  test("a short swipe, one that returns, and one up or down don't reply", { tags: "long" }, async () => {
    await swipe(await center(message("the last one")), [-40, 0]);
    await swipe(await center(message("the last one")), [-110, 0], [90, 0]);
    const log = page.getByRole("log");
    const scrollTop = () => log.evaluate((list) => list.scrollTop);
    const before = await scrollTop();
    await swipe(await center(message("message 29")), [-30, 150], [-90, 10]);
    await expect.poll(scrollTop).toBeLessThan(before - 50);
    expect(await replyBar().count()).toBe(0);
  });

  test("a swipe over wide code scrolls the code", { tags: "long" }, async () => {
    const code = page.getByRole("log").locator("pre");
    await untilItWorks(
      async () => swipe(await center(code), [-120, 0]),
      () => code.evaluate((box) => box.scrollLeft > 20),
    );
    expect(await replyBar().count()).toBe(0);
  });

  test("with reduced motion, the message stays in its place", { tags: "long" }, async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const moved = new Set<number>();
    await untilItWorks(
      async () => {
        const [x, y] = await center(message("the last one"));
        await Promise.all([touch("touchStart", [x, y]), touch("touchMove", [x - 20, y])]);
        for (const by of [60, 110]) await touch("touchMove", [x - by, y]);
        moved.add((await center(message("the last one")))[0] - x);
        await touch("touchEnd");
      },
      () => replyBar().isVisible(),
    );
    expect([...moved]).toEqual([0]);
  });

  test("a swipe to the right opens the lists, one to the left closes them", async () => {
    let hasOpened = false;
    let replies = 0;
    await untilItWorks(
      async () => {
        const [, y] = await center(message("message 29"));
        await swipe([60, y], [110, 0]);
        hasOpened = await appears(lists());
        if (!hasOpened) return;
        replies = await replyBar().count();
        await stillness();
        await swipe([200, 500], [-110, 0]);
      },
      async () => hasOpened && (await lists().count()) === 0,
    );
    expect(replies).toBe(0);
  });

  for (const locale of ["en-US", "ar"])
    test(`the lists follow the finger, and go back if it was lifted too early: ${locale}`, async () => {
      const isArabic = locale === "ar";
      const phone = isArabic ? await site.newPage({ ...PHONE, locale }, tokens) : page;
      const isSwiped = Promise.withResolvers<void>();
      if (isArabic) {
        // The code of the lists is still being loaded.
        await phone.route(/\/next-[^/]*\.js/, async (route) => {
          await isSwiped.promise;
          await route.continue();
        });
        await phone.goto(site.url + path);
      }
      await site.loaded(phone);
      const cdp = isArabic ? await phone.context().newCDPSession(phone) : session;
      const drawer = phone.getByRole("dialog").filter({ has: phone.getByRole("navigation") });
      /** How much of it is in the window. */
      const shown = () =>
        drawer.evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          return element.ownerDocument.dir === "rtl" ? 390 - left : right;
        });
      const y = 250;
      const send = (type: "touchStart" | "touchMove" | "touchEnd", px?: number) =>
        cdp.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: px === undefined ? [] : [{ x: isArabic ? 330 - px : 60 + px, y }],
        });
      const drag = async (...steps: readonly number[]) => {
        await send("touchStart", 0);
        for (const px of steps) await send("touchMove", px);
      };
      await drag(20, 30, 40);
      isSwiped.resolve();
      await expect.poll(shown).toBe(40);
      await send("touchMove", 55);
      await expect.poll(shown).toBe(55);
      await send("touchEnd");
      await drawer.waitFor({ state: "detached" });

      await drag(20, 40, 200, 150);
      await expect.poll(shown).toBe(150);
      await send("touchEnd");
      await expect.poll(shown).toBe(320);
      await phone.goBack();
      await drawer.waitFor({ state: "detached" });
    });

  test("with reduced motion, the lists open once the finger is lifted", { tags: "long" }, async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await untilItWorks(
      async () => {
        await Promise.all([touch("touchStart", [60, 250]), touch("touchMove", [80, 250])]);
        for (const x of [140, 180]) await touch("touchMove", [x, 250]);
        expect(await lists().count()).toBe(0);
        await touch("touchEnd");
      },
      () => lists().isVisible(),
    );
  });

  test(
    "Esc closes the lists, and isn't taken by a tooltip, which touch screens don't show",
    { tags: "long" },
    async () => {
      await page.getByRole("button", { name: t("shell:openLists") }).tap();
      await lists().waitFor();
      await page.keyboard.press("Tab");
      await expect.poll(() => lists().locator("[data-tooltip]:focus-visible").count()).toBe(1);
      await page.keyboard.press("Escape");
      await lists().waitFor({ state: "detached" });
    },
  );

  test("a swipe from the edge is left to the system", { tags: "long" }, async () => {
    await swipe([5, 300], [150, 0]);
    expect(await lists().count()).toBe(0);
  });

  test("a swipe to the right leads back from a panel, and a pull closes a sheet", async () => {
    const panel = page.getByRole("dialog", { name: t("common:members") });
    let hasOpened = false;
    await untilItWorks(
      async () => {
        await page.getByRole("button", { name: t("common:members"), exact: true }).tap();
        hasOpened = await appears(panel.getByRole("button", { name: "Ada" }));
        if (hasOpened) await swipe([100, 400], [130, 0]);
      },
      async () => hasOpened && (await panel.count()) === 0,
    );
    expect(await lists().count()).toBe(0);

    const sheet = page.getByRole("dialog", { name: t("messages:action.toolbar") });
    hasOpened = false;
    await untilItWorks(
      async () => {
        await message("the last one").dispatchEvent("contextmenu");
        hasOpened = await appears(sheet);
        if (!hasOpened) return;
        await stillness();
        const { x, y, width } = (await sheet.boundingBox())!;
        await swipe([x + width / 2, y + 10], [0, 120]);
      },
      async () => hasOpened && (await sheet.count()) === 0,
    );
  });

  describe("a sheet", () => {
    beforeEach(() => page.setViewportSize(PHONE.viewport));

    const openMenu = async () => {
      await page.getByRole("button", { name: t("common:add"), exact: true }).tap();
      await page.getByRole("menuitem").first().waitFor();
      return page.getByRole("menu");
    };
    const openPoll = async () => {
      await openMenu();
      await page.getByRole("menuitem", { name: t("composer:poll.title") }).tap();
      const poll = page.getByRole("dialog", { name: t("composer:poll.title") });
      await poll.waitFor();
      return poll;
    };
    const kinds: Record<string, () => Promise<Locator>> = {
      "a menu": openMenu,
      "a dialog": openPoll,
      async "the emoji"() {
        await page.getByRole("button", { name: t("composer:emoji") }).tap();
        await page.getByRole("gridcell").first().waitFor();
        return page.getByRole("dialog", { name: t("composer:emoji") });
      },
      async "a profile"() {
        await page.getByRole("button", { name: t("common:members"), exact: true }).tap();
        const members = page.getByRole("dialog", { name: t("common:members") });
        await members.getByRole("button", { name: "Ada" }).tap();
        const profile = page.getByRole("dialog", { name: t("common:profile") });
        await profile.getByText("@ada").waitFor();
        return profile;
      },
      async "a list of options"() {
        await (await openPoll()).getByRole("combobox").tap();
        await page.getByRole("option").first().waitFor();
        // Its popup.
        return page.getByRole("listbox").locator("xpath=ancestor-or-self::*[contains(@class, 'sheet')]");
      },
    };

    /** Where it slides to. */
    const exitOf = (sheet: Locator) =>
      sheet.evaluate((element) => {
        element.style.transition = "none";
        element.dataset["endingStyle"] = "";
        const { translate } = element.ownerDocument.defaultView!.getComputedStyle(element);
        delete element.dataset["endingStyle"];
        element.style.transition = "";
        return translate;
      });

    for (const [kind, open] of Object.entries(kinds))
      test(`is at the lower edge, above the keyboard, and closed by a tap beside it: ${kind}`, async () => {
        const sheet = await open();
        const place = async () => {
          const { x, y, width, height } = (await sheet.boundingBox())!;
          return { x, width, bottom: y + height, isLow: height <= (y + height) * 0.85 };
        };
        const at = (bottom: number) => ({ x: 0, width: 390, bottom, isLow: true });
        await expect.poll(place).toEqual(at(700));
        await page.setViewportSize({ width: 390, height: 380 });
        await expect.poll(place).toEqual(at(380));
        await page.setViewportSize(PHONE.viewport);
        await expect.poll(place).toEqual(at(700));
        expect(await exitOf(sheet)).toBe("0px 100%");
        await page.touchscreen.tap(195, 30);
        await sheet.waitFor({ state: "hidden" });
      });

    test("has its buttons in reach while its fields scroll", async () => {
      const poll = await openPoll();
      for (let number = 3; number <= 8; number++)
        await poll.getByRole("button", { name: t("composer:poll.addOption") }).tap();
      await page.setViewportSize({ width: 390, height: 380 });
      const cancel = poll.getByRole("button", { name: t("ui:cancel") });
      await poll
        .getByRole("textbox", { name: t("composer:poll.option", { number: 8 }) })
        .fill("the last one");
      await poll.getByRole("textbox").first().fill("When?");
      const { y, height } = (await cancel.boundingBox())!;
      expect(y + height).toBeLessThanOrEqual(380);
      await cancel.tap();
      await poll.waitFor({ state: "detached" });
    });

    test("closes when its handle is pulled, and gives the focus back", async () => {
      let hasOpened = false;
      await untilItWorks(
        async () => {
          const menu = await openMenu();
          await stillness();
          const { x, y, width } = (await menu.boundingBox())!;
          await swipe([x + width / 2, y + 10], [0, 120]);
          hasOpened = true;
        },
        async () => hasOpened && (await page.getByRole("menu").count()) === 0,
      );
      const trigger = page.getByRole("button", { name: t("common:add"), exact: true });
      await expect.poll(() => trigger.and(page.locator(":focus")).count()).toBe(1);
    });
  });

  describe("Back", () => {
    const entries = () => page.evaluate<number>("history.state?.open ?? 0");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const members = () => page.getByRole("dialog", { name: t("common:members") });
    const openMembers = async () => {
      await button(t("common:members")).tap();
      await members().waitFor();
    };

    /** Goes back once, and expects that this closes something and leads nowhere else. */
    async function expectClosing(closed: Locator, left: number): Promise<void> {
      await expect.poll(entries).toBe(left + 1);
      await page.goBack();
      await closed.waitFor({ state: "detached" });
      expect([new URL(page.url()).pathname, await entries()]).toEqual([path, left]);
    }

    test("closes what is on top, one after another", async () => {
      await button(t("shell:openLists")).tap();
      await lists().getByRole("button", { name: "Rocket builders" }).last().tap();
      await page.getByRole("menuitem").first().waitFor();
      await expectClosing(page.getByRole("menu"), 1);
      await expectClosing(lists(), 0);
      await expect.poll(() => button(t("shell:openLists")).and(page.locator(":focus")).count()).toBe(1);

      await button(t("common:add")).tap();
      await page.getByRole("menuitem", { name: t("composer:poll.title") }).tap();
      const poll = page.getByRole("dialog", { name: t("composer:poll.title") });
      // The dialog has taken the entry of the menu.
      await poll.getByRole("combobox").tap();
      await page.getByRole("listbox").waitFor();
      await expectClosing(page.getByRole("listbox"), 1);
      await expectClosing(poll, 0);

      await message("the last one").dispatchEvent("contextmenu");
      const sheet = page.getByRole("dialog", { name: t("messages:action.toolbar") });
      await sheet.getByRole("button", { name: t("common:delete") }).tap();
      await page.getByRole("alertdialog").waitFor();
      await expectClosing(page.getByRole("alertdialog"), 0);

      await openMembers();
      await members().getByRole("button", { name: "Ada" }).tap();
      const profile = page.getByRole("dialog", { name: t("common:profile") });
      await profile.waitFor();
      await expectClosing(profile, 1);
      await expectClosing(members(), 0);
    });

    test("leads to the page before once everything is closed in another way", async () => {
      await site.visit(page, "/inbox");
      await site.visit(page, path);
      await button(t("composer:emoji")).tap();
      await page.getByRole("gridcell").first().waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("gridcell").first().waitFor({ state: "detached" });
      await openMembers();
      await members()
        .getByRole("button", { name: t("ui:close") })
        .tap();
      await members().waitFor({ state: "detached" });
      await expect.poll(entries).toBe(0);
      await page.goBack();
      expect(page.url()).toBe(`${site.url}/inbox`);
    });

    test("leads from a page that was opened from a sheet to the page with the sheet's button", async () => {
      await button(t("shell:openLists")).tap();
      await expect.poll(entries).toBe(1);
      await lists()
        .getByRole("link", { name: t("inbox:title") })
        .tap();
      await lists().waitFor({ state: "detached" });
      await page.waitForURL("**/inbox");
      await page.goBack();
      expect(new URL(page.url()).pathname).toBe(path);
      await message("the last one").tap({ trial: true });

      // The page arrives while the entry of the sheet is being removed.
      await openMembers();
      await expect.poll(entries).toBe(1);
      await page.evaluate(`{
        document.querySelector('[role=dialog] button[aria-label="${t("ui:close")}"]').click();
        setTimeout(() => history.pushState(null, "", "/inbox"), 1);
      }`);
      await page.waitForURL("**/inbox");
      await expect.poll(entries).toBe(0);
      await page.goBack();
      expect(new URL(page.url()).pathname).toBe(path);
    });

    test("leads to the page, and Forward from it, after another was opened above a sheet", async () => {
      const shown = async () => [new URL(page.url()).pathname, await entries()];
      const expectWayBack = async (opened: string) => {
        await page.waitForURL(`**${opened}`);
        await expect.poll(() => page.locator("[role=dialog], [role=menu]").count()).toBe(0);
        await expect.poll(entries).toBe(0);
        await page.goBack();
        await expect.poll(shown).toEqual([path, 0]);
        await page.goForward();
        // The second time, there is nothing to go to.
        for (let time = 1; time <= 2; time++) {
          // Longer than a removal of entries takes.
          await page.waitForTimeout(300);
          expect(await shown()).toEqual([opened, 0]);
          await page.evaluate("history.forward()");
        }
      };
      await openMembers();
      await members().getByRole("button", { name: "Ada" }).tap();
      await page.getByRole("dialog", { name: t("common:profile") }).waitFor();
      await expect.poll(entries).toBe(2);
      await page.evaluate("history.pushState(null, '', '/inbox')");
      await expectWayBack("/inbox");

      await page.goBack();
      await button(t("shell:openLists")).tap();
      await lists().getByRole("button", { name: "Rocket builders" }).last().tap();
      await expect.poll(entries).toBe(2);
      await page.getByRole("menuitem", { name: t("channels:browse.title") }).tap();
      await expectWayBack(`/groups/${groupId}/channels`);
    });

    test("keeps the address that the page got while a sheet was open", async () => {
      // As a link to a message that is resolved meanwhile: it would be followed twice.
      await page.evaluate("history.replaceState(null, '', '?from=link')");
      await openMembers();
      await expect.poll(entries).toBe(1);
      await page.evaluate("history.replaceState(null, '', location.pathname)");
      await expectClosing(members(), 0);
      expect(new URL(page.url()).search).toBe("");
    });

    test("leads from a thread to its channel, and to the page before once the thread is closed", async () => {
      await site.visit(page, "/inbox");
      await site.visit(page, path);
      const thread = page
        .getByRole("dialog")
        .filter({ has: page.getByRole("textbox", { name: t("composer:label", { title: "message 28" }) }) });
      const openThread = async () => {
        await message("message 28").dispatchEvent("contextmenu");
        const sheet = page.getByRole("dialog", { name: t("messages:action.toolbar") });
        await sheet
          .getByRole("button", { name: t("messages:action.startThread") })
          .or(sheet.getByRole("button", { name: t("messages:action.openThread") }))
          .tap();
        await thread.waitFor();
        await expect.poll(entries).toBe(0);
      };
      await openThread();
      await page.goBack();
      await thread.waitFor({ state: "detached" });
      expect(new URL(page.url()).pathname).toBe(path);

      await openThread();
      await thread.getByRole("button", { name: t("ui:close") }).tap();
      await thread.waitFor({ state: "detached" });
      await page.goBack();
      await page.waitForURL("**/inbox");
    });

    test("leads back to the list of threads, and closing the thread does too", async () => {
      const ada = new FanfareClient({ url: site.url });
      await ada.login({ username: "ada", password: "correct horse" });
      const { channel } = await ada.call("channel.create", { groupId, name: "fuel" });
      const { message: first } = await ada.call("message.send", {
        channelId: channel.id,
        content: "?",
        nonce: "f",
      });
      await ada.call("channel.openThread", { channelId: channel.id, messageId: first.id, name: "Tanks" });
      await site.visit(page, "/inbox");
      await site.visit(page, `/groups/${groupId}/channels/${channel.id}`);
      const list = page.getByRole("dialog", { name: t("threads:panel") });
      const thread = page.getByRole("dialog").filter({ has: page.getByRole("textbox") });
      const openThread = async () => {
        await list.getByRole("button", { name: "Tanks" }).tap();
        await thread.waitFor();
        await expect.poll(entries).toBe(0);
      };
      await button(t("threads:panel")).tap();
      await openThread();
      await page.goBack();
      await expect.poll(entries).toBe(1);

      await openThread();
      await thread.getByRole("button", { name: t("ui:close") }).tap();
      await list.getByRole("button", { name: "Tanks" }).waitFor();
      await expect.poll(entries).toBe(1);
      await page.goBack();
      await list.waitFor({ state: "detached" });
      await page.goBack();
      await page.waitForURL("**/inbox");
    });

    test("logging out from a menu above the lists leads to the start page", async () => {
      await button(t("shell:openLists")).tap();
      await lists()
        .getByRole("button", { name: t("shell:you") })
        .tap();
      await expect.poll(entries).toBe(2);
      await page.getByRole("menuitem", { name: t("shell:logOut") }).tap();
      await page.getByRole("heading", { name: t("session:welcome") }).waitFor();
      await expect.poll(async () => [new URL(page.url()).pathname, await entries()]).toEqual(["/", 0]);
    });

    test("leads to the page before after a reload with an open panel", async () => {
      await site.visit(page, "/inbox");
      await site.visit(page, path);
      await openMembers();
      await expect.poll(entries).toBe(1);
      await page.reload();
      await site.loaded(page);
      await expect.poll(entries).toBe(0);
      await page.goBack();
      await page.waitForURL("**/inbox");
    });

    test("closes a menu whose code was still being loaded when its button was pressed", async () => {
      const ada = new FanfareClient({ url: site.url });
      await ada.login({ username: "ada", password: "correct horse" });
      const grace = await site.newAccount("Grace");
      const { user } = await grace.call("user.me", {});
      const { channel } = await ada.call("channel.openDirect", { userId: user.id });
      const phone = await site.newPage(PHONE, tokens);
      const isPressed = Promise.withResolvers<void>();
      await phone.route(/\/popups-[^/]*\.js/, async (route) => {
        await isPressed.promise;
        await route.continue();
      });
      await phone.goto(`${site.url}/direct/${channel.id}`);
      await phone.getByRole("button", { name: t("directs:menu.more", { title: "Grace" }) }).tap();
      isPressed.resolve();
      const menu = phone.getByRole("menu");
      await menu.waitFor();
      await expect.poll(() => phone.evaluate("history.state?.open")).toBe(1);
      await phone.goBack();
      await menu.waitFor({ state: "detached" });
      expect(new URL(phone.url()).pathname).toBe(`/direct/${channel.id}`);
    });

    test("closes the full picture", { tags: "long" }, async () => {
      await page.getByRole("button", { name: "square.png" }).tap();
      const viewer = page.locator("dialog[open]");
      await viewer.waitFor();
      await expectClosing(viewer, 0);
      expect(await page.getByRole("button", { name: "square.png" }).and(page.locator(":focus")).count()).toBe(
        1,
      );
    });

    test("keeps the search while something above it closes", { tags: "long" }, async () => {
      await site.search(page, "message 29");
      // As a dialog that opens by itself.
      await page.evaluate("history.pushState({ ...history.state, open: 1 }, '')");
      await page.goBack();
      const field = page.getByRole("combobox", { name: t("search:field") });
      expect(await field.inputValue()).toBe("message 29");
      await page.goBack();
      await field.waitFor({ state: "detached" });
      expect(new URL(page.url()).pathname).toBe(path);
    });
  });

  test("a panel doesn't stay above another page", async () => {
    await page.getByRole("button", { name: t("common:members"), exact: true }).tap();
    const panel = page.getByRole("dialog", { name: t("common:members") });
    await panel.getByRole("button", { name: "Ada" }).tap();
    await page.getByRole("button", { name: t("directs:notes") }).tap();
    const field = page.getByRole("textbox", { name: t("composer:label", { title: t("directs:notes") }) });
    await field.tap({ trial: true });
    expect(await panel.count()).toBe(0);
  });

  test("the title of the inbox is in one line", { tags: "long" }, async () => {
    for (const locale of ["en-US", "de-DE"]) {
      const phone = await site.newPage({ ...PHONE, viewport: { width: 360, height: 640 }, locale }, tokens);
      await site.visit(phone, "/inbox");
      const title = phone.getByRole("heading", { level: 1 });
      const text = await title.evaluate((element) => {
        const range = element.ownerDocument.createRange();
        range.selectNodeContents(element);
        return { lines: range.getClientRects().length, isCut: element.scrollWidth > element.clientWidth };
      });
      expect([locale, text]).toEqual([locale, { lines: 1, isCut: false }]);
      await phone.close();
    }
  });

  test("the composer stays above the on-screen keyboard, in a thread too", async () => {
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    // Android resizes the page.
    await page.setViewportSize({ width: 390, height: 380 });
    await expectAbove(380);
    await page.setViewportSize(PHONE.viewport);

    // iOS lays the keyboard over it, and scrolls it up.
    await page.evaluate(`{
      const { prototype } = VisualViewport;
      Object.defineProperty(prototype, "height", { configurable: true, get: () => 380 });
      Object.defineProperty(prototype, "offsetTop", { configurable: true, get: () => 120 });
      visualViewport.dispatchEvent(new Event("resize"));
    }`);
    await expectAbove(500);
    expect((await page.locator("header").first().boundingBox())!.y).toBe(120);
    await page.evaluate(`{
      Object.defineProperty(VisualViewport.prototype, "offsetTop", { get: () => 0 });
      Object.defineProperty(VisualViewport.prototype, "height", { get: () => innerHeight });
      visualViewport.dispatchEvent(new Event("resize"));
    }`);
    await expectAbove(700);

    async function expectAbove(edge: number): Promise<void> {
      await expect
        .poll(async () => {
          const { y, height } = (await field.boundingBox())!;
          return y + height <= edge && y + height > edge - 60;
        })
        .toBe(true);
      await message("the last one").tap({ trial: true });
    }
  });
});
