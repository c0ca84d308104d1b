import type { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe.skipIf(!hasBrowser())("selecting messages", () => {
  const site = useSite();
  let ada: FanfareClient;
  /** In the browser; can't delete what Ada writes. */
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let page: Page;
  let rounds = 0;

  beforeAll(async () => {
    ({ ada, grace, groupId } = await site.newTeam());
    page = await site.keepPage({ viewport: { width: 1100, height: 800 } });
    await site.open(page, `/groups/${groupId}`, await site.logIn("grace"));
  });
  /** A channel with a message by Ada, and six by Grace. */
  beforeEach(async () => {
    rounds += 1;
    channelId = (await ada.call("channel.create", { groupId, name: `room-${rounds}` })).channel.id;
    await write(ada, "by Ada");
    for (const number of [1, 2, 3, 4, 5, 6]) await write(grace, `number ${number}`);
  });

  const write = (client: FanfareClient, content: string) =>
    client.call("message.send", { channelId, content, nonce: content });
  const visit = () => site.visit(page, `/groups/${groupId}/channels/${channelId}`);
  const row = (text: string) =>
    page.getByRole("article").filter({ has: page.getByText(text, { exact: true }) });
  const bar = () => page.getByRole("toolbar", { name: t("messages:select.bar") });
  const counted = (count: number) => bar().getByText(t("messages:select.count", { count }));
  const inBar = (name: string) => bar().getByRole("button", { name, exact: true });
  const checked = () => page.getByRole("log").getByRole("checkbox", { checked: true }).count();
  const confirm = () => page.getByRole("alertdialog");
  const left = async () =>
    (await ada.call("message.list", { channelId })).messages
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ content }) => content);

  test("a range, from which only what the user may delete is deleted", async () => {
    await visit();
    await row("number 3").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.select") }).click();
    await counted(1).waitFor();
    await row("by Ada").click({ modifiers: ["Shift"] });
    await counted(4).waitFor();
    expect(await checked()).toBe(4);
    // Once more unselects it.
    await row("number 1").click();
    await counted(3).waitFor();
    await inBar(t("common:delete")).click();
    await confirm()
      .getByText(t("messages:select.others", { count: 1 }))
      .waitFor();
    await confirm()
      .getByRole("button", { name: t("messages:delete.action") })
      .click();
    await page.getByText(t("messages:select.deleted", { count: 2 })).waitFor();
    await bar().waitFor({ state: "hidden" });
    expect(await left()).toEqual(["by Ada", "number 1", "number 4", "number 5", "number 6"]);
  });

  test("with the keyboard: x, space, and Esc from anywhere", { tags: "long" }, async () => {
    await visit();
    await row("number 6").focus();
    await page.keyboard.press("x");
    await counted(1).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.locator("article:focus").getByText("number 5", { exact: true }).waitFor();
    await page.keyboard.press("Space");
    await counted(2).waitFor();
    await page.keyboard.press("x");
    await counted(1).waitFor();
    await page.keyboard.press("Escape");
    await bar().waitFor({ state: "hidden" });
    await page.keyboard.press("x");
    await page.getByRole("textbox", { name: t("composer:label", { title: `#room-${rounds}` }) }).focus();
    await page.keyboard.press("Escape");
    await bar().waitFor({ state: "hidden" });
    expect(await left()).toHaveLength(7);
  });

  test("several are forwarded as links, up to the limit", async () => {
    await visit();
    await row("number 1").focus();
    await page.keyboard.press("x");
    await row("number 6").click({ modifiers: ["Shift"] });
    await counted(6).waitFor();
    await bar()
      .getByText(t("messages:select.maxForward", { count: 5 }))
      .waitFor();
    expect(await inBar(t("messages:forward.action")).isDisabled()).toBe(true);
    await row("number 6").click();
    await inBar(t("messages:forward.action")).click();
    const dialog = page.getByRole("dialog", { name: t("messages:forward.title", { count: 5 }) });
    await dialog.getByRole("combobox").fill(`room-${rounds}`);
    await dialog
      .getByRole("option", { name: `room-${rounds}` })
      .first()
      .click();
    await dialog.getByRole("button", { name: t("messages:forward.action"), exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    const links = page.getByRole("article").last().getByRole("link").filter({ hasText: "number" });
    await expect.poll(() => links.count()).toBe(5);
  });

  test("reports what couldn't be deleted, and keeps it selected", { tags: "long" }, async () => {
    await visit();
    await row("number 1").focus();
    await page.keyboard.press("x");
    await row("number 2").click();
    await counted(2).waitFor();
    await inBar(t("common:delete")).click();
    await page.context().setOffline(true);
    await page.getByText(t("shell:connection.noNetwork")).waitFor();
    await confirm()
      .getByRole("button", { name: t("messages:delete.action") })
      .click();
    await page
      .getByText(t("messages:select.failed", { count: 2, total: 2 }))
      .first()
      .waitFor();
    await counted(2).waitFor();
    expect(await left()).toHaveLength(7);
    // What another session deletes isn't selected anymore.
    await page.context().setOffline(false);
    const { messages } = await ada.call("message.list", { channelId });
    await grace.call("message.delete", { channelId, messageId: messages[1]!.id });
    await counted(1).waitFor();
    await inBar(t("messages:select.end")).click();
  });

  test("by touch on a phone", { tags: "long" }, async () => {
    page = await site.newPage(PHONE, await site.logIn("grace"));
    await visit();
    await page.getByRole("log").getByText("number 4", { exact: true }).dispatchEvent("contextmenu");
    await page.getByRole("button", { name: t("messages:action.select") }).tap();
    await row("number 5").tap();
    await counted(2).waitFor();
    await inBar(t("common:delete")).tap();
    await confirm()
      .getByRole("button", { name: t("messages:delete.action") })
      .tap();
    await page.getByText(t("messages:select.deleted", { count: 2 })).waitFor();
    expect(await left()).toEqual(["by Ada", "number 1", "number 2", "number 3", "number 6"]);
  });
});
