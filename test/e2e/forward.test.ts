import type { FanfareClient } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { delayActions, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const EVERYONE = { type: "everyone" } as const;

describe.skipIf(!hasBrowser())("forwarding a message", () => {
  const site = useSite();
  let ada: FanfareClient;
  /** In the browser. */
  let grace: FanfareClient;
  let groupId: string;
  let sourceId: string;
  let page: Page;

  beforeAll(async () => {
    ({ ada, grace, groupId } = await site.newTeam());
    sourceId = await newChannel("hangar");
    page = await site.keepPage({ viewport: { width: 1100, height: 800 } });
    await site.open(page, `/groups/${groupId}/channels/${sourceId}`, await site.logIn("grace"));
  });
  async function newChannel(name: string, more: object = {}): Promise<string> {
    return (await ada.call("channel.create", { groupId, name, ...more })).channel.id;
  }

  async function write(content: string, channelId = sourceId): Promise<Message> {
    const params = { channelId, content, nonce: crypto.randomUUID() };
    return (await ada.call("message.send", params)).message;
  }

  const contents = async (channelId: string) =>
    (await grace.call("message.list", { channelId })).messages.map(({ content }) => content);
  const linkTo = ({ id, channelId }: Message) =>
    `${site.url}/groups/${groupId}/channels/${channelId}?message=${id}`;

  const dialog = () => page.getByRole("dialog", { name: t("messages:forward.title", { count: 1 }) });
  const action = () => dialog().getByRole("button", { name: t("messages:forward.action"), exact: true });
  const option = (name: string) => dialog().getByRole("option", { name });

  /** Opens the dialog with the key, and chooses where to forward to. */
  async function forwardTo(message: Message, name: string): Promise<void> {
    await site.visit(page, `/groups/${groupId}/channels/${message.channelId}`);
    const field = dialog().getByRole("combobox");
    // The message field can take the focus when the channel has just been opened.
    const open = async () => {
      if ((await dialog().count()) > 0) return true;
      await page.locator(`#message-${message.id}`).focus();
      await page.keyboard.press("f");
      return false;
    };
    await expect.poll(open, { interval: 1000 }).toBe(true);
    await field.fill(name);
    await option(name).first().waitFor();
    await page.keyboard.press("Enter");
    await action().waitFor();
  }

  test("sends the comment and the link, which shows the message, and leads there", async () => {
    const planId = await newChannel("plans");
    const message = await write("The tank is full");
    await forwardTo(message, "plans");
    await page.keyboard.type("Look at this");
    await action().click();
    await dialog().waitFor({ state: "hidden" });
    expect(await contents(planId)).toEqual([`Look at this\n${linkTo(message)}`]);
    await page.getByText(t("messages:forward.sent", { name: "#plans" })).waitFor();
    await page.getByRole("button", { name: t("messages:forward.goTo") }).click();
    await page.getByRole("log", { name: "#plans" }).getByText("The tank is full").waitFor();
  });

  test("says who can't see the message, and offers to quote it without notifying anyone", async () => {
    const secretId = await newChannel("secret", { private: true, memberIds: [grace.user!.id] });
    const noteId = await newChannel("notes");
    const message = await write(`Ask <@${ada.user!.id}>\nor @everyone`, secretId);
    await forwardTo(message, "notes");
    await dialog().getByText(t("messages:forward.audience.private")).waitFor();
    await dialog()
      .getByRole("checkbox", { name: t("messages:forward.quote") })
      .click();
    await action().click();
    await dialog().waitFor({ state: "hidden" });
    expect(await contents(noteId)).toEqual([
      `> [**Ada**](${linkTo(message)})\n> Ask \\@Ada\n> or \\@everyone`,
    ]);
    const { messages } = await grace.call("message.list", { channelId: noteId });
    expect(messages[0]!.mentions).toBeUndefined();
  });

  test("can be quoted to those who can see it, too", { tags: "long" }, async () => {
    const memoId = await newChannel("memo");
    const message = await write("Launch at nine");
    await forwardTo(message, "memo");
    const quote = dialog().getByRole("checkbox", { name: t("messages:forward.quote") });
    expect(await quote.isChecked()).toBe(false);
    await quote.click();
    await action().click();
    await dialog().waitFor({ state: "hidden" });
    expect(await contents(memoId)).toEqual([`> [**Ada**](${linkTo(message)})\n> Launch at nine`]);
  });

  test("explains why it can't be forwarded", { tags: "long" }, async () => {
    const slowId = await newChannel("slow", { slowModeSeconds: 3600 });
    const newsId = await newChannel("news");
    await ada.call("channel.setOverride", {
      channelId: newsId,
      target: EVERYONE,
      allow: 0,
      deny: PERMISSIONS.sendMessages,
    });
    await grace.call("message.send", { channelId: slowId, content: "mine", nonce: "mine" });
    const message = await write("Not everywhere");
    await forwardTo(message, "news");
    await dialog()
      .getByText(t("new-message:readOnly", { name: "news" }))
      .waitFor();
    expect(await action().isDisabled()).toBe(true);
    await dialog()
      .getByRole("button", { name: t("messages:forward.change") })
      .click();
    await option("slow").click();
    await action().click();
    await dialog().getByText(t("shared:error.SLOW_MODE")).waitFor();
    expect(await contents(slowId)).toEqual(["mine"]);
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "hidden" });
  });

  test("waits for the connection, and is sent once", { tags: "long" }, async () => {
    const laterId = await newChannel("later");
    const message = await write("Sent in the tunnel");
    await forwardTo(message, "later");
    await page.context().setOffline(true);
    await page.getByText(t("shell:connection.noNetwork")).waitFor();
    await action().click();
    await page.getByText(t("messages:forward.waiting", { name: "#later" })).waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => contents(laterId)).toEqual([linkTo(message)]);
  });

  test("comes after the messages of that conversation that the server has not got yet", async () => {
    const slowlyId = await newChannel("slowly");
    const message = await write("Sent second");
    page = await site.newPage({ viewport: { width: 1100, height: 800 } }, await site.logIn("grace"));
    const arrival = Promise.withResolvers<void>();
    await delayActions(page, /Sent first/, arrival.promise, "call");
    await site.visit(page, `/groups/${groupId}/channels/${slowlyId}`);
    await page.getByRole("textbox", { name: t("composer:label", { title: "#slowly" }) }).fill("Sent first");
    await page.keyboard.press("Enter");
    await forwardTo(message, "slowly");
    await action().click();
    await dialog().waitFor({ state: "hidden" });
    arrival.resolve();
    await expect.poll(() => contents(slowlyId)).toEqual(["Sent first", linkTo(message)]);
  });

  test("from the message's sheet on a phone, to a person", { tags: "long" }, async () => {
    const message = await write("For your pocket");
    page = await site.newPage(
      { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true },
      await site.logIn("grace"),
    );
    await site.visit(page, `/groups/${groupId}/channels/${sourceId}`);
    await page.getByRole("log").getByText("For your pocket").dispatchEvent("contextmenu");
    await page.getByRole("button", { name: t("messages:action.forward") }).tap();
    await dialog().getByRole("combobox").fill("ada");
    await option("Ada").first().tap();
    await dialog()
      .getByText(t("messages:forward.audience.group", { group: "Rocket builders" }))
      .waitFor();
    await action().tap();
    await page.getByRole("button", { name: t("messages:forward.goTo") }).tap();
    await page.getByRole("log").getByText("For your pocket").waitFor();
    const { channel } = await ada.call("channel.openDirect", { userId: grace.user!.id });
    expect(await contents(channel.id)).toEqual([linkTo(message)]);
  });
});
