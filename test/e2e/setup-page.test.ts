import { FanfareClient } from "@fanfare/client";
import { must, post } from "@fanfare/testing";
import { type FanfareNode, readSetupToken, startNode } from "../support/node-process.ts";
import type { Browser } from "playwright-core";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { hasBrowser, sharedBrowser } from "./browser.ts";
import { keepTokens } from "./site.ts";

const account = { username: "grace", password: "correct horse" };

describe.skipIf(!hasBrowser())("the setup link of a new server", () => {
  let node: FanfareNode;
  let browser: Browser;
  let link: string;

  beforeEach(async () => {
    const env = { WEB_DIR: inject("webBuild"), GATEWAY_THREADS: "0", REGISTRATION: "open" };
    [node, browser] = await Promise.all([startNode({ env }), sharedBrowser({ fullBrowser: false })]);
    link = `${node.url}/setup#token=${await readSetupToken(node)}`;
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await node?.process.stop();
  });

  test("creates the admin account, logs in to it, and does not work again", async () => {
    const page = await browser.newPage({ locale: "en-US" });
    await page.goto(link);
    await page.getByRole("heading", { name: "Set up this server" }).waitFor();
    expect(page.url()).toBe(`${node.url}/setup`);
    await page.getByLabel("Username").fill(account.username);
    await page.getByLabel("Password", { exact: true }).fill(account.password);
    await page.getByRole("button", { name: "Create admin account" }).click();
    await page.waitForURL(`${node.url}/admin/overview`);
    expect((await must(node.url, "user.login", account)).user.admin).toBe(true);

    const other = await (await browser.newContext({ locale: "en-US" })).newPage();
    await other.goto(link);
    await other.getByLabel("Username").fill("mallory");
    await other.getByLabel("Password", { exact: true }).fill(account.password);
    await other.getByRole("button", { name: "Create admin account" }).click();
    await other.getByRole("alert").getByText("has expired or was used").waitFor();
    expect(await post(node.url, "user.login", { ...account, username: "mallory" })).toMatchObject({
      ok: false,
    });
  });

  test("makes the account that is logged in the admin", { tags: "long" }, async () => {
    const tokens = await new FanfareClient({ url: node.url }).register(account);
    const context = await browser.newContext({ locale: "en-US" });
    await keepTokens(context, tokens);
    const page = await context.newPage();
    await page.goto(link);
    await page.getByText("You are logged in as grace").waitFor();
    await page.getByRole("button", { name: "Become admin" }).click();
    await page.waitForURL(`${node.url}/admin/overview`);
    await page.getByRole("heading", { name: "Overview" }).first().waitFor();
    expect((await must(node.url, "user.login", account)).user.admin).toBe(true);
  });
});
