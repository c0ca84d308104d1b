import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import { isInstalled, type ServerProcess, startServer } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { drawSquare } from "../support/emoji.ts";
import { type Instance, startInstance } from "../support/instance.ts";
import { KEYS, until, WebDriver } from "../support/web-driver.ts";
import { otherPaths } from "./every-page.ts";
import { layoutFaults } from "./layout-faults.ts";
import { LOADED } from "./site.ts";
import { t } from "./texts.ts";

const LAPTOP = [1100, 700] as const;
const PHONE = [390, 700] as const;
/** The protocol has no access to the page's errors. */
const REMEMBER_ERRORS = `{
  const remember = (error) =>
    sessionStorage.setItem("errors", [sessionStorage.getItem("errors"), String(error)].join("\\n"));
  // Layouts that took more than one frame are no fault.
  addEventListener("error", ({ message }) => message.startsWith("ResizeObserver loop") || remember(message));
  addEventListener("unhandledrejection", ({ reason }) => remember(reason));
}`;
/** Otherwise the buttons of its own bar would make the window wider than a phone. */
const NARROW_BAR = "* { min-width: 0; padding: 0; margin: 0; border-width: 0; }";
const STILL = "[Settings]\ngtk-enable-animations=0\n";
const PASSWORD = "correct horse";

const canRun = ["WebKitWebDriver", "Xvfb"].map(isInstalled).every(Boolean);

