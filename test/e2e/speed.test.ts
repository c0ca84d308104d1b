import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { devices, type Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** Google's limit for "good" is 0.1. */
const MAX_LAYOUT_SHIFT = 0.05;

/** Of a page that loads a channel. */
const MAX_CALLS = 25;

/** Messages that arrive before a frame. */
const BURST = 40;

/** Collects the shifts of the layout that no input caused, with the elements that moved. */
const WATCH_LAYOUT = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        shifts.push({ value, moved: sources.map(({ node, previousRect, currentRect }) =>
          [node?.textContent?.slice(0, 40), previousRect.y, currentRect.y].join(" ")) });
  }).observe({ type: "layout-shift", buffered: true });
`;

/** Chromium's figures for the load of a page. */
interface Vitals {
  largestPaintMs: number;
  /** The text of the element that was the largest. */
  largest: string;
  longTasks: number;
  longTasksMs: number;
}

const WATCH_VITALS = `
  window.vitals = { largestPaintMs: 0, largest: "", longTasks: 0, longTasksMs: 0 };
  const watch = (type, look) =>
    new PerformanceObserver((list) => list.getEntries().forEach(look)).observe({ type, buffered: true });
  watch("largest-contentful-paint", ({ startTime, element }) => {
    vitals.largestPaintMs = Math.round(startTime);
    vitals.largest = element?.textContent ?? "";
  });
  watch("longtask", ({ duration }) => {
    vitals.longTasks += 1;
    vitals.longTasksMs += Math.round(duration);
  });
`;

/** Counts React's commits, and can hold back frames. */
const WATCH_COMMITS = `
  window.commits = 0;
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => { commits += 1; },
    onCommitFiberUnmount: () => {},
    onPostCommitFiberRoot: () => {},
  };
  const { requestAnimationFrame: draw } = window;
  const held = [];
  window.holdFrames = () => { window.requestAnimationFrame = (work) => held.push(work); };
  window.releaseFrames = () => {
    window.requestAnimationFrame = draw;
    for (const work of held.splice(0)) draw(work);
  };
