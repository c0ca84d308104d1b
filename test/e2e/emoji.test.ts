import { FanfareClient } from "@fanfare/client";
import { LIMITS } from "@fanfare/contract";
import type { SessionTokens } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { makeZip } from "@fanfare/testing";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe.skipIf(!hasBrowser())("a group's own emoji", () => {
  const site = useSite();
  let ada: FanfareClient;
  let grace: FanfareClient;
  let tokens: Record<"ada" | "grace", SessionTokens>;
  let pages: Record<"ada" | "grace", Page>;
  let groupPath: string;
  let groupId: string;
  let channelId: string;

  beforeAll(async () => {
    pages = { ada: await site.keepPage(), grace: await site.keepPage() };
  });

  beforeEach(async () => {
    ada = new FanfareClient({ url: site.url });
    grace = new FanfareClient({ url: site.url });
    tokens = {
      ada: await ada.createGuest({ nickname: "Ada" }),
      grace: await grace.createGuest({ nickname: "Grace" }),
    };
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    channelId = channels[0]!.id;
    groupPath = `/groups/${groupId}`;
    const { invite } = await ada.call("invite.create", { groupId });
    await grace.call("invite.accept", { code: invite.code });
  });

  const open = async (name: "ada" | "grace", path = `${groupPath}/channels/${channelId}`) => {
    await site.open(pages[name], path, tokens[name]);
    await site.loaded(pages[name]);
    return pages[name];
  };
  const pictureFile = async (name: string, side?: number) => ({
    name,
    mimeType: "image/png",
    buffer: await drawSquare("teal", side),
  });
  const addEmoji = async (name: string) => {
    const { fileId } = await ada.uploadPicture(new Blob([new Uint8Array(await drawSquare("teal"))]));
    return (await ada.call("emoji.add", { groupId, name, fileId })).emoji;
  };
  const inMessages = (page: Page, name: string) =>
    page
      .getByRole("log")
      .locator("p")
      .getByRole("img", { name: `:${name}:`, exact: true });
  const composer = (page: Page) =>
    page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
  const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: `:${name}:` });
  const choose = async (page: Page, name: string, item: string) => {
    await page.getByRole("button", { name: t("group-settings:moreOptions", { name: `:${name}:` }) }).click();
    await page.getByRole("menuitem", { name: t(`common:${item}`) }).click();
  };

  test(
    "is uploaded, named after its file, renamed and deleted in the settings",
    { tags: "long" },
    async () => {
      const page = await open("ada", `${groupPath}/settings/emoji`);
      await page.getByText(t("group-settings:emoji.none")).waitFor();
      const chosen = page.locator('input[type="file"]');
      await chosen.setInputFiles([
        await pictureFile("Party Parrot.png"),
        await pictureFile("x.png"),
        { name: "text.png", mimeType: "image/png", buffer: Buffer.from("not a picture") },
        { name: "large.png", mimeType: "image/png", buffer: Buffer.alloc(LIMITS.emojiMaxBytes + 1) },
        await pictureFile("rocket.png"),
        await pictureFile("party-parrot.png"),
      ]);
      await page.getByText(t("group-settings:emoji.added", { count: 3 })).waitFor();
      const rejected = page.getByRole("status").getByRole("listitem");
      await expect
        .poll(() => rejected.allInnerTexts())
        .toEqual([
          `x.png: ${t("group-settings:emoji.badName")}`,
          `text.png: ${t("shared:error.IMAGE_REFUSED")}`,
          `large.png: ${t("group-settings:emoji.tooLarge", { max: "256 kB" })}`,
        ]);
      await row(page, "party_parrot")
        .getByText(/^by Ada, /)
        .waitFor();
      await expect
        .poll(() =>
          row(page, "rocket")
            .locator("img")
            .evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth),
        )
        .toBe(64);

      await chosen.setInputFiles([await pictureFile("rocket.png")]);
      await page.getByText(`rocket.png: ${t("shared:error.EMOJI_NAME_TAKEN")}`).waitFor();

      await choose(page, "rocket", "rename");
      const name = page.getByLabel(t("common:name"), { exact: true });
      await name.fill("party_parrot");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText(t("shared:error.EMOJI_NAME_TAKEN")).waitFor();
      await name.fill("saturn_5");
      await page.keyboard.press("Enter");
      await row(page, "saturn_5").waitFor();

      await choose(page, "party_parrot", "delete");
      await page
        .getByRole("alertdialog")
        .getByRole("button", { name: t("common:delete") })
        .click();
      await page.getByRole("alertdialog").waitFor({ state: "hidden" });
      await expect.poll(() => row(page, "party_parrot").count()).toBe(0);
      await page.reload();
      await row(page, "saturn_5").waitFor();
      // The page first shows what it stored at the last visit.
      await expect.poll(() => row(page, "party_parrot").count()).toBe(0);
    },
  );

  test(
    "is deleted by another member once a role allows it, and no longer suggested to anyone",
    { tags: "long" },
    async () => {
      for (const name of ["quark_up", "quark_down"]) await addEmoji(name);
      const [page, other] = [await open("ada"), await open("grace", `${groupPath}/settings/emoji`)];
      const suggested = (of: Page, name: string) =>
        of.getByRole("option", { name: `:${name}:`, exact: true });
      const type = async (of: Page) => {
        await composer(of).pressSequentially(":quark");
        await suggested(of, "quark_down").waitFor();
      };
      await type(page);
      await suggested(page, "quark_up").waitFor();
      const section = (name: string) => other.getByRole("link", { name: t(name) });
      await section("common:members").waitFor();
      expect(await section("groups:section.emoji").count()).toBe(0);
      expect(await row(other, "quark_up").count()).toBe(0);

      const permissions = PERMISSIONS.manageEmoji;
      const { role } = await ada.call("role.create", { groupId, name: "Curators", permissions });
      await ada.call("role.assign", { groupId, userId: grace.user!.id, roleId: role.id });
      await section("groups:section.emoji").click();
      await choose(other, "quark_up", "delete");
      await other
        .getByRole("alertdialog")
        .getByRole("button", { name: t("common:delete") })
        .click();
      await row(other, "quark_up").waitFor({ state: "detached" });
      await site.visit(other, `${groupPath}/channels/${channelId}`);
      await type(other);
      for (const each of [page, other]) {
        await suggested(each, "quark_up").waitFor({ state: "detached" });
        expect(await suggested(each, "quark_down").count()).toBe(1);
      }
    },
  );

  test("is imported from a ZIP file, with a report of what was not", async () => {
    await addEmoji("taken");
    const page = await open("ada", `${groupPath}/settings/emoji`);
    const content = await drawSquare("teal");
    const zip = makeZip([
      { name: "birds/", content: Buffer.alloc(0), stored: true },
      { name: "birds/parrot.png", content },
      { name: "birds/taken.png", content },
      { name: "birds/readme.txt", content: Buffer.from("text") },
      { name: "birds/secret.png", content, encrypted: true },
      { name: "birds/bomb.png", content: Buffer.alloc(2 * LIMITS.emojiMaxBytes), statedBytes: 5 },
      { name: "__MACOSX/birds/._parrot.png", content },
      { name: "birds/duck.png", content, stored: true },
    ]);
    await page.locator('input[type="file"]').setInputFiles([
      { name: "birds.zip", mimeType: "application/zip", buffer: zip },
      { name: "empty.zip", mimeType: "application/zip", buffer: Buffer.from("no archive") },
    ]);
    await page.getByText(t("group-settings:emoji.added", { count: 2 })).waitFor();
    const unreadable = t("group-settings:emoji.unreadable");
    await expect
      .poll(() => page.getByRole("status").getByRole("listitem").allInnerTexts())
      .toEqual([
        `birds/taken.png: ${t("shared:error.EMOJI_NAME_TAKEN")}`,
        `birds/readme.txt: ${t("group-settings:emoji.notPicture")}`,
        `birds/secret.png: ${unreadable}`,
        `birds/bomb.png: ${unreadable}`,
        `empty.zip: ${unreadable}`,
      ]);
    await row(page, "parrot").waitFor();
    await row(page, "duck").waitFor();
  });

  test("is suggested in the composer, and shown in messages and reactions to everyone in the group", async () => {
    // There is also a bird with this name, 🦜.
    await addEmoji("parrot");
    const [page, other] = [await open("ada"), await open("grace")];
    await composer(page).fill("");
    await composer(page).pressSequentially("hello :par");
    const suggestion = page.getByRole("option", { name: ":parrot:", exact: true });
    await suggestion.waitFor();
    await page.keyboard.press("Enter");
    expect(await composer(page).inputValue()).toBe("hello :parrot: ");
    await page.keyboard.press("Enter");
    const small = await inMessages(other, "parrot").boundingBox();
    // Typed in full, and not replaced by anything else.
    await composer(page).pressSequentially(":parrot:");
    await page.keyboard.press("Enter");
    await expect.poll(() => inMessages(other, "parrot").count()).toBe(2);
    const large = await inMessages(other, "parrot").last().boundingBox();
    expect(large!.height).toBeGreaterThan(2 * small!.height);
    expect(await inMessages(other, "parrot").last().getAttribute("title")).toBe(":parrot:");

    // A reaction by keyboard from the group's own part of the picker.
    await other.getByRole("log").locator("article").last().hover();
    await other
      .getByRole("button", { name: t("messages:action.react") })
      .last()
      .click();
    const picker = other.getByRole("dialog", { name: t("messages:reaction.choose") });
    await picker.getByRole("button", { name: t("emoji:category.own") }).click();
    await picker.getByRole("searchbox", { name: t("emoji:search") }).press("ArrowDown");
    await other.keyboard.press("Enter");
    const chip = (count: number) => ({ name: t("messages:reaction.label", { emoji: ":parrot:", count }) });
    await page.getByRole("button", chip(1)).locator("img").waitFor();
    await page.getByRole("button", chip(1)).click();
    await other.getByRole("button", chip(2)).waitFor();

    await other.reload();
    await other.getByRole("button", chip(2)).locator("img").waitFor();
    expect(await inMessages(other, "parrot").count()).toBe(2);
    // Found like other emoji, among the recent ones, and kept apart from a word.
    await composer(other).fill("hi");
    await other.getByRole("button", { name: t("composer:emoji") }).click();
    const often = other.getByRole("group", { name: t("emoji:recent") });
    await often.getByRole("img", { name: ":parrot:" }).waitFor();
    await other.getByRole("searchbox", { name: t("emoji:search") }).fill("parr");
    await other.getByRole("option", { name: ":parrot:" }).first().waitFor();
    await other.keyboard.press("Enter");
    expect(await composer(other).inputValue()).toBe("hi :parrot:");
  });

  test(
    "is text after it was renamed or deleted, in previews, and where the group has none",
    { tags: "long" },
    async () => {
      const { id: emojiId } = await addEmoji("parrot");
      const { message } = await ada.call("message.send", { channelId, content: "one :parrot:", nonce: "1" });
      await ada.call("message.react", { channelId, messageId: message.id, emoji: ":parrot:" });
      await ada.call("message.send", { channelId, content: "two", nonce: "2", replyTo: message.id });
      const page = await open("grace");
      await inMessages(page, "parrot").first().waitFor();
      await page.getByRole("log").getByText("one :parrot:", { exact: true }).waitFor();
      await ada.call("emoji.rename", { groupId, emojiId, name: "bird" });
      await expect.poll(() => inMessages(page, "parrot").count()).toBe(0);
      expect(await page.getByRole("log").getByText("one :parrot:", { exact: true }).count()).toBe(2);
      const chip = page.getByRole("button", {
        name: t("messages:reaction.label", { emoji: ":parrot:", count: 1 }),
      });
      expect(await chip.innerText()).toContain(":parrot:");
      // Its place in the picker goes with the last emoji.
      const own = page.getByRole("button", { name: t("emoji:category.own") });
      await page.getByRole("button", { name: t("composer:emoji") }).click();
      await own.click();
      await page.getByRole("button", { name: ":bird:" }).waitFor();
      await ada.call("emoji.delete", { groupId, emojiId });
      await own.waitFor({ state: "detached" });
      await page.getByRole("button", { name: t("emoji:category.flags") }).waitFor();
    },
  );

  test("works on a phone", { tags: "long" }, async () => {
    await addEmoji("a".repeat(LIMITS.emojiNameMaxChars));
    const page = await site.newPage(PHONE, tokens.ada);
    await page.goto(`${site.url}${groupPath}/settings/emoji`);
    await page.locator('input[type="file"]').setInputFiles([await pictureFile("parrot.png")]);
    await row(page, "parrot").waitFor();
    const overflow = () =>
      page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(await overflow()).toBe(0);
    await site.visit(page, `${groupPath}/channels/${channelId}`);
    await page.getByRole("button", { name: t("composer:emoji") }).tap();
    await page.getByRole("button", { name: t("emoji:category.own") }).tap();
    await page.getByRole("button", { name: ":parrot:" }).tap();
    await page.getByRole("button", { name: t("composer:send"), exact: true }).tap();
    await inMessages(page, "parrot").waitFor();
    expect(await overflow()).toBe(0);
  });
});
