import { FanfareClient } from "@fanfare/client";
import type { Message, ScheduledMessage, SessionTokens } from "@fanfare/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { delayActions, drawn, handleCalls, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

/** One pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Like a busy machine, where a page learns the size of its rows late. */
const MEASURES_LATE = `
  const { ResizeObserver } = window;
  window.ResizeObserver = class extends ResizeObserver {
    constructor(callback) {
      super((...measured) => {
        window.unmeasured = (window.unmeasured ?? 0) + 1;
        setTimeout(() => {
          window.unmeasured -= 1;
          callback(...measured);
        }, 300);
      });
    }
  };
`;

/** The scroll position of the list, or of the open thread, once it has been stable for longer than the list waits before it moves its rows. */
const REST = `new Promise((resolve) => {
  const list = [...document.querySelectorAll("[role=log]")].at(-1);
  let before;
  let stillFrames = 0;
  const look = () => {
    const now = [list.scrollTop, list.scrollHeight].join();
    stillFrames = now === before && !window.unmeasured ? stillFrames + 1 : 0;
    before = now;
    if (stillFrames < 20) requestAnimationFrame(look);
    else resolve(list.scrollTop);
  };
  look();
})`;

/** In the evening, "in 3 hours" is tomorrow too. */
const TOMORROW = new RegExp(`^${t("shared:later.tomorrow")}`);

/** What the browser has stored of a channel. */
const STORED = (channelId: string): string => `new Promise((resolve) => {
  indexedDB.open("fanfare.data").addEventListener("success", ({ target: { result } }) => {
    const reading = result.transaction("data").objectStore("data").get("channel:${channelId}");
    reading.addEventListener("success", () => {
      result.close();
      resolve(JSON.stringify(reading.result ?? null));
    });
  });
})`;

/** Nothing that arrives is rendered until the frames are released. */
const HOLD_FRAMES = `{
  const draw = window.requestAnimationFrame;
  const held = [];
  window.requestAnimationFrame = (work) => held.push(work);
  window.releaseFrames = () => {
    window.requestAnimationFrame = draw;
    for (const work of held) draw(work);
  };
}`;

/** Each time the list's rows change, the window gets the focus. */
const FOCUS_ON_CHANGE = `
  new MutationObserver(() => dispatchEvent(new Event("focus")))
    .observe(document.querySelector("[role=log]"), { childList: true, subtree: true });
`;

/**
 * Stops what React renders in tasks, and so can be interrupted, from `holdTasks` until `releaseTasks`. The clock stands still until then, but
 * for the time that makes React stop what it renders.
 */
const STOP_TASKS = `
  const post = MessagePort.prototype.postMessage;
  const { now } = performance;
  let nowMs = performance.now();
  performance.now = () => nowMs;
  const held = [];
  window.countHeld = () => held.length;
  const holdTasks = () => {
    // React goes on in another task after 5 ms.
    nowMs += 50;
    MessagePort.prototype.postMessage = function (...args) {
      held[held.length] = () => post.apply(this, args);
    };
  };
  window.releaseTasks = () => {
    performance.now = now;
    MessagePort.prototype.postMessage = post;
    for (const run of held) run();
  };
`;

/** React renders nothing that can be interrupted until the tasks are released. */
const HOLD_TASKS = `{ ${STOP_TASKS} holdTasks(); }`;

/** Such a rendering stops once the virtual list notes a new row, which it does by adding -1. */
const HOLD_RENDERING = `{
  ${STOP_TASKS}
  const { push } = Array.prototype;
  Array.prototype.push = function (...items) {
    if (items[0] === -1) {
      Array.prototype.push = push;
      holdTasks();
    }
    return push.apply(this, items);
  };
}`;

/** Keeps which messages were highlighted. */
const WATCH_HIGHLIGHTS = `
  window.highlighted = new Set();
  new MutationObserver(() => {
    for (const { id } of document.querySelectorAll("article.bg-highlight")) highlighted.add(id);
  }).observe(document.querySelector("[role=log]"), { attributes: true, childList: true, subtree: true });
`;

/** Shrinks the list as soon as its rows change. */
const LOWER_ON_CHANGE = `{
  const list = document.querySelector("[role=log]");
  new MutationObserver((_, observer) => {
    observer.disconnect();
    list.style.marginTop = "120px";
  }).observe(list, { childList: true, subtree: true });
}`;

