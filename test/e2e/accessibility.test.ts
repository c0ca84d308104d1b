import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { AxeResults } from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Empty elements at both ends of an open popup that pass the focus on, so that Tab stays within. */
const FOCUS_GUARDS = "[data-base-ui-focus-guard]";
/** Half-transparent texts have less contrast while popups fade. */
const STILL = { reducedMotion: "reduce" } as const;

/** Rules that depend on colors; all others give the same result in both themes and run in the light one. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

const KINDS: Record<string, BrowserContextOptions> = {
  light: { ...STILL, colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { ...STILL, colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  phone: { ...STILL, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

describe.skipIf(!hasBrowser())("automated WCAG 2.2 AA checks", () => {
  const site = useSite();
  let axe: string;
  /** Admin, and owner of the group. */
  let admin: SessionTokens;
  let newcomer: SessionTokens;
  let groupId: string;
  let channelId: string;
  let inviteCode: string;

  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const ada = new FanfareClient({ url: site.url });
    admin = await ada.register({ username: "ada", password: "correct horse" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    channelId = channels[0]!.id;
    inviteCode = (await ada.call("invite.create", { groupId })).invite.code;
    const send = (client: FanfareClient, content: string) =>
      client.call("message.send", { channelId, content, nonce: crypto.randomUUID() });
    await send(ada, "Hello **everyone**, see https://example.org and `code`\n\n> a quote\n\n- a list");
    const guest = new FanfareClient({ url: site.url });
    await guest.createGuest({ nickname: "Grace" });
    await guest.call("invite.accept", { code: inviteCode });
    await send(guest, "```ts\nconst answer = 42;\n```");
    newcomer = await new FanfareClient({ url: site.url }).createGuest({ nickname: "Hedy" });
  });

  /** The rules a page violates, with the elements that do. */
  async function violations(page: Page, what: string, rules = WCAG): Promise<string[]> {
    // What fades in has less contrast meanwhile. Spinners don't end.
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter((animation) => animation.effect.getComputedTiming().iterations !== Infinity)
      .map((animation) => animation.finished))`);
    if (await page.evaluate<boolean>("window.axe === undefined")) await page.evaluate(axe);
    const scope = JSON.stringify({ exclude: [[FOCUS_GUARDS]] });
    const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"] });
    const found = await page.evaluate<AxeResults>(`axe.run(${scope}, ${options})`);
    const html = ({ nodes }: AxeResults["violations"][number]) =>
      nodes.map((node) => node.html.slice(0, 300)).join("\n  ");
    return found.violations.map((violation) => `${what}: ${violation.id}: ${html(violation)}`);
  }

  for (const [kind, options] of Object.entries(KINDS))
    describe(`in ${kind}`, () => {
      let page: Page;
      beforeAll(async () => {
        page = await site.keepPage(options);
      });
      const rules = kind === "dark" ? COLOR_RULES : WCAG;
      /** The short run has every page in the light theme, and the channel in all. */
      const tags = kind === "light" ? [] : ["long"];

      test("logged out pages", { tags }, async () => {
        await site.open(page, "/");
        const found: string[] = [];
        for (const path of ["/", "/login", "/register", "/reset-password"]) {
          await site.visit(page, path);
          found.push(...(await violations(page, path, rules)));
        }
        await site.visit(page, `/invite/${inviteCode}`);
        await page.getByText("Rocket builders").first().waitFor();
        found.push(...(await violations(page, "an invite", rules)));
        expect(found).toEqual([]);
      });

      test("the first group", { tags }, async () => {
        await site.open(page, "/", newcomer);
        const found: string[] = [];
        await site.loaded(page);
        found.push(...(await violations(page, "the first group", rules)));
        expect(found).toEqual([]);
      });

      test("a channel", async () => {
        await site.open(page, `/groups/${groupId}/channels/${channelId}`, admin);
        const found: string[] = [];
        await page.getByText("const answer").waitFor();
        await site.loaded(page);
        found.push(...(await violations(page, "the channel", rules)));
        if (kind === "phone") {
          await page.getByRole("button", { name: t("shell:openLists") }).click();
          await page.getByRole("dialog").waitFor();
          found.push(...(await violations(page, "the lists of a phone", rules)));
        }
        await page.getByRole("button", { name: t("shell:you") }).click();
        await page.getByRole("menu").waitFor();
        found.push(...(await violations(page, "one's own menu", rules)));
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Rocket builders", exact: false }).last().click();
        await page.getByRole("menu").waitFor();
        found.push(...(await violations(page, "the menu of the group", rules)));
        expect(found).toEqual([]);
      });

      test("panels and dialogs of a channel", { tags }, async () => {
        await site.open(page, `/groups/${groupId}/channels/${channelId}`, admin);
        const found: string[] = [];
        await page.getByText("const answer").waitFor();
        await site.loaded(page);
        for (const name of ["Search", "Threads", "Pinned messages", "Members"]) {
          await page.getByRole("button", { name, exact: true }).last().click();
          const panel = page.getByRole(kind === "phone" ? "dialog" : "complementary", { name });
          await panel.first().waitFor();
          await site.loaded(page);
          // Rows are hidden, and so unnamed, until they are measured.
          if (name === "Members") await panel.getByRole("button", { name: "Grace" }).waitFor();
          found.push(...(await violations(page, name, rules)));
          await panel.getByRole("button", { name: t("ui:close") }).click();
          await panel.waitFor({ state: "hidden" });
        }
        for (const keys of ["Control+k", "Control+/"]) {
          await page.keyboard.press(keys);
          await page.getByRole("dialog").waitFor();
          found.push(...(await violations(page, keys, rules)));
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "hidden" });
        }
        expect(found).toEqual([]);
      });

      test("friends, status, settings and admin pages", { tags }, async () => {
        await site.open(page, "/status", admin);
        const found: string[] = [];
        const settings = ["overview", "roles", "channels", "members", "invites", "bans", "audit-log"];
        const more = ["filter", "webhooks", "bots", "storage", "danger"];
        const paths = [
          "/status",
          "/direct",
          "/inbox",
          ...["profile", "account", "security", "notifications", "privacy", "appearance", "data"].map(
            (section) => `/settings/${section}`,
          ),
          "/groups/nowhere",
          ...[...settings, ...more].map((section) => `/groups/${groupId}/settings/${section}`),
          ...["overview", "users", "groups", "announcements", "maintenance", "audit-log"].map(
            (section) => `/admin/${section}`,
          ),
        ];
        for (const path of paths) {
          await site.visit(page, path);
          found.push(...(await violations(page, path, rules)));
        }
        expect(found).toEqual([]);
      });
    });
});
