import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorld, startInstance, type Instance } from "@fanfare/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyWeb, hasBrowser, launchBrowser } from "./browser.ts";

const SOON = { timeout: 20_000 };
const LOADED = `performance.getEntriesByType("resource")
  .map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith("/assets/"))`;
const KEPT = `(async () => {
  const paths = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
  return paths.toSorted();
})()`;

describe.skipIf(!hasBrowser())("the service worker", () => {
  let folder: string;
  let instance: Instance;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-worker-"));
    await copyWeb(folder);
    [instance, browser] = await Promise.all([startInstance({ WEB_DIR: folder }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A page that the service worker serves. */
  async function openControlled(context: BrowserContext, path = "/"): Promise<Page> {
    const page = await context.newPage();
    await page.goto(instance.url + path);
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null"), SOON).toBe(true);
    // What was loaded before the worker was there is kept a moment later.
    await expect
      .poll(() => page.evaluate<string[]>(KEPT), SOON)
      .toEqual(expect.arrayContaining(await page.evaluate<string[]>(LOADED)));
    return page;
  }

  test("keeps the application and nothing of anybody's, and starts it without the server", async () => {
    const { owner, group, channel } = await createWorld(instance.url);
    const context = await browser.newContext();
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
    await page.goto(`${instance.url}/groups/${group.id}/channels/${channel.id}`);
    await page.getByRole("button").first().waitFor();
    expect(await page.evaluate('fetch("/api/meta").then(() => "answered", () => "away")')).toBe("away");
    await context.close();
  });

  test("asks before it brings a new version in", async () => {
    const context = await browser.newContext();
    const page = await openControlled(context);
    const worker = join(folder, "sw.js");
    const now = await readFile(worker, "utf8");
    await Promise.all([".br", ".gz"].map((kind) => rm(`${worker}${kind}`, { force: true })));
    await writeFile(worker, now.replace(/[0-9a-f]{16}/, "newversion"));
    await page.evaluate("navigator.serviceWorker.getRegistration().then((it) => it.update())");
    await page.getByText("A new version of Fanfare is here.").waitFor();
    await page.evaluate("window.isOld = true");
    await page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(() => page.evaluate("window.isOld === undefined").catch(() => false), SOON).toBe(true);
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null"), SOON).toBe(true);
    expect(
      (await page.evaluate<string[]>("caches.keys()")).every((name) => name.includes("newversion")),
    ).toBe(true);
    await page.getByRole("button").first().waitFor();
    expect(await page.getByText("A new version of Fanfare is here.").count()).toBe(0);
    await context.close();
  });

  test("shows what is pushed, and a click leads to it", async () => {
    const context = await browser.newContext();
    await context.grantPermissions(["notifications"], { origin: instance.url });
    const page = await openControlled(context);
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        const [found] = registrations;
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
    await session.send("ServiceWorker.deliverPushMessage", {
      origin: instance.url,
      registrationId: await registered,
      data: JSON.stringify(pushed),
    });
    const shown = `navigator.serviceWorker.ready.then((it) => it.getNotifications()).then((all) =>
      all.map(({ title, body, tag, data }) => ({ title, body, tag, path: data.path })))`;
    await expect
      .poll(() => page.evaluate(shown), SOON)
      .toEqual([
        {
          title: pushed.title,
          body: pushed.body,
          tag: pushed.channelId,
          path: `/groups/${id("a")}/channels/${id("c")}?message=${id("e")}`,
        },
      ]);
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(`self.registration.getNotifications().then(([notification]) =>
      self.dispatchEvent(new NotificationEvent("notificationclick", { notification })))`);
    await expect
      .poll(() => page.url(), SOON)
      .toContain(`/groups/${id("a")}/channels/${id("c")}?message=${id("e")}`);
    await context.close();
  });
});
