import type { FanfareClient } from "@fanfare/client";
import type { Bot } from "@fanfare/client/bots";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApprovalBot } from "../../packages/client/examples/approval-bot.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("messages of bots", () => {
  const site = useSite();
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let token: string;
  let bot: Bot;

  beforeAll(async () => {
    ({ ada, grace, groupId, channelId } = await site.newTeam());
    const params = { groupId, name: "Approvals", scopes: ["messages.write" as const, "commands" as const] };
    ({ token } = await ada.call("bot.create", params));
    bot = await createApprovalBot(site.url, token).start();
  });
  afterAll(() => bot?.stop());

  const path = () => `/groups/${groupId}/channels/${channelId}`;
  const open = async (username: string, options: Parameters<typeof site.newPage>[0] = {}): Promise<Page> => {
    const page = await site.newPage(options, await site.logIn(username));
    await page.goto(site.url + path());
    return page;
  };

  test("a card with buttons is decided by one user for all, and another one's answer is only visible to them", async () => {
    const computer = await open("ada");
    const phone = await open("grace", { viewport: { width: 390, height: 800 } });
    await grace.call("command.invoke", { channelId, name: "approve", text: "A new keyboard" });
    for (const page of [computer, phone]) {
      await page.getByText("A new keyboard", { exact: true }).waitFor();
      await page.getByText("Open", { exact: true }).waitFor();
    }
    const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
    await button(phone, "Approve").click();
    const only = (page: Page) => page.getByRole("group", { name: t("messages:ephemeral.note") });
    await only(phone).getByText("Someone else has to decide this.").waitFor();
    expect(await only(computer).count()).toBe(0);
    await only(phone)
      .getByRole("button", { name: t("messages:ephemeral.dismiss") })
      .click();
    await only(phone).waitFor({ state: "detached" });

    await button(computer, "Assign to…").click();
    await computer.getByRole("menuitem", { name: "Billing" }).click();
    await phone.getByText("assigned this to billing.").first().waitFor();

    await button(computer, "Approve").click();
    for (const page of [computer, phone]) {
      await page.getByText("Approved by").waitFor();
      await button(page, "Approve").waitFor({ state: "detached" });
    }
    const width = "document.documentElement.scrollWidth <= innerWidth";
    expect(await phone.evaluate(width)).toBe(true);
  });

  test(
    "a pressed button waits, says that a bot doesn't respond, and is disabled once the bot is removed",
    { tags: "long" },
    async () => {
      const controls = [{ kind: "button" as const, id: "unknown", label: "Anyone there?" }];
      await bot.send(channelId, { content: "Hello", controls });
      const page = await open("grace");
      const button = page.getByRole("button", { name: "Anyone there?" });
      await button.click();
      await page.locator("button[aria-busy=true]", { hasText: "Anyone there?" }).waitFor();
      expect(await button.isDisabled()).toBe(true);
      await page.getByText(t("shared:error.BOT_NOT_RESPONDING")).first().waitFor();
      await expect.poll(() => button.isEnabled()).toBe(true);
      const botId = bot.info.id;
      bot.stop();
      await ada.call("bot.delete", { groupId, botId });
      await page.reload();
      await button.waitFor();
      await expect.poll(() => button.isDisabled()).toBe(true);
    },
  );
});
