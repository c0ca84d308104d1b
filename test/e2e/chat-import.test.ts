import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { makeZip } from "@fanfare/testing";
import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const STILL = { reducedMotion: "reduce" } as const;
const KINDS: Record<string, BrowserContextOptions> = {
  light: { ...STILL, colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { ...STILL, colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  phone: { ...STILL, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

const post = (user: string, message: string, seconds: number, more: object = {}) => ({
  type: "post",
  post: {
    team: "core",
    channel: "town",
    user,
    message,
    create_at: 1_600_000_000_000 + 1000 * seconds,
    ...more,
  },
});
const memberOf = (username: string) => ({
  type: "user",
  user: { username, teams: [{ name: "core", roles: "team_user", channels: [{ name: "town" }] }] },
});
const LINES = [
  { type: "version", version: 1 },
  { type: "team", team: { name: "core", display_name: "Core Team" } },
  { type: "channel", channel: { team: "core", name: "town", display_name: "Town", type: "O" } },
  memberOf("ada"),
  memberOf("grace"),
  post("ada", "Hello from the old server", 1),
  post("grace", "See the plan", 2, { attachments: [{ path: "plan.txt" }, { path: "lost.txt" }] }),
  { type: "direct_post", direct_post: { channel_members: ["ada", "grace"], user: "ada", message: "psst" } },
];
const EXPORT = makeZip([
  { name: "import.jsonl", content: Buffer.from(LINES.map((line) => JSON.stringify(line)).join("\n")) },
  { name: "data/plan.txt", content: Buffer.from("the plan") },
]);

describe.skipIf(!hasBrowser())("an admin", () => {
  const site = useSite();
  let admin: SessionTokens;

  beforeAll(async () => {
    const ada = new FanfareClient({ url: site.url });
    admin = await ada.register({ username: "ada", password: "correct horse" });
    ada.close();
  });

  test("uploads an export, reads the report, imports it and opens the group", async () => {
    const page = await site.newPage(KINDS["light"], admin);
    await page.goto(`${site.url}/admin/imports`);
    await page.getByRole("combobox", { name: t("admin:imports.origin") }).click();
    await page.getByRole("option", { name: "Mattermost" }).click();
    const file = { name: "export.zip", mimeType: "application/zip", buffer: EXPORT };
    await page
      .getByLabel(t("admin:imports.upload"), { exact: true })
      .locator("input[type=file]")
      .setInputFiles(file);
    const card = page.getByRole("article");
    await card.getByText(t("admin:imports.states.checked")).waitFor();
    await card.getByText("2 · Messages", { exact: true }).waitFor();
    await card.getByText(`1 · ${t("admin:imports.notes.missingFiles")}`).waitFor();
    await card.getByRole("heading", { name: t("admin:imports.matches.checked") }).waitFor();
    await card.getByText(`1 · ${t("admin:imports.matches.username")}`).waitFor();
    await card.getByRole("listitem").filter({ hasText: "@ada" }).waitFor();
    const match = card.getByRole("checkbox", { name: t("admin:imports.match") });
    expect(await match.isChecked()).toBe(false);

    const faults: string[] = [];
    for (const [kind, options] of Object.entries(KINDS)) {
      const other = await site.newPage(options, admin);
      await other.goto(`${site.url}/admin/imports`);
      await other.getByText(t("admin:imports.states.checked")).waitFor();
      faults.push(...(await violations(other, kind)));
      const width = await other.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (width > 0) faults.push(`${kind} scrolls sideways`);
    }
    expect(faults).toEqual([]);

    await match.click();
    await card.getByRole("button", { name: t("admin:imports.run") }).click();
    await card.getByRole("heading", { name: t("admin:imports.matches.done") }).waitFor();
    await card.getByRole("link", { name: t("admin:imports.open") }).click();
    await page.getByText("Hello from the old server").waitFor();
    await page.getByText("plan.txt").waitFor();

    // The same export again.
    await page.goto(`${site.url}/admin/imports`);
    await page.getByRole("combobox", { name: t("admin:imports.origin") }).click();
    await page.getByRole("option", { name: "Mattermost" }).click();
    await page
      .getByLabel(t("admin:imports.upload"), { exact: true })
      .locator("input[type=file]")
      .setInputFiles({ ...file, name: "again.zip" });
    const again = card.filter({ hasText: "again.zip" });
    await again.getByRole("heading", { name: t("admin:imports.inExport") }).waitFor();
    await again.getByText(t("admin:imports.existingGroup", { name: "Core Team" })).waitFor();
    await again.getByRole("button", { name: t("admin:imports.run") }).click();
    await again.getByText(t("admin:imports.addedTo", { name: "Core Team" })).waitFor();
    await again.getByRole("heading", { name: t("admin:imports.nothingNew") }).waitFor();
  });

  test("sees why an export can't be imported, and deletes it", { tags: "long" }, async () => {
    const page = await site.newPage(KINDS["phone"], admin);
    await page.goto(`${site.url}/admin/imports`);
    const file = { name: "broken.zip", mimeType: "application/zip", buffer: Buffer.from("not an archive") };
    await page
      .getByLabel(t("admin:imports.upload"), { exact: true })
      .locator("input[type=file]")
      .setInputFiles(file);
    const card = page.getByRole("article").filter({ hasText: "broken.zip" });
    await card.getByText(/not a ZIP archive/).waitFor();
    await card.getByRole("button", { name: t("admin:groups.delete.of", { name: "broken.zip" }) }).click();
    await page.getByRole("button", { name: t("admin:imports.delete.action"), exact: true }).click();
    await card.waitFor({ state: "detached" });
    expect(await page.getByRole("alert").filter({ hasText: /./ }).count()).toBe(0);
  });
});
