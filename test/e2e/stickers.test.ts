import type { FanfareClient } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract";
import { makeZip } from "@fanfare/testing";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { drawAnimation, drawSquare } from "../support/emoji.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
const LONG = "a sticker with quite a long name ".repeat(3).trim();

describe.skipIf(!hasBrowser())("a group's stickers and GIFs", () => {
  const site = useSite();
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let channelPath: string;

  beforeAll(async () => {
    ({ ada, grace } = await site.newTeam());
  });

  beforeEach(async () => {
    const { group, channels } = await ada.call("group.create", { name: "Cats" });
    groupId = group.id;
    channelId = channels[0]!.id;
    const { invite } = await ada.call("invite.create", { groupId });
    await grace.call("invite.accept", { code: invite.code });
    channelPath = `/groups/${groupId}/channels/${channelId}`;
  });

  /** Each page is another device. */
  const open = async (who: FanfareClient, path = channelPath, options = {}) => {
    const page = await site.newPage(options, await site.logIn(who.user!.username!));
    await page.goto(site.url + path);
    await site.loaded(page);
    return page;
  };
  const add = async (kind: "sticker" | "gif", name: string) => {
    const picture = kind === "gif" ? await drawAnimation(400, 200) : await drawSquare("teal", 200);
    const { fileId } = await ada.uploadPicture(new Blob([new Uint8Array(picture)]));
    return (await ada.call("emoji.add", { groupId, kind, name, fileId })).emoji;
  };
  const inMessages = (page: Page, name: string) =>
    page.getByRole("log").getByRole("img", { name, exact: true });
  const openPicker = async (page: Page, kind: string) => {
    await page.getByRole("button", { name: t("composer:emoji"), exact: true }).click();
    await page.getByRole("tab", { name: t(`emoji:kind.${kind}`) }).click();
  };
  const search = (page: Page) => page.getByRole("searchbox", { name: t("common:searchByName") });
  const box = (page: Page) => page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
  const settingsRow = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

  test(
    "are added, imported, renamed and deleted in the settings, which another device follows",
    { tags: "long" },
    async () => {
      const page = await open(ada, `/groups/${groupId}/settings/emoji`);
      const device = await open(ada);
      await page.getByRole("tab", { name: t("emoji:kind.sticker") }).click();
      const content = await drawSquare("teal", 200);
      const zip = makeZip([
        { name: "cats/加油.png", content },
        { name: "cats/happy_cat.png", content },
        { name: "cats/readme.txt", content: Buffer.from("text") },
      ]);
      await page.locator('input[type="file"]').setInputFiles([
        { name: "cats.zip", mimeType: "application/zip", buffer: zip },
        { name: "large.png", mimeType: "image/png", buffer: Buffer.alloc(LIMITS.stickerMaxBytes + 1) },
        { name: "happy cat.png", mimeType: "image/png", buffer: content },
      ]);
      await page.getByText(t("group-settings:emoji.added", { count: 2 })).waitFor();
      const rejected = page.getByRole("status").getByRole("listitem");
      await expect
        .poll(() => rejected.allInnerTexts())
        .toEqual([
          `cats/readme.txt: ${t("group-settings:emoji.notPicture")}`,
          `large.png: ${t("group-settings:emoji.tooLarge", { max: "512 kB" })}`,
          `happy cat.png: ${t("shared:error.EMOJI_NAME_TAKEN")}`,
        ]);
      await openPicker(device, "sticker");
      await device.getByRole("button", { name: "happy cat" }).waitFor();

      const choose = async (name: string, item: string) => {
        await page.getByRole("button", { name: t("group-settings:moreOptions", { name }) }).click();
        await page.getByRole("menuitem", { name: t(`common:${item}`) }).click();
      };
      await choose("happy cat", "rename");
      await page.getByLabel(t("common:name"), { exact: true }).fill(LONG);
      await page.keyboard.press("Enter");
      await settingsRow(page, LONG).waitFor();
      await device.getByRole("button", { name: LONG }).waitFor();
      await choose("加油", "delete");
      await page
        .getByRole("alertdialog")
        .getByRole("button", { name: t("common:delete") })
        .click();
      await expect.poll(() => settingsRow(page, "加油").count()).toBe(0);
      await device.getByRole("button", { name: "加油" }).waitFor({ state: "detached" });
      await page.getByRole("tab", { name: t("emoji:kind.gif") }).click();
      await page.getByText(t("group-settings:emoji.none")).waitFor();
    },
  );

  test("are found by name and sent at once, also as a reply, and stay after a reload", async () => {
    await add("sticker", "加油");
    await add("sticker", "Happy cat");
    await add("gif", "Wave to all");
    const { message } = await grace.call("message.send", { channelId, content: "Done", nonce: "1" });
    const [page, other] = [await open(ada), await open(grace)];
    await box(page).fill("still writing");
    await openPicker(page, "sticker");
    await search(page).fill("cat");
    await expect.poll(() => page.getByRole("button", { name: "加油" }).count()).toBe(0);
    await search(page).press("Enter");
    await inMessages(other, "Happy cat").waitFor();
    expect(await inMessages(other, "Happy cat").boundingBox()).toMatchObject({ width: 160, height: 160 });
    expect(await box(page).inputValue()).toBe("still writing");

    // By keyboard, as a reply.
    await page.getByRole("log").getByRole("article").filter({ hasText: "Done" }).press("r");
    await openPicker(page, "gif");
    await search(page).press("ArrowDown");
    await page.keyboard.press("Enter");
    await inMessages(other, "Wave to all").waitFor();
    expect(await inMessages(other, "Wave to all").boundingBox()).toMatchObject({ width: 320, height: 160 });
    const { messages } = await ada.call("message.list", { channelId });
    expect(messages.at(-1)).toMatchObject({ content: "Wave to all", replyTo: message.id });

    const answer = messages.at(-1)!;
    await grace.call("message.send", { channelId, content: "Thanks", nonce: "2", replyTo: answer.id });
    const preview = t("messages:sticker.gif", { name: "Wave to all" });
    await page.getByRole("log").getByText(preview).waitFor();
    await other.reload();
    await inMessages(other, "Happy cat").waitFor();
    await inMessages(other, "Wave to all").waitFor();
    await site.search(other, "happy");
    await other.getByRole("article").getByRole("img", { name: "Happy cat" }).first().waitFor();
    expect(await other.getByRole("log").getByText(preview).count()).toBe(1);
  });

  test("are shown by name after they were deleted, and can't be edited", { tags: "long" }, async () => {
    const { id } = await add("sticker", LONG);
    await ada.call("message.send", { channelId, content: "", stickerId: id, nonce: "1" });
    const page = await open(ada);
    await inMessages(page, LONG).click({ button: "left" });
    await box(page).press("ArrowUp");
    await ada.call("emoji.delete", { groupId, emojiId: id });
    await page.getByRole("log").getByText(LONG, { exact: true }).waitFor();
    expect(await inMessages(page, LONG).count()).toBe(0);
    expect(await page.getByRole("textbox").count()).toBe(1);
    // Its tab goes with the last sticker.
    await page.getByRole("button", { name: t("composer:emoji"), exact: true }).click();
    await page.getByRole("searchbox", { name: t("emoji:search") }).waitFor();
    expect(await page.getByRole("tab").count()).toBe(0);
  });

  test("wait for slow mode as other messages do", { tags: "long" }, async () => {
    await add("sticker", "Happy cat");
    await ada.call("channel.update", { channelId, slowModeSeconds: 3600 });
    const page = await open(grace);
    for (const isFirst of [true, false]) {
      await openPicker(page, "sticker");
      await page.getByRole("dialog").getByRole("button", { name: "Happy cat" }).click();
      // Those being sent are not articles.
      if (isFirst) await page.getByRole("article").getByRole("img", { name: "Happy cat" }).waitFor();
    }
    await page.getByText(t("shared:error.SLOW_MODE")).first().waitFor();
    expect(await inMessages(page, "Happy cat").count()).toBe(1);
    expect(await page.getByRole("group", { name: t("messages:unsent.label") }).count()).toBe(0);
  });

  test("fit on a phone", { tags: "long" }, async () => {
    await add("sticker", LONG);
    await add("gif", "Wave");
    const page = await open(grace, channelPath, PHONE);
    const overflow = () =>
      page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    for (const [kind, name] of [
      ["sticker", LONG],
      ["gif", "Wave"],
    ] as const) {
      await openPicker(page, kind);
      const picture = page.getByRole("dialog").getByRole("button", { name });
      await expect
        .poll(() => picture.locator("img").evaluate((img) => (img as { naturalWidth?: number }).naturalWidth))
        .toBeGreaterThan(0);
      expect(await overflow()).toBe(0);
      await picture.tap();
      await inMessages(page, name).waitFor();
      expect(await overflow()).toBe(0);
    }
  });
});
