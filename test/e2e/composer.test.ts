import { LIMITS } from "@fanfare/contract/limits";
import { FanfareClient } from "@fanfare/client";
import type { Message, SessionTokens } from "@fanfare/contract";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { delayActions, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

/** One pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * Compares the formatted text with the field in front of it: their sizes at many widths, and the position of each
 * character with the same text without formats. A string, because the tests have Node's types and not the DOM's.
 */
const MISALIGNED = `{
  const layer = document.querySelector(".live-text");
  const field = layer.parentElement.querySelector("textarea");
  const plain = layer.cloneNode();
  plain.append(field.value, ...(field.value.endsWith("\\n") ? [document.createElement("br")] : []));
  layer.before(plain);
  const places = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const found = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      for (let at = 0; at < node.length; at++) {
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { left, right, top } = range.getBoundingClientRect();
        found.push([left, right, top]);
      }
    }
    return found;
  };
  const faults = [];
  if (layer.textContent !== field.value) faults.push("the text");
  for (let width = 120; width <= 600; width += 37) {
    layer.parentElement.style.width = width + "px";
    if (layer.offsetHeight !== field.offsetHeight) faults.push("the height at " + width);
    if (layer.clientWidth !== field.clientWidth || field.scrollHeight !== field.clientHeight) faults.push("the size at " + width);
    const expected = places(plain);
    const differs = places(layer).findIndex((place, index) => place.some((edge, i) => Math.abs(edge - expected[index][i]) > 0.5));
    if (differs >= 0) faults.push("character " + differs + " at " + width);
  }
  layer.parentElement.style.width = "";
  plain.remove();
  faults;
}`;

/** Pastes a picture with different texts, and returns whether each was attached: the browser pastes what isn't prevented. */
const PASTE = `[
  { "text/html": "<b>1</b>", "text/plain": "1" },
  { "text/html": "<img>" },
  { "text/plain": "picture.png" },
  { "text/html": "<img>", "text/plain": "https://example.com/picture.png" },
].map((texts) => {
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File(["0"], "picture.png", { type: "image/png" }));
  for (const [type, text] of Object.entries(texts)) clipboardData.setData(type, text);
  const init = { clipboardData, bubbles: true, cancelable: true };
  return !document.activeElement.dispatchEvent(new ClipboardEvent("paste", init));
})`;

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
    ({ ada, grace, groupId } = await site.newTeam({ graceName: "Grace Hopper" }));
    await Promise.all([ada.connect(), grace.connect()]);
    for (const name of ["ada", "grace"])
      windows.set(name, { kept: await site.keepPage(), tokens: await site.logIn(name) });
  });

  beforeEach(async () => {
    channelCount += 1;
    const { channel } = await ada.call("channel.create", { groupId, name: `room-${channelCount}` });
    channelId = channel.id;
  });

  async function openAs(username: string): Promise<Page> {
    const { kept, tokens } = windows.get(username)!;
    await site.show(kept, channelPath(), tokens);
    await kept.getByRole("heading", { name: `room-${channelCount}`, exact: true, level: 1 }).waitFor();
    await kept.getByRole("log").waitFor();
    return kept;
  }

  async function open(): Promise<void> {
    page = await openAs("ada");
  }

  const channelPath = () => `/groups/${groupId}/channels/${channelId}`;
  const field = () =>
    page.getByRole("textbox", { name: t("composer:label", { title: `#room-${channelCount}` }) });
  const options = () => page.getByRole("listbox", { name: t("common:suggestions") }).getByRole("option");
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

  test("a username typed by hand is a mention, at once and in any case", { tags: "long" }, async () => {
    await open();
    const text = "@GRACE, `@grace` \\@grace me@grace @stranger and @everyone!";
    await field().fill(text);
    await page.keyboard.press("Enter");
    const { content, mentions } = await newest(1);
    expect(content).toBe(text.replace("@GRACE", `<@${grace.user!.id}>`));
    expect(mentions).toEqual({ userIds: [grace.user!.id], roleIds: [], everyone: true });
    await page.getByRole("log").getByText("@Grace Hopper", { exact: true }).first().waitFor();
    await page.keyboard.press("ArrowUp");
    await page.getByRole("textbox", { name: t("messages:editLabel") }).fill("Only @ada!");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await newest(1)).content).toBe(`Only <@${ada.user!.id}>!`);
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

  test("text is formatted while it is written", async () => {
    await open();
    const live = page.locator(".live-text");
    await field().pressSequentially("plain ");
    expect(await live.count()).toBe(0);
    await field().pressSequentially("**bold** `code` @gra");
    await options().filter({ hasText: "Grace Hopper" }).click();
    await page.keyboard.type("@stranger");
    await expect.poll(() => live.textContent()).toBe("plain **bold** `code` @Grace Hopper @stranger");
    expect(await live.locator(".live-strong").allTextContents()).toEqual(["bold"]);
    expect(await live.locator(".live-mention").allTextContents()).toEqual(["@Grace Hopper"]);
    expect(await live.locator(".live-mark").allTextContents()).toEqual(["**", "**", "`", "`"]);

    // The underline of text that an input method is composing would be transparent.
    const session = await page.context().newCDPSession(page);
    await session.send("Input.imeSetComposition", { text: "ni hao", selectionStart: 6, selectionEnd: 6 });
    await expect.poll(() => live.locator(".live-composing").allTextContents()).toEqual(["ni hao"]);
    await session.send("Input.insertText", { text: "你好" });
    await expect.poll(() => live.textContent()).toContain("@stranger你好");
    expect(await live.locator(".live-composing").count()).toBe(0);
    await field().fill("");
    await live.waitFor({ state: "detached" });
  });

  test.each([
    [
      "prose",
      "Some **bold words**, *slanted AVATAR*, ~~struck~~, `code fi` and ||secret|| in a [link](https://a.example/x).",
    ],
    [
      "long words",
      `**${"w".repeat(150)}** *${"long-".repeat(40)}* https://example.org/${"path/".repeat(30)}`,
    ],
    ["blank lines and trailing spaces", "**a**   \n\n> b *c*    \n\n"],
    ["code", "before\n```ts\nlet a =\t1;\n\n  indented\n```\n"],
    ["Chinese and emoji", "**你好世界，你好世界** *斜体字* 👩🏽‍🚀 ~~😀😀~~ `代码` ".repeat(4)],
    ["from right to left", "שלום **עולם** *أهلا* `code` ~~مرحبا بك~~ ".repeat(4)],
    ["other scripts", "**Привет** *курсив* *Ελληνικά* *ไทย* *हिन्दी* ".repeat(4)],
    ["more than fits", "a **b** c\n".repeat(60)],
  ])("the formatted text is exactly behind the field: %s", { tags: "long" }, async (_, text) => {
    await open();
    await field().fill(text);
    await page.locator(".live-text").waitFor();
    expect(await page.evaluate(MISALIGNED)).toEqual([]);
  });

  test("the caret stays in view in a long formatted text", { tags: "long" }, async () => {
    await open();
    await field().fill("a **b** c\n".repeat(60));
    await page.keyboard.type("end");
    const isSeen = `(() => {
      const box = document.querySelector(".live-text").parentElement;
      return box.scrollTop + box.clientHeight >= box.scrollHeight - 12 && box.clientHeight < box.scrollHeight;
    })()`;
    await expect.poll(() => page.evaluate(isSeen)).toBe(true);
    await page.keyboard.press("Control+Home");
    const top = () => page.evaluate("document.querySelector('.live-text').parentElement.scrollTop");
    // Apart from the padding.
    await expect.poll(top).toBeLessThan(12);
  });

  test("the formatting bar formats the selection, and stays as it was chosen", async () => {
    await open();
    const toggle = page.getByRole("button", { name: t("composer:format.label") });
    const bar = page.getByRole("toolbar", { name: t("composer:format.label") });
    expect(await bar.count()).toBe(0);
    await toggle.click();
    await field().fill("word");
    await page.keyboard.press("Control+a");
    await bar.getByRole("button", { name: t("composer:format.bold") }).click();
    expect(await field().inputValue()).toBe("**word**");
    await bar.getByRole("button", { name: t("composer:format.bulletedList") }).click();
    await page.keyboard.type("words");
    expect(await field().inputValue()).toBe("words");
    await page.keyboard.press("Control+Shift+9");
    expect(await field().inputValue()).toBe("> words");
    await page.keyboard.press("Control+z");
    expect(await field().inputValue()).toBe("words");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+Shift+x");
    expect(await field().inputValue()).toBe("~~words~~");
    await field().fill("");

    // One tab stop.
    await bar.getByRole("button", { name: t("composer:format.bold") }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    expect(await field().inputValue()).toBe("**");
    await page.reload();
    await bar.waitFor();
    expect(await toggle.getAttribute("aria-pressed")).toBe("true");
    await toggle.click();
    await bar.waitFor({ state: "detached" });
  });

  test("a placeholder that is too long ends with an ellipsis, also in the focused field", async () => {
    const name = "long-".repeat(19);
    channelId = (await ada.call("channel.create", { groupId, name })).channel.id;
    page = await site.newPage({}, windows.get("ada")!.tokens);
    await page.goto(site.url + channelPath());
    const label = t("composer:label", { title: `#${name}` });
    await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe(label);
    const cut = page.getByRole("main").getByText(label, { exact: true });
    expect(
      await cut.evaluate((element) => {
        const { textOverflow } = element.ownerDocument.defaultView!.getComputedStyle(element);
        return { textOverflow, isCut: element.scrollWidth > element.clientWidth };
      }),
    ).toEqual({ textOverflow: "ellipsis", isCut: true });
    const field = await page.getByRole("textbox", { name: label }).boundingBox();
    expect(await cut.boundingBox()).toEqual(field);
    await page.keyboard.type("x");
    await expect.poll(() => cut.count()).toBe(0);
  });

  test("arrow up edits the last message, and a message can be replied to", async () => {
    await open();
    await field().fill("Helo");
    await page.keyboard.press("Enter");
    await sent("Helo").waitFor();
    await page.keyboard.press("ArrowUp");
    const edited = page.getByRole("textbox", { name: t("messages:editLabel") });
    await edited.fill("Hello");
    // Looking something up elsewhere keeps the changed text.
    const channels = page.getByRole("navigation", { name: t("channels:list.label") });
    await channels.getByRole("link", { name: "general" }).press("Enter");
    await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
    await channels.getByRole("link", { name: `room-${channelCount}` }).press("Enter");
    await edited.waitFor();
    expect(await edited.inputValue()).toBe("Hello");
    await edited.press("Enter");
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

  test(
    "a reply that is canceled while its file is being uploaded is sent as no reply",
    { tags: "long" },
    async () => {
      await grace.call("message.send", { channelId, content: "Where is it?", nonce: "ask" });
      await open();
      const uploading = Promise.withResolvers<void>();
      await page.route("**/api/file.upload*", async (route) => {
        await uploading.promise;
        await route.continue();
      });
      await sent("Where is it?").hover();
      const article = page.getByRole("article").filter({ hasText: "Where is it?" });
      await article.getByRole("button", { name: t("messages:action.reply") }).click();
      const file = { name: "map.txt", mimeType: "text/plain", buffer: Buffer.from("here") };
      await page.locator("input[type=file]").setInputFiles(file);
      await field().fill("Here");
      await page.keyboard.press("Enter");
      await page.getByText(t("composer:upload.sendLater")).waitFor();
      await page.getByRole("button", { name: t("composer:reply.cancel") }).click();
      uploading.resolve();
      expect(await newest(2)).toMatchObject({ content: "Here", replyTo: null });
      await page.unroute("**/api/file.upload*");
    },
  );

  test("a thread can be opened, written in, archived and found again", async () => {
    const { message } = await grace.call("message.send", { channelId, content: "Plans?", nonce: "plans" });
    await open();
    await sent("Plans?").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.startThread") }).click();
    const panel = page.getByRole("complementary", { name: "Plans?" });
    await panel.getByPlaceholder(t("composer:replyInThread")).fill("Mars.");
    await page.keyboard.press("Enter");
    await panel.getByRole("log").getByText("Mars.", { exact: true }).waitFor();
    await expect.poll(() => page.title()).toContain(`Plans? · #room-${channelCount} · `);
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
    await expect.poll(() => page.title()).not.toContain("Plans?");
    await page
      .getByRole("main")
      .getByRole("button", { name: t("threads:panel") })
      .click();
    const list = page.getByRole("complementary", { name: t("threads:panel") });
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

  test("the Enter that ends a composition doesn't send", async () => {
    await open();
    await field().pressSequentially("你");
    // As WebKit does, after the composition has ended, and as other browsers do, before that.
    for (const keys of ["keyCode: 229", "isComposing: true"])
      await page.evaluate(`{
        const init = { key: "Enter", ${keys}, bubbles: true, cancelable: true };
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", init));
      }`);
    await page.keyboard.type("好");
    await page.keyboard.press("Enter");
    expect((await newest(1)).content).toBe("你好");
  });

  test(
    "pictures can be pasted at once, and texts come without the picture that spreadsheets add",
    { tags: "long" },
    async () => {
      const { tokens } = windows.get("ada")!;
      page = await site.newPage({}, tokens);
      const pasted = Promise.withResolvers<void>();
      await delayActions(page, /^group\.myPermissions$/, pasted.promise);
      await page.goto(site.url + channelPath());
      await field().focus();
      const attached = await page.evaluate<boolean[]>(PASTE);
      expect(attached, "before permissions are loaded").toEqual([false, true, true, true]);
      pasted.resolve();
      const removes = page.getByRole("button", {
        name: t("composer:upload.remove", { name: "picture.png" }),
      });
      await expect.poll(() => removes.count()).toBe(3);
      for (let left = 3; left > 0; left--) await removes.first().click();
      await removes.first().waitFor({ state: "detached" });
    },
  );

  test("a draft with a mention survives switching channels", { tags: "long" }, async () => {
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
    // By key, because the list can still move.
    await channels.getByRole("link", { name: `room-${channelCount}` }).press("Enter");
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
    await expect.poll(() => page.locator(".message.pending").count()).toBe(0);
  });

  test("a text that is too long is offered as a file", { tags: "long" }, async () => {
    await open();
    await field().fill("x".repeat(LIMITS.messageMaxChars + 5));
    await page.getByText(t("composer:tooLong", { count: 5 })).waitFor();
    await page.getByRole("button", { name: t("composer:attachText") }).click();
    expect(await field().inputValue()).toBe("");
    await field().fill("See the file");
    await page.keyboard.press("Enter");
    await sent("See the file").waitFor();
    const { attachments } = await newest(1);
    expect(attachments).toMatchObject([{ name: "message.txt", bytes: LIMITS.messageMaxChars + 5 }]);
  });

  /** The addresses of these files that Ada's window requests from now on. */
  function watchRequests(name: RegExp): string[] {
    const found: string[] = [];
    windows.get("ada")!.kept.on("request", (request) => {
      if (name.test(request.url())) found.push(request.url());
    });
    return found;
  }

  test("formulas are shown as such, and as text if they have mistakes", async () => {
    const requested = watchRequests(/formula|katex/i);
    await open();
    await field().fill("no formula: $5");
    await page.keyboard.press("Enter");
    await sent("no formula: $5").waitFor();
    expect(requested).toEqual([]);
    await field().fill("so $$x^2$$ and $$\\frac{1$$");
    await page.keyboard.press("Enter");
    await page.locator("math msup").waitFor();
    expect(requested.join()).toContain("formula");
    await page.locator("code", { hasText: "\\frac{1" }).waitFor();
    await field().fill("```math\n\\sum_{i=1}^n i\n```");
    await page.keyboard.press("Enter");
    await page.locator("math[display=block] munderover").waitFor();
    expect(await page.locator("math").count()).toBe(2);
  });

  test("diagrams are drawn for everyone, and stay code if they have mistakes", { tags: "long" }, async () => {
    const requested = watchRequests(/mermaid|diagram/i);
    await open();
    await field().fill("```js\nlet tea;\n```");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("let tea;").waitFor();
    expect(requested).toEqual([]);
    const code = "flowchart LR\n  accTitle: Making tea\n  A[Boil water] --> B{Hot?}\n  B -- no --> A";
    await field().fill(`\`\`\`mermaid\n${code}\n\`\`\``);
    await page.keyboard.press("Enter");
    const other = await openAs("grace");
    for (const window of [page, other]) {
      const drawn = window.getByRole("img", { name: `${t("messages:markdown.diagram")}: Making tea` });
      await expect
        .poll(() => drawn.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
        .toBeGreaterThan(100);
      expect(requested.join()).toContain("mermaid");
      await window.getByRole("button", { name: t("messages:markdown.showCode") }).click();
      await window.getByText("A[Boil water] --> B{Hot?}").waitFor();
      await window.getByRole("button", { name: t("messages:markdown.showDiagram") }).click();
      await drawn.waitFor();
    }
    for (const [odd, note] of [
      ["flowchart LR\n  A --", t("messages:markdown.diagramFailed")],
      [`flowchart LR\n%% ${"x".repeat(5000)}`, t("messages:markdown.diagramTooLong")],
    ] as const) {
      await field().fill(`\`\`\`mermaid\n${odd}\n\`\`\``);
      await page.keyboard.press("Enter");
      await page.getByText(note).waitFor();
    }
    expect(await page.getByRole("img", { name: t("messages:markdown.diagram") }).count()).toBe(1);
  });

  test(
    "templates are on all devices of their user, and are inserted but not sent",
    { tags: "long" },
    async () => {
      await open();
      const menu = async (at: Page) => {
        await at.getByRole("button", { name: t("common:add"), exact: true }).click();
        await at.getByRole("menuitem", { name: t("composer:template.title") }).click();
      };
      await menu(page);
      await page.getByRole("button", { name: t("composer:template.add") }).click();
      const name = page.getByRole("textbox", { name: t("common:name") });
      await name.fill("standup");
      await page.getByRole("textbox", { name: t("composer:template.text") }).fill("Yesterday: nothing");
      const save = page.getByRole("button", { name: t("composer:template.save") });
      await save.click();
      const list = page.getByRole("list", { name: t("composer:template.title") });
      await list.getByText("standup").waitFor();
      await page.getByRole("button", { name: t("composer:template.add") }).click();
      await name.fill("Standup");
      await page.getByRole("alert").getByText(t("composer:template.nameTaken")).waitFor();
      expect(await save.isDisabled()).toBe(true);
      await page.keyboard.press("Escape");

      const phone = await site.newPage({ viewport: { width: 390, height: 800 } }, await site.logIn("ada"));
      await phone.goto(site.url + channelPath());
      const phoneField = phone.getByRole("textbox", { name: /^Message / });
      await phoneField.pressSequentially("/template st");
      await phone.getByRole("option").filter({ hasText: "standup" }).waitFor();
      await phone.keyboard.press("Enter");
      await expect.poll(() => phoneField.inputValue()).toBe("Yesterday: nothing ");
      await phoneField.fill("/template other");
      await phone.getByRole("button", { name: t("composer:send"), exact: true }).click();
      await phone
        .getByText(t("composer:command.templateFault", { name: "template" }))
        .first()
        .waitFor();
      await phoneField.fill("");
      await menu(phone);
      await phone.getByRole("button", { name: t("composer:template.edit", { name: "standup" }) }).click();
      await phone.getByRole("textbox", { name: t("composer:template.text") }).fill("Today: launch");
      await phone.getByRole("button", { name: t("composer:template.save") }).click();
      await phone.getByText("Today: launch").waitFor();

      await page.reload();
      await field().fill("/template standup");
      await page.getByRole("option").filter({ hasText: "Today: launch" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await expect.poll(() => field().inputValue()).toBe("Today: launch");
      const others = await openAs("grace");
      expect((await grace.call("user.me", {})).user.preferences?.templates ?? []).toEqual([]);
      await page.keyboard.press("Enter");
      await others.getByRole("log").getByText("Today: launch").waitFor();
      expect(await others.getByText("Yesterday: nothing").count()).toBe(0);
      await menu(page);
      await page.getByRole("button", { name: t("composer:template.remove", { name: "standup" }) }).click();
      await page.getByText(t("composer:template.none")).waitFor();
    },
  );

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

  test("a bot's command is suggested, and invoked instead of sent", { tags: "long" }, async () => {
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

  test("commands aren't sent as messages before it is known which there are", async () => {
    const params = { groupId, name: "Early bird", scopes: ["commands" as const] };
    const { bot, token } = await ada.call("bot.create", params);
    const early = new FanfareClient({ url: site.url });
    early.useBotToken(token);
    await early.call("command.register", { name: "early", description: "Wakes everyone" });
    await early.connect();
    const invoked: string[] = [];
    early.on("command.invoked", ({ invocation }) => invoked.push(invocation.text));
    for (const text of ["/topic Rockets at dawn", "/early at six"]) {
      page = await site.newPage({}, windows.get("ada")!.tokens);
      const answered = Promise.withResolvers<void>();
      await delayActions(page, /^(?:command\.list|group\.myPermissions)$/, answered.promise);
      await page.goto(site.url + channelPath());
      await field().fill(text);
      await page.keyboard.press("Enter");
      answered.resolve();
      await expect.poll(() => field().inputValue()).toBe("");
    }
    await expect.poll(() => invoked).toEqual(["at six"]);
    await expect
      .poll(async () => (await grace.call("channel.get", { channelId })).channel.topic)
      .toBe("Rockets at dawn");
    expect((await grace.call("message.list", { channelId })).messages).toEqual([]);
    early.close();
    await ada.call("bot.delete", { groupId, botId: bot.id });
  });

  test(
    "/remind writes to the user's own notes and reminds of it, on all devices",
    { tags: "long" },
    async () => {
      await open();
      const phone = await site.newPage({ viewport: { width: 390, height: 800 } }, await site.logIn("ada"));
      await phone.goto(`${site.url}/inbox`);
      await phone.getByRole("tab", { name: t("inbox:tab.saved") }).click();
      await field().fill("/remind 3000 launch");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await page
        .getByText(t("composer:command.remindFault", { name: "remind" }))
        .first()
        .waitFor();
      expect(await field().inputValue()).toBe("/remind 3000 launch");

      const before = Date.now();
      await field().fill("/remind 2h call Grace about the launch");
      await page.keyboard.press("Enter");
      await expect.poll(() => field().inputValue()).toBe("");
      await phone.getByText("call Grace about the launch").waitFor();
      const { saved } = await ada.call("saved.list", {});
      const lateMs = Date.parse(saved[0]!.remindAt!) - before - 2 * 60 * 60_000;
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThan(60 * 60_000);
      const notesId = saved[0]!.channelId;
      await expect(grace.call("message.list", { channelId: notesId })).rejects.toMatchObject({
        type: "CHANNEL_NOT_FOUND",
      });

      // The notes are a conversation of one.
      await phone.goto(`${site.url}/direct/${notesId}`);
      await phone.getByRole("heading", { name: t("directs:notes") }).waitFor();
      await phone.getByRole("log").getByText(t("directs:beginning.notes")).waitFor();
      await phone.getByRole("log").getByText("call Grace about the launch").waitFor();
      await phone.close();
      expect((await grace.call("message.list", { channelId })).messages).toEqual([]);
    },
  );

  /** A space after a command without a text closes its suggestions. */
  const type = async (text: string) => {
    await field().fill(text);
    await page.keyboard.press("Enter");
    await expect.poll(() => field().inputValue()).toBe("");
  };

  test("commands of the page do what they say, and need what they say", { tags: "long" }, async () => {
    await open();
    await type("/me waves");
    expect((await newest(1)).content).toBe("_waves_");
    await type("/shrug who knows");
    await page.getByText("who knows ¯\\_(ツ)_/¯").waitFor();
    await type("/topic Rockets, and nothing else");
    await page.getByText("Rockets, and nothing else").first().waitFor();
    await type("/status 🌴 On vacation");
    await expect
      .poll(async () => (await ada.call("user.me", {})).user.customStatus)
      .toMatchObject({ emoji: "🌴", text: "On vacation" });
    await field().fill("/msg @grace psst");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/direct\//);
    await page.getByRole("log").getByText("psst").waitFor();
    await ada.call("user.updateProfile", { customStatus: null });

    // Grace may not change the topic, so for her it is a message; and something is missing after /me.
    page = await site.newPage({}, await site.logIn("grace"));
    await page.goto(site.url + channelPath());
    await type("/topic mine");
    expect((await newest(3)).content).toBe("/topic mine");
    await field().fill("/me");
    // Otherwise, Enter would choose the suggestion.
    await options().first().waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => options().count()).toBe(0);
    await page.keyboard.press("Enter");
    await page
      .getByText(t("composer:command.incomplete", { name: "me" }))
      .first()
      .waitFor();
    expect(await field().inputValue()).toBe("/me");
  });

  test("a message by command comes before what is written to that person next", async () => {
    const { tokens } = windows.get("ada")!;
    page = await site.newPage({}, tokens);
    const arrival = Promise.withResolvers<void>();
    await delayActions(page, /by command/, arrival.promise, "call");
    await page.goto(site.url + channelPath());
    await field().fill("/msg @grace by command");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/direct\//);
    await page.getByRole("textbox", { name: t("composer:label", { title: "Grace Hopper" }) }).fill("by hand");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("by hand").waitFor();
    arrival.resolve();
    const { channel } = await ada.call("channel.openDirect", { userId: grace.user!.id });
    const texts = async () => {
      const { messages } = await ada.call("message.list", { channelId: channel.id });
      return messages.map(({ content }) => content).slice(-2);
    };
    await expect.poll(texts).toEqual(["by command", "by hand"]);
  });

  test("commands write signs, set what others see, search, and list the shortcuts", async () => {
    await open();
    await type("/tableflip enough of quasars");
    await sent("enough of quasars (╯°□°)╯︵ ┻━┻").waitFor();
    await type("/unflip sorry, quasars");
    await sent("sorry, quasars ┬─┬ノ( º _ ºノ)").waitFor();
    const unwatch = grace.presence.watch([ada.user!.id]);
    for (const [command, status] of [
      ["away", "idle"],
      ["dnd", "doNotDisturb"],
      ["online", "online"],
    ] as const) {
      await type(`/${command} `);
      await expect.poll(() => grace.presence.status(ada.user!.id)).toBe(status);
    }
    unwatch();
    await type("/search quasars");
    const results = page.getByRole("complementary", { name: t("search:title") }).getByRole("article");
    await expect.poll(() => results.count()).toBe(2);
    await field().fill("/shortcuts ");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: t("shortcuts:title") }).waitFor();
    // The others sent nothing.
    expect((await newest(2)).content).toContain("quasars");
  });

  /** Of a poll. */
  const option = (of: Page, text: string, role: "checkbox" | "radio" = "radio") =>
    of.getByRole("log").getByRole(role, { name: new RegExp(`^${text}: `) });

  test(
    "a poll with several choices ends and a custom status disappears at their time",
    { tags: "long" },
    async () => {
      page = await site.newPage({}, await site.logIn("ada"));
      await page.clock.install();
      const end = new Date(Date.now() + 180_000).toISOString();
      const customStatus = { emoji: "🌴", text: "On vacation", expiresAt: end };
      await ada.call("user.updateProfile", { customStatus });
      const poll = { options: ["Monday", "Tuesday", "Friday"], allowsSeveral: true, endsAt: end };
      await grace.call("message.send", { channelId, content: "Which days?", nonce: "days", poll });
      await page.goto(site.url + channelPath());
      const day = (name: string) => option(page, name, "checkbox");
      for (const name of ["Monday", "Tuesday", "Friday"]) await day(name).click();
      await expect.poll(() => day("Tuesday").isChecked()).toBe(true);
      await day("Tuesday").click();
      const votes = async () => (await newest(1)).reactions?.map(({ emoji }) => emoji);
      await expect.poll(votes).toEqual(["1️⃣", "3️⃣"]);
      const status = page.getByRole("img", { name: "On vacation" });
      await status.waitFor();
      expect(await day("Monday").isChecked()).toBe(true);

      await page.clock.fastForward("03:30");
      await page.getByText(/^Ended /).waitFor();
      expect(await day("Monday").isDisabled()).toBe(true);
      await expect.poll(() => status.count()).toBe(0);
      await ada.call("user.updateProfile", { customStatus: null });
    },
  );

  test("two people vote in a poll until its author ends it", async () => {
    await open();
    await field().fill("/poll Tea or coffee?");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: t("composer:poll.title") });
    expect(await dialog.getByRole("textbox", { name: t("composer:poll.question") }).inputValue()).toBe(
      "Tea or coffee?",
    );
    for (const [index, text] of ["Tea", "Coffee", "Water"].entries()) {
      if (index === 2) await dialog.getByRole("button", { name: t("composer:poll.addOption") }).click();
      await dialog
        .getByRole("textbox", { name: t("composer:poll.option", { number: index + 1 }) })
        .fill(text);
    }
    await dialog.getByRole("button", { name: t("composer:poll.addOption") }).click();
    await dialog.getByRole("button", { name: t("composer:poll.removeOption", { number: 4 }) }).click();
    // The focus stays among the options.
    await expect.poll(() => page.evaluate("document.activeElement.value")).toBe("Water");
    await dialog.getByRole("button", { name: t("composer:poll.start") }).click();
    await option(page, "Coffee").click();
    const other = await openAs("grace");
    await option(other, "Coffee").filter({ hasText: "100%" }).waitFor();
    expect(await violations(other, "a poll")).toEqual([]);
    await option(other, "Tea").click();
    await option(other, "Coffee").click();
    await expect.poll(() => option(page, "Coffee").getAttribute("aria-label")).toContain("2 votes, 100");
    await expect.poll(() => option(other, "Tea").isChecked()).toBe(false);
    await option(other, "Tea").press("ArrowDown");
    await expect.poll(() => other.evaluate("document.activeElement.ariaLabel")).toMatch(/^Coffee: /);
    await page.getByRole("button", { name: t("messages:poll.voters", { text: "Coffee" }) }).click();
    const voters = page.getByRole("dialog");
    await voters.getByText("Grace Hopper").waitFor();
    await page.keyboard.press("Escape");

    await page.reload();
    await expect.poll(() => option(page, "Coffee").isChecked()).toBe(true);
    await page.getByRole("button", { name: t("messages:poll.end") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: t("messages:poll.end") })
      .click();
    for (const one of [page, other]) await one.getByText(/^Ended /).waitFor();
    expect(await option(other, "Tea").isDisabled()).toBe(true);
    expect(await other.getByRole("button", { name: t("messages:poll.end") }).count()).toBe(0);
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

  test("emoji can be searched, and recent ones come first", { tags: "long" }, async () => {
    await open();
    await field().fill("Launch ");
    await page.getByRole("button", { name: t("composer:emoji") }).click();
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.type("rocket");
    await page.getByRole("option", { name: "Rocket" }).waitFor();
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

  test(
    "↑ does not edit the previous message while the newest one is being sent",
    { tags: "long" },
    async () => {
      await open();
      await field().fill("the first one");
      await page.keyboard.press("Enter");
      await sent("the first one").waitFor();
      const editor = page.getByRole("textbox", { name: t("messages:editLabel") });
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
    },
  );
});
