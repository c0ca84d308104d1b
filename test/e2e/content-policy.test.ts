import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createAccount } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

// The built page under the content security policy sent by the gateway.

const scripts = async (): Promise<string[]> => {
  const names = await readdir(inject("webBuild"), { recursive: true });
  const files = names.filter((name) => name.endsWith(".js"));
  return Promise.all(files.map((name) => readFile(join(inject("webBuild"), name), "utf8")));
};

describe("the build", () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await startInstance({ WEB_DIR: inject("webBuild") });
  });
  afterAll(() => instance?.stop());

  test("has no inline script, style or handler, and loads nothing from other hosts", async () => {
    const answer = await fetch(`${instance.url}/groups/somewhere`, { headers: { accept: "text/html" } });
    const html = await answer.text();
    const scriptTags = [...html.matchAll(/<script\b([^>]*)>([^<]*)/g)];
    expect(scriptTags.length).toBeGreaterThan(0);
    for (const [, attributes, content] of scriptTags) {
      expect(attributes).toMatch(/\bsrc="\/[^/"]/);
      expect(content?.trim()).toBe("");
    }
    expect(html).not.toMatch(/<style|\bstyle=|\son\w+=|javascript:|<base|<iframe|<object/i);
    const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    for (const address of addresses) expect(address).toMatch(/^\/[^/]/);

    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  test("evaluates no text as code", async () => {
    const all = await scripts();
    expect(all.length).toBeGreaterThan(3);
    // How Mermaid finds the global object where it has none of its names. The policy would refuse it.
    for (const code of all.map((one) => one.replaceAll('Function("return this")', "")))
      expect(code).not.toMatch(/\beval\(|new Function\(|\bFunction\("|document\.write\(/);
  });
});

describe.skipIf(!hasBrowser())("the page in a browser", () => {
  const site = useSite();

  /** Violations of the policy since the page started. */
  async function watch(page: Page): Promise<() => Promise<string[]>> {
    await page.addInitScript(`
      window.refusals = [];
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
        refusals.push([violatedDirective, blockedURI, sourceFile].join(" ")));
    `);
    return () => page.evaluate<string[]>("window.refusals");
  }

  test("never violates the policy", async () => {
    const { username } = await createAccount(site.url);
    const page = await (await site.newContext({ serviceWorker: true })).newPage();
    const refusals = await watch(page);
    await page.goto(site.url);
    await page.getByRole("button").first().waitFor();
    expect(await refusals()).toEqual([]);

    const login = { username, password: "correct horse" };
    await page.evaluate(`(async () => {
      const headers = { "content-type": "application/json" };
      const body = ${JSON.stringify(JSON.stringify(login))};
      const answer = await (await fetch("/api/user.login", { method: "POST", headers, body })).json();
      sessionStorage.setItem("fanfare.tokens", JSON.stringify(answer.data));
    })()`);
    for (const [path, heading] of [
      ["/status", "Status"],
      ["/admin/users", "Users"],
      ["/admin/maintenance", "Maintenance"],
    ] as const) {
      await page.goto(site.url + path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      expect(await refusals()).toEqual([]);
    }
    // The menu and the dialog are positioned by script.
    await page.goto(`${site.url}/admin/users`);
    await page
      .getByRole("button", { name: t("admin:users.more", { name: "" }) })
      .first()
      .click();
    await page.getByRole("menuitem").first().click();
    await page.getByRole("alertdialog").waitFor();
    expect(await refusals()).toEqual([]);
  });

  test("blocks injected scripts", async () => {
    const page = await (await site.newContext({ serviceWorker: true })).newPage();
    const refusals = await watch(page);
    await page.goto(site.url);
    await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "window.hasRun = true";
      document.body.append(script);
    })()`);
    expect(await page.evaluate("window.hasRun")).toBeUndefined();
    expect((await refusals()).join()).toContain("script-src");
  });
});
