import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { hasBrowser } from "./browser.ts";
import { otherPaths, visitDialogs } from "./every-page.ts";
import { layoutFaults } from "./layout-faults.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const STILL = { reducedMotion: "reduce" } as const;
/** Low windows, in which every list overflows. */
const WINDOWS: Record<string, BrowserContextOptions> = {
  desktop: { ...STILL, viewport: { width: 1100, height: 400 } },
  phone: {
    ...STILL,
    viewport: { width: 390, height: 400 },
    hasTouch: true,
    isMobile: true,
    colorScheme: "dark",
  },
};

/** The longest possible names, without a place to break the line. */
const longName = (start: string, maxChars: number): string =>
  start.padEnd(maxChars, "-Wolfeschlegelsteinhausen");

describe.skipIf(!hasBrowser())("a channel with a long name", () => {
  const site = useSite();

  for (const kind of Object.keys(WINDOWS))
    test(
      `shows more of it than one line has: ${kind}`,
      { tags: kind === "phone" ? "long" : [] },
      async () => {
        const ada = new FanfareClient({ url: site.url });
        const session = await ada.register({ username: `ada_${kind}`, password: "correct horse" });
        const { group } = await ada.call("group.create", { name: "Rocket" });
        const name = longName("engine", 100);
        const { channel } = await ada.call("channel.create", { groupId: group.id, name });
        ada.close();
        const page = await site.newPage(WINDOWS[kind], session);
        await page.goto(`${site.url}/groups/${group.id}/channels/${channel.id}`);
        /** One line has less than 30 pixels. */
        const height = async (text: Locator) => (await text.boundingBox())!.height;
        const welcome = page
          .getByRole("log")
          .getByText(t("messages:beginning.welcome", { name: `#${name}` }));
        await welcome.waitFor();
        expect(await height(welcome)).toBeGreaterThan(30);
        const heading = page.getByRole("heading", { level: 1, name });
        expect((await height(heading)) > 30).toBe(kind === "phone");
      },
    );
});

describe.skipIf(!hasBrowser())("messages of one author", () => {
  const site = useSite();

  test("have the same distance after one line as after two", async () => {
    const { ada, groupId, channelId } = await site.newTeam();
    for (const content of ["The first", "One line", "Two\nlines", "The last"])
      await ada.call("message.send", { channelId, content, nonce: content });
    const page = await site.newPage(STILL, await site.logIn("ada"));
    await page.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
    const margins = async (text: string) => {
      const row = page.getByRole("article").filter({ hasText: text });
      return (await row.boundingBox())!.height - (await row.locator(".message-text").boundingBox())!.height;
    };
    await page.getByText("The last").waitFor();
    expect(await margins("One line")).toBe(await margins("Two"));
  });
});

