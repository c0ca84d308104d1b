import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorld } from "@fanfare/testing";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const LOADED = `performance.getEntriesByType("resource")
  .map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith("/assets/"))`;
const KEPT = `(async () => {
  const paths = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
  return paths.toSorted();
})()`;

/** The browser of the tests has no push service. */
const PUSH_SERVICE = `{
  const found = () => ({
    endpoint: "http://push.example/" + localStorage.subscription,
    toJSON() {
      return { endpoint: this.endpoint, keys: { p256dh: "A".repeat(87), auth: "A".repeat(22) } };
    },
    unsubscribe: async () => delete localStorage.subscription,
  });
  PushManager.prototype.getSubscription = async () => (localStorage.subscription ? found() : null);
  PushManager.prototype.subscribe = async () => {
    localStorage.subscription ??= 1;
    return found();
  };
}`;

describe.skipIf(!hasBrowser())("the service worker", () => {
  /** A copy of the page, because the tests put a newer version there. */
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-worker-"));
    await cp(inject("webBuild"), folder, { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const site = useSite(() => ({ WEB_DIR: folder }));

  /** Opens a page that the service worker controls. */
  async function openControlled(context: BrowserContext, path = "/"): Promise<Page> {
    const page = await context.newPage();
    await page.goto(site.url + path);
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
    // Files loaded before the worker started are cached a moment later.
    await expect
      .poll(() => page.evaluate<string[]>(KEPT))
      .toEqual(expect.arrayContaining(await page.evaluate<string[]>(LOADED)));
    return page;
  }

  test("caches the application but no user data, and starts it offline", async () => {
    const { owner, group, channel } = await createWorld(site.url);
    const context = await site.newContext({ serviceWorker: true });
    const page = await openControlled(context);
    await page.evaluate(
      `fetch("/api/user.me", { method: "POST", headers: { authorization: "Bearer ${owner.accessToken}" } })`,
    );
    await page.evaluate('fetch("/api/meta")');
    const kept = await page.evaluate<string[]>(KEPT);
    expect(kept).toContain("/");
    for (const path of kept)
      expect(path).toMatch(/^\/($|assets\/|theme\.js|favicon\.svg|manifest\.webmanifest)/);

    await context.setOffline(true);
    await page.goto(`${site.url}/groups/${group.id}/channels/${channel.id}`);
    await page.getByRole("button").first().waitFor();
    expect(await page.evaluate('fetch("/api/meta").then(() => "answered", () => "away")')).toBe("away");
  });

  test("asks before activating a new version", async () => {
    const context = await site.newContext({ serviceWorker: true });
    const page = await openControlled(context);
    const worker = join(folder, "sw.js");
    const now = await readFile(worker, "utf8");
    await Promise.all([".br", ".gz"].map((kind) => rm(`${worker}${kind}`, { force: true })));
    await writeFile(worker, now.replace(/[0-9a-f]{16}/, "newversion"));
    await page.evaluate("navigator.serviceWorker.getRegistration().then((it) => it.update())");
    await page.getByText(t("ui:newVersion")).waitFor();
    await page.evaluate("window.isOld = true");
    await page.getByRole("button", { name: t("ui:reload") }).click();
    await expect.poll(() => page.evaluate("window.isOld === undefined").catch(() => false)).toBe(true);
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
    expect(
      (await page.evaluate<string[]>("caches.keys()")).every((name) => name.includes("newversion")),
    ).toBe(true);
    await page.getByRole("button").first().waitFor();
    expect(await page.getByText(t("ui:newVersion")).count()).toBe(0);
  });

  test("shows a push notification, and clicking it opens its target", async () => {
    const context = await site.newContext({ serviceWorker: true, permissions: ["notifications"] });
    const page = await openControlled(context);
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const found = registrations.find(
          ({ scopeURL, isDeleted }) => scopeURL === `${site.url}/` && !isDeleted,
        );
        if (found !== undefined) resolve(found.registrationId);
      });
    });
    await session.send("ServiceWorker.enable");
    const id = (digit: string): string => digit.repeat(24);
    const pushed = {
      title: "Ada mentioned you",
      body: "Hello",
      channelId: id("c"),
      groupId: id("a"),
      messageId: id("e"),
    };
    const push = {
      origin: site.url,
      registrationId: await registered,
      data: JSON.stringify(pushed),
    };
    const shown = `navigator.serviceWorker.ready.then((it) =>
      navigator.locks.request("fanfare.notifications", () => it.getNotifications())).then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, path: data.path })))`;
    const [worker] = context.serviceWorkers();
    await worker!.evaluate("navigator.setAppBadge = async (count) => void (self.badge = count)");
    await expect
      .poll(async () => {
        // The browser drops pushes while the worker starts; a later one with the same tag replaces an earlier
        // one.
        await session.send("ServiceWorker.deliverPushMessage", push);
        return page.evaluate(shown);
      })
      .toEqual([
        {
          title: pushed.title,
          body: pushed.body,
          tag: pushed.channelId,
          path: `/groups/${id("a")}/channels/${id("c")}?message=${id("e")}`,
        },
      ]);
    await expect.poll(() => worker!.evaluate("self.badge")).toBe(1);
    await worker!.evaluate(`self.registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent("notificationclick", { notification })))`);
    await expect
      .poll(() => page.url())
      .toContain(`/groups/${id("a")}/channels/${id("c")}?message=${id("e")}`);

    // Many at once are all shown.
    const tags = Array.from({ length: 30 }, (_, index) => String(index).padStart(24, "0"));
    await worker!.evaluate("self.badges = 0, navigator.setAppBadge = async () => void self.badges++");
    await Promise.all(
      tags.map((channelId) =>
        session.send("ServiceWorker.deliverPushMessage", {
          ...push,
          data: JSON.stringify({ ...pushed, channelId }),
        }),
      ),
    );
    await expect.poll(() => worker!.evaluate("self.badges")).toBe(tags.length);
    const all = await page.evaluate<{ tag: string }[]>(shown);
    expect(all.map(({ tag }) => tag).toSorted()).toEqual(expect.arrayContaining(tags));
  });

  test(
    "a push subscription that the browser replaces, or the server has removed, is renewed",
    { tags: "long" },
    async () => {
      const ada = await site.newAccount("Ada");
      const options = { serviceWorker: true, permissions: ["notifications"] };
      const context = await site.newContext(options, await site.logIn("ada"));
      await context.addInitScript(PUSH_SERVICE);
      const page = await openControlled(context, "/settings/notifications");
      const stored = () => site.instance.collection("pushSubscriptions").findOne({});
      const endpoint = async () => (await stored())?.["endpoint"] as string | undefined;
      const push = page.getByRole("switch", { name: t("settings:push.thisDevice") });
      await push.click();
      await expect.poll(endpoint).toBe("http://push.example/1");

      await page.evaluate("localStorage.subscription = 2");
      await context
        .serviceWorkers()[0]!
        .evaluate('void self.dispatchEvent(new ExtendableEvent("pushsubscriptionchange"))');
      await expect.poll(endpoint).toBe("http://push.example/2");

      await site.instance.collection("pushSubscriptions").deleteMany({});
      await page.evaluate("localStorage.subscription = 3");
      await page.reload();
      await expect.poll(endpoint).toBe("http://push.example/3");

      // What the server has removed is known to be refused once the page has stored it.
      await expect.poll(() => page.evaluate(`localStorage["fanfare.push"]`)).toContain("push.example/3");
      await site.instance.collection("pushSubscriptions").deleteMany({});
      await page.reload();
      await expect.poll(endpoint).toBe("http://push.example/1");

      await expect.poll(() => push.isChecked()).toBe(true);
      await push.click();
      await expect.poll(endpoint).toBeUndefined();
      ada.close();
    },
  );
});
