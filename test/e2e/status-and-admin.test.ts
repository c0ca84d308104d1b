import { createAccount, createGuest, createWorld, must, post } from "@fanfare/testing";
import { contrastOf } from "@fanfare/contract/accent";
import sharp from "sharp";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { delayAnswers, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("an admin", () => {
  const site = useSite();
  let admin: { username: string; accessToken: string };
  let page: Page;

  beforeAll(async () => {
    page = await site.keepPage();
    admin = await createAccount(site.url);
  });

  async function open(path: string, username: string): Promise<void> {
    await site.open(page, path, await site.logIn(username));
  }

  test("sees the server's load on the status page, as charts and as a table", async () => {
    const { channel, owner } = await createWorld(site.url);
    await open("/status", admin.username);
    const message = { channelId: channel.id, content: "x", nonce: "status" };
    await must(site.url, "message.send", message, owner.accessToken);
    await page.getByText(t("status:connection.states.online")).waitFor();
    await page.getByRole("img", { name: /^Round trip to the server: .* now/ }).waitFor();
    await page.getByRole("img", { name: /^Fan-out: / }).waitFor();
    await page.getByRole("img", { name: /^Messages per second: .*maximum in ten minutes/ }).waitFor();
    await page.getByRole("button", { name: t("status:metrics.asTable") }).click();
    expect(await page.getByRole("row").count()).toBeGreaterThan(1);
    await page.getByRole("columnheader", { name: t("status:metrics.deliveries") }).waitFor();
  });

  test("is the only one who can see the status and admin pages", async () => {
    const { username } = await createAccount(site.url);
    await open("/status", username);
    await page.getByText(t("status:connection.version")).waitFor();
    expect(await page.getByText(t("status:metrics.title")).count()).toBe(0);
    await page.goto(`${site.url}/admin/users`);
    await page.getByRole("heading", { name: t("admin:refused.title") }).waitFor();
  });

  test("finds a user, disables the account with a reason, and sees it in the audit log", async () => {
    const target = await createAccount(site.url);
    await open("/admin/users", admin.username);
    await page.getByLabel(t("admin:users.search")).fill(target.username);
    const row = page.getByRole("listitem").filter({ hasText: `@${target.username}` });
    await row.waitFor();
    await expect
      .poll(() =>
        page
          .getByRole("list", { name: t("admin:sections.users") })
          .getByRole("listitem")
          .count(),
      )
      .toBe(1);
    await row.getByRole("button", { name: t("admin:users.more", { name: "" }) }).click();
    await page.getByRole("menuitem", { name: t("admin:users.disable.menu") }).click();
    await page.getByLabel(t("admin:reason")).fill("Spam in every channel");
    await page.getByRole("button", { name: t("admin:users.disable.action") }).click();
    await row.getByText(t("admin:users.disabled"), { exact: true }).waitFor();
    expect(await post(site.url, "user.me", {}, target.accessToken)).toMatchObject({
      error: { type: "SESSION_REVOKED" },
    });
    await page.getByRole("link", { name: t("common:auditLog") }).click();
    await page.getByText(t("group-settings:audit.reason", { reason: "Spam in every channel" })).waitFor();
  });

  test("exports a group as a file", async () => {
    const { group } = await createWorld(site.url);
    await open("/admin/groups", admin.username);
    await page
      .getByRole("button", { name: t("admin:groups.export", { name: group.name }) })
      .first()
      .click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: t("group-settings:storage.exportAction") }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${group.name}.jsonl`);
    await page.getByText(/^Export complete/).waitFor();
  });

  test("deletes a group only after typing its name", { tags: "long" }, async () => {
    const { group } = await createWorld(site.url);
    await open("/admin/groups", admin.username);
    const groups = page.getByRole("list", { name: t("common:groups") });
    const remove = page
      .getByRole("button", { name: t("admin:groups.delete.of", { name: group.name }) })
      .first();
    await remove.waitFor();
    const before = await groups.getByRole("listitem").count();
    await remove.click();
    const button = page.getByRole("button", { name: t("admin:groups.delete.action") });
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel(t("admin:groups.delete.typeName", { name: group.name })).fill(group.name);
    await button.click();
    await page.getByText(t("admin:groups.delete.done", { name: group.name })).waitFor();
    expect(await groups.getByRole("listitem").count()).toBe(before - 1);
  });

  test("gives the server a name, a logo and a color, which visitors see", { tags: "long" }, async () => {
    const saved = Promise.withResolvers<void>();
    await delayAnswers(page, /admin\.removeLogo/, saved.promise);
    await open("/admin/branding", admin.username);
    await page.getByLabel(t("admin:branding.name")).fill("Harbor");
    await page.getByLabel(t("admin:branding.landingText")).fill("For everyone at the harbor.");
    await page.getByLabel(t("admin:branding.accentColor")).fill("#ffe000");
    // Yellow is not readable on white.
    const adjusted = page.getByRole("listitem").filter({ hasText: t("session:theme.light") });
    await adjusted.waitFor();
    await page.getByRole("button", { name: t("admin:branding.save") }).click();
    await page.getByText(t("admin:branding.saved")).waitFor();
    expect(await page.title()).toContain("Harbor");
    const logo = await sharp({ create: { width: 300, height: 300, channels: 3, background: "navy" } })
      .png()
      .toBuffer();
    const picture = { name: "logo.png", mimeType: "image/png", buffer: logo };
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByRole("button", { name: t("admin:branding.removeLogo") }).waitFor();

    const visitor = await site.newPage();
    await visitor.goto(site.url);
    await visitor.getByRole("heading", { name: "Harbor", level: 1 }).waitFor();
    await visitor.getByText("For everyone at the harbor.").waitFor();
    expect(await visitor.title()).toContain("Harbor");
    const icon = await visitor.getAttribute("link[rel=icon]", "href");
    expect(icon).toMatch(/^\/files\/public\//);
    const accent = () =>
      visitor.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--color-accent')");
    const inLight = String(await accent());
    expect(contrastOf(inLight, "#ffffff")).toBeGreaterThanOrEqual(4.5);
    await visitor.getByRole("button", { name: t("session:theme.dark") }).click();
    await expect.poll(accent).toBe("#ffe000");
    const manifest = await (await fetch(`${site.url}/manifest.webmanifest`)).json();
    expect(manifest).toMatchObject({ name: "Harbor", theme_color: "#ffe000", icons: [{ src: icon }] });
    // Before the server answers, as of the last visit.
    await visitor.route("**/api/meta", (route) => route.abort());
    await visitor.reload();
    await visitor.getByRole("heading", { name: "Harbor", level: 1 }).waitFor();

    const removeLogo = page.getByRole("button", { name: t("admin:branding.removeLogo") });
    await removeLogo.click();
    await page.getByRole("button", { name: t("admin:branding.defaultColor") }).click();
    await page.getByLabel(t("admin:branding.name")).fill("Fanfare");
    await page.getByRole("button", { name: t("admin:branding.save") }).click();
    await expect.poll(() => page.title()).toContain("Fanfare");
    // The answer has the name from before.
    saved.resolve();
    await removeLogo.waitFor({ state: "detached" });
    expect(await page.title()).toContain("Fanfare");
  });

  test("turns maintenance mode on with a text for the others, and off again", { tags: "long" }, async () => {
    const guest = await createGuest(site.url);
    await open("/admin/maintenance", admin.username);
    await page.getByLabel(t("admin:maintenance.message")).fill("Back at noon");
    await page.getByRole("button", { name: t("admin:maintenance.turnOn") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: t("admin:maintenance.turnOn") })
      .click();
    await page.getByText(t("admin:maintenance.isOn")).waitFor();
    expect(await post(site.url, "group.create", { name: "x" }, guest.accessToken)).toMatchObject({
      error: { type: "MAINTENANCE", data: { message: "Back at noon" } },
    });
    await page.getByRole("button", { name: t("admin:maintenance.turnOff") }).click();
    await page.getByRole("button", { name: t("admin:maintenance.turnOn") }).waitFor();
    expect(await post(site.url, "group.create", { name: "x" }, guest.accessToken)).toMatchObject({
      ok: true,
    });
  });
});
