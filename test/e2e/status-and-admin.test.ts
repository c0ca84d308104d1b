import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAccount,
  createGuest,
  createWorld,
  must,
  post,
  startInstance,
  type Instance,
} from "@fanfare/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { copyWeb, hasBrowser, launchBrowser } from "./browser.ts";

describe.skipIf(!hasBrowser())("who runs the instance", () => {
  let folder: string;
  let instance: Instance;
  let browser: Browser;
  let admin: { username: string; accessToken: string };
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-admin-"));
    await copyWeb(folder);
    instance = await startInstance({ WEB_DIR: folder });
    browser = await launchBrowser();
    admin = await createAccount(instance.url);
  });
  afterEach(() => {
    const heard = complaints.splice(0);
    if (heard.length > 0) throw new Error(`The browser complained: ${heard.join("\n")}`);
  });
  afterAll(async () => {
    await browser?.close();
    await instance?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(path: string, username: string): Promise<Page> {
    const tokens = await must(instance.url, "user.login", { username, password: "correct horse" });
    const page = await (await browser.newContext()).newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.addInitScript(
      `sessionStorage.setItem("fanfare.tokens", ${JSON.stringify(JSON.stringify(tokens))})`,
    );
    await page.goto(instance.url + path);
    return page;
  }

  test("sees what the server does on the status page, as charts and as a table", async () => {
    const { channel, owner } = await createWorld(instance.url);
    const page = await open("/status", admin.username);
    const message = { channelId: channel.id, content: "x", nonce: "status" };
    await must(instance.url, "message.send", message, owner.accessToken);
    await page.getByText("Connected").waitFor();
    await page.getByRole("img", { name: /^Round trip to the server: .* now/ }).waitFor();
    await page.getByRole("img", { name: /^Fan-out: / }).waitFor();
    await page.getByRole("img", { name: /^Messages per second: .*at most in ten minutes/ }).waitFor();
    await page.getByRole("button", { name: "Show as a table" }).click();
    expect(await page.getByRole("row").count()).toBeGreaterThan(1);
    await page.getByRole("columnheader", { name: "Deliveries per second" }).waitFor();
    await page.context().close();
  });

  test("nobody else sees that, nor the admin pages", async () => {
    const { username } = await createAccount(instance.url);
    const page = await open("/status", username);
    await page.getByText("Server version").waitFor();
    expect(await page.getByText("The server in the last ten minutes").count()).toBe(0);
    await page.goto(`${instance.url}/admin/users`);
    await page.getByRole("heading", { name: "This is for those who run the server" }).waitFor();
    await page.context().close();
  });

  test("finds a user, disables the account with a reason, and reads it in the log", async () => {
    const target = await createAccount(instance.url);
    const page = await open("/admin/users", admin.username);
    await page.getByLabel("Find users").fill(target.username);
    const row = page.getByRole("listitem").filter({ hasText: `@${target.username}` });
    await row.waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Users" }).getByRole("listitem").count()).toBe(1);
    await row.getByRole("button", { name: /What to do with/ }).click();
    await page.getByRole("menuitem", { name: "Disable …" }).click();
    await page.getByLabel("Reason (optional)").fill("Spam in every channel");
    await page.getByRole("button", { name: "Disable account" }).click();
    await row.getByText("disabled", { exact: true }).waitFor();
    expect(await post(instance.url, "user.me", {}, target.accessToken)).toMatchObject({
      error: { type: "SESSION_REVOKED" },
    });
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("Reason: Spam in every channel").waitFor();
    await page.context().close();
  });

  test("exports a group as a file", async () => {
    const { group } = await createWorld(instance.url);
    const page = await open("/admin/groups", admin.username);
    await page
      .getByRole("button", { name: `Export ${group.name}` })
      .first()
      .click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export the group" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${group.name}.jsonl`);
    await page.getByText(/The file is complete/).waitFor();
    await page.context().close();
  });

  test("deletes a group only once its name was typed", async () => {
    const { group } = await createWorld(instance.url);
    const page = await open("/admin/groups", admin.username);
    const groups = page.getByRole("list", { name: "Groups" });
    const remove = page.getByRole("button", { name: `Delete ${group.name}` }).first();
    await remove.waitFor();
    const before = await groups.getByRole("listitem").count();
    await remove.click();
    const button = page.getByRole("button", { name: "Delete for ever" });
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel(/to confirm/).fill(group.name);
    await button.click();
    await page.getByText(/is deleted\./).waitFor();
    expect(await groups.getByRole("listitem").count()).toBe(before - 1);
    await page.context().close();
  });

  test("turns maintenance on with a text for the others, and off again", async () => {
    const guest = await createGuest(instance.url);
    const page = await open("/admin/maintenance", admin.username);
    await page.getByLabel(/What others are told/).fill("Back at noon");
    await page.getByRole("button", { name: "Turn maintenance on" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Turn maintenance on" }).click();
    await page.getByText("Maintenance is on.").waitFor();
    expect(await post(instance.url, "group.create", { name: "x" }, guest.accessToken)).toMatchObject({
      error: { type: "MAINTENANCE", data: { message: "Back at noon" } },
    });
    await page.getByRole("button", { name: "Turn maintenance off" }).click();
    await page.getByRole("button", { name: "Turn maintenance on" }).waitFor();
    expect(await post(instance.url, "group.create", { name: "x" }, guest.accessToken)).toMatchObject({
      ok: true,
    });
    await page.context().close();
  });
});
