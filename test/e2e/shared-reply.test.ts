import { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("a reply that its channel shows too", () => {
  const site = useSite();
  let ada: FanfareClient;
  let path: string;
  let channelId: string;

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    channelId = channels.find(({ kind }) => kind === "text")!.id;
    path = `/groups/${group.id}/channels/${channelId}`;
  });
  afterAll(() => ada?.close());

  const listOf = (page: Page, title: string) =>
    page.getByRole("log", { name: t("messages:listLabel", { title }), exact: true });

  for (const { where, tags, ...options } of [
    { where: "on a computer", tags: [], viewport: { width: 1280, height: 800 } },
    {
      where: "on a phone",
      tags: ["long"],
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    },
  ])
    test(`${where}, it is sent once, and leads to the thread`, { tags }, async () => {
      const content = `the nozzles ${where}`;
      const { message } = await ada.call("message.send", { channelId, content, nonce: where });
      const root = { channelId, messageId: message.id, name: content };
      const { channel: thread } = await ada.call("channel.openThread", root);
      const page = await site.newPage(options, await site.logIn("ada"));
      await site.visit(page, `${path}?thread=${thread.id}`);
      const also = page.getByRole("checkbox", { name: t("composer:alsoInChannel", { name: "general" }) });
      await also.click();
      await page
        .getByRole("textbox", { name: t("composer:label", { title: content }) })
        .fill(`Done ${where}`);
      await page
        .getByRole("button", { name: t("composer:send"), exact: true })
        .last()
        .click();
      await listOf(page, content).getByText(t("messages:thread.alsoInChannel")).waitFor();
      // For the next reply, it has to be chosen again.
      expect(await also.isChecked()).toBe(false);
      await site.visit(page, path);
      const inChannel = listOf(page, "#general");
      await inChannel.getByText(`Done ${where}`, { exact: true }).waitFor();
      await inChannel
        .getByRole("button", { name: t("messages:thread.repliedIn", { name: content }) })
        .click();
      await listOf(page, content).getByText(`Done ${where}`, { exact: true }).waitFor();
      const { messages } = await ada.call("message.list", { channelId });
      expect(messages.filter((one) => one.content === `Done ${where}`)).toMatchObject([
        { replyIn: thread.id },
      ]);
    });
});
