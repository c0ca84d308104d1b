import { FanfareClient } from "@fanfare/client";
import type { Message, SessionTokens } from "@fanfare/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

/** One pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.skipIf(!hasBrowser())("the composer", () => {
  const site = useSite(() => ({ FILE_MAX_BYTES: "200000" }));
  /** The user in the browser, and one who receives the messages. */
  let ada: FanfareClient;
  let grace: FanfareClient;
  let page: Page;
  let groupId: string;
  let channelId: string;
  let channelCount = 0;
  const windows = new Map<string, { kept: Page; tokens: SessionTokens }>();

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
    grace = new FanfareClient({ url: site.url });
    await grace.register({ username: "grace", password: "correct horse", nickname: "Grace Hopper" });
    await Promise.all([ada.connect(), grace.connect()]);
    ({
      group: { id: groupId },
    } = await ada.call("group.create", { name: "Rocket builders" }));
    const { invite } = await ada.call("invite.create", { groupId });
    await grace.call("invite.accept", { code: invite.code });
    for (const name of ["ada", "grace"])
      windows.set(name, { kept: await site.keepPage(), tokens: await site.logIn(name) });
  });

  beforeEach(async () => {
    channelCount += 1;
    const { channel } = await ada.call("channel.create", { groupId, name: `room-${channelCount}` });
    channelId = channel.id;
  });

  afterAll(async () => {
    ada?.close();
    grace?.close();
  });

  async function openAs(username: string): Promise<Page> {
    const { kept, tokens } = windows.get(username)!;
    await site.open(kept, channelPath(), tokens);
    await kept.getByRole("log").waitFor();
    return kept;
  }

  async function open(): Promise<void> {
    page = await openAs("ada");
  }

  const channelPath = () => `/groups/${groupId}/channels/${channelId}`;
  const field = () =>
    page.getByRole("textbox", { name: t("composer:label", { title: `#room-${channelCount}` }) });
  const options = () => page.getByRole("listbox", { name: t("composer:suggest.label") }).getByRole("option");
  const sent = (text: string) => page.getByRole("log").locator(".message:not(.pending)").getByText(text);

  /** The newest message, once there are this many. */
  async function newest(count: number, inChannelId = channelId): Promise<Message> {
    let messages: Message[] = [];
    const look = async () => {
      ({ messages } = await grace.call("message.list", { channelId: inChannelId }));
      return messages.length;
    };
    await expect.poll(look).toBe(count);
    return messages.at(-1)!;
  }

  test("a user chosen from the suggestions is mentioned", async () => {
    await open();
    await field().pressSequentially("Hello @gra");
    await options().filter({ hasText: "Grace Hopper" }).waitFor();
    expect(await field().getAttribute("aria-activedescendant")).toBe(
      await options().first().getAttribute("id"),
    );
    await page.keyboard.press("Enter");
    expect(await field().inputValue()).toBe("Hello @Grace Hopper ");
    await page.keyboard.type("and `@Grace Hopper` :tada: #roo");
    await options()
      .filter({ hasText: `room-${channelCount}` })
      .click();
    await page.keyboard.type("@every");
    await options().filter({ hasText: "@everyone" }).waitFor();
    // A dismissed suggestion must not be inserted.
    await page.keyboard.press("Escape");
    await options().first().waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    const { content, mentions } = await newest(1);
    expect(content).toBe(`Hello <@${grace.user!.id}> and \`@Grace Hopper\` 🎉 <#${channelId}> @every`);
    expect(mentions?.userIds).toEqual([grace.user!.id]);
    await page.getByRole("log").getByText("@Grace Hopper", { exact: true }).first().waitFor();
    expect(await field().inputValue()).toBe("");
  });

  test("a username typed by hand is a mention, at once and in any case", async () => {
    await open();
    const text = "@GRACE, `@grace` \\@grace me@grace @stranger and @everyone!";
    await field().fill(text);
    await page.keyboard.press("Enter");
    const { content, mentions } = await newest(1);
    expect(content).toBe(text.replace("@GRACE", `<@${grace.user!.id}>`));
    expect(mentions).toEqual({ userIds: [grace.user!.id], roleIds: [], everyone: true });
    await page.getByRole("log").getByText("@Grace Hopper", { exact: true }).first().waitFor();
  });

  test("shortcuts format text, and undo reverts it", async () => {
    await open();
    await field().fill("important");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+b");
    expect(await field().inputValue()).toBe("**important**");
    await page.keyboard.press("Control+z");
    expect(await field().inputValue()).toBe("important");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+e");
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("```js");
    await page.keyboard.press("Enter");
    await page.keyboard.type("let a;");
    await page.keyboard.press("Enter");
    await page.keyboard.type("```");
    await page.keyboard.press("Enter");
    expect((await newest(1)).content).toBe("`important`\n```js\nlet a;\n```");
  });

  test("arrow up edits the last message, and a message can be replied to", async () => {
    await open();
    await field().fill("Helo");
    await page.keyboard.press("Enter");
    await sent("Helo").waitFor();
    await page.keyboard.press("ArrowUp");
    const edited = page.getByRole("textbox", { name: t("messages:edit.label") });
    await edited.fill("Hello");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await newest(1)).content).toBe("Hello");

    const content = `How are you, <@${grace.user!.id}>?`;
    const asked = await grace.call("message.send", { channelId, content, nonce: "ask" });
    await sent("How are you").hover();
    const article = page.getByRole("article").filter({ hasText: "How are you" });
    await article.getByRole("button", { name: t("messages:action.reply") }).click();
    const bar = page
      .getByRole("paragraph")
      .filter({ hasText: t("composer:reply.to", { name: "Grace Hopper" }) });
    await bar.filter({ hasText: "How are you, @Grace Hopper?" }).waitFor();
    await page.getByRole("button", { name: t("composer:reply.mention", { name: "Grace Hopper" }) }).click();
    await field().fill("Well.");
    await page.keyboard.press("Enter");
    const reply = await newest(3);
    expect(reply).toMatchObject({ content: "Well.", replyTo: asked.message.id });
    expect(reply.mentions).toBeUndefined();
    await page.getByText(t("composer:reply.to", { name: "Grace Hopper" })).waitFor({ state: "detached" });
  });

  test("a thread can be opened, written in, archived and found again", async () => {
    const { message } = await grace.call("message.send", { channelId, content: "Plans?", nonce: "plans" });
    await open();
    await sent("Plans?").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.startThread") }).click();
    const panel = page.getByRole("complementary", { name: "Plans?" });
    await panel.getByPlaceholder(t("composer:replyInThread")).fill("Mars.");
    await page.keyboard.press("Enter");
    await panel.getByRole("log").getByText("Mars.", { exact: true }).waitFor();
    const threadId = new URL(page.url()).searchParams.get("thread")!;
    expect((await newest(1, threadId)).content).toBe("Mars.");
    const { message: about } = await grace.call("message.get", { channelId, messageId: message.id });
    expect(about.threadId).toBe(threadId);

    const reply = await grace.call("message.send", { channelId: threadId, content: "Or Venus?", nonce: "v" });
    await panel.getByText("Or Venus?", { exact: true }).waitFor();
    await panel.getByRole("button", { name: t("threads:more") }).click();
    await page.getByRole("menuitem", { name: t("threads:archive") }).click();
    await panel.getByText(t("threads:archived.note")).waitFor();
    await page.reload();
    await panel.getByText("Or Venus?", { exact: true }).waitFor();
    await panel.getByRole("button", { name: t("ui:close") }).click();
    await page
      .getByRole("main")
      .getByRole("button", { name: t("threads:open") })
      .click();
    const list = page.getByRole("complementary", { name: t("threads:open") });
    await list.getByText(t("threads:empty.active")).waitFor();
    await list.getByRole("tab", { name: t("threads:archivedTab") }).click();
    await list.getByRole("button", { name: "Plans?" }).click();
    await panel.getByRole("button", { name: t("threads:archived.undo") }).click();
    await panel.getByText(t("threads:archived.note")).waitFor({ state: "detached" });

    // A link to a message in a thread opens the thread next to its channel.
    await page.goto(`${site.url}/groups/${groupId}/channels/${threadId}?message=${reply.message.id}`);
    await panel.getByText("Or Venus?", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/groups/${groupId}/channels/${channelId}`);
  });

  test("images are uploaded by button and by drop, and the others see them", async () => {
    await open();
    const other = await openAs("grace");
    const picture = { name: "red.png", mimeType: "image/png", buffer: PICTURE };
    await page.locator("input[type=file]").setInputFiles(picture);
    const files = page.getByRole("list", { name: t("composer:upload.list") });
    await files.getByRole("img").or(files.locator("img")).first().waitFor();
    // A string, because the tests have Node's types and not the DOM's.
    await page.evaluate(`{
      const bytes = Uint8Array.from(atob("${PICTURE.toString("base64")}"), (char) => char.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
      for (const name of ["dragenter", "dragover", "drop"]) {
        const event = new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true });
        document.querySelector("[role=log]").dispatchEvent(event);
      }
    }`);
    await files.getByText("dropped.png").waitFor();
    await field().fill("Look");
    await page.keyboard.press("Enter");
    await files.waitFor({ state: "detached" });
    const { attachments } = await newest(1);
    expect(attachments?.map(({ name }) => name)).toEqual(["red.png", "dropped.png"]);
    await other.getByRole("log").locator("img[src*='/files/']").first().waitFor();

    await page.locator("input[type=file]").setInputFiles([
      { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(300_000) },
      { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
    ]);
    await files.getByText(t("composer:upload.tooLarge", { max: "200 kB" })).waitFor();
    await page
      .getByText(t("composer:upload.empty", { name: "empty.txt" }))
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: t("composer:send"), exact: true }).isDisabled()).toBe(true);
    await files.getByRole("button", { name: t("composer:upload.remove", { name: "large.bin" }) }).click();
    await files.waitFor({ state: "detached" });
  });

  test("a draft with a mention survives switching channels", async () => {
    await open();
    await field().pressSequentially("Dear @gra");
    await options().filter({ hasText: "Grace Hopper" }).click();
    await page.keyboard.type("where");
    const here = field();
    await page
      .getByRole("navigation", { name: t("channels:list.label") })
      .getByRole("link", { name: "general" })
      .click();
    await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
    const channels = page.getByRole("navigation", { name: t("channels:list.label") });
    await channels.getByRole("link", { name: `room-${channelCount}` }).click();
    expect(await here.inputValue()).toBe("Dear @Grace Hopper where");
    // It is saved a moment later.
    const kept = () => page.evaluate("Object.values({ ...localStorage }).join()");
    await expect.poll(kept).toContain("Dear <@");
    await page.reload();
    await expect.poll(() => here.inputValue()).toBe("Dear @Grace Hopper where");
    await here.press("Enter");
    expect((await newest(1)).mentions?.userIds).toEqual([grace.user!.id]);
  });

  test("messages written offline are sent in order once back online", async () => {
    await open();
    await field().fill("before");
    await page.keyboard.press("Enter");
    await sent("before").waitFor();
    await page.context().setOffline(true);
    for (const text of ["one", "two"]) {
      await field().fill(text);
      await page.keyboard.press("Enter");
    }
    await page.locator(".message.pending").getByText("two", { exact: true }).waitFor();
    await page.context().setOffline(false);
    await newest(3);
    const { messages } = await grace.call("message.list", { channelId });
    expect(messages.map(({ content }) => content)).toEqual(["before", "one", "two"]);
    await sent("two").waitFor();
    expect(await page.locator(".message.pending").count()).toBe(0);
  });

  test("typing is shown to others; users who can't write see the reason", async () => {
    await open();
    const other = await openAs("grace");
    const otherField = other.getByRole("textbox", {
      name: t("composer:label", { title: `#room-${channelCount}` }),
    });
    await otherField.pressSequentially("hm");
    await page.getByText(t("composer:typing.named", { count: 1, names: "Grace Hopper" })).waitFor();
    await ada.call("group.mute", { groupId, userId: grace.user!.id, durationMs: 60_000 });
    await other.getByText(/muted in this group until/).waitFor();
    expect(await otherField.count()).toBe(0);
    await ada.call("group.unmute", { groupId, userId: grace.user!.id });
    await otherField.waitFor();
    await ada.call("channel.update", { channelId, slowModeSeconds: 60 });
    await otherField.fill("slowly");
    await otherField.press("Enter");
    await other.getByText(t("composer:slowMode.left", { time: "" }).trim()).waitFor();
    await otherField.fill("again");
    expect(await other.getByRole("button", { name: t("composer:send"), exact: true }).isDisabled()).toBe(
      true,
    );
  });

  test("a bot's command is suggested, and invoked instead of sent", async () => {
    const { bot, token } = await ada.call("bot.create", {
      groupId,
      name: "Poll bot",
      scopes: ["commands", "events"],
    });
    const poll = new FanfareClient({ url: site.url });
    poll.useBotToken(token);
    await poll.call("command.register", { name: "poll", description: "Ask everyone" });
    await poll.connect();
    const received: string[] = [];
    poll.on("command.invoked", ({ invocation }) =>
      received.push(`${invocation.command}: ${invocation.text}`),
    );
    await open();
    await field().pressSequentially("/po");
    await options().filter({ hasText: "/poll" }).click();
    await page.keyboard.type("tea or coffee?");
    await page.keyboard.press("Enter");
    await expect.poll(() => received).toEqual(["poll: tea or coffee?"]);
    expect(await field().inputValue()).toBe("");
    expect((await grace.call("message.list", { channelId })).messages).toEqual([]);
    poll.close();
    await ada.call("bot.delete", { groupId, botId: bot.id });
  });

  test("on a phone Enter inserts a line break, and a button sends", async () => {
    const viewport = { width: 390, height: 780 };
    page = await site.newPage({ viewport, hasTouch: true, isMobile: true }, await site.logIn("ada"));
    await page.goto(site.url + channelPath());
    await field().tap();
    await page.keyboard.type("one");
    await page.keyboard.press("Enter");
    await page.keyboard.type("two");
    await page.getByRole("button", { name: t("composer:send"), exact: true }).tap();
    expect((await newest(1)).content).toBe("one\ntwo");
    await sent("two").waitFor();
  });

  test("emoji can be searched, and recent ones come first", async () => {
    await open();
    await field().fill("Launch ");
    await page.getByRole("button", { name: t("composer:emoji") }).click();
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.type("rocket");
    await page.keyboard.press("Enter");
    await expect.poll(() => field().inputValue()).toBe("Launch 🚀");
    await page.getByRole("button", { name: t("composer:emoji") }).click();
    const often = page.getByRole("group", { name: t("emoji:recent") }).getByRole("button");
    expect(await often.first().textContent()).toBe("🚀");
    const flags = page.getByRole("button", { name: t("emoji:category.flags") });
    await flags.click();
    await page.getByRole("gridcell", { name: "Chequered flag" }).waitFor();
    await expect.poll(() => flags.getAttribute("aria-pressed")).toBe("true");
  });

  test("↑ does not edit the previous message while the newest one is being sent", async () => {
    await open();
    await field().fill("the first one");
    await page.keyboard.press("Enter");
    await sent("the first one").waitFor();
    const editor = page.getByRole("textbox", { name: t("messages:edit.label") });
    await page.context().setOffline(true);
    await page.getByText(t("shell:connection.noNetwork")).waitFor();
    await field().fill("the second one");
    await page.keyboard.press("Enter");
    await page.getByRole("log").locator(".pending").getByText("the second one").waitFor();
    await page.keyboard.press("ArrowUp");
    // By the time this is typed, the editor would have opened.
    await page.keyboard.type("next");
    await expect.poll(() => field().inputValue()).toBe("next");
    expect(await editor.count()).toBe(0);
    await field().fill("");
    await page.context().setOffline(false);
    await sent("the second one").waitFor();
    await field().press("ArrowUp");
    await expect.poll(() => editor.inputValue()).toBe("the second one");
  });
});