/** Debian's WebKitGTK, in a window of its own screen. Each test continues where the one before ended. */
describe.skipIf(!canRun)("the page in WebKit", { tags: "long" }, () => {
  let instance: Instance;
  let screen: ServerProcess;
  let driver: ServerProcess;
  let page: WebDriver;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let webDir: string;

  beforeAll(async () => {
    webDir = await pageWithErrors();
    [instance, screen] = await Promise.all([
      startInstance({ WEB_DIR: webDir, MONGO_URL: "" }),
      startServer("screen", {}, ({ port }) => ({
        command: "Xvfb",
        args: [`:${port}`, "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-displayfd", "1"],
        url: `:${port}`,
        isReady: (printed) => printed.includes(String(port)),
      })),
    ]);
    driver = await startServer("webkit", {}, ({ port, folder }) => ({
      command: "WebKitWebDriver",
      args: [`--port=${port}`, "--host=127.0.0.1"],
      env: {
        DISPLAY: screen.url,
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        XDG_RUNTIME_DIR: folder,
        LANG: "C.UTF-8",
        NO_AT_BRIDGE: "1",
        GDK_BACKEND: "x11",
        LIBGL_ALWAYS_SOFTWARE: "1",
        // Machines without a graphics card show nothing otherwise.
        WEBKIT_DISABLE_DMABUF_RENDERER: "1",
      },
      url: `http://127.0.0.1:${port}`,
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/status`)).ok,
    }));
    for (const version of ["gtk-3.0", "gtk-4.0"]) {
      const folder = join(driver.folder, version);
      await mkdir(folder);
      await writeFile(join(folder, "gtk.css"), NARROW_BAR);
      await writeFile(join(folder, "settings.ini"), STILL);
    }
    page = await WebDriver.start(driver.url, {});
    await page.resize(...LAPTOP);
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") console.log(await page.evaluate("document.body.innerText"));
    const errors = await page.evaluate<string | null>("sessionStorage.getItem('errors')");
    await page.evaluate("sessionStorage.removeItem('errors')");
    if (errors !== null) throw new Error(`Errors in the browser: ${errors}`);
  });

  afterAll(async () => {
    grace?.close();
    await page?.stop();
    await driver?.stop();
    await screen?.stop();
    await instance?.stop();
    await rm(webDir, { recursive: true, force: true });
  });

  /** @returns the folder of a built page that remembers its errors */
  async function pageWithErrors(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-webkit-"));
    await cp(inject("webBuild"), folder, { recursive: true });
    const first = join(folder, "theme.js");
    await writeFile(first, REMEMBER_ERRORS + (await readFile(first, "utf8")));
    await Promise.all(["br", "gz"].map((kind) => rm(`${first}.${kind}`)));
    return folder;
  }

  const write = (content: string, more: object = {}) =>
    grace.call("message.send", { channelId, content, nonce: crypto.randomUUID(), ...more });
  const newest = async (inChannel = channelId) => {
    const { messages } = await grace.call("message.list", { channelId: inChannel, limit: 1 });
    return messages[0]?.content;
  };
  const field = t("composer:label", { title: "#general" });
  const shown = (content: string) => page.find("[role=log] .message-text", content);
  /** In the user's menu, which closes when a dialog that has just been closed gives the focus back. */
  const chooseOfUser = (css: string, name: string, isDone: string) =>
    until(name, async () => {
      const done = await page.evaluate<boolean>(isDone);
      if (!done && !(await page.clickIfShown(css, name))) await page.clickIfShown("footer button");
      return done;
    });

  test("a visitor registers, creates a group, and chats with a member", async () => {
    await page.open(instance.url);
    await page.click("a", t("session:register"));
    await page.type("input[name=username]", "ada");
    await page.type("input[type=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.untilText("h1, h2", t("groups:first.title", { name: "Fanfare" }));
    await page.type("input", "Rocket builders", t("groups:create.name"));
    await page.click("button", t("groups:create.action"));
    const link = await until("the invite link", () =>
      page.evaluate<string | null>("document.querySelector('[role=dialog] input[readonly]')?.value || null"),
    );
    await page.press(KEYS.escape);

    grace = new FanfareClient({ url: instance.url });
    await grace.register({ username: "grace", password: PASSWORD, nickname: "Grace" });
    const joined = await grace.call("invite.accept", { code: link.split("/").at(-1)! });
    groupId = joined.group.id;
    channelId = joined.channels[0]!.id;
    await write("Hello Ada");
    await shown("Hello Ada");
    await page.type("textarea", "hello grace", field);
    await page.press(KEYS.enter);
    await shown("hello grace");
    await expect.poll(() => newest()).toBe("hello grace");

    await page.reload();
    await shown("Hello Ada");
    await page.open(instance.url);
    await shown("hello grace");
  });

  test("an emoji, a thread, a picture and the settings", async () => {
    await page.click("button", t("composer:emoji"));
    await page.type("[role=dialog] input", "rocket", t("emoji:search"));
    await page.untilText("[role=option]", "Rocket");
    await page.press(KEYS.enter);
    await until("the emoji", () =>
      page.evaluate<boolean>("document.querySelector('#main textarea').value.includes('🚀')"),
    );
    await page.click("textarea", field);
    await page.press(KEYS.enter);
    await expect.poll(() => newest()).toMatch(/^🚀/);

    await write("Plans?");
    await shown("Plans?");
    // The list still moves for the new message.
    await until("its menu", async () => {
      const isChosen = await page.clickIfShown("[role=menuitem]", t("messages:action.startThread"));
      if (!isChosen) await page.point("[role=log] .message-text", "Plans?", 2);
      return isChosen;
    });
    await page.type("aside textarea", "mars", t("composer:replyInThread"));
    await page.press(KEYS.enter);
    await page.find("aside [role=log] .message-text", "mars");
    const threadId = await page.evaluate<string>("new URLSearchParams(location.search).get('thread')");
    await expect.poll(() => newest(threadId)).toBe("mars");
    await write("Or Venus?", { channelId: threadId });
    await page.find("aside [role=log] .message-text", "Or Venus?");
    await page.click("aside button", t("ui:close"));

    const picture = new Blob([new Uint8Array(await drawSquare("teal", 600))]);
    const { fileId } = await grace.upload(channelId, "teal.png", picture);
    await write("look", { attachmentIds: [fileId] });
    await page.click("[role=log] button", t("messages:attachment.show", { name: "teal.png" }));
    await until("the picture", () =>
      page.evaluate<boolean>("document.querySelector('[role=dialog] img, dialog img').naturalWidth === 600"),
    );
    await page.press(KEYS.escape);
    await until("the viewer's end", () =>
      page.evaluate<boolean>("document.querySelector('dialog[open]') === null"),
    );

    const isDark = "document.documentElement.dataset.theme === 'dark'";
    await chooseOfUser("[role=menuitemcheckbox]", t("session:theme.dark"), isDark);
    await chooseOfUser("[role=menuitem]", t("common:settings"), "location.pathname.startsWith('/settings')");
    await page.untilText("main, #main", t("settings:profile.bio"));
  });

  test.each([
    ["a laptop", LAPTOP],
    ["a phone", PHONE],
  ])("on %s, every page fits into the window", async (_, [width, height]) => {
    await page.resize(width, height);
    // WebKit can keep some styles of the former width.
    await page.open(instance.url);
    const channel = `/groups/${groupId}/channels/${channelId}`;
    const found: string[] = [];
    for (const path of [channel, ...otherPaths(groupId)]) {
      await page.visit(path);
      await page.evaluate(LOADED);
      found.push(...(await layoutFaults(page, path)));
    }
    await page.visit(channel);
    await page.find("textarea", field);
    const isInWindow =
      "document.querySelector('#main textarea').getBoundingClientRect().bottom <= innerHeight";
    expect(await page.evaluate<boolean>(isInWindow)).toBe(true);
    expect(found).toEqual([]);
  });

  test("on a phone, the lists lead to a channel, and a message's menu to its thread", async () => {
    await page.resize(...PHONE);
    await page.click("button", t("shell:openLists"));
    await page.click("[role=dialog] a", "general");
    await until("the lists' end", () =>
      page.evaluate<boolean>("document.querySelector('[role=dialog]') === null"),
    );
    await page.point("[role=log] .message-text", "Plans?", 2);
    await page.click("[role=dialog] button", t("messages:action.openThread"));
    await page.find("[role=dialog] [role=log] .message-text", "mars");
    expect(await layoutFaults(page, "thread")).toEqual([]);
  });
});
