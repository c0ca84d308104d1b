import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("two devices of a user", () => {
  const site = useSite();
  let ada: FanfareClient;
  let groupId: string;
  let channelId: string;
  let laptop: Page;
  let phone: Page;

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
    ({
      group: { id: groupId },
    } = await ada.call("group.create", { name: "Rocket builders" }));
  });

  beforeEach(async () => {
    ({
      channel: { id: channelId },
    } = await ada.call("channel.create", { groupId, name: `room-${crypto.randomUUID().slice(0, 8)}` }));
    [laptop, phone] = await Promise.all([open(), open()]);
  });

  /** In a browser of its own. */
  async function open(path = `/groups/${groupId}/channels/${channelId}`): Promise<Page> {
    const tokens: SessionTokens = await site.logIn("ada");
    const page = await site.newPage({}, tokens);
    await page.goto(site.url + path);
    await site.loaded(page);
    return page;
  }

  const field = (page: Page): Locator => page.locator(`#composer-${channelId}`);
  const draftOnServer = async (): Promise<string | undefined> =>
    (await ada.call("draft.list", {})).drafts.find((draft) => draft.channelId === channelId)?.content;

  test("what is written on one device can be finished and sent on the other", async () => {
    await field(laptop).fill("begun on the laptop");
    await expect.poll(() => field(phone).inputValue()).toBe("begun on the laptop");
    await field(phone).press("End");
    await field(phone).pressSequentially(", sent from the phone");
    await expect.poll(() => field(laptop).inputValue()).toBe("begun on the laptop, sent from the phone");
    await field(phone).press("Enter");
    await expect.poll(() => field(laptop).inputValue()).toBe("");
    await laptop.getByText("begun on the laptop, sent from the phone").waitFor();
    await expect.poll(draftOnServer).toBeUndefined();
    // Not on a third one either, nor after a reload.
    expect(await field(await open()).inputValue()).toBe("");
    await laptop.reload();
    await site.loaded(laptop);
    expect(await field(laptop).inputValue()).toBe("");
  });

  test(
    "a draft written without a connection is sent later, and wins over an older one",
    { tags: "long" },
    async () => {
      await phone.context().setOffline(true);
      await field(phone).fill("written in the tunnel");
      await field(laptop).fill("from the laptop");
      await expect.poll(draftOnServer).toBe("from the laptop");
      await phone.context().setOffline(false);
      await expect.poll(() => field(laptop).inputValue()).toBe("written in the tunnel");
      expect(await field(phone).inputValue()).toBe("written in the tunnel");
    },
  );

  test("a draft of another device has its sign in the list of channels", { tags: "long" }, async () => {
    const { channel } = await ada.call("channel.create", {
      groupId,
      name: `aside-${crypto.randomUUID().slice(0, 8)}`,
    });
    await ada.call("draft.set", { channelId: channel.id, content: "to be continued" });
    const row = laptop.getByRole("link", { name: channel.name });
    await row.getByText(t("channels:draft")).waitFor();
    await row.click();
    await expect.poll(() => laptop.locator(`#composer-${channel.id}`).inputValue()).toBe("to be continued");
    expect(await draftOnServer()).toBeUndefined();
  });

  test(
    "a channel muted on one device is muted on the other: until a chosen time, and by command",
    { tags: "long" },
    async () => {
      const row = (page: Page) =>
        page.getByRole("navigation", { name: t("channels:list.label") }).locator(`a[href$="${channelId}"]`);
      const expectMuted = (isMuted: boolean) =>
        expect
          .poll(() => row(phone).getByText(t("channels:muted"), { exact: true }).count())
          .toBe(isMuted ? 1 : 0);
      await row(laptop).click({ button: "right" });
      await laptop.getByRole("menuitem", { name: t("common:notifications") }).click();
      await laptop.getByRole("button", { name: t("groups:notifications.otherTime") }).click();
      await laptop.getByLabel(t("shared:later.other")).fill("2099-05-06T07:08");
      await laptop.getByRole("button", { name: t("groups:notifications.muteAction"), exact: true }).click();
      await laptop.getByText(/^Muted until .*2099/).waitFor();
      await expectMuted(true);
      const unmute = laptop.getByRole("button", { name: t("groups:notifications.unmute") });
      await unmute.click();
      await unmute.waitFor({ state: "detached" });
      await expectMuted(false);
      await laptop.keyboard.press("Escape");
      await laptop.getByRole("dialog").waitFor({ state: "detached" });

      for (const command of ["/mute", "/unmute"]) {
        await field(laptop).fill(command);
        await field(laptop).press("Escape");
        await field(laptop).press("Enter");
        await expectMuted(command === "/mute");
      }
    },
  );

  test("preferences follow the user: the theme, and the key that sends", { tags: "long" }, async () => {
    await laptop.goto(`${site.url}/settings/appearance`);
    await laptop.getByRole("radio", { name: t("settings:appearance.dark") }).click();
    await laptop.getByRole("radio", { name: /^Ctrl and Enter/ }).click();
    await expect.poll(() => phone.locator("html").getAttribute("data-theme")).toBe("dark");
    await expect.poll(async () => (await ada.call("user.me", {})).user.preferences?.sendKey).toBe("modEnter");
    const message = field(phone);
    await message.fill("first line");
    await expect
      .poll(async () => {
        await message.press("End");
        await message.press("Enter");
        return (await message.inputValue()).startsWith("first line\n");
      })
      .toBe(true);
    await message.fill("two\nlines");
    await message.press("Control+Enter");
    await expect.poll(() => message.inputValue()).toBe("");
    await phone.getByText("two").waitFor();
    // A new device has them, too.
    const tablet = await open();
    await expect.poll(() => tablet.locator("html").getAttribute("data-theme")).toBe("dark");
    await ada.call("user.setPreferences", { theme: "system", sendKey: "enter" });
    await expect.poll(() => phone.locator("html").getAttribute("data-theme")).not.toBe("dark");
  });

  test(
    "preferences changed while the server couldn't be reached reach it later",
    { tags: "long" },
    async () => {
      await phone.context().setOffline(true);
      const formatting = phone.getByRole("button", { name: t("composer:format.label") });
      await formatting.click();
      await phone.context().setOffline(false);
      await expect
        .poll(async () => (await ada.call("user.me", {})).user.preferences?.showFormatting)
        .toBe(true);
      await expect
        .poll(() =>
          laptop.getByRole("button", { name: t("composer:format.label") }).getAttribute("aria-pressed"),
        )
        .toBe("true");
      await ada.call("user.setPreferences", { showFormatting: false });
    },
  );
});
