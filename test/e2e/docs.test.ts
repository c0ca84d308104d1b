import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPages } from "../../scripts/build.ts";
import { type Instance, startInstance } from "../support/instance.ts";
import { hasBrowser, sharedBrowser } from "./browser.ts";

const docs = join(import.meta.dirname, "../../docs/dist");

describe("the documentation site", { tags: "long" }, () => {
  let instance: Instance;
  beforeAll(async () => {
    await buildPages("docs");
    instance = await startInstance({ DOCS_DIR: docs });
  });
  afterAll(() => instance?.stop());

  test("has no broken links and no inline scripts", async () => {
    const pages = (await readdir(docs, { recursive: true })).filter((name) => name.endsWith(".html"));
    expect(pages.length).toBeGreaterThan(30);
    const targets = new Map<string, string>();
    for (const page of pages) {
      const html = await readFile(join(docs, page), "utf8");
      for (const [, attributes, content] of html.matchAll(/<script\b([^>]*)>([^<]*)/g)) {
        expect([page, content]).toEqual([page, ""]);
        expect(attributes).toContain('src="/');
      }
      for (const [, target] of html.matchAll(/\b(?:href|src)="(\/[^"#]*)/g)) targets.set(target!, page);
    }
    // Of the web client, which isn't built here.
    targets.delete("/favicon.svg");
    for (const [target, page] of targets) {
      const { status } = await fetch(`${instance.url}${target}`);
      expect([target, page, status]).toEqual([target, page, 200]);
    }
  });

  describe.skipIf(!hasBrowser())("in a browser", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await sharedBrowser({ fullBrowser: false });
    });

    test("can be searched, and loads nothing that the content policy blocks", async () => {
      const context = await browser.newContext({ locale: "en-US" });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      await page.addInitScript(`
        window.refusals = [];
        addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
          refusals.push([violatedDirective, blockedURI, sample].join(" ")));
      `);
      await page.goto(`${instance.url}/docs/`);
      await page.getByRole("link", { name: "Quick start" }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      const searchbox = page.getByRole("searchbox");
      // Again if the page does not listen yet.
      await expect
        .poll(async () => {
          if (!(await searchbox.isVisible())) await page.keyboard.press("/");
          return searchbox.isVisible();
        })
        .toBe(true);
      await searchbox.fill("restore a backup");
      await page
        .getByRole("option", { name: /backup/i })
        .first()
        .click();
      await page.waitForURL(/\/docs\/run\/backups\.html/);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await page.evaluate("window.refusals")).toEqual([]);
      await context.close();
    });
  });
});
