import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const CHANNELS = 499;
/** Of these, the last ones are in a section. */
const IN_SECTION = 99;
const MAX_ROWS = 60;

/** Like a busy machine, where a list learns the size of its rows late. */
const MEASURES_NO_ROWS = `
  const { ResizeObserver } = window;
  window.ResizeObserver = class extends ResizeObserver {
    constructor(callback) {
      super((entries, observer) => {
        const others = entries.filter(({ target }) => target.localName !== "li");
        if (others.length > 0) callback(others, observer);
      });
    }
  };
`;

describe.skipIf(!hasBrowser())(`a group with ${CHANNELS} channels`, { tags: "long" }, () => {
  const site = useSite(() => ({ RATE_LIMIT_FACTOR: "100" }));
  let ada: FanfareClient;
  let tokens: SessionTokens;
  let groupId: string;
  const channelIds: string[] = [];
  let page: Page;

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    tokens = await ada.createGuest({ nickname: "Ada" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    channelIds.push(channels[0]!.id);
    const section = await ada.call("channel.create", { groupId, name: "archive", kind: "section" });
    for (let number = 1; number < CHANNELS; number++) {
      const sectionId = number < CHANNELS - IN_SECTION ? null : section.channel.id;
      const name = `channel-${number}`;
      const { channel } = await ada.call("channel.create", { groupId, name, sectionId });
      channelIds.push(channel.id);
    }
    page = await site.keepPage({ viewport: { width: 1280, height: 800 } });
  });

  const open = async (number = 0) => {
    await site.open(page, `/groups/${groupId}/channels/${channelIds[number]}`, tokens);
    await list().locator("[aria-current=page]").waitFor();
  };
  const list = () => page.getByRole("navigation", { name: t("channels:list.label") });
  const channel = (name: string) => list().getByRole("link", { name, exact: true });
  const head = () => list().getByRole("button", { name: "archive", exact: true });
  const rows = () => list().getByRole("listitem").count();
  const scrollTo = (top: number) =>
    list().evaluate((nav, px) => {
      nav.scrollTop = px;
    }, top);
  const isInView = (row: Locator) =>
    row.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const frame = element.closest("nav")!.getBoundingClientRect();
      return top >= frame.top && bottom <= frame.bottom;
    });
  const focused = () => page.locator(":focus").innerText();

  test("renders only the rows around the visible ones, and says how many there are", async () => {
    await open();
    expect(await rows()).toBeLessThan(MAX_ROWS);
    expect(await list().getByRole("listitem").last().getAttribute("aria-setsize")).toBe(`${CHANNELS + 1}`);
    for (const top of [4000, 9000, 1e6]) {
      await scrollTo(top);
      await expect.poll(rows).toBeLessThan(MAX_ROWS);
    }
    await expect.poll(() => isInView(channel(`channel-${CHANNELS - 1}`))).toBe(true);
    expect(await list().getByRole("listitem").last().getAttribute("aria-posinset")).toBe(`${CHANNELS + 1}`);
  });

  test("the arrow keys reach all rows, and the focused row stays", async () => {
    await open();
    await channel("general").focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe(`channel-${CHANNELS - 1}`);
    await expect.poll(() => isInView(page.locator(":focus"))).toBe(true);
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("general");
    for (let number = 1; number <= 80; number++) {
      await page.keyboard.press("ArrowDown");
      await expect.poll(focused).toBe(`channel-${number}`);
    }
    expect(await isInView(page.locator(":focus"))).toBe(true);
    await scrollTo(1e6);
    await channel(`channel-${CHANNELS - 2}`).waitFor();
    expect(await focused()).toBe("channel-80");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("channel-81");
    await expect.poll(() => isInView(page.locator(":focus"))).toBe(true);
    expect(await rows()).toBeLessThan(MAX_ROWS);
  });

  test("rows can be focused before they are measured", async () => {
    const unmeasured = await site.newPage({}, tokens);
    await unmeasured.addInitScript(MEASURES_NO_ROWS);
    await unmeasured.goto(`${site.url}/groups/${groupId}/channels/${channelIds[0]}`);
    // The page focuses it once it is there.
    await unmeasured.locator("textarea:focus").waitFor();
    const channels = unmeasured.getByRole("navigation", { name: t("channels:list.label") });
    await channels.locator("[aria-current=page]").focus();
    for (const name of ["channel-1", "channel-2"]) {
      await unmeasured.keyboard.press("ArrowDown");
      expect(await unmeasured.locator(":focus").innerText()).toBe(name);
    }
  });

  test("a collapsed section keeps only the open channel", async () => {
    await open(CHANNELS - 10);
    const name = `channel-${CHANNELS - 10}`;
    await expect.poll(() => isInView(channel(name))).toBe(true);
    await channel(name).focus();
    await scrollTo(1e6);
    for (let up = 0; up < IN_SECTION - 9; up++) await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toBe("archive");
    await page.keyboard.press("Enter");
    await expect.poll(() => head().getAttribute("aria-expanded")).toBe("false");
    await expect.poll(() => channel(`channel-${CHANNELS - 11}`).count()).toBe(0);
    expect(await channel(name).count()).toBe(1);
    await head().click();
    await channel(`channel-${CHANNELS - IN_SECTION}`).waitFor();
  });

  test("a jump to an unread channel shows its row", async () => {
    await open();
    const channelId = channelIds[300]!;
    const grace = new FanfareClient({ url: site.url });
    await grace.createGuest({ nickname: "Grace" });
    const { invite } = await ada.call("invite.create", { groupId });
    await grace.call("invite.accept", { code: invite.code });
    await grace.call("message.send", { channelId, content: "Hello", nonce: "hello" });
    await expect
      .poll(async () => {
        await page.keyboard.press("Alt+Shift+ArrowDown");
        return new URL(page.url()).pathname;
      })
      .toBe(`/groups/${groupId}/channels/${channelId}`);
    await expect.poll(() => isInView(channel("channel-300"))).toBe(true);
  });

  test("a row can be dragged to one that wasn't rendered", async () => {
    await open();
    const center = async (row: Locator) => {
      const { x, y, height } = (await row.boundingBox())!;
      return [x + 40, y + height * 0.8] as const;
    };
    await page.mouse.move(...(await center(channel("channel-2"))));
    await page.mouse.down();
    await page.mouse.move(...(await center(channel("channel-4"))), { steps: 3 });
    await scrollTo(3400);
    await channel("channel-104").waitFor();
    expect(await channel("channel-2").count()).toBe(1);
    // The list gets no pointer events while it scrolls.
    await expect
      .poll(async () => {
        await page.mouse.move(...(await center(channel("channel-104"))), { steps: 3 });
        return list().locator(".bg-accent").count();
      })
      .toBe(1);
    await page.mouse.up();
    const above = () =>
      list()
        .getByRole("listitem")
        .filter({ has: page.getByRole("link", { name: "channel-2", exact: true }) })
        .evaluate((row) => row.previousElementSibling!.textContent);
    await expect.poll(above).toBe("channel-104");
  });

  test("has no accessibility violations", async () => {
    await open();
    await scrollTo(5000);
    expect(await violations(page, "the list of channels", { within: "nav" })).toEqual([]);
  });
});
