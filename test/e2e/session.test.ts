import { FanfareClient } from "@fanfare/client";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const KEY = "fanfare.tokens";

describe.skipIf(!hasBrowser())("a session in several tabs", () => {
  const site = useSite();

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(site.url);
    return page;
  }

  /** What a tab has stored, for all tabs or for itself. */
  const kept = (page: Page, storage: "localStorage" | "sessionStorage" = "localStorage") =>
    page.evaluate(
      ([where, key]) => JSON.parse(globalThis[where as "localStorage"].getItem(key!) ?? "null"),
      [storage, KEY],
    ) as Promise<{ refreshToken: string; accessTokenExpiresAt: string } | null>;

  async function logInAsGuest(page: Page): Promise<void> {
    await page.getByRole("button", { name: t("session:asGuest") }).click();
    await expect.poll(() => kept(page)).not.toBeNull();
  }

  const guestButton = (page: Page) => page.getByRole("button", { name: t("session:asGuest") });
  /** Shown once the server has accepted the token. */
  const isIn = (page: Page) => page.getByRole("button", { name: t("shell:you") }).waitFor();

  test(
    "is shared with a new tab, with one that was already open, and with a restarted browser",
    { tags: "long" },
    async () => {
      const context = await site.newContext();
      const [ada, waiting] = [await open(context), await open(context)];
      await logInAsGuest(ada);
      await isIn(waiting);
      const second = await open(context);
      await isIn(second);

      const restarted = await site.newContext({ storageState: await context.storageState() });
      const page = await open(restarted);
      await isIn(page);
      expect(await kept(page)).not.toBeNull();
    },
  );

  test("has its expired tokens refreshed by one tab for all", async () => {
    const context = await site.newContext();
    const tabs = [await open(context), await open(context), await open(context)];
    await logInAsGuest(tabs[0]!);
    const refreshes: string[] = [];
    context.on("request", (request) => {
      if (request.url().endsWith("/api/user.refresh")) refreshes.push(request.url());
    });
    const refreshesOfExpired = async (): Promise<number> => {
      const before = await kept(tabs[0]!);
      // A tab that runs meanwhile refreshes at once, and loses that request when it is reloaded.
      await Promise.all(tabs.map((tab) => tab.goto(`${site.url}/favicon.svg`)));
      refreshes.length = 0;
      await tabs[0]!.evaluate((key) => {
        const tokens = JSON.parse(localStorage.getItem(key)!);
        const expired = {
          ...tokens,
          accessTokenExpiresAt: new Date(0).toISOString(),
          accessToken: "expired",
        };
        localStorage.setItem(key, JSON.stringify(expired));
      }, KEY);
      await Promise.all(tabs.map((tab) => tab.goto(site.url)));
      await expect.poll(async () => (await kept(tabs[0]!))!.refreshToken).not.toBe(before!.refreshToken);
      for (const tab of tabs) await isIn(tab);
      return refreshes.length;
    };
    // On a busy machine, tabs may get the lock before they see the new tokens; the server repeats them. Then once more.
    await expect.poll(refreshesOfExpired).toBeLessThan(tabs.length);
  });

  test("is separate in a duplicated tab, and both work", { tags: "long" }, async () => {
    const context = await site.newContext();
    const tab = await open(context);
    await logInAsGuest(tab);
    // As if "stay logged in" had been off.
    await tab.evaluate((key) => {
      const tokens = JSON.parse(localStorage.getItem(key)!);
      const expired = { ...tokens, accessTokenExpiresAt: new Date(0).toISOString(), accessToken: "expired" };
      sessionStorage.setItem(key, JSON.stringify(expired));
      localStorage.removeItem(key);
    }, KEY);
    const text = await tab.evaluate((key) => sessionStorage.getItem(key)!, KEY);
    const copy = await context.newPage();
    await copy.addInitScript(
      ([key, tokens]) => {
        if (sessionStorage.getItem(key!) === null) sessionStorage.setItem(key!, tokens!);
      },
      [KEY, text],
    );
    await Promise.all([tab.reload(), copy.goto(site.url)]);
    for (const page of [tab, copy]) await isIn(page);
    const tokenOf = async (page: Page) => (await kept(page, "sessionStorage"))!.refreshToken;
    // On a busy machine, both may renew them; the later ones reach the other tab.
    await expect.poll(async () => (await tokenOf(tab)) === (await tokenOf(copy))).toBe(true);
    expect(await tokenOf(tab)).not.toBe(JSON.parse(text).refreshToken);
    expect(await kept(tab)).toBeNull();
  });

  test('without "stay logged in" is limited to one tab, until it is closed', { tags: "long" }, async () => {
    const context = await site.newContext();
    const [ada, other] = [await open(context), await open(context)];
    const account = new FanfareClient({ url: site.url });
    await account.register({ username: "ada", password: "correct horse" });
    await ada.getByRole("link", { name: t("session:logIn") }).click();
    await ada.getByLabel(t("session:username")).fill("ada");
    await ada.getByLabel(t("session:password"), { exact: true }).fill("correct horse");
    await ada.getByRole("checkbox", { name: t("session:stayLoggedIn") }).click();
    await ada
      .locator("form")
      .getByRole("button", { name: t("session:logIn") })
      .click();
    await expect.poll(() => kept(ada, "sessionStorage")).not.toBeNull();
    expect(await kept(ada)).toBeNull();
    await isIn(ada);
    await ada.reload();
    await isIn(ada);
    await guestButton(other).waitFor();
  });

  test("is ended in all tabs by logging out in one, which leaves nothing behind", async () => {
    const context = await site.newContext();
    const [ada, other] = [await open(context), await open(context)];
    await logInAsGuest(ada);
    await isIn(other);
    await ada.getByRole("button", { name: t("shell:you") }).click();
    await ada.getByRole("menuitem", { name: t("shell:logOut") }).click();
    // A guest has no credentials to log in with again.
    await ada.getByRole("button", { name: t("session:guestLogout.action") }).click();
    for (const page of [ada, other]) await guestButton(page).waitFor();
    expect(await kept(other)).toBeNull();
    await other.reload();
    await guestButton(other).waitFor();
  });
});
