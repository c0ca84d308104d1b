import type { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const TOUCH = { hasTouch: true, isMobile: true, reducedMotion: "reduce" } as const;
const TABLET = { ...TOUCH, viewport: { width: 1100, height: 700 } };
const PHONE = { ...TOUCH, viewport: { width: 390, height: 700 } };

/** Records clicked elements by accessible name or text. */
const WATCH_CLICKS = `
  window.clicked = [];
  addEventListener(
    "click",
    ({ target }) => {
      const control = target.closest("a, button, [role=menuitem]") ?? target;
      window.clicked.push(control.getAttribute("aria-label") ?? control.textContent);
    },
    true,
  );
`;

const SHORT_RUN = "a message on a phone";

describe.skipIf(!hasBrowser())("lifting the finger after a long press clicks nothing", () => {
  const site = useSite();
  let ada: FanfareClient;
  let grace: FanfareClient;
  let inChannel: string;
  let inDirect: string;
  let tokens: SessionTokens;
  const pages = new Map<BrowserContextOptions, Page>();

  beforeAll(async () => {
    const team = await site.newTeam();
    ({ ada, grace } = team);
    const { groupId, channelId } = team;
    await ada.call("friend.request", { userId: grace.user!.id });
    await grace.call("friend.accept", { userId: ada.user!.id });
    const { channel: section } = await ada.call("channel.create", {
      groupId,
      name: "Engines",
      kind: "section",
    });
    await ada.call("channel.create", { groupId, name: "nozzles", sectionId: section.id });
    inChannel = `/groups/${groupId}/channels/${channelId}`;
    const send = { channelId, content: "hold me", nonce: "n" };
    const { message } = await grace.call("message.send", send);
    await grace.call("message.react", { channelId, messageId: message.id, emoji: "🚀" });
    const { channel: direct } = await ada.call("channel.openDirect", { userId: grace.user!.id });
    await ada.call("message.send", { ...send, channelId: direct.id });
    inDirect = `/direct/${direct.id}`;
    tokens = await site.logIn("ada");
  });

  async function pageOf(device: BrowserContextOptions): Promise<Page> {
    const kept = pages.get(device);
    if (kept !== undefined) return kept;
    const page = await site.keepPage(device);
    await page.addInitScript(WATCH_CLICKS);
    pages.set(device, page);
    return page;
  }

  const menuItem = (name: string) => (page: Page) => page.getByRole("menuitem", { name, exact: true });
  const sheet = (page: Page) => page.getByRole("dialog", { name: t("messages:action.toolbar") });

  interface Place {
    place: string;
    device: BrowserContextOptions;
    path: () => string;
    prepare?: (page: Page) => Promise<unknown>;
    held: (page: Page) => Locator;
    /** Something the long press opens, which is tapped afterwards. */
    opened: (page: Page) => Locator;
    name: string;
  }

  const openLists = (page: Page) => page.getByRole("button", { name: t("shell:openLists") }).tap();

  const places: Place[] = [
    {
      place: "a message on a phone",
      device: PHONE,
      path: () => inChannel,
      held: (page) => page.getByRole("log").getByText("hold me", { exact: true }),
      opened: (page) => sheet(page).getByRole("button", { name: "👍" }),
      name: "👍",
    },
    {
      place: "a message on a tablet",
      device: TABLET,
      path: () => inChannel,
      held: (page) => page.getByRole("log").getByText("hold me", { exact: true }),
      opened: menuItem(t("common:copyLink")),
      name: t("common:copyLink"),
    },
    ...[PHONE, TABLET].map((device) => ({
      place: `a reaction at a width of ${device.viewport.width}`,
      device,
      path: () => inChannel,
      held: (page: Page) =>
        page
          .getByRole("log")
          .getByRole("button", { name: t("messages:reaction.label", { emoji: "🚀", count: 1 }) }),
      opened: (page: Page) =>
        page
          .getByRole("dialog", { name: t("messages:reaction.usersTitle", { emoji: "🚀" }) })
          .getByRole("button", { name: t("ui:close") }),
      name: t("ui:close"),
    })),
    {
      place: "a channel on a phone",
      device: PHONE,
      path: () => inChannel,
      prepare: openLists,
      held: (page) => page.getByRole("link", { name: "nozzles" }),
      opened: menuItem("Notifications"),
      name: t("common:notifications"),
    },
    {
      place: "a channel on a tablet",
      device: TABLET,
      path: () => inChannel,
      held: (page) => page.getByRole("link", { name: "nozzles" }),
      opened: menuItem("Notifications"),
      name: t("common:notifications"),
    },
    {
      place: "a section",
      device: TABLET,
      path: () => inChannel,
      held: (page) => page.getByRole("button", { name: "Engines", exact: true }),
      opened: menuItem("Rename section"),
      name: t("channels:section.rename"),
    },
    {
      place: "a member",
      device: TABLET,
      path: () => inChannel,
      prepare: (page) => page.getByRole("button", { name: t("common:members"), exact: true }).tap(),
      held: (page) => page.getByRole("complementary").getByRole("button", { name: "Grace", exact: true }),
      opened: menuItem("Profile"),
      name: t("common:profile"),
    },
    {
      place: "a conversation",
      device: TABLET,
      path: () => inDirect,
      held: (page) =>
        page.getByRole("navigation", { name: t("directs:title") }).getByRole("link", { name: "Grace" }),
      opened: menuItem("Notifications"),
      name: t("common:notifications"),
    },
    {
      place: "a friend",
      device: TABLET,
      path: () => "/direct",
      prepare: (page) => page.getByRole("tab", { name: t("inbox:tab.all") }).tap(),
      held: (page) => page.getByRole("main").getByText("Grace", { exact: true }),
      opened: menuItem("Message"),
      name: t("members:action.message"),
    },
  ];
  for (const { place, device, path, prepare, held, opened, name } of places)
    test(`on ${place}`, { tags: place === SHORT_RUN ? [] : "long" }, async () => {
      const page = await pageOf(device);
      await site.open(page, path(), tokens);
      await prepare?.(page);
      await site.loaded(page);
      // Only checks that it could be tapped: it is still, and nothing covers it.
      await held(page).tap({ trial: true });
      await page.evaluate("clicked.length = 0");

      const box = (await held(page).boundingBox())!;
      const touchPoints = [{ x: box.x + 20, y: box.y + box.height / 2 }];
      const session = await page.context().newCDPSession(page);
      await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints });
      await opened(page).waitFor();
      await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      // Clicks arrive in the order of the touches.
      await opened(page).tap();
      expect(await page.evaluate("clicked")).toEqual([name]);
    });
});
