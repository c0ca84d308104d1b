import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import { freePort } from "@fanfare/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("the first minute of two users", () => {
  let folder: string;
  /** Kept free while the server is down, which a system-assigned port would not be. */
  let port: string;

  beforeAll(async () => {
    port = String(await freePort());
    folder = await mkdtemp(join(tmpdir(), "fanfare-e2e-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  // With threads, as by default.
  const site = useSite(() => ({ DATA_DIR: folder, GATEWAY_THREADS: "", PORT: port }));

  async function openWindow(path: string): Promise<Page> {
    const page = await site.newPage({ serviceWorker: true });
    // While the server restarts, the browser logs refused and reset connections, and messages sent before the
    // page learns that the socket is closed.
    site.watchConsole(page, (text) =>
      /ERR_CONNECTION_(REFUSED|RESET)|WebSocket is already in CLOSING or CLOSED state/.test(text),
    );
    await page.goto(site.url + path);
    return page;
  }

  const field = (page: Page) =>
    page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
  const messages = (page: Page) => page.getByRole("log").locator(".message:not(.pending) .message-text");
  const message = (page: Page, text: string) => page.getByRole("log").getByText(text, { exact: true });

  async function write(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await field(page).press("Enter");
  }

  async function createGroup(page: Page, nickname: string): Promise<string> {
    await page.getByLabel(t("session:yourName")).fill(nickname);
    await page.getByRole("button", { name: t("session:asGuest") }).click();
    await page.getByLabel(t("groups:create.name")).fill("Rocket builders");
    await page.getByRole("button", { name: t("groups:create.action") }).click();
    // The group is empty, so the invite link is shown at once.
    const link = page.getByRole("textbox", { name: t("invites:link") });
    await expect.poll(() => link.inputValue()).not.toBe("");
    const url = await link.inputValue();
    await page.keyboard.press("Escape");
    return url;
  }

  async function joinBy(link: string, nickname: string): Promise<Page> {
    const page = await openWindow(new URL(link).pathname);
    await page.getByText(t("session:invited")).waitFor();
    await page.getByText("Rocket builders", { exact: true }).waitFor();
    await page.getByText(t("session:memberCount", { count: 1 }), { exact: true }).waitFor();
    await page.getByLabel(t("session:yourName")).fill(nickname);
    await page.getByRole("button", { name: t("session:joinAsGuest") }).click();
    await field(page).waitFor();
    return page;
  }

  /** Until a dialog has closed, the messages behind it can't be found. */
  async function expectSame(pages: Page[], texts: string[]): Promise<void> {
    for (const page of pages) await expect.poll(() => messages(page).allTextContents()).toEqual(texts);
  }

  test("a guest creates a group, another one joins by its link, and they chat", async () => {
    const ada = await openWindow("/");
    const grace = await joinBy(await createGroup(ada, "Ada"), "Grace");
    await ada.locator('[data-count="2"]').waitFor();

    await write(ada, "Hello Grace");
    await message(grace, "Hello Grace").waitFor();
    await write(grace, "<b>Hello</b> Ada");
    await message(ada, "<b>Hello</b> Ada").waitFor();
    await expectSame([ada, grace], ["Hello Grace", "<b>Hello</b> Ada"]);
    await ada.getByText("Grace", { exact: true }).waitFor();

    await message(ada, "Hello Grace").hover();
    await ada.getByRole("button", { name: t("common:edit") }).click();
    await ada.getByRole("textbox", { name: t("messages:editLabel") }).fill("Hello everyone");
    await ada.keyboard.press("Enter");
    await message(grace, "Hello everyone").waitFor();
    await message(grace, "(edited)").waitFor();

    await message(grace, "<b>Hello</b> Ada").hover();
    await grace
      .getByRole("log")
      .getByRole("button", { name: t("common:more") })
      .click();
    await grace.getByRole("menuitem", { name: t("common:delete") }).click();
    await grace.getByRole("button", { name: t("messages:delete.action") }).click();
    for (const page of [ada, grace]) await message(page, "<b>Hello</b> Ada").waitFor({ state: "detached" });
    await expectSame([ada, grace], ["Hello everyone"]);

    await Promise.all([ada.reload(), grace.reload()]);
    for (const page of [ada, grace]) await message(page, "Hello everyone").waitFor();
    await expectSame([ada, grace], ["Hello everyone"]);
  });

  test(
    "text typed while the first dialog is open stays in it, and then goes into the channel",
    { tags: "long" },
    async () => {
      const ada = await openWindow("/");
      await ada.getByLabel(t("session:yourName")).fill("Ada");
      await ada.getByRole("button", { name: t("session:asGuest") }).click();
      await ada.getByLabel(t("groups:create.name")).fill("Rocket builders");
      await ada.getByRole("button", { name: t("groups:create.action") }).click();
      const dialog = ada.getByRole("dialog", { name: /Rocket builders/ });
      await dialog.waitFor();
      const composer = ada.locator("#main textarea");
      await composer.waitFor({ state: "attached" });
      const isFocusIn = (selector: string) =>
        ada.evaluate<boolean>(`document.activeElement.closest(${JSON.stringify(selector)}) !== null`);
      await expect.poll(() => isFocusIn("[role=dialog]")).toBe(true);
      await ada.keyboard.type("zzz");
      expect(await composer.inputValue()).toBe("");
      // Not by a script either, such as one that runs late.
      await composer.evaluate((element) => element.focus());
      expect(await isFocusIn("[role=dialog]")).toBe(true);
      await ada.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => isFocusIn("#main textarea")).toBe(true);
      await ada.keyboard.type("Hello");
      expect(await composer.inputValue()).toBe("Hello");
    },
  );

  test(
    "a restart of the server loses nothing, and all clients reconnect by themselves",
    { tags: "long" },
    async () => {
      const ada = await openWindow("/");
      const grace = await joinBy(await createGroup(ada, "Ada"), "Grace");
      await write(ada, "before");
      await message(grace, "before").waitFor();

      await site.instance.stop();
      await ada.getByText(t("shell:connection.reconnecting")).waitFor();
      await write(ada, "meanwhile, one");
      await write(ada, "meanwhile, two");
      await ada.getByText(t("messages:item.sending")).first().waitFor();
      await site.start({ DATA_DIR: folder, GATEWAY_THREADS: "", PORT: port });

      await message(grace, "meanwhile, two").waitFor();
      await write(grace, "after");
      await message(ada, "after").waitFor();
      await expectSame([ada, grace], ["before", "meanwhile, one", "meanwhile, two", "after"]);
      for (const page of [ada, grace])
        await page.getByText(t("shell:state.online"), { exact: true }).waitFor();
    },
  );

  test("scrolling up loads older messages up to the first", async () => {
    const ada = await openWindow("/");
    const link = await createGroup(ada, "Ada");
    const sender = new FanfareClient({ url: site.url });
    await sender.createGuest();
    const { channels } = await sender.call("invite.accept", { code: link.split("/").at(-1)! });
    const channel = sender.channel(channels[0]!.id);
    const texts = Array.from({ length: 120 }, (_, i) => `message ${i + 1}`);
    let newestId = "";
    for (const text of texts) newestId = (await channel.send(text)).id;
    await message(ada, "message 120").waitFor();
    // Otherwise, the page opens at the first unread message.
    const newest = { channelId: channels[0]!.id, messageId: newestId };
    await expect.poll(async () => (await sender.call("message.listReaders", newest)).count).toBe(1);

    await ada.reload();
    await message(ada, "message 120").waitFor();
    const log = ada.getByRole("log");
    await log.hover();
    // The page only has the messages in view: together, those seen on the way up must be all of them.
    const seen = new Set<string>();
    while (!seen.has("message 1")) {
      for (const text of await messages(ada).allTextContents()) seen.add(text);
      // One turn of the wheel after the other: several at once can pass rows on a busy machine.
      const ended = log.evaluate((list) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        list.addEventListener("scrollend", () => resolve(), { once: true });
        setTimeout(resolve, 1000);
        return promise;
      });
      await ada.mouse.wheel(0, -200);
      await ended;
    }
    expect(seen.size).toBe(texts.length);
    await log.getByText(t("messages:beginning.text", { name: "#general" })).waitFor();
    await ada.getByRole("button", { name: t("messages:jump.newest") }).click();
    await message(ada, "message 120").waitFor();
    sender.close();
  });

  test("an account can be created, logged out, and logged in to again", { tags: "long" }, async () => {
    const ada = await openWindow("/");
    await ada.getByRole("link", { name: t("session:register") }).click();
    await ada.getByLabel(t("session:username")).fill("a");
    await ada.getByLabel(t("session:password"), { exact: true }).fill("correct horse");
    await ada
      .locator("form")
      .getByRole("button", { name: t("session:register") })
      .click();
    await ada.getByRole("alert").getByText("Must be").waitFor();
    expect(site.complaints.splice(0)).toEqual([expect.stringContaining("422")]);
    await ada.getByLabel(t("session:username")).fill("ada");
    await ada
      .locator("form")
      .getByRole("button", { name: t("session:register") })
      .click();
    await ada.getByText(t("groups:first.title", { name: "Fanfare" })).waitFor();
    await ada.getByRole("button", { name: t("shell:you") }).click();
    await ada.getByRole("menuitem", { name: t("shell:logOut") }).click();

    await ada.getByRole("link", { name: t("session:logIn") }).click();
    await ada.getByLabel(t("session:username")).fill("ada");
    await ada.getByLabel(t("session:password"), { exact: true }).fill("correct horse");
    await ada
      .locator("form")
      .getByRole("button", { name: t("session:logIn") })
      .click();
    await ada.getByText(t("groups:first.title", { name: "Fanfare" })).waitFor();
  });
});
