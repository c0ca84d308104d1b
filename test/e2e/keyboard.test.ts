import { FanfareClient } from "@fanfare/client";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

/**
 * What is wrong with the focus: on the body, out of view, or without a sign. Fields show their caret, the items of menus their background,
 * and a page's content is as good as its first element.
 */
const FOCUS_FAULT = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return "lost";
  const html = element.outerHTML.slice(0, 160);
  if (element.id === "main") return null;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return "out of view: " + html;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const hasSign =
    (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) ||
    element.matches("input, textarea, [role=menu], [role=dialog], [data-highlighted]");
  return hasSign ? null : "without a sign: " + html;
})()`;

/** The accessible name of the focused element, as far as elements of this page have one. */
const FOCUSED_NAME = `(() => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.textContent;
  return (element.getAttribute("aria-label") ?? label ?? element.textContent).trim();
})()`;

/** With the initials before it and the state of the connection after it. */
const OWN_MENU = new RegExp(`${t("shell:you")} Ada`);

/** More elements than any page has before the one that is looked for. */
const MAX_TABS = 60;

describe.skipIf(!hasBrowser())("with the keyboard alone", () => {
  const site = useSite();

  test(
    "a guest creates a group, chats, finds messages and places, and logs out",
    { tags: "long" },
    async () => {
      const page = await site.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(site.url);
      await page.getByRole("textbox", { name: t("session:yourName") }).waitFor();

      const focusedName = () => page.evaluate<string>(FOCUSED_NAME);
      /** The focus may be lost while a page changes, but not afterwards. */
      const expectFocus = async () => expect.poll(() => page.evaluate(FOCUS_FAULT)).toBeNull();
      const expectFocusOn = async (name: string) => {
        await expect.poll(focusedName).toBe(name);
        await expectFocus();
      };
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      const tabTo = async (name: string | RegExp, key: "Tab" | "Shift+Tab" = "Tab") => {
        for (let tabs = 0; tabs < MAX_TABS; tabs++) {
          await press(key);
          await expectFocus();
          const focused = await focusedName();
          if (name instanceof RegExp ? name.test(focused) : focused === name) return;
        }
        throw new Error(`${key} doesn't lead to ${String(name)}.`);
      };
      const focusedMessage = () => page.locator("article:focus");
      const message = (text: string) =>
        page.getByRole("log").locator(".message:not(.pending)").getByText(text, { exact: true });
      const composer = (channel: string) => t("composer:label", { title: channel });

      // The first minute.
      await tabTo(t("session:yourName"));
      await page.keyboard.type("Ada");
      await press("Enter");
      await expectFocusOn(t("groups:create.name"));
      await page.keyboard.type("Rocket builders");
      await press("Enter");
      const link = page.getByRole("textbox", { name: t("invites:link") });
      await expect.poll(() => link.inputValue()).toContain("/invite/");
      await expectFocus();
      const code = (await link.inputValue()).split("/").at(-1)!;
      await press("Escape");
      await expectFocusOn(composer("#general"));

      const grace = new FanfareClient({ url: site.url });
      await grace.createGuest({ nickname: "Grace" });
      const { channels } = await grace.call("invite.accept", { code });
      await grace.channel(channels[0]!.id).send("Is there a zeppelin?");
      await message("Is there a zeppelin?").waitFor();

      await page.keyboard.type("Hello");
      await press("Enter");
      await message("Hello").waitFor();
      await press("ArrowUp");
      await expectFocusOn(t("messages:editLabel"));
      await press("End");
      await page.keyboard.type(" Grace");
      await press("Enter");
      await message("Hello Grace").waitFor();
      await expectFocusOn(composer("#general"));

      // From the composer to the messages and back.
      const toMessages = async () => {
        for (let tabs = 0; tabs < MAX_TABS && (await focusedMessage().count()) === 0; tabs++) {
          await press("Shift+Tab");
          await expectFocus();
        }
      };
      await toMessages();
      await press("ArrowUp");
      await expect.poll(() => focusedMessage().textContent()).toContain("Is there a zeppelin?");
      await press("+");
      await expectFocusOn(t("emoji:search"));
      await page.keyboard.type("rocket");
      await page.getByRole("option", { name: "Rocket" }).first().waitFor();
      await press("Enter");
      await page
        .getByRole("button", { name: t("messages:reaction.label", { emoji: "🚀", count: 1 }) })
        .waitFor();
      await expectFocus();
      await expect.poll(() => focusedMessage().count()).toBe(1);

      await press("r");
      await expectFocusOn(composer("#general"));
      await page.keyboard.type("It is in the hangar");
      await press("Enter");
      await message("It is in the hangar").waitFor();
      await expectFocusOn(composer("#general"));

      await toMessages();
      await press("t");
      const thread = page.getByRole("complementary").filter({ has: page.locator("textarea") });
      await thread.getByRole("textbox").waitFor();
      await expect.poll(() => thread.locator("textarea:focus").count()).toBe(1);
      await page.keyboard.type("Which hangar?");
      await press("Enter");
      await thread.getByText("Which hangar?", { exact: true }).waitFor();
      await press("Escape");
      await expect.poll(() => thread.count()).toBe(0);
      await expectFocus();

      // Daily work: another channel, search, settings.
      await tabTo("Rocket builders", "Shift+Tab");
      await press("Enter");
      await expectFocus();
      await choose(t("groups:menu.createChannel"));
      await expectFocusOn(t("channels:create.name"));
      await page.keyboard.type("rockets");
      await press("Enter");
      await expectFocusOn(composer("#rockets"));

      await press("Control+k");
      await expectFocusOn(t("quick-switcher:title"));
      await page.keyboard.type("gen");
      await page.getByRole("option", { name: /general/ }).waitFor();
      await press("Enter");
      await expectFocusOn(composer("#general"));

      await press("Control+f");
      await expectFocusOn(t("search:field"));
      await page.keyboard.type("zeppelin");
      await page.getByRole("button", { name: t("search:jump") }).waitFor();
      await tabTo(t("search:jump"));
      await press("Enter");
      await message("Is there a zeppelin?").first().waitFor();
      await expectFocus();
      await press("Escape");
      await expectFocus();

      await tabTo(OWN_MENU, "Shift+Tab");
      await press("Enter");
      await choose(t("common:settings"));
      await page.getByLabel(t("settings:profile.nickname")).waitFor();
      await expectFocus();
      await tabTo(t("settings:profile.nickname"));
      // A tooltip that is still shown takes the first one.
      await expect
        .poll(async () => {
          await press("Escape");
          return page.getByRole("log").isVisible();
        })
        .toBe(true);
      await expectFocus();

      await tabTo(OWN_MENU, "Shift+Tab");
      await press("Enter");
      await choose(t("shell:logOut"));
      await expectFocus();
      await tabTo(t("session:guestLogout.action"));
      await press("Enter");
      await page.getByRole("button", { name: t("session:asGuest") }).waitFor();
      await expectFocus();
      grace.close();

      /** In an open menu. */
      async function choose(item: string): Promise<void> {
        await page.getByRole("menuitem", { name: item, exact: true }).waitFor();
        for (let steps = 0; steps < MAX_TABS && (await focusedName()) !== item; steps++) {
          await press("ArrowDown");
          await expectFocus();
        }
        await press("Enter");
      }
    },
  );
});