describe.skipIf(!hasBrowser())("the message list", () => {
  const site = useSite();
  let page: Page;
  /** The user in the browser, and one who writes. */
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let tokens: SessionTokens;

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
    grace = new FanfareClient({ url: site.url });
    await grace.createGuest({ nickname: "Grace" });
    await Promise.all([ada.connect(), grace.connect()]);
    const { group } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    const { invite } = await ada.call("invite.create", { groupId });
    const { channels } = await grace.call("invite.accept", { code: invite.code });
    channelId = channels[0]!.id;
    tokens = await site.logIn("ada");
    page = await newPage();
  });

  afterAll(async () => {
    ada?.close();
    grace?.close();
  });

  /** Creates a channel in which both users have read everything. */
  async function newChannel(name: string, messages = 0): Promise<void> {
    const { channel } = await ada.call("channel.create", { groupId, name });
    channelId = channel.id;
    for (let number = 1; number <= messages; number++) await write(grace, `message ${number}`);
    await ada.call("channel.markRead", { channelId, seq: messages });
  }

  async function writeUpTo(last: number, first = 6): Promise<void> {
    for (let number = first; number <= last; number++) await write(grace, `message ${number}`);
  }

  async function lastReadSeq(): Promise<number> {
    return (await ada.call("channel.get", { channelId })).channel.lastReadSeq;
  }

  async function write(client: FanfareClient, content: string, more: object = {}): Promise<Message> {
    const params = { channelId, content, nonce: crypto.randomUUID(), ...more };
    return (await client.call("message.send", params)).message;
  }

  async function newPage(script = ""): Promise<Page> {
    const permissions = ["clipboard-read", "clipboard-write"];
    const kept = await site.keepPage({ viewport: { width: 1100, height: 700 }, permissions });
    site.watchConsole(kept, (error) => error.includes("ERR_INTERNET_DISCONNECTED"));
    await kept.addInitScript(script);
    return kept;
  }

  async function open(query = ""): Promise<void> {
    await site.open(page, `/groups/${groupId}/channels/${channelId}${query}`, tokens);
    await log().waitFor();
  }

  /** Opens the new channel in the running page. */
  async function show(name: string): Promise<void> {
    await site.show(page, `/groups/${groupId}/channels/${channelId}`, tokens);
    await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
    await log().waitFor();
  }

  const log = () => page.getByRole("log");
  const text = (content: string) => log().getByText(content, { exact: true });
  const isInView = (content: string) =>
    text(content).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      const frame = element.closest("[role=log]")!.getBoundingClientRect();
      return top >= frame.top && bottom <= frame.bottom;
    });

  /**
   * The first visible message and its position. Unlike the scroll offset, it is unaffected by rows above that
   * are measured late.
   */
  const firstInView = () =>
    log().evaluate((frame) => {
      const { top } = frame.getBoundingClientRect();
      const rows = [...frame.querySelectorAll("article")];
      const row = rows.find((it) => it.getBoundingClientRect().top >= top)!;
      return { id: row.id, y: Math.round(row.getBoundingClientRect().top - top) };
    });

  const fromEnd = () =>
    log().evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);

  const topNow = () => log().evaluate((element) => element.scrollTop);
  /** Late measurements move the rows below once nothing scrolls anymore. */
  const rest = () => page.evaluate<number>(REST);
  const expectAtRest = async (content: string): Promise<void> => {
    await text(content).waitFor();
    await rest();
    expect(await isInView(content)).toBe(true);
  };

  test("a message can be reacted to, edited, linked to, pinned and deleted by pointer", async () => {
    await newChannel("pointer");
    const first = await write(grace, "What about **Friday**?");
    await write(ada, "At nine");
    await open();
    await text("Friday").hover();
    await log()
      .getByRole("button", { name: t("messages:action.react") })
      .click();
    await page
      .getByRole("dialog", { name: t("messages:reaction.choose") })
      .getByRole("button", { name: "🎉" })
      .click();
    await log()
      .getByRole("button", { name: t("messages:reaction.label", { emoji: "🎉", count: 1 }), pressed: true })
      .waitFor();
    await grace.call("message.react", { channelId, messageId: first.id, emoji: "🎉" });
    await log()
      .getByRole("button", { name: t("messages:reaction.label", { emoji: "🎉", count: 2 }) })
      .click();
    await log()
      .getByRole("button", { name: t("messages:reaction.label", { emoji: "🎉", count: 1 }), pressed: false })
      .waitFor();

    await text("At nine").hover();
    await log()
      .getByRole("button", { name: t("common:edit") })
      .click();
    await page.getByRole("textbox", { name: t("messages:editLabel") }).fill("At ten");
    await page.keyboard.press("Enter");
    await text("At ten").waitFor();
    await log()
      .getByRole("button", { name: t("messages:item.edited") })
      .click();
    await page.getByRole("dialog").getByText("At nine").waitFor();
    await page.keyboard.press("Escape");

    await text("Friday").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("common:copyLink") }).click();
    await expect
      .poll(() => page.evaluate("navigator.clipboard.readText()"))
      .toBe(`${site.url}/groups/${groupId}/channels/${channelId}?message=${first.id}`);
    await text("Friday").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.pin") }).click();
    await page.getByRole("button", { name: t("messages:pins.title") }).click();
    await page.getByRole("complementary").getByText("Friday").waitFor();
    await text("At ten").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("common:delete") }).click();
    await page.getByRole("button", { name: t("messages:delete.action") }).click();
    await expect.poll(() => text("At ten").count()).toBe(0);
  });

  test("the message menu moves the focus to the field that an action opens", async () => {
    await newChannel("menu-focus");
    await write(ada, "At nine");
    await show("menu-focus");
    const choose = async (action: string) => {
      await text("At nine").click({ button: "right" });
      await page.getByRole("menuitem", { name: action }).click();
      await page.getByRole("menu").waitFor({ state: "detached" });
      // Longer than the menu takes to return the focus.
      await drawn(page);
    };
    const hasFocus = (name: string) =>
      page
        .getByRole("textbox", { name, exact: true })
        .evaluate((field) => field === field.ownerDocument.activeElement);
    await choose(t("messages:action.reply"));
    await expect.poll(() => hasFocus(t("composer:label", { title: "#menu-focus" }))).toBe(true);
    await choose(t("common:edit"));
    await expect.poll(() => hasFocus(t("messages:editLabel"))).toBe(true);
    await page.keyboard.press("Escape");
    // Without such an action, the focus returns.
    await text("At nine").click({ button: "right" });
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("ARTICLE");
  });

  test("in one-line rows, text from right to left begins next to its author", { tags: "long" }, async () => {
    await newChannel("one-line");
    await write(grace, "مساء الخير");
    await write(grace, "1. زحل\n2. المشتري");
    await ada.call("user.setPreferences", { density: "compact" });
    try {
      await show("one-line");
      await page.locator('html[data-density="compact"]').waitFor();
      for (const words of ["مساء الخير", "زحل"]) {
        const { left, right } = await text(words).evaluate((element) => {
          const range = element.ownerDocument.createRange();
          range.selectNodeContents(element);
          const [row] = element.closest("article")!.getElementsByTagName("p");
          return { left: range.getBoundingClientRect().left, right: row!.getBoundingClientRect().right };
        });
        expect(left - right).toBeLessThan(60);
      }
    } finally {
      await ada.call("user.setPreferences", { density: "comfortable" });
    }
  });

  test(
    "messages marked as unread stay unread until the channel is opened again",
    { tags: "long" },
    async () => {
      await newChannel("unread again", 3);
      await open();
      await text("message 2").click({ button: "right" });
      await page.getByRole("menuitem", { name: t("messages:action.markUnread") }).click();
      await log().getByText(t("messages:unreadDivider"), { exact: true }).waitFor();
      await expect.poll(() => log().innerText()).toMatch(/message 1[^]*New[^]*message 2/);
      await expect.poll(lastReadSeq).toBe(1);
      await write(grace, "message 4");
      await text("message 4").waitFor();
      // Otherwise, visible messages are marked as read after a second.
      await page.waitForTimeout(1500);
      expect(await lastReadSeq()).toBe(1);
      await open();
      await log().getByText(t("messages:unreadDivider"), { exact: true }).waitFor();
      await expect.poll(lastReadSeq).toBe(4);
    },
  );

  test(
    "messages marked as unread stay unread if the window gets the focus before that is rendered",
    { tags: "long" },
    async () => {
      await newChannel("unread with focus", 3);
      await open();
      await text("message 2").click({ button: "right" });
      const markUnread = page.getByRole("menuitem", { name: t("messages:action.markUnread") });
      await markUnread.waitFor();
      await page.evaluate(HOLD_FRAMES);
      await markUnread.click();
      await expect.poll(lastReadSeq).toBe(1);
      // The page gets the answer a moment later.
      await page.waitForTimeout(300);
      await page.evaluate(`dispatchEvent(new Event("focus"))`);
      await page.evaluate("releaseFrames()");
      await log().getByText(t("messages:unreadDivider"), { exact: true }).waitFor();
      expect(await lastReadSeq()).toBe(1);
    },
  );

  test(
    "scheduled messages are changed in the inbox, on all devices, and sent or deleted",
    { tags: "long" },
    async () => {
      await newChannel("scheduled");
      await show("scheduled");
      await page.getByRole("textbox", { name: /scheduled/ }).fill("Good morning");
      await page.getByRole("button", { name: t("common:add"), exact: true }).click();
      await page.getByRole("menuitem", { name: t("composer:schedule.open") }).click();
      await page.getByRole("dialog").getByRole("button", { name: TOMORROW }).click();
      await page.getByRole("dialog", { name: t("composer:schedule.title") }).waitFor({ state: "detached" });
      await expect.poll(() => page.getByRole("textbox", { name: /scheduled/ }).inputValue()).toBe("");
      await page.getByRole("link", { name: t("inbox:title") }).click();
      await page.getByRole("tab", { name: t("inbox:tab.scheduled") }).click();
      const entry = page.getByRole("tabpanel").getByRole("listitem");
      await expect.poll(() => entry.innerText()).toMatch(/9:00[^]*#scheduled[^]*Good morning/);

      // On another device.
      const scheduled = async () => (await ada.call("scheduled.list", {})).scheduled;
      const [{ id: scheduledId, sendAt }] = (await scheduled()) as [ScheduledMessage];
      const mention = `<@${grace.user!.id}>`;
      await ada.call("scheduled.change", { scheduledId, content: `Good evening ${mention}` });
      await entry.getByText("Good evening @Grace").waitFor();
      const changeText = entry.getByRole("button", { name: t("inbox:scheduled.changeText") });
      await changeText.click();
      const field = entry.getByRole("textbox", { name: t("inbox:scheduled.changeText") });
      await expect.poll(() => field.inputValue()).toBe("Good evening @Grace");
      await field.fill("not this");
      await page.keyboard.press("Escape");
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("BUTTON");
      await page.keyboard.press("Enter");
      await field.fill("Good night @Grace");
      await entry.getByRole("button", { name: t("common:save") }).click();
      await field.waitFor({ state: "detached" });
      await entry.getByText("Good night @Grace").waitFor();
      expect(await scheduled()).toMatchObject([{ content: `Good night ${mention}`, sendAt }]);
      await entry.getByRole("button", { name: t("inbox:scheduled.change"), exact: true }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: t("shared:later.hours3") })
        .click();
      await expect.poll(async () => (await scheduled())[0]!.sendAt).not.toBe(sendAt);

      const unwanted = {
        channelId,
        content: "Not this one",
        sendAt: new Date(Date.now() + 60_000_000).toISOString(),
      };
      await ada.call("scheduled.add", unwanted);
      const other = entry.filter({ hasText: "Not this one" });
      await other.getByRole("button", { name: t("common:delete") }).click();
      await page
        .getByRole("alertdialog")
        .getByRole("button", { name: t("common:delete") })
        .click();
      await expect.poll(() => entry.count()).toBe(1);
      expect(await scheduled()).toHaveLength(1);

      await entry.getByRole("button", { name: t("inbox:scheduled.sendNow") }).click();
      await page.goBack();
      await log().getByText("Good night @Grace").waitFor({ timeout: 60_000 });
      const { messages } = await grace.call("message.list", { channelId });
      expect(messages.map(({ content }) => content)).toEqual([`Good night ${mention}`]);
      expect(await scheduled()).toEqual([]);
    },
  );

  test("a link to a message shows the message, to those who can see it", { tags: "long" }, async () => {
    await newChannel("source");
    const source = await write(grace, "the plan is **ready**");
    const sourceId = channelId;
    const link = (messageId: string) =>
      `${site.url}/groups/${groupId}/channels/${sourceId}?message=${messageId}`;
    await newChannel("target");
    await write(grace, `see ${link(source.id)}`);
    await write(grace, `and ${link("f".repeat(24))}`);
    await open();
    const preview = log().getByRole("link", { name: "the plan is ready" });
    await preview.waitFor();
    await expect.poll(() => preview.innerText()).toMatch(/Grace\s+#source · /);
    await log().getByText(t("messages:linkedUnavailable")).waitFor();
    const content = "the plan has changed";
    await grace.call("message.edit", { channelId: sourceId, messageId: source.id, content });
    await log().getByRole("link", { name: "the plan has changed" }).click();
    await text("the plan has changed").waitFor();
    expect(page.url()).toContain(sourceId);
  });

  test(
    "a message is saved for later, found in the inbox, and announced at the time of its reminder",
    { tags: "long" },
    async () => {
      await newChannel("later");
      await write(grace, "read this tonight");
      const due = await write(grace, "call me back");
      await show("later");
      await text("read this tonight").click({ button: "right" });
      await page.getByRole("menuitem", { name: t("messages:action.remind") }).click();
      await page.getByRole("dialog").getByRole("button", { name: TOMORROW }).click();
      await page.getByRole("dialog", { name: t("messages:reminder.title") }).waitFor({ state: "detached" });
      await text("call me back").click({ button: "right" });
      await page.getByRole("menuitem", { name: t("messages:action.save") }).click();
      // Otherwise, it could come later, and remove the reminder.
      await page.getByText(t("messages:action.saved")).waitFor();
      // From another device, with a time that is past.
      const remindAt = new Date(0).toISOString();
      await ada.call("saved.add", { channelId, messageId: due.id, remindAt });
      const notice = t("inbox:reminderOf", { title: "Grace (#later, Rocket builders)" });
      await page.getByText(`${notice}: call me back`).waitFor();
      await page.getByRole("link", { name: new RegExp(`^${t("inbox:title")}, `) }).click();
      await page.getByRole("tab", { name: t("inbox:tab.savedDue", { count: 1 }) }).click();
      const entries = page.getByRole("tabpanel").getByRole("listitem");
      await expect.poll(() => entries.count()).toBe(2);
      await expect.poll(() => entries.first().innerText()).toContain(t("inbox:saved.due"));
      await expect.poll(() => entries.last().innerText()).toMatch(/Reminder: .*9:00/);
      const search = page.getByRole("searchbox", { name: t("inbox:saved.search") });
      await search.fill("calls");
      await expect.poll(() => entries.count()).toBe(1);
      await entries.getByText("call me back").waitFor();
      await search.fill("nowhere");
      await page.getByText(t("inbox:saved.none")).waitFor();
      await search.fill("");
      await expect.poll(() => entries.count()).toBe(2);
      await entries.first().locator("[data-walk]").hover();
      await entries
        .first()
        .getByRole("button", { name: t("inbox:saved.done") })
        .click();
      await expect.poll(() => entries.count()).toBe(1);
      await page.reload();
      await page.getByRole("tab", { name: t("inbox:tab.saved") }).click();
      await entries.getByText("read this tonight").click();
      await text("read this tonight").waitFor();
    },
  );

  test("who has read a message is listed by name, and counted", async () => {
    await newChannel("readers");
    const lin = await site.newAccount("Lin");
    const { invite } = await ada.call("invite.create", { groupId });
    await lin.call("invite.accept", { code: invite.code });
    const { seq } = await write(ada, "Has everyone seen this?");
    await show("readers");
    const askWho = async () => {
      await text("Has everyone seen this?").click({ button: "right" });
      await page.getByRole("menuitem", { name: t("messages:action.readers") }).click();
    };
    await askWho();
    await page.getByRole("dialog").getByText(t("messages:readers.none")).waitFor();
    await page.keyboard.press("Escape");
    await Promise.all([grace, lin].map((reader) => reader.call("channel.markRead", { channelId, seq })));
    const dialog = page.getByRole("dialog", { name: t("messages:readers.titleWith", { number: 2 }) });
    const expectBoth = async () => {
      await askWho();
      for (const name of ["Grace", "Lin"]) await dialog.getByText(name, { exact: true }).waitFor();
      expect(await dialog.getByRole("listitem").count()).toBe(2);
    };
    await expectBoth();
    await page.reload();
    await expectBoth();
  });

  test("messages can be selected and acted on by keyboard", async () => {
    await newChannel("keyboard");
    for (const content of ["one", "two", "three"]) await write(grace, content);
    await write(ada, "mine");
    await show("keyboard");
    await text("mine").waitFor();
    const focused = () => page.locator(":focus").textContent();
    await page.locator("article[tabindex='0']").focus();
    await expect.poll(focused).toContain("mine");
    await page.keyboard.press("ArrowUp");
    await expect.poll(focused).toContain("three");
    await page.keyboard.press("Home");
    await expect.poll(focused).toContain("one");
    await page.keyboard.press("c");
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe("one");
    await page.keyboard.press("End");
    await expect.poll(focused).toContain("mine");
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: t("messages:editLabel") }).fill("mine, edited");
    await page.keyboard.press("Enter");
    await text("mine, edited").waitFor();
  });

  test("keys and clicks act before what they depend on is loaded", async () => {
    await newChannel("early");
    const { id: messageId } = await write(grace, "Ready for launch?");
    await grace.call("message.react", { channelId, messageId, emoji: "👍" });
    const remindAt = new Date(Date.now() + 3_600_000).toISOString();
    await ada.call("saved.add", { channelId, messageId, remindAt });
    await ada.call("notification.set", { channelId, favorite: true });
    const early = await site.newPage({}, tokens);
    const answered = Promise.withResolvers<void>();
    await delayActions(early, /^(?:group\.myPermissions|notification\.list|saved\.list)$/, answered.promise);
    await early.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
    const message = early.getByRole("article").filter({ hasText: "Ready for launch?" });
    await message
      .getByRole("button", { name: t("messages:reaction.label", { emoji: "👍", count: 1 }) })
      .click();
    await message
      .getByRole("button", { name: t("messages:reaction.label", { emoji: "👍", count: 2 }) })
      .waitFor();
    await message.focus();
    await early.keyboard.press("r");
    await early.getByText(t("composer:reply.to", { name: "Grace" })).waitFor();
    await message.focus();
    // Saved again, the message would lose its reminder.
    await early.keyboard.press("s");
    await early.keyboard.press("Alt+Shift+f");
    answered.resolve();
    const marked = async () => {
      const [{ saved }, { settings }] = await Promise.all([
        ada.call("saved.list", {}),
        ada.call("notification.list", {}),
      ]);
      const isSaved = saved.some((one) => one.messageId === messageId);
      return { isSaved, isFavorite: settings.some((one) => one.channelId === channelId && one.favorite) };
    };
    await expect.poll(marked).toEqual({ isSaved: false, isFavorite: false });
  });

  test("messages of a blocked user are collapsed", async () => {
    await newChannel("blocked");
    await write(grace, "not for me");
    await write(grace, "nor this");
    const userId = grace.user!.id;
    await ada.call("user.block", { userId });
    await open();
    await log()
      .getByText(t("messages:blocked.count", { count: 2 }))
      .waitFor();
    expect(await text("not for me").count()).toBe(0);
    await log()
      .getByRole("button", { name: t("messages:blocked.show") })
      .click();
    await text("nor this").waitFor();
    await ada.call("user.unblock", { userId });
  });

  test("images reserve their space before they load, and open in full size", async () => {
    await newChannel("pictures");
    const upload = async (name: string): Promise<string> =>
      (await grace.upload(channelId, name, new Blob([PICTURE]))).fileId;
    await write(grace, "two pictures", { attachmentIds: [await upload("a.png"), await upload("b.png")] });
    await open();
    await log()
      .getByRole("button", { name: t("messages:attachment.show", { name: "a.png" }) })
      .click();
    const viewer = page.getByRole("dialog", { name: "a.png" });
    await viewer.getByRole("img").waitFor();
    const backdrop = await page.evaluate<string>(
      'getComputedStyle(document.querySelector("dialog[open]"), "::backdrop").backgroundColor',
    );
    expect(backdrop).toMatch(/ \/ 0\.85\)$/);
    await page.keyboard.press("ArrowRight");
    await page.getByRole("dialog", { name: "b.png" }).getByRole("img").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  test("a link to another site asks first, and shows the destination", { tags: "long" }, async () => {
    await newChannel("links");
    await write(grace, "[example.org](https://evil.example/login)");
    await show("links");
    await log().getByRole("link", { name: "example.org (evil.example)" }).click();
    await page
      .getByRole("dialog", { name: t("messages:externalLink.title") })
      .getByText("evil.example")
      .waitFor();
    await page.keyboard.press("Escape");
    expect(page.context().pages()).toHaveLength(1);
  });

  test("a link to a deleted message says that it is gone", { tags: "long" }, async () => {
    await newChannel("gone");
    const { id: messageId } = await write(grace, "not for long");
    await grace.call("message.delete", { channelId, messageId });
    await open(`?message=${messageId}`);
    await expect.poll(() => page.getByText(t("shared:error.MESSAGE_NOT_FOUND")).count()).toBeGreaterThan(0);
  });

  test(
    "a jump to a day after the last message leads to that message, also if a deleted one follows",
    { tags: "long" },
    async () => {
      await newChannel("last-day", 3);
      const { messages } = await ada.call("message.list", { channelId });
      const { id: messageId } = await write(grace, "not for long");
      await grace.call("message.delete", { channelId, messageId });
      await open();
      await text("message 3").waitFor();
      await page.evaluate(WATCH_HIGHLIGHTS);
      await log()
        .getByRole("button", { name: t("messages:day.today") })
        .click();
      const field = page.getByLabel(t("messages:day.goTo"), { exact: true }).and(page.locator("input"));
      // As if the messages were of an earlier day.
      await field.evaluate((input) => input.removeAttribute("max"));
      await field.fill("2999-01-01");
      await page.getByRole("button", { name: t("messages:day.go"), exact: true }).click();
      await expect.poll(() => page.evaluate("[...highlighted]")).toEqual([`message-${messages.at(-1)!.id}`]);
    },
  );

  test("the edit history of a message is shown to the first version", { tags: "long" }, async () => {
    await newChannel("versions");
    const { id: messageId } = await write(ada, "version 0");
    for (let number = 1; number <= 60; number++)
      await ada.call("message.edit", { channelId, messageId, content: `version ${number}` });
    await show("versions");
    await text("version 60").click({ button: "right" });
    await page.getByRole("menuitem", { name: t("messages:action.history") }).click();
    const dialog = page.getByRole("dialog", { name: t("messages:history.title") });
    await dialog.getByText("version 59", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: t("ui:more") }).click();
    await dialog.getByText("version 0", { exact: true }).waitFor();
    expect(await dialog.getByRole("listitem").count()).toBe(61);
    expect(await dialog.getByRole("button", { name: t("ui:more") }).count()).toBe(0);
  });

  test(
    "messages can be clicked while the list scrolls, as when another one arrives",
    { tags: "long" },
    async () => {
      await newChannel("moving", 40);
      await open();
      await expect.poll(() => isInView("message 40")).toBe(true);
      await rest();
      const isHit = await text("message 35").evaluate((message) => {
        const frame = message.closest("[role=log]")!;
        const { ownerDocument: page } = message;
        const view = page.defaultView!;
        frame.scrollTop -= 20;
        return new Promise<boolean>((resolve) => {
          const look = () => {
            const { x, y } = message.getBoundingClientRect();
            resolve(message.contains(page.elementFromPoint(x + 2, y + 2)));
          };
          // Two frames later, the list knows that it scrolls.
          const wait = () => view.requestAnimationFrame(() => view.requestAnimationFrame(look));
          frame.addEventListener("scroll", wait, { once: true });
        });
      });
      expect(isHit).toBe(true);
    },
  );

  test("keys are shown before messages that arrive while the user types", { tags: "long" }, async () => {
    await newChannel("typed", 20);
    await open();
    await expect.poll(() => isInView("message 20")).toBe(true);
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#typed" }) });
    await field.click();
    await page.evaluate(HOLD_TASKS);
    await page.keyboard.press("h");
    await write(grace, "meanwhile");
    await page.waitForTimeout(500);
    await page.keyboard.press("i");
    await expect.poll(() => field.inputValue()).toBe("hi");
    expect(await text("meanwhile").count()).toBe(0);
    // Other changes don't wait, and show what waits.
    const { messages } = await ada.call("message.list", { channelId, around: 20, limit: 2 });
    await grace.call("message.delete", { channelId, messageId: messages.find(({ seq }) => seq === 20)!.id });
    await expect.poll(() => text("message 20").count()).toBe(0);
    expect(await text("meanwhile").count()).toBe(1);
    await page.evaluate("releaseTasks()");
    await text("meanwhile").waitFor();
    await expect.poll(() => isInView("meanwhile")).toBe(true);
  });

  describe("the position in a list in which new rows are being rendered while the user types", () => {
    /** The list is scrolled up, and a message arrives that isn't in view. */
    async function typeMeanwhile(name: string): Promise<void> {
      await newChannel(name, 150);
      await open();
      await expect.poll(() => isInView("message 150")).toBe(true);
      // Marking them as read would render the rows again, which hides a wrong shift.
      await page.waitForTimeout(1500);
      const height = () => log().evaluate(({ scrollHeight }) => scrollHeight);
      const before = await height();
      await log().hover();
      await expect
        .poll(
          async () => {
            await page.mouse.wheel(0, -300);
            return height();
          },
          { interval: 60 },
        )
        .toBeGreaterThan(before);
      await log().evaluate((element) => (element.scrollTop = 1850));
      await rest();
      await page.getByRole("textbox", { name: t("composer:label", { title: `#${name}` }) }).click();
      await page.evaluate(HOLD_RENDERING);
      await page.keyboard.press("h");
      for (let number = 1; number <= 6; number++) await write(grace, `new ${number}`);
      await expect.poll(() => page.evaluate("countHeld()")).toBeGreaterThan(0);
      expect(await text("new 1").count()).toBe(0);
    }

    test("stays if the list is rendered again", { tags: "long" }, async () => {
      await typeMeanwhile("rendered-again");
      const read = await firstInView();
      for (let line = 1; line <= 2; line++) await page.keyboard.press("Shift+Enter");
      await page.waitForTimeout(300);
      expect(await firstInView()).toEqual(read);
      await page.evaluate("releaseTasks()");
      await rest();
      expect(await firstInView()).toEqual(read);
    });

    test("stays if older messages are loaded", { tags: "long" }, async () => {
      await typeMeanwhile("older-meanwhile");
      await log().evaluate((element) => (element.scrollTop = 1450));
      const read = await firstInView();
      await expect.poll(topNow).toBeGreaterThan(2000);
      await page.evaluate("releaseTasks()");
      await rest();
      expect(await firstInView()).toEqual(read);
    });
  });

  const MACHINES = [
    { machine: "a quick machine", script: "", tags: [] },
    { machine: "a busy machine", script: MEASURES_LATE, tags: "long" },
  ];
  for (const { machine, script, tags } of MACHINES)
    describe(`scrolling on ${machine}`, { tags }, () => {
      beforeAll(async () => {
        if (script !== "") page = await newPage(script);
      });

      test(
        "a link leads to a message far up, and a button back to the newest",
        { tags: "long" },
        async () => {
          await newChannel("far", 260);
          const { messages } = await ada.call("message.list", { channelId, around: 40, limit: 2 });
          const target = messages.find(({ seq }) => seq === 40)!;
          const answer = await write(grace, "an answer", { replyTo: target.id });
          await open(`?message=${target.id}`);
          await text("message 40").waitFor();
          await expect.poll(() => isInView("message 40")).toBe(true);
          expect(new URL(page.url()).search).toBe("");
          await page.getByRole("button", { name: t("messages:jump.newest") }).click();
          await expect.poll(() => isInView("an answer")).toBe(true);
          // A moving list would slip from under the pointer.
          await rest();
          await log().getByRole("button", { name: "In reply to Grace" }).click();
          await page.getByRole("button", { name: t("messages:jump.newest") }).waitFor();
          await expect.poll(() => isInView("message 40")).toBe(true);
          // New messages must not scroll the list, and are counted.
          await write(grace, "meanwhile");
          await page.getByRole("button", { name: t("messages:jump.new", { count: 1 }) }).waitFor();
          expect(await isInView("message 40")).toBe(true);
          // Scrolls down page by page, through where history meets the live messages.
          await log().hover();
          await expect
            .poll(
              async () => {
                await page.mouse.wheel(0, 1500);
                return text("meanwhile").count();
              },
              { interval: 50 },
            )
            .toBe(1);
          await expect
            .poll(() => page.getByRole("button", { name: t("messages:jump.newest") }).count())
            .toBe(0);
          expect(answer.seq).toBe(261);
        },
      );

      test(
        "a link to a reply shows it in its thread, and a link to a thread its newest replies",
        { tags: "long" },
        async () => {
          await newChannel("thread");
          const root = await write(grace, "root");
          const opened = await grace.call("channel.openThread", { channelId, messageId: root.id });
          const threadId = opened.channel.id;
          const replies: Message[] = [];
          for (let number = 1; number <= 200; number++)
            replies.push(await write(grace, `reply ${number}`, { channelId: threadId }));
          const inChannel = `/groups/${groupId}/channels/${channelId}?thread=${threadId}`;
          const ownAddress = `/groups/${groupId}/channels/${threadId}`;
          const message = `message=${replies[59]!.id}`;
          for (const link of [`${inChannel}&${message}`, `${ownAddress}?${message}`]) {
            await site.open(page, link, tokens);
            await expectAtRest("reply 60");
          }
          for (const link of [inChannel, ownAddress]) {
            await site.open(page, link, tokens);
            await expectAtRest("reply 200");
          }
        },
      );

      test("opens at the first unread message, and marks visible messages read", async () => {
        await newChannel("unread", 30);
        for (let number = 31; number <= 34; number++) await write(grace, `message ${number}`);
        await open();
        await log()
          .getByRole("separator", { name: t("messages:unreadDivider") })
          .waitFor();
        await expect.poll(() => isInView("message 31")).toBe(true);
        const unread = async () => {
          const { channels } = await ada.call("channel.list", { groupId });
          const { head, lastReadSeq } = channels.find(({ id }) => id === channelId)!;
          return head.seq - lastReadSeq;
        };
        await expect.poll(unread).toBe(0);
        await page.reload();
        await text("message 34").waitFor();
        // The page first shows what it stored at the last visit.
        await expect
          .poll(() =>
            log()
              .getByRole("separator", { name: t("messages:unreadDivider") })
              .count(),
          )
          .toBe(0);
      });

      test("follows the end if that is near where it opens", { tags: "long" }, async () => {
        const openUnread = async (name: string): Promise<number> => {
          await newChannel(name, 30);
          for (let number = 31; number <= 45; number++) await write(grace, `message ${number}`);
          await open();
          await text("message 31").waitFor();
          await rest();
          return fromEnd();
        };
        const { width, height } = page.viewportSize()!;
        await page.setViewportSize({ width, height: height + (await openUnread("far-end")) - 30 });
        expect(Math.abs((await openUnread("near-end")) - 30)).toBeLessThan(20);
        const jump = page.getByRole("button", { name: t("messages:jump.newest") });
        await expect.poll(() => jump.count()).toBe(0);
        await write(grace, "message 46");
        await text("message 46").waitFor();
        await expect.poll(() => isInView("message 46")).toBe(true);
        await page.setViewportSize({ width, height });
      });

      test(
        "opens at the end if what was unread at the last visit has been read on another device",
        { tags: "long" },
        async () => {
          await newChannel("read-elsewhere", 30);
          await open();
          await expect.poll(() => isInView("message 30")).toBe(true);
          await site.visit(page, "/inbox");
          for (let number = 31; number <= 70; number++) await write(grace, `message ${number}`);
          const stored = (): Promise<string> => page.evaluate(STORED(channelId));
          await expect.poll(stored).toContain("message 70");
          await page.goto("about:blank");
          await ada.call("channel.markRead", { channelId, seq: 70 });
          await open();
          await expect.poll(() => isInView("message 70")).toBe(true);
          const jump = page.getByRole("button", { name: t("messages:jump.newest") });
          await expect.poll(() => jump.count()).toBe(0);
        },
      );

      test(
        "moves to the end if all was read on another device before it is synced",
        { tags: "long" },
        async () => {
          await newChannel("read-meanwhile", 30);
          await open();
          await expect.poll(() => isInView("message 30")).toBe(true);
          await site.visit(page, "/inbox");
          await writeUpTo(70, 31);
          await expect.poll(() => page.evaluate(STORED(channelId))).toContain("message 70");
          await page.goto("about:blank");
          await writeUpTo(110, 71);
          const { promise, resolve } = Promise.withResolvers<void>();
          await delayActions(page, /^channel\.sync$/, promise);
          await open();
          await expect.poll(() => isInView("message 31")).toBe(true);
          await rest();
          await ada.call("channel.markRead", { channelId, seq: 110 });
          await log()
            .getByRole("separator", { name: t("messages:unreadDivider") })
            .waitFor({ state: "detached" });
          resolve();
          await expect.poll(() => isInView("message 110")).toBe(true);
          await rest();
          expect(await isInView("message 110")).toBe(true);
        },
      );

      describe("in a channel that this browser has stored", () => {
        /** Five messages are stored and read. The page is closed. */
        async function newStored(name: string): Promise<void> {
          await newChannel(name, 5);
          await open();
          await expect.poll(() => page.evaluate(STORED(channelId))).toContain("message 5");
          await page.goto("about:blank");
        }

        /** Opens the channel with what is stored; it is synced once the returned function is called. */
        async function openOutdated(): Promise<() => void> {
          const { promise, resolve } = Promise.withResolvers<void>();
          await delayActions(page, /^channel\.sync$/, promise);
          await open();
          await text("message 5").waitFor();
          await rest();
          return resolve;
        }

        test("opens at the first unread message", { tags: "long" }, async () => {
          await newStored("stored");
          await writeUpTo(45);
          await open();
          await expectAtRest("message 6");
        });

        test("opens there too if the list is rendered before the new messages are", async () => {
          await newStored("rendered-early");
          await writeUpTo(45);
          const sync = await openOutdated();
          await page.evaluate(HOLD_FRAMES);
          sync();
          // The page gets the answer a moment later.
          await page.waitForTimeout(300);
          await text("message 4").evaluate((element) => element.closest("article")!.focus());
          await page.evaluate("releaseFrames()");
          await expectAtRest("message 6");
        });

        test("opens there too if the first stored message was deleted", { tags: "long" }, async () => {
          await newStored("deleted-first");
          const { messages } = await ada.call("message.list", { channelId });
          await grace.call("message.delete", { channelId, messageId: messages[0]!.id });
          await writeUpTo(45);
          const sync = await openOutdated();
          sync();
          await expectAtRest("message 6");
        });

        test("opens there too if the window loses the focus meanwhile", { tags: "long" }, async () => {
          await newStored("blurred");
          await writeUpTo(6);
          const sync = await openOutdated();
          // On another device.
          await ada.call("channel.markRead", { channelId, seq: 6 });
          await page.waitForTimeout(300);
          await page.evaluate(`dispatchEvent(new Event("blur"))`);
          await writeUpTo(45, 7);
          sync();
          await expectAtRest("message 7");
        });

        test("marks only messages in view as read if the window gets the focus meanwhile", async () => {
          await newStored("focused");
          await writeUpTo(45);
          const sync = await openOutdated();
          await page.evaluate(FOCUS_ON_CHANGE);
          sync();
          await expectAtRest("message 6");
          await expect.poll(lastReadSeq).toBeGreaterThan(6);
          // The last one can be visible in part.
          expect(await isInView(`message ${(await lastReadSeq()) - 1}`)).toBe(true);
        });
      });

      test(
        "opens there too if the channel is opened before it is synced again",
        { tags: "long" },
        async () => {
          await newChannel("reconnected", 5);
          const { promise, resolve } = Promise.withResolvers<void>();
          await delayActions(page, /^channel\.sync$/, promise);
          await open();
          await text("message 5").waitFor();
          await site.visit(page, "/inbox");
          await page.context().setOffline(true);
          await page.getByText(t("shell:connection.noNetwork")).waitFor();
          await writeUpTo(45);
          await page.context().setOffline(false);
          await site.visit(page, `/groups/${groupId}/channels/${channelId}`);
          await text("message 5").waitFor();
          await rest();
          resolve();
          await expectAtRest("message 6");
        },
      );

      test(
        "leaves unread what another device marked as unread while this one had no connection",
        { tags: "long" },
        async () => {
          await newChannel("unread-elsewhere", 20);
          await write(grace, "message 21");
          // Otherwise the page would repeat the call.
          const { promise: isMarked, resolve } = Promise.withResolvers<void>();
          await handleCalls(page, async ({ name, pass, answer }) => {
            answer(await pass());
            if (name === "channel.markRead") resolve();
          });
          await open();
          await isMarked;
          expect(await lastReadSeq()).toBe(21);
          await page.context().setOffline(true);
          await page.getByText(t("shell:connection.noNetwork")).waitFor();
          await ada.call("channel.markUnread", { channelId, seq: 11 });
          await page.context().setOffline(false);
          await page.getByText(t("shell:connection.noNetwork")).waitFor({ state: "detached" });
          // Longer than until visible messages are marked.
          await page.waitForTimeout(1500);
          expect(await lastReadSeq()).toBe(10);
        },
      );

      test("marks messages read while others keep arriving", { tags: "long" }, async () => {
        await newChannel("busy", 1);
        await open();
        let isRead = false;
        for (let number = 2; !isRead && number < 200; number++) {
          await write(grace, `message ${number}`);
          await new Promise((resolve) => setTimeout(resolve, 300));
          const { channels } = await ada.call("channel.list", { groupId });
          isRead = channels.find(({ id }) => id === channelId)!.lastReadSeq > 1;
        }
        expect(isRead).toBe(true);
      });

      test("a bar leads to the first unread message, however far up it is", { tags: "long" }, async () => {
        await newChannel("far-unread", 5);
        for (let number = 6; number <= 130; number++) await write(grace, `message ${number}`);
        await open();
        await page.getByRole("button", { name: t("messages:jump.unread", { count: 125 }) }).click();
        await expect.poll(() => isInView("message 6")).toBe(true);
        await log()
          .getByRole("separator", { name: t("messages:unreadDivider") })
          .waitFor();
        await page.getByRole("button", { name: t("messages:jump.newest") }).click();
        await expect.poll(() => isInView("message 130")).toBe(true);
      });

      test(
        "scrolling up loads one page at a time, also before that page is rendered",
        { tags: "long" },
        async () => {
          await newChannel("one-page", 160);
          const loads = { asked: 0, answered: 0 };
          await handleCalls(page, async ({ name, pass, answer }) => {
            const count = name === "message.list" ? 1 : 0;
            loads.asked += count;
            answer(await pass());
            loads.answered += count;
          });
          await open();
          await expect.poll(() => isInView("message 160")).toBe(true);
          await rest();
          const { asked } = loads;
          const scrollToTop = () =>
            log().evaluate(
              (list) =>
                new Promise<void>((resolve) => {
                  list.addEventListener("scroll", () => resolve(), { once: true });
                  list.scrollTop = list.scrollTop === 0 ? 1 : 0;
                }),
            );
          await page.evaluate(HOLD_FRAMES);
          await scrollToTop();
          await expect.poll(() => loads.answered).toBe(asked + 1);
          for (let time = 1; time <= 5; time++) await scrollToTop();
          expect(loads.asked).toBe(asked + 1);
          await page.evaluate("releaseFrames()");
          await scrollToTop();
          await expect.poll(() => loads.asked).toBeGreaterThan(asked + 1);
        },
      );

      test("scrolling on from there is not undone", { tags: "long" }, async () => {
        await newChannel("scrolled-on", 5);
        for (let number = 6; number <= 45; number++) await write(grace, `message ${number}`);
        await open();
        await text("message 6").waitFor();
        const top = await rest();
        await log().hover();
        const scrollOn = async () => {
          await page.mouse.wheel(0, 300);
          return topNow();
        };
        await expect.poll(scrollOn).toBeGreaterThan(top + 250);
        expect(await rest()).toBeGreaterThan(top + 250);
      });

      test("stays at the end if the list shrinks while scrolling there", { tags: "long" }, async () => {
        await newChannel("lower", 60);
        await open();
        await expect.poll(() => isInView("message 60")).toBe(true);
        await rest();
        // As in a thread whose first message is inserted above the list: the browser only reports the scroll to
        // the end after that.
        await page.evaluate(LOWER_ON_CHANGE);
        await write(grace, "message 61");
        await expectAtRest("message 61");
        expect(await page.getByRole("button", { name: t("messages:jump.newest") }).count()).toBe(0);
      });

      test("stays at the end if rows are added before the browser reports that others shrank", async () => {
        await newChannel("shrunk", 60);
        await open();
        const jump = page.getByRole("button", { name: t("messages:jump.newest") });
        await expect.poll(() => isInView("message 60")).toBe(true);
        const row = text("message 60").locator("xpath=ancestor::article");
        await row.evaluate((element) => (element.style.minHeight = "200px"));
        await rest();
        expect(await fromEnd()).toBeLessThan(2);
        await row.evaluate((element) => {
          const list = element.closest("[role=log]")!;
          const end = list.lastElementChild!;
          const grow = () => (end.style.height = "500px");
          list.parentElement!.addEventListener("scroll", grow, { capture: true, once: true });
          element.style.minHeight = "";
        });
        await expect.poll(() => log().evaluate((list) => list.lastElementChild!.clientHeight)).toBe(500);
        await rest();
        expect(await fromEnd()).toBeLessThan(2);
        expect(await jump.count()).toBe(0);
      });

      test("stays at the end as messages arrive, and announces them", async () => {
        await newChannel("end", 60);
        await open();
        await expect.poll(() => isInView("message 60")).toBe(true);
        for (let number = 61; number <= 70; number++) await write(grace, `message ${number}`);
        await expect.poll(() => isInView("message 70")).toBe(true);
        await page
          .locator("[aria-live=polite]")
          .getByText(`${t("messages:announce", { name: "Grace" })} message 70`)
          .waitFor({ state: "attached" });
        await log().hover();
        // Rows measured meanwhile may shorten the distance of a wheel event.
        await expect
          .poll(
            async () => {
              await page.mouse.wheel(0, -300);
              return fromEnd();
            },
            { interval: 100 },
          )
          .toBeGreaterThan(598);
        await rest();
        const read = await firstInView();
        for (let number = 71; number <= 75; number++) await write(grace, `message ${number}`);
        await page.getByRole("button", { name: t("messages:jump.new", { count: 5 }) }).waitFor();
        await rest();
        expect(await firstInView()).toEqual(read);
      });
    });
});
