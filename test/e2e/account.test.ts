import { createHmac, hkdfSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { FanfareClient } from "@fanfare/client";
import { LIMITS, type SessionTokens } from "@fanfare/contract";
import { TOTP } from "otpauth";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMailbox, type Mailbox } from "../integration/mailbox.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PASSWORD = "correct horse";
const TOKEN_SECRET = "only-for-tests-only-for-tests-only-for-tests";
/** One pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.skipIf(!hasBrowser())("accounts in a browser", () => {
  let mailbox: Mailbox;
  let people = 0;

  beforeAll(async () => {
    mailbox = await startMailbox();
  });
  afterAll(() => mailbox?.stop());
  // The tests use the tokens from links in emails, and sign one of their own.
  const site = useSite(() => ({ PUBLIC_URL: "http://chat.example.org", TOKEN_SECRET, ...mailbox.env }));

  /** Shared by all tests except those with options. */
  let sharedPage: Page;
  beforeAll(async () => {
    sharedPage = await site.keepPage();
    watch(sharedPage);
  });

  /** The browser logs every rejected request; the tests check how the page handles it. */
  const watch = (page: Page) => site.watchConsole(page, (text) => text.startsWith("Failed to load resource"));

  async function openWindow(
    path: string,
    options?: BrowserContextOptions,
    tokens?: SessionTokens,
  ): Promise<Page> {
    const page = options === undefined ? sharedPage : await site.newPage(options);
    if (page !== sharedPage) watch(page);
    await site.open(page, path, tokens);
    return page;
  }

  async function openAs(username: string, path: string, options?: BrowserContextOptions): Promise<Page> {
    return openWindow(path, options, await site.logIn(username));
  }

  async function newAccount(): Promise<{ client: FanfareClient; username: string; email: string }> {
    people += 1;
    const username = `person${people}`;
    const email = `${username}@example.org`;
    const client = new FanfareClient({ url: site.url });
    await client.register({ username, password: PASSWORD, email });
    return { client, username, email };
  }

  async function logIn(page: Page, username: string, password = PASSWORD): Promise<void> {
    await page.getByLabel(t("session:username")).fill(username);
    await page.getByLabel(t("session:password"), { exact: true }).fill(password);
    await page.getByRole("button", { name: t("session:logIn"), exact: true }).click();
  }

  const isIn = (page: Page) => page.getByRole("button", { name: t("shell:you") }).waitFor();
  const pathOf = (page: Page) => new URL(page.url()).pathname;

  async function logOut(page: Page): Promise<void> {
    const menu = page.getByRole("button", { name: t("shell:you") });
    const item = page.getByRole("menuitem", { name: t("shell:logOut") });
    await page.bringToFront();
    // What loads right after a login may close the menu again.
    const soon = { timeout: 2_000 };
    await expect
      .poll(async () => {
        if (!(await item.isVisible())) await menu.click(soon).catch(() => undefined);
        await item.click(soon).catch(() => undefined);
        return await menu.count();
      })
      .toBe(0);
    await page.getByRole("heading", { name: t("session:welcome") }).waitFor();
  }

  test("an account is created, logged out, and logged in to by name and by address", async () => {
    const page = await openWindow("/");
    await page.getByRole("link", { name: t("session:register") }).click();
    await page.getByLabel(t("session:username")).fill("ada");
    await page.getByLabel(t("session:password"), { exact: true }).fill("correct");
    await page.getByRole("button", { name: t("session:showPassword") }).click();
    await expect
      .poll(() => page.getByLabel(t("session:password"), { exact: true }).getAttribute("type"))
      .toBe("text");
    await page.getByLabel(t("session:password"), { exact: true }).fill(PASSWORD);
    await page.getByLabel(t("settings:account.email")).fill("ada@example.org");
    await page.getByLabel(t("settings:profile.nickname")).fill("Ada Lovelace");
    await page.getByRole("button", { name: t("session:register") }).click();
    await page.getByRole("button", { name: `${t("shell:you")} Ada Lovelace` }).waitFor();
    expect(pathOf(page)).toBe("/");
    await logOut(page);

    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, "ada", "wrong");
    await page.getByRole("alert").getByText(t("shared:error.WRONG_CREDENTIALS")).waitFor();
    await logIn(page, "ada@example.org");
    await isIn(page);
  });

  test("following a link while logged out leads there after the login", { tags: "long" }, async () => {
    const { username } = await newAccount();
    const page = await openWindow("/status");
    await page.getByText(t("session:loginFirst")).waitFor();
    await page.getByRole("link", { name: t("session:register") }).click();
    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, username);
    await isIn(page);
    await expect.poll(() => pathOf(page)).toBe("/status");
  });

  test("a forgotten password is reset by an emailed link that works once", async () => {
    const { username, email, client } = await newAccount();
    client.close();
    const page = await openWindow("/login");
    await page.getByRole("link", { name: t("session:reset.title") }).click();
    await page.getByLabel(t("settings:account.email")).fill(email);
    await page.getByRole("button", { name: t("session:reset.send") }).click();
    await page.getByText(t("session:reset.sent")).waitFor();
    const { token } = await mailbox.next(email, /password/i);
    await page.goto(`${site.url}/reset-password#token=${token}`);
    await page.getByLabel(t("session:reset.newPassword")).fill("another horse");
    expect(page.url()).not.toContain(token);
    await page.getByRole("button", { name: t("session:reset.set") }).click();
    await page.getByText(t("session:reset.done")).waitFor();
    await page.getByRole("link", { name: t("session:toLogin") }).click();
    await logIn(page, username, "another horse");
    await isIn(page);

    await page.goto(`${site.url}/reset-password#token=${token}`);
    await page.getByRole("button", { name: t("session:reset.requestAgain") }).click();
    await page.getByRole("button", { name: t("session:reset.send") }).waitFor();
  });

  test(
    "an email address is confirmed by its link, after a page that names the account",
    { tags: "long" },
    async () => {
      const { email, username, client } = await newAccount();
      const { token } = await mailbox.next(email, /Verify/);
      const page = await openWindow(`/verify-email#token=${token}`);
      await page.getByText(t("session:verify.confirmText", { username, email })).waitFor();
      expect((await client.call("user.me", {})).user.emailVerified).toBe(false);
      await page.getByRole("button", { name: t("session:verify.confirm") }).click();
      await page.getByText(t("session:verify.done")).waitFor();
      const { user } = await client.call("user.me", {});
      expect(user.emailVerified).toBe(true);
      client.close();
      await page.goto(`${site.url}/verify-email#token=${token}x`);
      await page.getByText(t("session:invalidLink")).waitFor();
    },
  );

  test("a guest claims an account in all tabs, and keeps the name", async () => {
    const page = await openWindow("/");
    await page.getByLabel(t("session:yourName")).fill("Grace");
    await page.getByRole("button", { name: t("session:asGuest") }).click();
    await isIn(page);
    const tab = await page.context().newPage();
    for (const one of [tab, page]) {
      await one.goto(`${site.url}/direct`);
      await one.getByText(t("friends:guest")).first().waitFor();
      await one.getByText(t("shell:state.online"), { exact: true }).first().waitFor();
    }
    await page.bringToFront();
    const banner = page.getByRole("complementary", { name: t("session:claim.title") });
    await banner.getByRole("button", { name: t("session:newAccount") }).click();
    const dialog = page.getByRole("dialog", { name: t("session:claim.title") });
    await dialog.getByLabel(t("session:username")).fill("grace");
    await dialog.getByLabel(t("session:password"), { exact: true }).fill(PASSWORD);
    await dialog.getByRole("button", { name: t("session:newAccount") }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => banner.count()).toBe(0);
    // Features closed to guests are available at once.
    for (const one of [page, tab]) {
      await one.bringToFront();
      await one.getByText(t("friends:all.empty")).waitFor();
      await one.getByText(t("shell:state.online"), { exact: true }).first().waitFor();
    }
    await logOut(page);
    await tab.getByRole("heading", { name: t("session:welcome") }).waitFor();
    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, "grace");
    await page.getByRole("button", { name: `${t("shell:you")} Grace` }).waitFor();
  });

  test("an invite survives the login", async () => {
    const owner = await newAccount();
    const { group } = await owner.client.call("group.create", { name: "Rocket builders" });
    const { invite } = await owner.client.call("invite.create", { groupId: group.id });
    owner.client.close();
    const { username, client } = await newAccount();
    client.close();
    const page = await openWindow(`/invite/${invite.code}`);
    await page.getByText("Rocket builders", { exact: true }).waitFor();
    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, username);
    await expect.poll(() => pathOf(page)).toContain(`/groups/${group.id}`);
  });

  test("a second factor is set up, requested at the login, and replaced by a recovery code", async () => {
    const { username, client } = await newAccount();
    client.close();
    const page = await openWindow("/settings/security");
    await logIn(page, username);
    await page.getByRole("button", { name: t("settings:totp.setUp") }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await dialog.getByRole("button", { name: t("settings:next") }).click();
    await dialog.getByRole("img", { name: "QR code" }).waitFor();
    const secret = await dialog.getByLabel(t("settings:totp.secret")).inputValue();
    const totp = new TOTP({ secret });
    await dialog.getByLabel(t("session:code.app")).fill(totp.generate());
    await dialog.getByRole("button", { name: t("common:turnOn") }).click();
    await dialog.getByText(t("settings:recovery.text")).waitFor();
    await page.keyboard.press("Escape");
    await page.mouse.click(5, 5);
    await dialog.getByRole("button", { name: t("ui:close") }).hover();
    const [recoveryCode] = await dialog.getByRole("listitem").allTextContents();
    await dialog.getByRole("checkbox").click();
    await dialog.getByRole("button", { name: t("settings:done") }).click();
    await page.getByRole("button", { name: t("settings:totp.turnOff") }).waitFor();

    await page.getByRole("button", { name: t("ui:close") }).click();
    await logOut(page);
    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, username);
    const code = page.getByLabel(t("session:code.app"));
    await code.fill("000000");
    await page.getByRole("button", { name: t("session:logIn"), exact: true }).click();
    await page.getByRole("alert").getByText(t("shared:error.WRONG_CODE")).waitFor();
    // The current code has been used to enable it.
    await code.fill(totp.generate({ timestamp: Date.now() + 30_000 }));
    await page.getByRole("button", { name: t("session:logIn"), exact: true }).click();
    await isIn(page);

    await logOut(page);
    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, username);
    await page.getByRole("button", { name: t("session:code.useRecovery") }).click();
    await page.getByLabel(t("session:code.recovery")).fill(recoveryCode!);
    await page.getByRole("button", { name: t("session:logIn"), exact: true }).click();
    await isIn(page);
    expect(pathOf(page)).toBe("/");
  });

  test("profile, password and address can be changed, and other sessions ended", async () => {
    const { username, email, client } = await newAccount();
    const page = await openWindow("/settings/profile");
    await logIn(page, username);
    await page.getByLabel(t("settings:profile.nickname")).fill("Grace Hopper");
    await page.getByRole("button", { name: t("common:save") }).click();
    await page.getByText("Grace Hopper", { exact: true }).waitFor();
    const picture = { name: "me.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") };
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByRole("button", { name: t("settings:profile.usePicture") }).click();
    await page.getByRole("button", { name: t("common:remove") }).waitFor();
    const { user } = await client.call("user.me", {});
    expect(user).toMatchObject({ nickname: "Grace Hopper", avatarUrl: expect.any(String) });

    await page.getByRole("link", { name: t("settings:section.security") }).click();
    await page.getByRole("button", { name: t("settings:sessions.endOf", { name: "node" }) }).click();
    await expect
      .poll(() => page.getByRole("button", { name: t("settings:sessions.endOf", { name: "node" }) }).count())
      .toBe(0);
    await expect(client.call("user.me", {})).rejects.toThrow(/session/i);

    await page.getByRole("link", { name: t("settings:section.account") }).click();
    await page.getByText(t("settings:account.notVerified")).waitFor();
    await page.getByRole("button", { name: t("settings:account.changeEmail") }).click();
    await page.getByLabel(t("settings:account.newEmail")).fill(`new.${email}`);
    await page.getByLabel(t("settings:account.currentPassword")).first().fill(PASSWORD);
    await page.getByRole("button", { name: t("session:reset.send"), exact: true }).click();
    const { token } = await mailbox.next(`new.${email}`, /./);
    const mail = await page.context().newPage();
    await mail.goto(`${site.url}/verify-email#token=${token}`);
    await mail.getByRole("button", { name: t("session:verify.confirm") }).click();
    await mail.getByRole("link", { name: t("session:continue", { name: "Fanfare" }) }).waitFor();
    await page.getByText(`new.${email}`, { exact: true }).waitFor();
    await page.getByText(t("settings:account.verified"), { exact: true }).waitFor();

    await page.getByLabel(t("settings:account.currentPassword")).fill("wrong");
    await page.getByLabel(t("session:reset.newPassword")).fill("another horse");
    await page.getByRole("button", { name: t("settings:account.changePassword") }).click();
    await page.getByRole("alert").getByText(t("shared:error.WRONG_CREDENTIALS")).waitFor();
    await page.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await page.getByRole("button", { name: t("settings:account.changePassword") }).click();
    await page.getByText(t("settings:account.passwordChanged")).waitFor();
    await page.reload();
    await page.getByText(t("settings:account.verified"), { exact: true }).waitFor();
  });

  test("bot and webhook tokens are listed down to the oldest", { tags: "long" }, async () => {
    const { client, username } = await newAccount();
    const { group } = await client.call("group.create", { name: "Rocket builders" });
    const COUNT = 60;
    let channelId = "";
    for (let number = 1; number <= COUNT; number++) {
      if (number % LIMITS.webhooksPerChannel === 1) {
        const { channel } = await client.call("channel.create", { groupId: group.id, name: `c${number}` });
        channelId = channel.id;
      }
      await client.call("webhook.create", { channelId, name: `Hook ${number}` });
    }
    const page = await openAs(username, "/settings/security");
    const tokens = page.getByRole("button", { name: t("settings:tokens.revokeOf", { name: "Hook" }) });
    await expect.poll(() => tokens.count()).toBe(50);
    await page.getByRole("button", { name: t("ui:more") }).click();
    await expect.poll(() => tokens.count()).toBe(COUNT);
    expect(await page.getByRole("button", { name: t("ui:more") }).count()).toBe(0);
  });

  test(
    "notifications and contact permissions can be set, and a user unblocked",
    { tags: "long" },
    async () => {
      const stranger = await newAccount();
      const { username, client } = await newAccount();
      const { group } = await client.call("group.create", { name: "Rocket builders" });
      const { user } = await stranger.client.call("user.me", {});
      await client.call("user.block", { userId: user.id });
      stranger.client.close();
      const page = await openAs(username, "/settings/notifications", { permissions: ["notifications"] });
      await page.getByRole("switch", { name: t("settings:notify.desktop") }).click();
      const preferences = () => page.evaluate(() => localStorage.getItem("fanfare.preferences"));
      await expect.poll(preferences).toContain('"desktopNotifications":true');
      await page
        .getByRole("combobox", { name: t("settings:levels.of", { group: "Rocket builders" }) })
        .click();
      await page.getByRole("option", { name: t("groups:notifications.all") }).click();
      const setting = async () =>
        (await client.call("notification.get", { groupId: group.id })).setting.level;
      await expect.poll(setting).toBe("all");

      await page.getByRole("link", { name: t("settings:section.privacy") }).click();
      await page.getByRole("combobox", { name: t("settings:contact.directFrom") }).click();
      await page.getByRole("option", { name: t("settings:contact.friends") }).click();
      await expect
        .poll(async () => (await client.call("friend.getReach", {})).reach)
        .toEqual({ directFrom: "friends", requestsFrom: "everyone" });
      await page.getByRole("button", { name: `Unblock ${user.nickname}` }).click();
      await page.getByText(t("settings:blocked.none")).waitFor();
      expect((await client.call("user.listBlocked", {})).users).toEqual([]);
      client.close();
    },
  );

  test("quiet hours and keywords are saved for all devices", { tags: "long" }, async () => {
    const { username, client } = await newAccount();
    const page = await openAs(username, "/settings/notifications", { timezoneId: "Asia/Shanghai" });
    const preferences = async () => (await client.call("notification.getPreferences", {})).preferences;
    await page.getByRole("switch", { name: t("settings:quiet.switch") }).click();
    await page.getByLabel(t("settings:quiet.from"), { exact: true }).fill("23:30");
    await page.getByRole("checkbox", { name: "Sun" }).click();
    const days = [1, 2, 3, 4, 5, 6];
    const night = { from: "23:30", to: "07:00", days, timeZone: "Asia/Shanghai" };
    await expect.poll(async () => (await preferences()).quietHours).toEqual(night);

    const field = page.getByLabel(t("settings:keywords.label"));
    await field.fill("launch\nx");
    await page.getByRole("alert").getByText("“x”").waitFor();
    await field.fill("launch\n\nroad map");
    await page.getByRole("button", { name: t("common:save") }).click();
    await expect.poll(async () => (await preferences()).keywords).toEqual(["launch", "road map"]);

    // Another device of the user moves to another time zone.
    await client.call("notification.setPreferences", { quietHours: { ...night, timeZone: "Europe/Berlin" } });
    await page.getByRole("button", { name: t("settings:quiet.useZone", { zone: "Asia/Shanghai" }) }).click();
    await page.getByText(t("settings:quiet.zone", { zone: "Asia/Shanghai" })).waitFor();
    await page.getByRole("switch", { name: t("settings:quiet.switch") }).click();
    await expect.poll(async () => (await preferences()).quietHours).toBeNull();
    client.close();
  });

  test(
    "emails about missed messages are chosen in the settings, and turned off by their link",
    { tags: "long" },
    async () => {
      const { username, email, client } = await newAccount();
      const page = await openAs(username, "/settings/notifications");
      await page.getByText(t("settings:emails.needsAddress")).waitFor();
      await client.call("user.verifyEmail", { token: (await mailbox.next(email, /Verify/)).token });
      const choice = page.getByRole("combobox", { name: t("settings:emails.label") });
      await choice.getByText(t("settings:emails.hour")).waitFor();
      await choice.click();
      await page.getByRole("option", { name: t("settings:emails.quarterHour") }).click();
      const emails = async () => (await client.call("notification.getPreferences", {})).preferences.emails;
      await expect.poll(emails).toBe("quarterHour");
      await page.reload();
      await choice.getByText(t("settings:emails.quarterHour")).waitFor();

      await site.open(page, "/unsubscribe?token=made-up");
      const action = page.getByRole("button", { name: t("settings:unsubscribe.action") });
      await action.click();
      await page.getByText(t("session:invalidLink")).waitFor();
      const key = Buffer.from(hkdfSync("sha256", TOKEN_SECRET, "", "unsubscribe", 32));
      const userId = client.user!.id;
      const signature = createHmac("sha256", key).update(userId).digest("base64url");
      await site.open(page, `/unsubscribe?token=${userId}.${signature}`);
      await action.waitFor();
      expect(await emails()).toBe("quarterHour");
      await action.click();
      await page.getByText(t("settings:unsubscribe.done")).waitFor();
      expect(await emails()).toBe("off");
      client.close();
    },
  );

  test("language and theme can be switched, and persist", { tags: "long" }, async () => {
    const { username, client } = await newAccount();
    const page = await openAs(username, "/settings/appearance", { colorScheme: "light" });
    await page.getByRole("radio", { name: t("settings:appearance.dark") }).click();
    await page.getByRole("combobox", { name: t("session:language") }).click();
    await page.getByRole("option", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "外观" }).waitFor();
    await expect.poll(async () => (await client.call("user.me", {})).user.locale).toBe("zh");
    await page.reload();
    await page.getByRole("heading", { name: "外观" }).waitFor();
    const root = page.locator("html");
    expect([await root.getAttribute("data-theme"), await root.getAttribute("lang")]).toEqual([
      "dark",
      "zh-CN",
    ]);
    // The layout follows the language, also when another device chooses it.
    await client.call("user.setPreferences", { language: "ar" });
    await expect.poll(() => root.getAttribute("dir")).toBe("rtl");
    const heading = await page.getByRole("heading", { level: 1 }).boundingBox();
    const sections = await page.getByRole("navigation").boundingBox();
    expect(sections!.x).toBeGreaterThan(heading!.x);
    await client.call("user.setPreferences", { language: "de" });
    await page.getByRole("heading", { name: "Darstellung" }).waitFor();
    await expect.poll(() => root.getAttribute("dir")).toBe("ltr");
    client.close();
  });

  test("an account is deleted after its data is exported and its groups are transferred", async () => {
    const { username, client } = await newAccount();
    const { group } = await client.call("group.create", { name: "Mine" });
    const page = await openAs(username, "/settings/data");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: t("settings:export.action") }).click(),
    ]);
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toContain("profile");

    await page.getByRole("link", { name: t("settings:delete.transferOrDelete") }).waitFor();
    const deletion = page.getByRole("button", { name: t("settings:delete.action") });
    expect(await deletion.isDisabled()).toBe(true);
    await client.call("group.delete", { groupId: group.id });
    await deletion.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await dialog.getByRole("checkbox").click();
    await dialog.getByRole("button", { name: t("settings:delete.action") }).click();
    await page.getByText(t("session:notice.deleted")).waitFor();
    expect(pathOf(page)).toBe("/");
    await page.getByRole("link", { name: t("session:logIn") }).click();
    await logIn(page, username);
    await page.getByRole("alert").getByText(t("shared:error.WRONG_CREDENTIALS")).waitFor();
  });

  test("on a phone every page fits", { tags: "long" }, async () => {
    const { username, client } = await newAccount();
    client.close();
    const phone = { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true };
    const page = await openWindow("/", phone);
    const tooWide = () =>
      page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    for (const path of ["/", "/register", "/reset-password", "/verify-email", "/login"]) {
      await page.goto(site.url + path);
      await page.getByRole("heading", { level: 2 }).waitFor();
      expect({ path, tooWide: await tooWide() }).toEqual({ path, tooWide: 0 });
    }
    await logIn(page, username);
    await expect.poll(() => pathOf(page)).toBe("/");
    await page.goto(`${site.url}/settings`);
    for (const name of ["Account", "Security", "Notifications", "Privacy", "Appearance", "Your data"]) {
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      expect({ name, tooWide: await tooWide() }).toEqual({ name, tooWide: 0 });
    }
  });
});
