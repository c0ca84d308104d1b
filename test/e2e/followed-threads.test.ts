import type { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("followed threads", () => {
  const site = useSite();
  let ada: FanfareClient;
  /** In the browser. */
  let grace: FanfareClient;

  beforeAll(async () => {
    [ada, grace] = [await site.newAccount("Ada"), await site.newAccount("Grace")];
  });
  const write = async (channelId: string, content: string) =>
    (await ada.call("message.send", { channelId, content, nonce: crypto.randomUUID() })).message.id;

  /** In a group of its own. */
  async function newThread(group: string, name: string): Promise<string> {
    const { group: created, channels } = await ada.call("group.create", { name: group });
    const { invite } = await ada.call("invite.create", { groupId: created.id });
    await grace.call("invite.accept", { code: invite.code });
    const channelId = channels.find(({ kind }) => kind === "text")!.id;
    const messageId = await write(channelId, name);
    const { channel } = await ada.call("channel.openThread", { channelId, messageId, name });
    await write(channel.id, `What do you think, <@${grace.user!.id}>?`);
    return channel.id;
  }

  const list = (page: Page) => page.getByRole("list", { name: t("inbox:tab.threads") });
  const entries = (page: Page) => list(page).getByRole("button");

  for (const { where, tags, ...options } of [
    { where: "on a computer", tags: [], viewport: { width: 1100, height: 700 } },
    {
      where: "on a phone",
      tags: ["long"],
      viewport: { width: 390, height: 700 },
      hasTouch: true,
      isMobile: true,
    },
  ])
    test(
      `${where}, threads of all groups are in the inbox, with unread ones counted and marked`,
      { tags },
      async () => {
        const one = await newThread("Rocket builders", `nozzles ${where}`);
        await newThread("Balloonists", `baskets ${where}`);
        const page = await site.newPage(options, await site.logIn("grace"));
        await site.visit(page, "/inbox");
        await page.getByRole("tab", { name: t("inbox:tab.threadsUnread", { count: 2 }) }).click();
        await expect.poll(() => entries(page).first().textContent()).toContain(`baskets ${where}`);
        // A new reply raises its thread.
        await write(one, "Anyone?");
        await expect.poll(() => entries(page).first().textContent()).toContain("Anyone?");
        await entries(page)
          .first()
          .getByText(t("threads:unread", { count: 2 }))
          .waitFor();
        await entries(page).first().press("Enter");
        await page.getByRole("log").getByText("Anyone?").waitFor();
        // What is seen is marked as read.
        const marked = () => grace.call("channel.get", { channelId: one });
        await expect.poll(async () => (await marked()).channel.lastReadSeq).toBe(2);
        await site.visit(page, "/inbox");
        await page.getByRole("tab", { name: t("inbox:tab.threadsUnread", { count: 1 }) }).click();
        await grace.call("inbox.markAllRead", {});
        await page.getByRole("tab", { name: t("inbox:tab.threads"), exact: true }).waitFor();
        expect(await entries(page).count()).toBeGreaterThan(1);
      },
    );
});
