import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { CDPSession, Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
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
    const code = "```\n" + "a long line ".repeat(30) + "\n```";
    await ada.call("message.send", { channelId, content: code, nonce: "code" });
    await ada.call("message.send", { channelId, content: "the last one", nonce: "last" });
    page = await site.keepPage(PHONE);
    session = await page.context().newCDPSession(page);
  });

  beforeEach(async () => {
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
    await page.emulateMedia({ reducedMotion: null });
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

  test("the end of a long name is cut off with an ellipsis in an empty message field", async () => {
    const ada = new FanfareClient({ url: site.url });
    await ada.login({ username: "ada", password: "correct horse" });
    const name = "announcements-of-all-rocket-builders";
    const { channel } = await ada.call("channel.create", { groupId, name });
    await site.open(page, `/groups/${groupId}/channels/${channel.id}`, tokens);
    await site.loaded(page);
    const field = page.getByRole("textbox", { name: t("composer:label", { title: `#${name}` }) });
    const shown = await field.screenshot();
    await page.evaluate(`{
      const { style } = document.querySelector("main textarea");
      style.textOverflow = "clip";
      // Otherwise the browser doesn't draw it again.
      style.display = "none";
      document.body.offsetHeight;
      style.display = "";
    }`);
    expect(shown.equals(await field.screenshot())).toBe(false);
  });
});
