import { createAccount, must } from "@fanfare/testing";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const password = "correct horse";

// The admins' Access and Users pages, and their effects on other users.
describe.skipIf(!hasBrowser())("access", () => {
  const site = useSite();

  let admin: { username: string; accessToken: string };
  /** The admin's window, and another one. */
  let adminPage: Page;
  let page: Page;
  beforeAll(async () => {
    admin = await createAccount(site.url);
    adminPage = await site.keepPage();
    page = await site.keepPage();
  });

  async function openAsAdmin(path: string): Promise<Page> {
    await site.open(adminPage, path, await site.logIn(admin.username));
    return adminPage;
  }

  test("registration by invite only shows the form on an invite link", { tags: "long" }, async () => {
    const { accessToken } = admin;
    const { group } = await must(site.url, "group.create", { name: "Analysts" }, accessToken);
    const { invite } = await must(site.url, "invite.create", { groupId: group.id }, accessToken);
    const access = await openAsAdmin("/admin/access");
    await access.getByRole("radio", { name: t("admin:policy.registration.invite") }).click();
    await access.getByRole("radio", { name: t("admin:policy.groupCreation.admins") }).click();
    await expect
      .poll(async () => (await must(site.url, "admin.getPolicy", {}, accessToken)).policy)
      .toMatchObject({ registration: "invite", groupCreation: "admins" });

    await site.open(page, "/register");
    await page.getByText(t("session:byInvite.title")).waitFor();
    await page.goto(`${site.url}/invite/${invite.code}`);
    await page.getByRole("link", { name: t("session:register") }).click();
    await page.getByLabel(t("session:username")).fill("grace");
    await page.getByLabel(t("session:password"), { exact: true }).fill(password);
    await page.getByRole("button", { name: t("session:register") }).click();
    await page.getByRole("heading", { name: "general" }).waitFor();

    await page.getByRole("button", { name: t("groups:rail.add") }).click();
    const dialog = page.getByRole("dialog", { name: t("groups:join.title") });
    await dialog.getByLabel(t("groups:join.link")).waitFor();
    expect(await dialog.getByText(t("groups:create.action")).count()).toBe(0);
  });

  test("an admin creates a user, who sets a password with the link", async () => {
    const users = await openAsAdmin("/admin/users");
    await users.getByRole("button", { name: t("admin:createUser.title") }).click();
    await users.getByLabel(t("session:username")).fill("alan");
    await users
      .getByRole("dialog")
      .getByRole("button", { name: t("admin:createUser.title") })
      .click();
    const field = users
      .getByRole("dialog", { name: t("admin:link.title", { name: "alan" }) })
      .getByLabel(t("invites:link"));
    await expect.poll(() => field.inputValue()).toMatch(/\/reset-password#token=/);
    const { pathname, hash } = new URL(await field.inputValue());

    await site.open(page, pathname + hash);
    await page.getByText(t("session:reset.newFor", { name: "alan" })).waitFor();
    await page.getByLabel(t("session:reset.newPassword")).fill(password);
    await page.getByRole("button", { name: t("session:reset.set") }).click();
    await page.getByText(t("session:reset.doneNewText")).waitFor();
    const { user } = await must(site.url, "user.login", { username: "alan", password });
    expect(user.username).toBe("alan");
  });

  test("an admin sets a limit, and the page shows which one is reached", { tags: "long" }, async () => {
    const { accessToken } = admin;
    const open = { registration: "open", groupCreation: "everyone" } as const;
    await must(site.url, "admin.setPolicy", open, accessToken);
    await must(site.url, "group.create", { name: "Analysts" }, accessToken);
    const access = await openAsAdmin("/admin/access");
    const limits = access.getByRole("region", { name: t("admin:limits.title") });
    await limits.getByLabel(t("admin:limits.groupsOwnedPerUser")).fill("many");
    await limits.getByRole("button", { name: t("common:save") }).click();
    await limits.getByText("expected number").waitFor();
    await limits.getByLabel(t("admin:limits.groupsOwnedPerUser")).fill("1");
    const quota = limits.getByLabel(t("admin:limits.fileQuotaGuestBytes"));
    await quota.fill("2.5");
    await quota.press("Enter");
    await access.getByText(t("admin:policy.saved")).waitFor();
    await quota.and(access.locator(":focus")).waitFor();
    const { policy } = await must(site.url, "admin.getPolicy", {}, accessToken);
    expect(policy).toMatchObject({ groupsOwnedPerUser: 1, fileQuotaGuestBytes: 2.5 * 1024 ** 2 });

    await site.open(page, "/", await site.logIn(admin.username));
    await page.getByRole("button", { name: t("groups:rail.add") }).click();
    await page.getByLabel(t("groups:create.name")).fill("One more");
    await page.getByRole("button", { name: t("groups:create.action") }).click();
    await page.getByText(t("shared:limit.groupsOwnedPerUser", { max: "1" })).waitFor();
  });

  test(
    "an account that requires two-step verification must set it up first, also in an open window",
    { tags: "long" },
    async () => {
      const { accessToken } = admin;
      const open = { registration: "open", groupCreation: "everyone" } as const;
      await must(site.url, "admin.setPolicy", open, accessToken);
      const access = await openAsAdmin("/admin/access");
      const rule = access.getByRole("radiogroup", { name: t("admin:policy.requireSecondFactor.label") });
      await rule.getByRole("radio", { name: t("admin:policy.requireSecondFactor.accounts") }).click();
      await access.getByRole("alert").getByText(t("shared:error.TOTP_NOT_SET_UP")).waitFor();
      const { secret } = await must(site.url, "user.setupTotp", { password }, accessToken);
      await must(site.url, "user.enableTotp", { code: new TOTP({ secret }).generate() }, accessToken);

      const { username } = await createAccount(site.url);
      await site.open(page, "/", await site.logIn(username));
      await page.getByRole("button", { name: t("shell:you") }).waitFor();
      await rule.getByRole("radio", { name: t("admin:policy.requireSecondFactor.accounts") }).click();
      await page.getByRole("heading", { name: t("settings:totp.requiredTitle") }).waitFor();
      expect(await page.getByRole("button", { name: t("shell:you") }).count()).toBe(0);

      await page.getByRole("button", { name: t("settings:totp.setUp") }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(t("settings:account.currentPassword")).fill(password);
      await dialog.getByRole("button", { name: t("settings:next") }).click();
      const totp = new TOTP({ secret: await dialog.getByLabel(t("settings:totp.secret")).inputValue() });
      await dialog.getByLabel(t("session:code.app")).fill(totp.generate());
      await dialog.getByRole("button", { name: t("common:turnOn") }).click();
      await dialog.getByRole("checkbox").click();
      await dialog.getByRole("button", { name: t("settings:done") }).click();
      await page.getByRole("button", { name: t("shell:you") }).waitFor();

      await access.goto(`${site.url}/admin/users`);
      await access
        .getByRole("listitem")
        .filter({ hasText: username })
        .getByText(t("admin:users.twoStep"))
        .waitFor();
    },
  );
});
