import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { toneWav } from "../support/media.ts";
import { violations } from "./axe.ts";
import { hasBrowser } from "./browser.ts";
import { otherPaths, visitDialogs } from "./every-page.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

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
  /** Admin, and owner of the group. */
  let admin: SessionTokens;
  let newcomer: SessionTokens;
  let groupId: string;
  let channelId: string;
  let inviteCode: string;

  beforeAll(async () => {
    const ada = new FanfareClient({ url: site.url });
    admin = await ada.register({ username: "ada", password: "correct horse" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    channelId = channels[0]!.id;
    inviteCode = (await ada.call("invite.create", { groupId })).invite.code;
    const send = (client: FanfareClient, content: string) =>
      client.call("message.send", { channelId, content, nonce: crypto.randomUUID() });
    await send(ada, "Hello **everyone**, see https://example.org and `code`\n\n> a quote\n\n- a list");
    const picture = new Blob([new Uint8Array(await drawSquare("teal"))]);
    for (const [kind, name] of [
      ["emoji", "square"],
      ["sticker", "A square"],
    ] as const) {
      const { fileId } = await ada.uploadPicture(picture);
      await ada.call("emoji.add", { groupId, fileId, name, kind });
    }
    const { message } = await send(ada, "A :square:");
    await ada.call("message.react", { channelId, messageId: message.id, emoji: ":square:" });
    const saved = { channelId, messageId: message.id };
    const { channel: thread } = await ada.call("channel.openThread", saved);
    await ada.call("message.send", { channelId: thread.id, content: "A reply", nonce: crypto.randomUUID() });
    await ada.call("saved.add", { ...saved, remindAt: new Date(0).toISOString() });
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    await ada.call("scheduled.add", { channelId, content: "Good **morning**", sendAt });
    await ada.call("user.setPreferences", { templates: [{ name: "standup", text: "Yesterday: nothing" }] });
    const recording = { durationMs: 2000, peaks: "08gv8" };
    const files = [
      await ada.upload(channelId, "square.png", picture),
      await ada.upload(channelId, "voice.wav", new Blob([toneWav(2)]), { recording }),
      await ada.upload(channelId, "tone.wav", new Blob([toneWav(2)])),
    ];
    const attachmentIds = files.map((file) => file.fileId);
    await ada.call("message.send", { channelId, content: "", nonce: crypto.randomUUID(), attachmentIds });
    const guest = new FanfareClient({ url: site.url });
    await guest.createGuest({ nickname: "Grace" });
    await guest.call("invite.accept", { code: inviteCode });
    await send(guest, "```ts\nconst answer = 42;\n```");
    newcomer = await new FanfareClient({ url: site.url }).createGuest({ nickname: "Hedy" });
  });

  for (const [kind, options] of Object.entries(KINDS))
    describe(`in ${kind}`, () => {
      let page: Page;
      beforeAll(async () => {
        page = await site.keepPage(options);
      });
      const rules = kind === "dark" ? { rules: COLOR_RULES } : {};
      /** The short run has every page in the light theme. */
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

      test("a channel", { tags }, async () => {
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
        if (kind === "phone") {
          await page.keyboard.press("Escape");
          await page.getByRole("menu").waitFor({ state: "detached" });
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
          await page.getByRole("button", { name: t("common:add"), exact: true }).tap();
          await page.getByRole("menu").waitFor();
          found.push(...(await violations(page, "the menu of the composer", rules)));
          await page.getByRole("menuitem", { name: t("composer:poll.title") }).tap();
          await page.getByRole("dialog").getByRole("combobox").tap();
          await page.getByRole("listbox").waitFor();
          found.push(...(await violations(page, "a list of options", rules)));
          // What is on top has the focus.
          if ((await page.getByRole("listbox").locator(":focus").count()) === 0) found.push("no focus");
        }
        expect(found).toEqual([]);
      });

      test("panels and dialogs of a channel", { tags }, async () => {
        await site.open(page, `/groups/${groupId}/channels/${channelId}`, admin);
        const found: string[] = [];
        await page.getByText("const answer").waitFor();
        await site.loaded(page);
        // Phones have the files in the panel of the pins.
        const files = kind === "phone" ? [] : ["Files"];
        for (const name of ["Search", "Threads", "Pinned messages", ...files, "Members"]) {
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
        await page.getByRole("button", { name: "Show square.png" }).click();
        await page.getByRole("dialog").getByRole("img").waitFor();
        found.push(...(await violations(page, "a picture", rules)));
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "hidden" });
        await page.getByRole("article").last().focus();
        await page.keyboard.press("x");
        await page.getByRole("toolbar", { name: t("messages:select.bar") }).waitFor();
        found.push(...(await violations(page, "selected messages", rules)));
        await page.keyboard.press("f");
        await page.getByRole("dialog").getByRole("option").first().waitFor();
        found.push(...(await violations(page, "where to forward a message", rules)));
        await page.keyboard.press("Enter");
        await page.getByRole("textbox", { name: t("messages:forward.comment") }).waitFor();
        found.push(...(await violations(page, "forwarding a message", rules)));
        expect(found).toEqual([]);
      });

      test("friends, status, settings and admin pages", { tags }, async () => {
        await site.open(page, "/status", admin);
        const found: string[] = [];
        for (const path of otherPaths(groupId)) {
          await site.visit(page, path);
          found.push(...(await violations(page, path, rules)));
        }
        await site.visit(page, "/inbox");
        for (const tab of await page.getByRole("tab").all()) {
          await tab.click();
          await site.loaded(page);
          found.push(...(await violations(page, `inbox: ${await tab.textContent()}`, rules)));
        }
        expect(found).toEqual([]);
      });
    });

  test("dialogs that are opened from a channel", { tags: "long" }, async () => {
    const page = await site.newPage(KINDS["light"]);
    await site.open(page, `/groups/${groupId}/channels/${channelId}`, admin);
    const found: string[] = [];
    await page.getByText("const answer").waitFor();
    await visitDialogs(page, { listed: "general" }, async (what) => {
      await site.loaded(page);
      found.push(...(await violations(page, what)));
    });
    expect(found).toEqual([]);
  });
});
