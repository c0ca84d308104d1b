import type { FanfareClient } from "@fanfare/client";
import type { ModalValues } from "@fanfare/contract";
import { type Bot, createBot } from "@fanfare/client/bots";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createApprovalBot } from "../../packages/client/examples/approval-bot.ts";
import { violations } from "./axe.ts";
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

  test("a command opens a dialog, which shows the bot's errors until it accepts the values", async () => {
    const params = { groupId, name: "Tickets", scopes: ["messages.write" as const, "commands" as const] };
    const submitted: ModalValues[] = [];
    const tickets = createBot({ url: site.url, ...(await ada.call("bot.create", params)) })
      .command("ticket", { description: "New ticket" }, (_invocation, _reply, _replyEphemeral, openModal) =>
        openModal({
          id: "ticket",
          title: "New ticket",
          submitLabel: "Create ticket",
          fields: [
            { kind: "text", id: "title", label: "Title", required: true, maxChars: 80 },
            { kind: "text", id: "text", label: "What happened?", multiline: true },
            { kind: "select", id: "team", label: "Team", options: [{ value: "web", label: "Web team" }] },
            { kind: "checkbox", id: "urgent", label: "Urgent", hint: "Calls someone at night" },
          ],
        }),
      )
      .onModal("ticket", ({ values }) => {
        submitted.push(values);
        return values["title"] === "Printer" ? { title: "There is a ticket for this" } : undefined;
      });
    await tickets.start();
    onTestFinished(() => tickets.stop());
    const other = await open("grace");
    const page = await open("grace", { viewport: { width: 390, height: 800 } });
    const composer = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    const dialog = page.getByRole("dialog", { name: "New ticket" });
    // Again if the busy machine took longer than a bot may.
    await expect
      .poll(async () => {
        if (await dialog.isVisible()) return true;
        await composer.fill("/ticket ");
        await composer.press("Enter");
        return dialog.waitFor({ timeout: 10_000 }).then(
          () => true,
          () => false,
        );
      })
      .toBe(true);
    await dialog.getByText(t("messages:modal.receiver", { name: "Tickets" })).waitFor();
    const width = "document.documentElement.scrollWidth <= innerWidth";
    expect(await page.evaluate(width)).toBe(true);
    expect(await violations(page, "the dialog of a bot")).toEqual([]);
    const submit = dialog.getByRole("button", { name: "Create ticket" });
    await submit.click();
    await dialog.getByText(t("messages:modal.required")).waitFor();
    const title = dialog.getByRole("textbox", { name: "Title" });
    await title.fill("Printer");
    // Again if the busy machine took longer than a bot may.
    await expect
      .poll(async () => {
        if (!(await submit.isDisabled())) await submit.click();
        return dialog.getByText("There is a ticket for this").count();
      })
      .toBe(1);
    await title.fill("Scanner");
    await dialog.getByRole("combobox", { name: "Team" }).click();
    await page.getByRole("option", { name: "Web team" }).click();
    await dialog.getByRole("checkbox", { name: "Urgent" }).click();
    // Again, as above; the dialog may close before the click.
    await expect
      .poll(async () => {
        if ((await dialog.count()) === 0) return true;
        const isWaiting = await submit.isDisabled({ timeout: 5000 }).catch(() => true);
        if (!isWaiting) await submit.click({ timeout: 5000 }).catch(() => {});
        return false;
      })
      .toBe(true);
    expect(submitted.at(-1)).toEqual({ title: "Scanner", text: "", team: "web", urgent: true });
    expect(await other.getByRole("dialog").count()).toBe(0);
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
