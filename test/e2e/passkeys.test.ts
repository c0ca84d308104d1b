import { freePort } from "@fanfare/testing";
import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PASSWORD = "correct horse";

describe.skipIf(!hasBrowser())("passkeys in a browser", () => {
  let url: string;
  let port: string;
  beforeAll(async () => {
    port = String(await freePort());
    // Passkeys need a name: an IP address can't have any.
    url = `http://localhost:${port}`;
  });
  const site = useSite(() => ({ PORT: port, PUBLIC_URL: url }));

  /** A page of a device that verifies its user without asking. */
  async function openWindow(path: string): Promise<Page> {
    const page = await site.newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(url + path);
    return page;
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowsOf = (page: Page) =>
    page.getByRole("list", { name: t("settings:passkeys.title") }).getByRole("listitem");
  const isIn = (page: Page) => page.getByRole("button", { name: t("shell:you") }).waitFor();

  /** As the browser does when the user closes its window. */
  const cancelPrompts = (page: Page) =>
    page.evaluate(`
      const cancel = () => Promise.reject(new DOMException("Canceled.", "NotAllowedError"));
      Object.assign(navigator.credentials, { get: cancel, create: cancel });
    `);

  async function logInWithPassword(page: Page, username: string): Promise<void> {
    await page.getByLabel(t("session:username")).fill(username);
    await page.getByLabel(t("session:password"), { exact: true }).fill(PASSWORD);
    await button(page, t("session:logIn")).click();
  }

  async function logOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: t("shell:you") }).click();
    await page.getByRole("menuitem", { name: t("shell:logOut") }).click();
    await page.getByRole("link", { name: t("session:logIn") }).click();
  }

  async function addPasskey(page: Page): Promise<void> {
    await button(page, t("settings:passkeys.add")).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("common:name")).fill("Ada's phone");
    await dialog.getByLabel(t("settings:account.currentPassword")).fill("wrong");
    await button(page, t("settings:passkeys.add")).click();
    await dialog.getByRole("alert").getByText(t("shared:error.WRONG_CREDENTIALS")).waitFor();
    await dialog.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await button(page, t("settings:passkeys.add")).click();
    await dialog.waitFor({ state: "detached" });
  }

  test("one is added, logs in without a code, and is refused once it is removed", async () => {
    const client = await site.newAccount("Ada");
    const page = await openWindow("/settings/security");
    await logInWithPassword(page, "ada");
    await page.getByText(t("settings:passkeys.none")).waitFor();
    await addPasskey(page);
    const row = rowsOf(page);
    await row.getByText("Ada's phone").waitFor();
    await row.getByText(t("settings:passkeys.neverUsed")).waitFor();

    const { secret } = await client.call("user.setupTotp", { password: PASSWORD });
    await client.call("user.enableTotp", { code: new TOTP({ secret }).generate() });
    await page.goto(`${url}/`);
    await logOut(page);
    await logInWithPassword(page, "ada");
    await page.getByLabel(t("session:code.app")).waitFor();
    await button(page, t("session:back")).click();
    await button(page, t("session:passkey.logIn")).click();
    await isIn(page);

    await page.goto(`${url}/settings/security`);
    await row.waitFor();
    expect(await row.innerText()).not.toContain(t("settings:passkeys.neverUsed"));
    await button(page, t("common:renameTitle", { name: "Ada's phone" })).click();
    await page.getByRole("dialog").getByLabel(t("common:name")).fill("Old phone");
    await button(page, t("common:save")).click();
    await row.getByText("Old phone").waitFor();
    const removal = t("composer:upload.remove", { name: "Old phone" });
    await button(page, removal).click();
    await page.getByRole("dialog").getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await page.getByRole("dialog").getByRole("button", { name: removal }).click();
    await page.getByText(t("settings:passkeys.none")).waitFor();

    await page.goto(`${url}/`);
    await logOut(page);
    await button(page, t("session:passkey.logIn")).click();
    await page.getByRole("alert").getByText(t("shared:error.PASSKEY_REFUSED")).waitFor();
  });

  test("one device has one for an account, and says so", { tags: "long" }, async () => {
    await site.newAccount("Grace");
    const page = await openWindow("/settings/security");
    await logInWithPassword(page, "grace");
    await addPasskey(page);
    await button(page, t("settings:passkeys.add")).click();
    await page.getByRole("dialog").getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await button(page, t("settings:passkeys.add")).click();
    await page.getByRole("alert").getByText(t("settings:passkeys.exists")).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => rowsOf(page).count()).toBe(1);
  });

  test("what is canceled or refused says what to do instead", { tags: "long" }, async () => {
    await site.newAccount("Edith");
    const page = await openWindow("/settings/security");
    await cancelPrompts(page);
    await button(page, t("session:passkey.logIn")).click();
    await page.getByRole("alert").getByText(t("session:passkey.canceled")).waitFor();
    await logInWithPassword(page, "edith");
    await button(page, t("settings:passkeys.add")).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await button(page, t("settings:passkeys.add")).click();
    await dialog.getByRole("alert").getByText(t("settings:passkeys.canceled")).waitFor();

    await page.evaluate("delete navigator.credentials.create");
    await page.route("**/user.addPasskey", (route) =>
      route.continue({ postData: { ...(route.request().postDataJSON() as object), challenge: "made-up" } }),
    );
    await button(page, t("settings:passkeys.add")).click();
    await dialog.getByRole("alert").getByText(t("settings:passkeys.refused")).waitFor();
    await page.keyboard.press("Escape");
    expect(await rowsOf(page).count()).toBe(0);
  });

  test("at another address of the server, none is offered, and the settings say where they work", async () => {
    await site.newAccount("Mary");
    const page = await openWindow("/login");
    await button(page, t("session:passkey.logIn")).waitFor();
    const answered = page.waitForResponse("**/api/meta");
    await page.goto(`${site.url}/settings/security`);
    await answered;
    expect(await button(page, t("session:passkey.logIn")).count()).toBe(0);
    await logInWithPassword(page, "mary");
    await page.getByText(t("settings:passkeys.elsewhere", { address: url })).waitFor();
    expect(await button(page, t("settings:passkeys.add")).isDisabled()).toBe(true);
  });

  test("a new one requires a code of two-step verification, for each attempt", { tags: "long" }, async () => {
    const client = await site.newAccount("Joan");
    const { secret } = await client.call("user.setupTotp", { password: PASSWORD });
    const { recoveryCodes } = await client.call("user.enableTotp", { code: new TOTP({ secret }).generate() });
    const page = await openWindow("/settings/security");
    await logInWithPassword(page, "joan");
    await page.getByLabel(t("session:code.app")).waitFor();
    await button(page, t("session:code.useRecovery")).click();
    await page.getByLabel(t("session:code.recovery")).fill(recoveryCodes[0]!);
    await button(page, t("session:logIn")).click();
    await button(page, t("settings:passkeys.add")).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("settings:account.currentPassword")).fill(PASSWORD);
    await dialog.getByLabel(t("session:code.app")).fill("wrong");
    await button(page, t("settings:passkeys.add")).click();
    await dialog.getByRole("alert").getByText(t("shared:error.WRONG_CODE")).waitFor();
    await button(page, t("session:code.useRecovery")).click();
    const code = dialog.getByLabel(t("session:code.recovery"));
    await cancelPrompts(page);
    await code.fill(recoveryCodes[1]!);
    await button(page, t("settings:passkeys.add")).click();
    await dialog.getByRole("alert").getByText(t("settings:passkeys.canceled")).waitFor();
    expect(await code.inputValue()).toBe("");
    await page.evaluate("delete navigator.credentials.create");
    await code.fill(recoveryCodes[2]!);
    await button(page, t("settings:passkeys.add")).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => rowsOf(page).count()).toBe(1);
  });
});
