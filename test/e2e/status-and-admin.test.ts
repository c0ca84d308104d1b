import { createAccount, createGuest, createWorld, must, post } from "@fanfare/testing";
import { contrastOf } from "@fanfare/contract/accent";
import sharp from "sharp";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { delayActions, handleCalls, hasBrowser } from "./browser.ts";
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

  test("sees first what needs attention, and how the last days compare with those before", async () => {
    const dayMs = 24 * 60 * 60 * 1000;
    const startOfToday = Math.floor(Date.now() / dayMs) * dayMs;
    await site.instance.collection("dayStats").bulkWrite(
      Array.from({ length: 71 }, (_, index) => {
        const startsAt = new Date(startOfToday - index * dayMs);
        // Both periods have one of these days, also if the current day ends during the test.
        const isEmpty = index % 30 === 0;
        const set = {
          startsAt,
          messages: isEmpty ? 0 : index < 30 ? 120 : 100,
          activeUsers: 8,
          newUsers: isEmpty ? 0 : index < 30 ? 1 : 2,
          fileBytes: 1_000_000 * (70 - index),
        };
        const filter = { _id: startsAt.toISOString().slice(0, 10) } as object;
        return { updateOne: { filter, update: { $set: set }, upsert: true } };
      }),
    );
    const jobs = site.instance.collection("jobs");
    await jobs.insertOne({
      kind: "mail.send",
      key: "failed",
      payload: null,
      dueAt: new Date(8_000_000_000_000_000),
      heldUntil: new Date(8_000_000_000_000_000),
      fence: 1,
      tries: 12,
      requests: 1,
      createdAt: new Date(),
      lastError: "Refused",
      deadAt: new Date(),
    });
    await open("/admin/overview", admin.username);
    const attention = page.getByRole("region", { name: t("admin:attention.title") });
    await attention.getByRole("link", { name: t("admin:attention.jobs", { count: 1, jobs: "1" }) }).waitFor();
    const trends = page.getByRole("region", { name: t("admin:trends.title") });
    await trends.getByText(t("admin:trends.total", { value: "3.5K" }), { exact: true }).waitFor();
    await trends.getByText(t("admin:trends.change", { change: "+20%", days: 30 }), { exact: true }).waitFor();
    await trends.getByText(t("admin:trends.change", { change: "-50%", days: 30 }), { exact: true }).waitFor();
    await trends.getByText(t("admin:trends.change", { change: "0%", days: 30 }), { exact: true }).waitFor();

    // The arrow keys read the days of a chart.
    const chart = trends.getByRole("slider", { name: t("admin:trends.newUsers") });
    const ofLastDay = await chart.getAttribute("aria-valuetext");
    expect(ofLastDay).toContain(`${t("admin:trends.now")}: 1`);
    await chart.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => chart.getAttribute("aria-valuetext")).not.toBe(ofLastDay);
    expect(await violations(page, "admin overview")).toEqual([]);

    await trends.getByRole("radio", { name: t("admin:trends.days", { days: 90 }) }).click();
    await trends.getByText(t("admin:trends.notComparable")).first().waitFor();
    await trends.getByRole("button", { name: t("status:metrics.asTable") }).click();
    expect(await trends.getByRole("row").count()).toBe(91);

    await attention.getByRole("link").click();
    await page.getByRole("listitem").filter({ hasText: "Refused" }).waitFor();

    // A document that the server can't present.
    await jobs.updateOne({ key: "failed" }, { $unset: { createdAt: 1 } });
    await open("/admin/overview", admin.username);
    await attention.getByRole("link", { name: t("admin:attention.jobsUnchecked") }).waitFor();
    await jobs.deleteOne({ key: "failed" });
  });

  test("a disk that is almost full leads to its free space", { tags: "long" }, async () => {
    const other = await page.context().newPage();
    const height = 400;
    await other.setViewportSize({ width: 1000, height });
    await handleCalls(other, async ({ pass, answer }) =>
      answer((await pass()).replace(/"freeBytes":\d+/, '"freeBytes":1')),
    );
    await site.open(other, "/admin/overview", await site.logIn(admin.username));
    const attention = other.getByRole("region", { name: t("admin:attention.title") });
    await attention.getByRole("link", { name: /^Only / }).click();
    const free = other.getByText(t("admin:overview.disk"), { exact: true });
    await expect.poll(async () => (await free.boundingBox())!.y).toBeLessThan(height);
    await other.close();
  });

  test("is the only one who can see the status and admin pages", async () => {
    const { username } = await createAccount(site.url);
    await open("/status", username);
    await page.getByText(t("status:connection.version")).waitFor();
    expect(await page.getByText(t("status:metrics.title")).count()).toBe(0);
    await page.goto(`${site.url}/admin/users`);
    await page.getByRole("heading", { name: t("admin:refused.title") }).waitFor();
  });

  test("learns that a section of settings doesn't exist, with a way back", async () => {
    const { group } = await must(site.url, "group.create", { name: "Rockets" }, admin.accessToken);
    await open("/settings/nowhere", admin.username);
    const names = { "/settings": t("common:settings"), "/admin": t("shell:admin") };
    for (const [path, name] of Object.entries({ ...names, [`/groups/${group.id}/settings`]: "Rockets" })) {
      await site.visit(page, `${path}/nowhere`);
      await expect.poll(() => page.title()).toContain(`${t("home:notFound")} · ${name}`);
      await page.getByRole("heading", { name: t("home:notFound"), level: 1 }).waitFor();
      await page.getByText(t("home:pageNotFound")).waitFor();
      expect(await page.locator("nav [aria-current]").count()).toBe(0);
    }
    await page.getByRole("link", { name: t("home:goToGroup") }).click();
    await expect.poll(() => page.url()).toContain(`/groups/${group.id}/channels/`);
    // The address of the settings is the one of their first section.
    await site.visit(page, `/groups/${group.id}/settings`);
    await page.getByRole("heading", { name: t("common:overview"), level: 1 }).waitFor();
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
    await delayActions(page, /admin\.removeLogo/, saved.promise);
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
