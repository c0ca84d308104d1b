import { FanfareClient } from "@fanfare/client";
import { freePort } from "@fanfare/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startIdentityProvider, type IdentityProvider } from "../integration/identity-provider.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PASSWORD = "correct horse";

describe.skipIf(!hasBrowser())("single sign-on in a browser", () => {
  let port: number;
  let url: string;
  let provider: IdentityProvider;
  let other: IdentityProvider;

  beforeAll(async () => {
    // The provider must know the redirect URI beforehand.
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${url}/auth/oidc/callback`);
    other = await startIdentityProvider(`${url}/auth/oidc/callback/other`);
  });
  afterAll(async () => {
    await provider?.stop();
    await other?.stop();
  });
  const site = useSite(() => ({
    PORT: String(port),
    PUBLIC_URL: url,
    ...provider.env,
    OIDC_PROVIDERS: JSON.stringify([{ id: "other", name: "Other Inc.", ...other.settings }]),
  }));

  async function openWindow(path: string): Promise<Page> {
    const page = await site.newPage();
    await page.goto(site.url + path);
    return page;
  }

  test("a login at the provider leads to the requested page, and a code works once", async () => {
    provider.person = { sub: "ada", name: "Ada Lovelace", preferred_username: "ada" };
    const page = await openWindow("/status");
    await page.getByRole("button", { name: t("session:oidc.logIn") }).click();
    await page.getByRole("button", { name: `${t("shell:you")} Ada Lovelace` }).waitFor();
    expect(page.url()).toBe(`${site.url}/status`);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain("oidcCode");
  });

  test("each provider has a button, and settings show which one is linked", { tags: "long" }, async () => {
    other.person = { sub: "hedy", name: "Hedy Lamarr", preferred_username: "hedy" };
    const page = await openWindow("/settings/security");
    await page.getByRole("button", { name: t("session:oidc.logIn") }).waitFor();
    await page.getByRole("button", { name: t("session:oidc.logInWith", { name: "Other Inc." }) }).click();
    const row = page.getByText("Other Inc.").locator("..");
    await row.getByText(t("settings:oidc.linked"), { exact: true }).waitFor();
    expect(await page.getByText(t("settings:oidc.notLinked")).count()).toBe(1);
    // An account without a password is confirmed by its own provider.
    await page.getByRole("button", { name: t("settings:totp.setUp") }).click();
    await page.getByRole("dialog", { name: t("settings:totp.setUp") }).waitFor();
  });

  test(
    "an account without a password is deleted after a new login at the provider",
    { tags: "long" },
    async () => {
      const client = new FanfareClient({ url: site.url });
      // The only admin can't be deleted.
      await client.register({ username: "emmy", password: PASSWORD });
      client.close();
      provider.person = { sub: "mary", name: "Mary Somerville", preferred_username: "mary" };
      const page = await openWindow("/settings/data");
      await page.getByRole("button", { name: t("session:oidc.logIn") }).click();
      await page.getByText(t("settings:totp.needsLogin")).waitFor();
      await page.getByRole("button", { name: t("settings:delete.action") }).click();
      const dialog = page.getByRole("dialog", { name: t("settings:delete.title") });
      await dialog.waitFor();
      expect(new URL(page.url()).pathname).toBe("/settings/data");
      expect(await dialog.getByLabel(t("settings:account.currentPassword")).count()).toBe(0);
      await dialog.getByText(t("settings:delete.confirm")).click();
      await dialog.getByRole("button", { name: t("settings:delete.action") }).click();
      await page.getByText(t("session:notice.deleted")).waitFor();
      expect(await site.instance.collection("users").findOne({ usernameLower: "mary" })).toBeNull();
    },
  );

  test(
    "a login denied at the provider is reported, and other logins still work",
    { tags: "long" },
    async () => {
      provider.person = null;
      const page = await openWindow("/login");
      await page.getByRole("button", { name: t("session:oidc.logIn") }).click();
      await page.getByRole("alert").getByText(t("shared:error.OIDC_FAILED")).waitFor();
      expect(page.url()).toBe(`${site.url}/login`);
      await page.getByLabel(t("session:username")).waitFor();
    },
  );

  test("an account can be linked, and logged in to at the provider", async () => {
    const client = new FanfareClient({ url: site.url });
    await client.register({ username: "grace", password: PASSWORD });
    provider.person = { sub: "grace", preferred_username: "grace.at.work" };
    const page = await openWindow("/settings/security");
    await page.getByLabel(t("session:username")).fill("grace");
    await page.getByLabel(t("session:password"), { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: t("session:logIn"), exact: true }).click();
    await page
      .getByRole("button", { name: t("settings:oidc.link") })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("settings:account.currentPassword")).fill("wrong");
    await dialog.getByRole("button", { name: t("settings:oidc.link") }).click();
    await dialog.getByRole("alert").getByText(t("shared:error.WRONG_CREDENTIALS")).waitFor();
    await dialog.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await dialog.getByRole("button", { name: t("settings:oidc.link") }).click();
    await page.getByRole("button", { name: t("settings:oidc.unlink") }).waitFor();

    const other = await openWindow("/login");
    await other.getByRole("button", { name: t("session:oidc.logIn") }).click();
    await other.getByRole("button", { name: `${t("shell:you")} grace` }).waitFor();
    expect((await client.call("user.me", {})).user.oidcLinked).toBe(true);
    client.close();
  });
});
