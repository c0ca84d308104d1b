import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { FanfareClient } from "@fanfare/client";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, colorScheme: "light" };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** The accessible name of the focused element. */
const FOCUSED = `document.activeElement.getAttribute("aria-label")`;

/**
 * Records the theme when the body's first child is inserted: before the first paint and before the application.
 */
const THEME_OF_BODY = `
  new MutationObserver((_, observer) => {
    if (document.body === null) return;
    window.themeOfBody = document.documentElement.dataset.theme ?? "none";
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });
`;

describe.skipIf(!hasBrowser())("the application shell", () => {
  const site = useSite();
  /** For the tests on a screen. */
  let desktop: Page;
  beforeAll(async () => {
    desktop = await site.keepPage(DESKTOP);
  });

  /** Opens a group with the channels general and rockets. */
  async function openGroup(options: BrowserContextOptions): Promise<Page> {
    const ada = new FanfareClient({ url: site.url });
    const tokens = await ada.createGuest({ nickname: "Ada" });
    const { group } = await ada.call("group.create", { name: "Rocket builders" });
    await ada.call("channel.create", { groupId: group.id, name: "rockets" });
    const page = options === DESKTOP ? desktop : await site.newPage(options);
    await site.open(page, "/", tokens);
    await page.getByRole("heading", { name: "general", exact: true }).waitFor();
    return page;
  }

  const root = (page: Page, name: string) => page.locator("html").getAttribute(name);
  const you = (page: Page) => page.getByRole("button", { name: `${t("shell:you")} Ada` });

  test(
    "a file can be dropped on the conversation, and isn't opened if it is dropped beside it",
    { tags: "long" },
    async () => {
      const page = await openGroup(DESKTOP);
      const session = await page.context().newCDPSession(page);
      await page.evaluate(
        `addEventListener("dragover", ({ dataTransfer }) => (window.effect = dataTransfer.dropEffect))`,
      );
      const path = fileURLToPath(import.meta.url);
      const dropOn = async (place: Locator) => {
        const { x, y } = (await place.boundingBox())!;
        const data = { items: [], files: [path], dragOperationsMask: 1 };
        for (const type of ["dragEnter", "dragOver", "drop"] as const)
          await session.send("Input.dispatchDragEvent", { type, x: x + 5, y: y + 5, data });
        return page.evaluate("effect");
      };
      await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
      const channels = page.getByRole("navigation", { name: t("channels:list.label") });
      expect(await dropOn(channels.getByRole("link", { name: "rockets" }))).toBe("none");
      expect(await dropOn(you(page))).toBe("none");
      expect(await dropOn(page.getByRole("log"))).toBe("copy");
      await page
        .getByRole("list", { name: t("composer:upload.list") })
        .getByText(basename(path))
        .waitFor();
    },
  );

  test("beside a panel, the name of the channel goes before the search field", { tags: "long" }, async () => {
    const page = await openGroup(DESKTOP);
    await page.setViewportSize({ width: 1050, height: 700 });
    const title = page.getByRole("heading", { name: "general", exact: true });
    const isWhole = () => title.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth);
    const search = page.getByRole("button", { name: t("search:title"), exact: true }).last();
    const isField = async () => (await search.boundingBox())!.width > 100;
    expect([await isWhole(), await isField()]).toEqual([true, true]);
    await page.getByRole("button", { name: t("common:members"), exact: true }).click();
    await page.getByRole("complementary", { name: t("common:members") }).waitFor();
    await expect.poll(isWhole).toBe(true);
    await page.setViewportSize(DESKTOP.viewport!);
    await expect.poll(isField).toBe(true);
  });

  test("applies a theme at once, and before anything else after a reload", async () => {
    const page = await openGroup(DESKTOP);
    expect(await root(page, "data-theme")).toBe("light");
    await page.evaluate(`window.fading = [];
      addEventListener("transitionrun", ({ target }) => fading.push(target.ariaLabel))`);
    await you(page).click();
    await page.getByRole("menuitemcheckbox", { name: t("session:theme.dark") }).click();
    await expect.poll(() => root(page, "data-theme")).toBe("dark");
    expect(await page.evaluate("fading")).not.toContain("Pinned messages");

    await page.addInitScript(THEME_OF_BODY);
    await page.reload();
    expect(await page.evaluate<string>("window.themeOfBody")).toBe("dark");
  });

  test("follows the system's theme until one is chosen", { tags: "long" }, async () => {
    const page = await openGroup(DESKTOP);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => root(page, "data-theme")).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
  });

  test("uses the browser's language until another is chosen", async () => {
    const page = await site.newPage({ ...DESKTOP, locale: "zh-CN" });
    await page.goto(site.url);
    await page.getByRole("button", { name: "以访客身份继续" }).waitFor();
    await expect.poll(() => root(page, "lang")).toBe("zh-CN");
    await page.getByRole("combobox", { name: "语言" }).selectOption("en");
    await page.getByRole("button", { name: t("session:asGuest") }).waitFor();
    await expect.poll(() => root(page, "lang")).toBe("en");
    await page.reload();
    await page.getByRole("button", { name: t("session:asGuest") }).waitFor();
  });

  test("slides lists in from the side on a phone, and closes them with Esc or by navigating", async () => {
    const page = await openGroup(PHONE);
    const opener = page.getByRole("button", { name: t("shell:openLists") });
    const lists = page.getByRole("dialog", { name: t("shell:lists") });
    expect(await page.getByRole("link", { name: "rockets" }).count()).toBe(0);
    await opener.click();
    await lists.waitFor();
    await page.keyboard.press("Escape");
    await lists.waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate<string>(FOCUSED)).toBe(t("shell:openLists"));

    await opener.click();
    await lists.getByRole("link", { name: "rockets" }).click();
    await page.getByRole("heading", { name: "rockets", exact: true }).waitFor();
    await lists.waitFor({ state: "detached" });

    // A link to the open channel too.
    await opener.click();
    await lists.getByRole("link", { name: "rockets" }).click();
    await lists.waitFor({ state: "detached" });
  });

  test("shows a notice while offline, and removes it once back online", async () => {
    const page = await openGroup(DESKTOP);
    const banner = page.getByText(t("shell:connection.noNetwork"));
    // Of the connection, and of the own presence.
    const dots = page.getByRole("contentinfo").locator(".bg-good");
    await expect.poll(() => dots.count()).toBe(2);
    await page.context().setOffline(true);
    await banner.waitFor();
    await expect.poll(() => dots.count()).toBe(0);
    await page.context().setOffline(false);
    await expect.poll(() => banner.count()).toBe(0);
    await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
  });

  test("starts with a link that skips the lists", async () => {
    const page = await openGroup(DESKTOP);
    // It takes the focus once it has loaded.
    await page.getByRole("textbox", { name: /general/ }).waitFor();
    const skip = page.getByRole("link").first();
    await skip.focus();
    expect(await skip.textContent()).toBe(t("shell:skipToContent"));
    expect((await skip.boundingBox())?.width).toBeGreaterThan(50);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate<string>("document.activeElement.id")).toBe("main");
  });
});