describe.skipIf(!hasBrowser())("low windows and long names", { tags: "long" }, () => {
  const site = useSite();
  /** Admin, and owner of the group. */
  let admin: SessionTokens;
  let newcomer: SessionTokens;
  let groupId: string;
  let channelId: string;
  let threadId: string;
  let directId: string;
  let inviteCode: string;

  beforeAll(async () => {
    const ada = new FanfareClient({ url: site.url });
    admin = await ada.register({
      username: longName("ada", 32).replaceAll("-", "_").toLowerCase(),
      password: "correct horse",
      nickname: longName("Ada", 32),
    });
    const { group, channels } = await ada.call("group.create", { name: longName("Rocket", 100) });
    groupId = group.id;
    const { channel: section } = await ada.call("channel.create", {
      groupId,
      name: longName("Section", 100),
      kind: "section",
    });
    for (let number = 1; number <= 25; number++) {
      await ada.call("channel.create", {
        groupId,
        name: longName(`engine-${number}`, 100),
        sectionId: number > 20 ? section.id : null,
      });
    }
    channelId = channels.find(({ kind }) => kind === "text")!.id;
    inviteCode = (await ada.call("invite.create", { groupId })).invite.code;
    const { role } = await ada.call("role.create", { groupId, name: longName("Captain", 100) });
    for (let number = 1; number <= 12; number++)
      await ada.call("role.create", { groupId, name: longName(`Role ${number}`, 100) });

    const others: FanfareClient[] = [];
    for (let number = 1; number <= 8; number++) {
      const client = new FanfareClient({ url: site.url });
      await client.register({
        username: longName(`user_${number}_`, 32).replaceAll("-", "_").toLowerCase(),
        password: "correct horse",
        nickname: longName(`Grace ${number}`, 32),
      });
      await client.call("invite.accept", { code: inviteCode });
      others.push(client);
    }
    const [grace, lin, mary, jean, rude] = others as [
      FanfareClient,
      FanfareClient,
      FanfareClient,
      FanfareClient,
      FanfareClient,
    ];
    const idOf = (client: FanfareClient) => client.user!.id;
    await ada.call("role.assign", { groupId, roleId: role.id, userId: idOf(grace) });
    const target = { type: "role", id: role.id } as const;
    await ada.call("channel.setOverride", { channelId, target, allow: 1, deny: 0 });
    await ada.call("group.ban", { groupId, userId: idOf(rude), reason: longName("Rude", 200) });
    await ada.call("webhook.create", { channelId, name: longName("Hook", 32) });
    await ada.call("bot.create", { groupId, name: longName("Bot", 32), scopes: ["commands", "events"] });
    const picture = new Blob([new Uint8Array(await drawSquare("teal"))]);
    const { fileId } = await ada.uploadPicture(picture);
    await ada.call("emoji.add", { groupId, fileId, name: "m".repeat(32) });
    const sticker = { groupId, kind: "sticker", name: longName("Sticker", 100) } as const;
    await ada.call("emoji.add", { ...sticker, fileId: (await ada.uploadPicture(picture)).fileId });
    const template = { name: longName("Template", 50), text: longName("Text", 300) };
    await ada.call("user.setPreferences", { templates: [template] });
    await ada.call("friend.request", { userId: idOf(grace) });
    await grace.call("friend.accept", { userId: ada.user!.id });
    await lin.call("friend.request", { userId: ada.user!.id });
    await ada.call("friend.request", { userId: idOf(mary) });
    await ada.call("user.block", { userId: idOf(jean) });
    const { channel: direct } = await ada.call("channel.createGroupDirect", {
      userIds: [idOf(grace), idOf(lin), idOf(mary)],
      name: longName("Direct", 100),
    });
    directId = direct.id;
    await ada.call("channel.openDirect", { userId: idOf(grace) });

    const send = async (client: FanfareClient, content: string, inChannel = channelId) =>
      (await client.call("message.send", { channelId: inChannel, content, nonce: crypto.randomUUID() }))
        .message;
    const root = await send(grace, longName("zeppelin thread ", 100));
    threadId = (await ada.call("channel.openThread", { channelId, messageId: root.id })).channel.id;
    await send(grace, longName(`zeppelin <@${ada.user!.id}> answer `, 100), threadId);
    const pinned = await send(grace, `zeppelin ${longName("pinned", 300)}`);
    await ada.call("message.pin", { channelId, messageId: pinned.id });
    const remindAt = new Date(0).toISOString();
    await ada.call("saved.add", { channelId, messageId: pinned.id, remindAt });
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    await ada.call("scheduled.add", { channelId: directId, content: longName("Morning", 300), sendAt });
    for (let number = 1; number <= 6; number++)
      await send(lin, `<@${ada.user!.id}> zeppelin ${longName("W", 200)}`);
    await send(grace, longName(`zeppelin <@${ada.user!.id}>`, 100), directId);
    const plan = await grace.upload(channelId, longName("plan", 200), new Blob(["plan"]));
    const attachmentIds = [plan.fileId];
    await grace.call("message.send", { channelId, content: "", nonce: crypto.randomUUID(), attachmentIds });
    newcomer = await new FanfareClient({ url: site.url }).createGuest({ nickname: "Hedy" });
    for (const client of [ada, ...others]) client.close();
  }, 120_000);

  const everyPath = () => [
    `/groups/${groupId}/channels/${channelId}`,
    `/groups/${groupId}/channels/${channelId}?thread=${threadId}`,
    `/direct/${directId}`,
    `/invite/${inviteCode}`,
    ...otherPaths(groupId),
  ];

  const visitEveryPage = async (page: Page) => {
    await site.open(page, "/status", admin);
    const found: string[] = [];
    for (const path of everyPath()) {
      await site.visit(page, path);
      found.push(...(await layoutFaults(page, path)));
    }
    for (const path of ["/direct", "/inbox"]) {
      await site.visit(page, path);
      for (const tab of await page.getByRole("tab").all()) {
        await tab.click();
        await site.loaded(page);
        found.push(...(await layoutFaults(page, `${path}: ${await tab.textContent()}`)));
      }
    }
    return found;
  };

  for (const [window, options] of Object.entries(WINDOWS))
    describe(`in a ${window} window`, () => {
      let page: Page;
      beforeAll(async () => {
        page = await site.keepPage(options);
      });

      test("logged out pages fit", async () => {
        await site.open(page, "/");
        const found: string[] = [];
        for (const path of [
          "/",
          "/login",
          "/register",
          "/reset-password",
          "/verify-email",
          "/unsubscribe?token=made-up",
          `/invite/${inviteCode}`,
        ]) {
          await site.visit(page, path);
          found.push(...(await layoutFaults(page, path)));
          // Content that doesn't fit must be reachable by scrolling within the frame.
          const last = page.locator("#root a, #root button").last();
          await last.scrollIntoViewIfNeeded();
          const { y, height } = (await last.boundingBox())!;
          expect(y + height).toBeLessThanOrEqual(400);
        }
        expect(found).toEqual([]);
      });

      test("every page fits", async () => {
        expect(await visitEveryPage(page)).toEqual([]);
      });

      test("the first group fits", async () => {
        await site.open(page, "/", newcomer);
        await site.loaded(page);
        expect(await layoutFaults(page, "the first group")).toEqual([]);
      });

      test("lists, panels and dialogs of a channel fit", async () => {
        const isPhone = window === "phone";
        await site.open(page, `/groups/${groupId}/channels/${channelId}`, admin);
        const found: string[] = [];
        await page.getByRole("log").getByRole("article").first().waitFor();
        await site.loaded(page);
        if (isPhone) {
          await page.getByRole("button", { name: t("shell:openLists") }).click();
          await page.getByRole("dialog").waitFor();
        }
        const channels = page.getByRole("navigation", { name: t("channels:list.label") });
        await channels.evaluate((list) => list.scrollTo(0, list.scrollHeight));
        found.push(...(await layoutFaults(page, "the lists")));
        if (isPhone) await page.keyboard.press("Escape");

        const files = isPhone ? [] : ["Files"];
        for (const name of ["Threads", "Pinned messages", ...files, "Members"]) {
          await page.getByRole("button", { name, exact: true }).last().click();
          const panel = page.getByRole(isPhone ? "dialog" : "complementary", { name });
          await panel.first().waitFor();
          await site.loaded(page);
          if (name === "Members") await panel.getByRole("button", { name: "Grace 1" }).first().waitFor();
          found.push(...(await layoutFaults(page, name)));
          await panel.getByRole("button", { name: t("ui:close") }).click();
          await panel.waitFor({ state: "hidden" });
        }
        await site.search(page, "zeppelin");
        found.push(...(await layoutFaults(page, "search")));
        await page.getByRole("radio", { name: t("search:scope.everywhere") }).click();
        await page
          .getByRole("button", { name: t("search:jump") })
          .first()
          .waitFor();
        await site.loaded(page);
        found.push(...(await layoutFaults(page, "search everywhere")));
        if (isPhone) {
          await page
            .getByRole("button", { name: t("ui:close") })
            .last()
            .click();
          await page.getByRole("combobox", { name: t("search:field") }).waitFor({ state: "detached" });
        }

        await page.keyboard.press("Control+k");
        await page.getByRole("combobox", { name: t("quick-switcher:title") }).fill("e");
        await page.getByRole("option").first().waitFor();
        found.push(...(await layoutFaults(page, "switcher")));
        expect(found).toEqual([]);
      });

      test("dialogs of a channel fit", async () => {
        await site.open(page, `/groups/${groupId}/channels/${channelId}`, admin);
        const found: string[] = [];
        await page.getByRole("log").getByRole("article").first().waitFor();
        await site.loaded(page);
        const listed = longName("engine-1", 100);
        await visitDialogs(page, { listed, isPhone: window === "phone" }, async (what) => {
          await site.loaded(page);
          found.push(...(await layoutFaults(page, what)));
        });
        expect(found).toEqual([]);
      });
    });

  test("every page fits from right to left", async () => {
    const ada = new FanfareClient({ url: site.url });
    ada.useTokens(admin);
    await ada.call("user.setPreferences", { language: "ar" });
    const page = await site.newPage(WINDOWS["phone"]);
    expect(await visitEveryPage(page)).toEqual([]);
    expect(await page.locator("html").getAttribute("dir")).toBe("rtl");
  });
});