`;

/** Counts the frames in which a message had no name for its author or for a mentioned user. */
const WATCH_NAMES = `
  window.nameless = 0;
  const look = () => {
    const names = [...document.querySelectorAll("[role=log] article .font-semibold, [role=log] article .mention")];
    if (names.some(({ textContent }) => textContent === "" || textContent === "@…")) nameless += 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

/** Resolves when nothing has changed for a while. */
async function unchanged(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const wait = () => { clearTimeout(timer); timer = setTimeout(resolve, 2000); };
    let timer;
    wait();
    new MutationObserver(wait).observe(document.body, { subtree: true, childList: true, characterData: true });
  })`);
}

describe.skipIf(!hasBrowser())("speed", () => {
  const site = useSite(() => ({ RATE_LIMIT_FACTOR: "100" }));
  let reader: SessionTokens;
  /** Of a channel with one message. */
  let quietPath: string;
  let groupId: string;
  let path: string;
  let channelId: string;
  let writer: FanfareClient;
  let newReader: () => Promise<SessionTokens>;

  beforeAll(async () => {
    const ada = new FanfareClient({ url: site.url });
    reader = await ada.createGuest({ nickname: "Ada Lovelace" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    channelId = channels[0]!.id;
    writer = ada;
    for (const name of ["launches", "engines", "fuel", "range safety", "lunch"])
      await ada.call("channel.create", { groupId: group.id, name });
    const { invite } = await ada.call("invite.create", { groupId: group.id });
    newReader = async () => {
      const client = new FanfareClient({ url: site.url });
      const tokens = await client.createGuest({ nickname: "Gil" });
      await client.call("invite.accept", { code: invite.code });
      return tokens;
    };
    const authors = await Promise.all(
      ["Bo", "Cyrus the Younger", "Dee Dee", "Eve Adamson", "Flo"].map(async (nickname) => {
        const author = new FanfareClient({ url: site.url });
        await author.createGuest({ nickname });
        await author.call("invite.accept", { code: invite.code });
        return author;
      }),
    );
    for (let count = 0; count < 60; count += 1) {
      const author = authors[(count * 7) % authors.length]!;
      const other = authors[count % 3]!.user!.id;
      const { message } = await author.call("message.send", {
        channelId,
        content: `Message ${count} for <@${other}>. ${"The burn was nominal. ".repeat(count % 9)}`,
        nonce: `message-${count}`,
      });
      if (count % 20 === 5) await ada.call("channel.openThread", { channelId, messageId: message.id });
    }
    const { channel: quiet } = await ada.call("channel.create", { groupId: group.id, name: "quiet" });
    await ada.call("message.send", { channelId: quiet.id, content: "The only one", nonce: "only" });
    quietPath = `/groups/${group.id}/channels/${quiet.id}`;
    path = `/groups/${group.id}/channels/${channelId}`;
  });

  /** A mid-range phone on a slow connection. */
  async function throttle(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 150,
      downloadThroughput: 1_600_000 / 8,
      uploadThroughput: 750_000 / 8,
    });
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  }

  /** Resolves when the newest message is shown with its author, and nothing has changed for a while. */
  async function settled(page: Page): Promise<void> {
    await page.getByText("Message 59 for").waitFor();
    await unchanged(page);
  }

  /** The names of the actions that the page calls from now on. */
  function callsOf(page: Page): string[] {
    const names: string[] = [];
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        const [, name] = /^42\d+\["([^"]+)"/.exec(payload.toString()) ?? [];
        if (name !== undefined) names.push(name);
      }),
    );
    return names;
  }

  /** The calls of the page from now on that have no answer yet, and the names of all its calls. */
  function openCallsOf(page: Page): { names: Set<string>; ids: Set<string> } {
    const calls = { names: new Set<string>(), ids: new Set<string>() };
    page.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => {
        const [, id, name] = /^42(\d+)\["([^"]+)"/.exec(payload.toString()) ?? [];
        if (id === undefined) return;
        calls.ids.add(id);
        calls.names.add(name!);
      });
      socket.on("framereceived", ({ payload }) => {
        const [, id] = /^43(\d+)\[/.exec(payload.toString()) ?? [];
        if (id !== undefined) calls.ids.delete(id);
      });
    });
    return calls;
  }

  /** Times depend on the machine, so they are only printed. */
  async function expectQuickLoad(page: Page, visit: string): Promise<void> {
    const shifts = await page.evaluate<{ value: number; moved: string[] }[]>("shifts");
    const shift = shifts.reduce((sum, { value }) => sum + value, 0);
    const { largest, ...times } = await page.evaluate<Vitals>("vitals");
    console.info(visit, { ...times, shift });
    expect(await page.evaluate("nameless")).toBe(0);
    if (shift >= MAX_LAYOUT_SHIFT) console.error(shifts);
    expect(shift).toBeLessThan(MAX_LAYOUT_SHIFT);
    expect(largest).toContain("The burn was nominal.");
  }

  test("a channel loads for the first time with names, and without moving", async () => {
    const page = await site.newPage(DESKTOP, reader);
    await page.addInitScript(WATCH_VITALS + WATCH_LAYOUT + WATCH_NAMES);
    await throttle(page);
    const calls = callsOf(page);
    await page.goto(site.url + path);
    await settled(page);
    await expectQuickLoad(page, "first visit");
    const preloaded = await page.evaluate<string>(
      `[...document.querySelectorAll("link[rel=modulepreload]")].map(({ href }) => href).join()`,
    );
    expect(preloaded).toContain("/assets/logged-in-");
    expect(preloaded).toContain("/assets/fields-");
    expect(calls.slice(MAX_CALLS)).toEqual([]);
  });

  /** Holds back the requests for a script until the returned function is called. */
  async function holdScript(page: Page, name: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(`**/assets/${name}-*.js`, async (route) => {
      await promise;
      await route.continue();
    });
    return resolve;
  }

  test("the page does without its font if that can't be loaded", { tags: "long" }, async () => {
    const page = await site.newPage(DESKTOP, reader);
    const requested = page.waitForRequest("**/*.woff2");
    await page.route("**/*.woff2", (route) => route.abort());
    await page.goto(site.url + path);
    await requested;
    await page.getByText("Message 59 for").waitFor();
    await expect
      .poll(() => page.evaluate("[...document.fonts].some(({ status }) => status === 'error')"))
      .toBe(true);
  });

  test("a shortcut that is still loading acts later", { tags: "long" }, async () => {
    const page = await site.newPage(DESKTOP, reader);
    const release = await holdScript(page, "next");
    await page.goto(site.url + quietPath, { waitUntil: "commit" });
    await page.getByText("The only one").waitFor();
    const switcher = page.getByRole("combobox", { name: t("quick-switcher:title") });
    await page.keyboard.press("Control+k");
    expect(await switcher.count()).toBe(0);
    release();
    await switcher.waitFor();
  });

  test(
    "a button whose popup is still loading keeps the focus, and opens the popup later",
    { tags: "long" },
    async () => {
      const open = async () => {
        const page = await site.newPage(DESKTOP, reader);
        const release = await holdScript(page, "popups");
        await page.goto(site.url + quietPath, { waitUntil: "commit" });
        await page.getByText("The only one").waitFor();
        const popup = page.getByRole("dialog", { name: t("messages:day.goTo") });
        return { page, release, popup, button: page.locator(".column > button") };
      };
      const focused = await open();
      await focused.button.press("Enter");
      await focused.button.press("Enter");
      focused.release();
      await focused.page.locator(".column > button[aria-haspopup]").waitFor();
      expect(await focused.button.evaluate((button) => button.matches(":focus"))).toBe(true);
      expect(await focused.popup.count()).toBe(0);

      const pressed = await open();
      await pressed.button.click();
      expect(await pressed.popup.count()).toBe(0);
      pressed.release();
      await pressed.popup.waitFor();
    },
  );

  test("a channel's messages are asked for once, while the application is loading", async () => {
    const page = await site.newPage(DESKTOP, reader);
    const release = await holdScript(page, "logged-in");
    const calls = callsOf(page);
    await page.goto(site.url + path, { waitUntil: "commit" });
    await expect.poll(() => calls.toSorted()).toEqual(["channel.list", "group.listMine", "message.list"]);
    release();
    await page.getByText("Message 59 for").waitFor();
    for (const name of ["channel.list", "group.listMine", "message.list"])
      expect(calls.filter((call) => call === name)).toEqual([name]);
  });

  for (const [where, device, tags] of [
    ["a screen", DESKTOP, []],
    ["a phone", devices["Pixel 7"], ["long"]],
  ] as const)
    test(
      `on ${where}, messages are shown before the message field, and don't move when it is there`,
      { tags: [...tags] },
      async () => {
        const page = await site.newPage(device, reader);
        const release = await holdScript(page, "fields");
        await page.goto(site.url + path, { waitUntil: "commit" });
        await settled(page);
        const newest = page.getByText("Message 59 for");
        const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
        expect(await field.count()).toBe(0);
        const before = await newest.boundingBox();
        release();
        await field.waitFor();
        expect(await newest.boundingBox()).toEqual(before);
      },
    );

  test.for([
    ["message", (page: Page) => page.getByRole("log").getByRole("article").last()],
    ["link", (page: Page) => page.getByRole("navigation").getByRole("link", { name: "quiet" })],
  ] as const)(
    "the message field doesn't take the focus from a %s when it is there",
    { tags: "long" },
    async ([, find]) => {
      const page = await site.newPage(DESKTOP, reader);
      const release = await holdScript(page, "fields");
      await page.goto(site.url + path, { waitUntil: "commit" });
      await settled(page);
      await find(page).focus();
      release();
      await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
      expect(await find(page).evaluate((element) => element.matches(":focus"))).toBe(true);
    },
  );

  test("the messages that arrive before a frame lead to few commits", { tags: "long" }, async () => {
    const { channel } = await writer.call("channel.create", { groupId, name: "burst" });
    const page = await site.newPage(DESKTOP, reader);
    await page.addInitScript(WATCH_COMMITS);
    let received = 0;
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        received += payload.toString().match(/"content":"Burst \d+"/g)?.length ?? 0;
      }),
    );
    await page.goto(`${site.url}/groups/${groupId}/channels/${channel.id}`);
    await page.getByRole("log").waitFor();
    await unchanged(page);
    await page.evaluate("holdFrames(); commits = 0");
    const send = (number: number) => {
      const content = `Burst ${number}`;
      return writer.call("message.send", { channelId: channel.id, content, nonce: content });
    };
    // At once, because a page on a busy machine has other work every now and then.
    await Promise.all(Array.from({ length: BURST }, (_, index) => send(index + 1)));
    await expect.poll(() => received).toBe(BURST);
    expect(await page.evaluate("commits")).toBeLessThan(BURST / 4);
    await page.evaluate("releaseFrames()");
    await page.getByText(`Burst ${BURST}`, { exact: true }).waitFor();
    expect(await page.evaluate("commits")).toBeLessThan(BURST / 2);
  });

  test(
    "at the end of a channel, the placeholders above its messages don't move",
    { tags: "long" },
    async () => {
      const { channel } = await writer.call("channel.create", { groupId, name: "log" });
      for (let count = 1; count <= 120; count += 1) {
        const content = `Line ${count}`;
        await writer.call("message.send", { channelId: channel.id, content, nonce: content });
      }
      const page = await site.newPage(DESKTOP, reader);
      await page.goto(`${site.url}/groups/${groupId}/channels/${channel.id}`);
      await page.getByText("Line 120").waitFor();
      const placeholders = page.getByRole("log").locator(".animate-pulse");
      const moving = () =>
        placeholders.evaluateAll((all) => all.flatMap((element) => element.getAnimations()).length);
      await placeholders.first().waitFor({ state: "attached" });
      await expect.poll(moving).toBe(0);
      await page.getByText("Line 110").hover();
      await page.mouse.wheel(0, -400);
      await expect.poll(moving).toBeGreaterThan(0);
    },
  );

  describe("a second visit", () => {
    /** The paths of loaded files that the service worker hasn't stored yet. */
    const UNSTORED = `(async () => {
      const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
      const found = loaded
        .filter((path) => path.startsWith("/assets/"))
        .map(async (path) => ({ path, stored: await caches.match(path, { ignoreVary: true }) }));
      return (await Promise.all(found)).filter(({ stored }) => stored === undefined).map(({ path }) => path);
    })()`;
    /** The stored records with their keys, as JSON; empty if there is no database. */
    const RECORDS = `new Promise((resolve) => {
      const request = indexedDB.open("fanfare.data");
      request.onupgradeneeded = () => request.transaction.abort();
      request.onerror = () => resolve("");
      request.onsuccess = () => {
        const { result: database } = request;
        const data = database.transaction("data").objectStore("data");
        const [keys, values] = [data.getAllKeys(), data.getAll()];
        values.onsuccess = () => {
          database.close();
          resolve(JSON.stringify(keys.result.map((key, index) => [key, values.result[index]])));
        };
      };
    })`;
    /** Stores the records in a database of version 1, before the page opens it. */
    const storeAsVersion1 = (records: string) => `{
      indexedDB.deleteDatabase("fanfare.data");
      const request = indexedDB.open("fanfare.data", 1);
      request.onupgradeneeded = () => {
        const data = request.result.createObjectStore("data");
        for (const [key, value] of ${records}) data.put(value, key);
      };
      request.onsuccess = () => request.result.close();
    }`;
    const FONTS = `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".woff2"))`;
    const DATABASES = `indexedDB.databases().then((all) => all.map(({ name }) => name))`;

    /** A page whose service worker and data are stored, for a new session of the reader. */
    async function visited(tokens: SessionTokens): Promise<Page> {
      const context = await site.newContext({ ...DESKTOP, serviceWorker: true }, tokens);
      const page = await context.newPage();
      site.watch(page);
      await page.goto(site.url + path);
      await page.getByText("Message 59 for").waitFor();
      await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
      for (const stored of ["Message 59 for", "range safety"])
        await expect.poll(() => page.evaluate(RECORDS)).toContain(stored);
      await page.getByRole("textbox").first().waitFor();
      await expect.poll(() => page.evaluate(UNSTORED)).toEqual([]);
      return page;
    }

    test("shows the last channel before the server answers", async () => {
      const page = await visited(await newReader());
      await page.addInitScript(WATCH_VITALS + WATCH_LAYOUT + WATCH_NAMES);
      await throttle(page);
      const calls = callsOf(page);
      await page.reload();
      await settled(page);
      await expectQuickLoad(page, "second visit");
      expect(await page.evaluate(FONTS)).toHaveLength(1);
      expect(calls).not.toContain("message.list");
      expect(calls.slice(MAX_CALLS)).toEqual([]);
    });

    test("shows the last channel without a network, and then catches up", { tags: "long" }, async () => {
      const page = await visited(await newReader());
      await page.context().setOffline(true);
      await page.reload();
      await page.getByText("Message 59 for").waitFor();
      expect(await page.locator("[role=log] article").last().innerText()).toContain("Eve Adamson");
      await page.getByRole("navigation").getByText("range safety").waitFor();

      await writer.call("message.send", { channelId, content: "Missed", nonce: `missed-${Date.now()}` });
      const calls = callsOf(page);
      await page.context().setOffline(false);
      await page.locator("[role=log]").getByText("Missed").waitFor();
      expect(calls).toContain("channel.sync");
      expect(calls).not.toContain("message.list");
    });

    test("marks as unread what was not read elsewhere in the meantime", { tags: "long" }, async () => {
      const tokens = await newReader();
      const page = await visited(tokens);
      await page.addInitScript(WATCH_COMMITS);
      await page.context().setOffline(true);
      await page.reload();
      await page.getByText("Message 59 for").waitFor();
      const seqs: number[] = [];
      for (let count = 1; count <= 4; count += 1) {
        const nonce = `later-${count}-${Date.now()}`;
        const sent = await writer.call("message.send", { channelId, content: `Later ${count}`, nonce });
        seqs.push(sent.message.seq);
      }
      const elsewhere = new FanfareClient({ url: site.url });
      elsewhere.useTokens(tokens);
      await elsewhere.call("channel.markRead", { channelId, seq: seqs[1]! });

      // The list is rendered while the page around it still shows the earlier visit.
      await page.evaluate("holdFrames()");
      const calls = openCallsOf(page);
      await page.context().setOffline(false);
      await expect.poll(() => calls.names.has("channel.list") && calls.ids.size === 0).toBe(true);
      const jump = page.getByRole("button", { name: t("messages:jump.newest") });
      await page.locator("[role=log]").hover();
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, -100);
          return jump.isVisible();
        })
        .toBe(true);
      await page.evaluate("releaseFrames()");
      const divider = page.getByRole("separator", { name: t("messages:unreadDivider") });
      expect(await divider.locator("xpath=../following-sibling::*[1]").innerText()).toContain("Later 3");
    });

    test("ignores data of another version", { tags: "long" }, async () => {
      const page = await visited(await newReader());
      await page.addInitScript(storeAsVersion1(await page.evaluate<string>(RECORDS)));
      await page.context().setOffline(true);
      await page.reload();
      await page.getByText(t("shell:connection.noNetwork")).waitFor();
      expect(await page.getByText("Message 59 for").count()).toBe(0);
    });

    test("shows nothing after the session has ended", { tags: "long" }, async () => {
      const tokens = await newReader();
      const page = await visited(tokens);
      const client = new FanfareClient({ url: site.url });
      client.useTokens(tokens);
      await client.logout();
      await page.getByText("Message 59 for").waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate(DATABASES)).not.toContain("fanfare.data");
      await page.context().setOffline(true);
      await page.goto(site.url + path);
      await page.getByRole("button").first().waitFor();
      expect(await page.getByText("Message 59 for").count()).toBe(0);
    });
  });
});
