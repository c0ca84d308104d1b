import { FanfareClient } from "@fanfare/client";
import { must, post } from "@fanfare/testing";
import { type FanfareNode, readSetupToken, startNode } from "../support/node-process.ts";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { hasBrowser, sharedBrowser } from "./browser.ts";
import { keepTokens } from "./site.ts";
import { t } from "./texts.ts";

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

  async function newPage(): Promise<Page> {
    const page = await browser.newPage({ locale: "en-US" });
    page.setDefaultTimeout(60_000);
    return page;
  }

  test("creates the admin account, logs in to it, and does not work again", async () => {
    const page = await newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: t("session:setup.title") }).waitFor();
    expect(page.url()).toBe(`${node.url}/setup`);
    await page.getByLabel(t("session:username")).fill(account.username);
    await page.getByLabel(t("session:password"), { exact: true }).fill(account.password);
    await page.getByRole("button", { name: t("session:setup.create") }).click();
    await page.waitForURL(`${node.url}/admin/overview`);
    expect((await must(node.url, "user.login", account)).user.admin).toBe(true);

    const other = await newPage();
    await other.goto(link);
    await other.getByLabel(t("session:username")).fill("mallory");
    await other.getByLabel(t("session:password"), { exact: true }).fill(account.password);
    await other.getByRole("button", { name: t("session:setup.create") }).click();
    await other.getByRole("alert").getByText(t("shared:error.INVALID_LINK")).waitFor();
    expect(await post(node.url, "user.login", { ...account, username: "mallory" })).toMatchObject({
      ok: false,
    });
  });

  test("makes the logged-in account the admin", { tags: "long" }, async () => {
    const tokens = await new FanfareClient({ url: node.url }).register(account);
    const page = await newPage();
    await keepTokens(page.context(), tokens);
    await page.goto(link);
    await page.getByText(t("session:setup.becomeText", { name: "grace" })).waitFor();
    await page.getByRole("button", { name: t("session:setup.become") }).click();
    await page.waitForURL(`${node.url}/admin/overview`);
    await page
      .getByRole("heading", { name: t("common:overview") })
      .first()
      .waitFor();
    expect((await must(node.url, "user.login", account)).user.admin).toBe(true);
  });
});
