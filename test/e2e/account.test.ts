import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare, type Fanfare } from "@fanfare/node";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startMailbox, type Mailbox } from "../integration/mailbox.ts";
import { buildWeb, hasBrowser, launchBrowser } from "./browser.ts";

const PASSWORD = "correct horse";

describe.skipIf(!hasBrowser())("accounts in a browser", () => {
  let folder: string;
  let fanfare: Fanfare;
  let browser: Browser;
  let mailbox: Mailbox;
  const complaints: string[] = [];
  let people = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-e2e-"));
    await buildWeb(join(folder, "web"));
    mailbox = await startMailbox();
    const config = loadConfig({
      NODE_ENV: "test",
      LOG_LEVEL: "error",
      DATA_DIR: join(folder, "data"),
      WEB_DIR: join(folder, "web"),
      PORT: "0",
      OPS_PORT: "0",
      RATE_LIMIT_FACTOR: "1000",
      // Links in mails are followed by their tokens.
      PUBLIC_URL: "http://chat.example.org",
      ...mailbox.env,
    });
    [fanfare, browser] = await Promise.all([startFanfare(config), launchBrowser()]);
  });

  afterEach(() => {
    const heard = complaints.splice(0);
    if (heard.length > 0) throw new Error(`The browser complained: ${heard.join("\n")}`);
  });

  afterAll(async () => {
    await browser?.close();
    await fanfare?.stop();
    await mailbox?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function openWindow(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext(options)).newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      // The browser says so of every refusal; what the page makes of it is looked at.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) complaints.push(message.text());
    });
    await page.goto(fanfare.url + path);
    return page;
  }

  async function newAccount(): Promise<{ client: FanfareClient; username: string; email: string }> {
    people += 1;
    const username = `person${people}`;
    const email = `${username}@example.org`;
    const client = new FanfareClient({ url: fanfare.url });
    await client.register({ username, password: PASSWORD, email });
    return { client, username, email };
  }

  async function logIn(page: Page, username: string, password = PASSWORD): Promise<void> {
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
  }

  const isIn = (page: Page) => page.getByRole("button", { name: "You: " }).waitFor();
  const pathOf = (page: Page) => new URL(page.url()).pathname;

  async function logOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: "You: " }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Come in" }).waitFor();
  }

  test("an account is made, left, and come back to by name and by address", async () => {
    const page = await openWindow("/");
    await page.getByRole("link", { name: "Register" }).click();
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password", { exact: true }).fill("correct");
    await page.getByRole("button", { name: "Show password" }).click();
    await expect.poll(() => page.getByLabel("Password", { exact: true }).getAttribute("type")).toBe("text");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("E-mail address").fill("ada@example.org");
    await page.getByLabel("Display name").fill("Ada Lovelace");
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByRole("button", { name: "You: Ada Lovelace" }).waitFor();
    expect(pathOf(page)).toBe("/");
    await logOut(page);

    await page.getByRole("link", { name: "Log in" }).click();
    await logIn(page, "ada", "wrong");
    await page.getByRole("alert").getByText("is wrong").waitFor();
    await logIn(page, "ada@example.org");
    await isIn(page);
    await page.context().close();
  });

  test("who follows a link without being logged in comes there after the login", async () => {
    const { username } = await newAccount();
    const page = await openWindow("/status");
    await page.getByText("Then you see the page").waitFor();
    await page.getByRole("link", { name: "Register" }).click();
    await page.getByRole("link", { name: "Log in" }).click();
    await logIn(page, username);
    await isIn(page);
    await expect.poll(() => pathOf(page)).toBe("/status");
    await page.context().close();
  });

  test("a forgotten password is set anew by mail, which works once", async () => {
    const { username, email, client } = await newAccount();
    client.close();
    const page = await openWindow("/login");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByText("Look into your mailbox").waitFor();
    const { token } = await mailbox.next(email, /password/i);
    await page.goto(`${fanfare.url}/reset-password#token=${token}`);
    await page.getByLabel("New password").fill("another horse");
    expect(page.url()).not.toContain(token);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("Your new password is set").waitFor();
    await page.getByRole("link", { name: "Back to the login" }).click();
    await logIn(page, username, "another horse");
    await isIn(page);

    await page.goto(`${fanfare.url}/reset-password#token=${token}`);
    await page.getByLabel("New password").fill("a third horse");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("button", { name: "Ask for a new link" }).click();
    await page.getByRole("button", { name: "Send the link" }).waitFor();
    await page.context().close();
  });

  test("an e-mail address is confirmed by its link, by whoever opens it", async () => {
    const { email, client } = await newAccount();
    const { token } = await mailbox.next(email, /Verify/);
    const page = await openWindow(`/verify-email#token=${token}`);
    await page.getByText("Your e-mail address is confirmed").waitFor();
    const { user } = await client.call("user.me", {});
    expect(user.emailVerified).toBe(true);
    client.close();
    await page.goto(`${fanfare.url}/verify-email#token=${token}x`);
    await page.getByText("This link does not work").waitFor();
    await page.context().close();
  });

  test("a guest makes the name an account, and keeps it", async () => {
    const page = await openWindow("/");
    await page.getByLabel("Your name").fill("Grace");
    await page.getByRole("button", { name: "Look around as a guest" }).click();
    await page.getByRole("button", { name: "Make an account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Username").fill("grace");
    await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await dialog.getByRole("button", { name: "Make an account" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("button", { name: "Make an account" }).count()).toBe(0);
    await page.reload();
    await page.getByRole("button", { name: "You: Grace" }).waitFor();
    await logOut(page);
    await page.getByRole("link", { name: "Log in" }).click();
    await logIn(page, "grace");
    await page.getByRole("button", { name: "You: Grace" }).waitFor();
    await page.context().close();
  });
});
