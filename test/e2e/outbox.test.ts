import type { FanfareClient } from "@fanfare/client";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { delayActions, drawn, failAction, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser())("the outbox", () => {
  const site = useSite();
  /** The group's owner, who is also the user in the browser. */
  let ada: FanfareClient;
  let grace: FanfareClient;
  let groupId: string;
  let channelId: string;
  let context: BrowserContext;
  let rounds = 0;

  beforeAll(async () => {
    ({ ada, grace, groupId } = await site.newTeam());
  });
  beforeEach(async () => {
    rounds += 1;
    channelId = (await ada.call("channel.create", { groupId, name: `room-${rounds}` })).channel.id;
    context = await site.newContext({}, await site.logIn("grace"));
  });

  async function open(): Promise<Page> {
    const page = await context.newPage();
    site.watch(page);
    await page.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
    await field(page).waitFor();
    // The waiting message can only be listed once the channel's messages are loaded.
    await page.getByRole("log").waitFor();
    return page;
  }

  const field = (page: Page) =>
    page.getByRole("textbox", { name: t("composer:label", { title: `#room-${rounds}` }) });
  const pending = (page: Page, text: string) => page.getByRole("log").locator(".pending").getByText(text);
  const stored = async () =>
    (await ada.call("message.list", { channelId })).messages.map(({ content }) => content);

  /** Resolves when the pages know: everything they send from then on waits. */
  async function goOffline(...pages: Page[]): Promise<void> {
    await context.setOffline(true);
    for (const page of pages) await page.getByText(t("shell:connection.noNetwork")).waitFor();
  }

  async function write(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await page.keyboard.press("Enter");
    await pending(page, text).waitFor();
  }

  /** Of each message that this browser has stored, whether it failed. */
  const kept = (page: Page) =>
    page.evaluate<boolean[]>(`new Promise((resolve, reject) => {
      const opening = indexedDB.open("fanfare");
      opening.onerror = reject;
      opening.onsuccess = () => {
        const reading = opening.result.transaction("outbox").objectStore("outbox").getAll();
        reading.onsuccess = () => {
          opening.result.close();
          resolve(reading.result.map(({ failure }) => failure !== null));
        };
      };
    })`);
  const expectKept = (page: Page, count: number) => expect.poll(() => kept(page)).toHaveLength(count);

  test(
    "one of two tabs sends what the other left behind, but not what it is still sending",
    { tags: "long" },
    async () => {
      const [one, other] = [await open(), await open()];
      await goOffline(one, other);
      await write(one, "from the first tab");
      await write(other, "from the other tab");
      await expectKept(one, 2);
      expect(await pending(other, "from the first tab").count()).toBe(0);
      // Back online, it knows of the first tab and waits until that closes.
      await one.close();
      await context.setOffline(false);
      await expect
        .poll(async () => (await stored()).toSorted())
        .toEqual(["from the first tab", "from the other tab"]);
      await expectKept(other, 0);
    },
  );

  test(
    "a tab sends what others leave behind while it is online, also those opened after it",
    { tags: "long" },
    async () => {
      const tabs = [await open(), await open(), await open()];
      const [earlier, staying, later] = tabs as [Page, Page, Page];
      for (const page of [earlier, later]) {
        const network = await context.newCDPSession(page);
        const conditions = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
        await network.send("Network.emulateNetworkConditions", conditions);
        await page.getByText(t("shell:connection.noNetwork")).waitFor();
      }
      await write(earlier, "from the earlier tab");
      await write(later, "from the later tab");
      await expectKept(staying, 2);
      await earlier.close();
      await expect.poll(stored).toEqual(["from the earlier tab"]);
      await later.close();
      await expect.poll(stored).toEqual(["from the earlier tab", "from the later tab"]);
      await expectKept(staying, 0);
    },
  );

  test("a text that can be a command waits for the connection in the field, and can be changed", async () => {
    const page = await open();
    await goOffline(page);
    await write(page, "/usr/bin/env is none");
    await field(page).fill("/launch at dawn");
    await page.keyboard.press("Enter");
    const waiting = page.getByText(t("composer:command.waiting"));
    await waiting.waitFor();
    await page.keyboard.press("Escape");
    await waiting.waitFor({ state: "detached" });
    await field(page).fill("/launch at six");
    await page.keyboard.press("Enter");
    await waiting.waitFor();
    expect(await page.evaluate("document.activeElement.readOnly")).toBe(true);
    expect(await pending(page, "/launch").count()).toBe(0);
    await context.setOffline(false);
    // There is no such command.
    await expect.poll(stored).toEqual(["/usr/bin/env is none", "/launch at six"]);
    await expect.poll(() => field(page).inputValue()).toBe("");
  });

  test("a possible command that waits isn't sent once the text or its files change", async () => {
    const page = await context.newPage();
    const listed = Promise.withResolvers<void>();
    await delayActions(page, /^command\.list$/, listed.promise);
    await page.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
    await field(page).fill("/launch at dawn");
    await field(page).press("Enter");
    const waiting = page.getByText(t("composer:command.waiting"));
    await waiting.waitFor();
    const name = "engine.txt";
    const file = { name, mimeType: "text/plain", buffer: Buffer.from("thrust") };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: t("composer:upload.remove", { name }) }).click();
    await waiting.waitFor({ state: "detached" });
    expect(await field(page).inputValue()).toBe("/launch at dawn");

    await field(page).press("Enter");
    await waiting.waitFor();
    const drafts = async () => (await grace.call("draft.list", {})).drafts.map(({ content }) => content);
    await expect.poll(drafts).toContain("/launch at dawn");
    await grace.call("draft.set", { channelId, content: "written elsewhere" });
    await expect.poll(() => field(page).inputValue()).toBe("written elsewhere");
    await waiting.waitFor({ state: "detached" });
    listed.resolve();
    await field(page).fill("the only message");
    await field(page).press("Enter");
    await expect.poll(stored).toEqual(["the only message"]);
  });

  test.for(["command.list", "group.myPermissions"])(
    "a possible command waits while %s fails, which is tried again",
    async (action) => {
      const page = await context.newPage();
      const { failed, end } = await failAction(page, action);
      await page.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
      await field(page).fill("/launch at dawn");
      await field(page).press("Enter");
      await failed;
      await drawn(page);
      await field(page).press("Escape");
      const waiting = page.getByText(t("composer:command.waiting"));
      await waiting.waitFor({ state: "detached" });
      expect(await field(page).inputValue()).toBe("/launch at dawn");
      await field(page).press("Enter");
      await waiting.waitFor();
      end();
      await expect.poll(stored).toEqual(["/launch at dawn"]);
    },
  );

  test("a rejected message stays in the list after a reload until deleted, edited or resent", async () => {
    const page = await open();
    await goOffline(page);
    await write(page, "refused one");
    await write(page, "refused two");
    await write(page, "refused three");
    await expectKept(page, 3);
    await page.close();
    const muted = { groupId, userId: grace.user!.id };
    await ada.call("group.mute", { ...muted, durationMs: 60 * 60_000 });
    await context.setOffline(false);
    let again = await context.newPage();
    await again.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
    const failed = (text: string) =>
      again.getByRole("group", { name: t("messages:unsent.label") }).filter({ hasText: text });
    await failed("refused one").getByText("You are muted").waitFor();
    await failed("refused three").waitFor();
    // They are shown before they are stored.
    await expect.poll(() => kept(again)).toEqual([true, true, true]);
    await again.close();
    await ada.call("group.unmute", muted);
    again = await open();
    await failed("refused one")
      .getByRole("button", { name: t("common:delete") })
      .click();
    await failed("refused two")
      .getByRole("button", { name: t("common:edit") })
      .click();
    await expect.poll(() => field(again).inputValue()).toBe("refused two");
    await failed("refused three")
      .getByRole("button", { name: t("ui:retry") })
      .click();
    await expectKept(again, 0);
    expect(await stored()).toEqual(["refused three"]);
  });

  test("editing a failed message puts its text and files back into the composer", async () => {
    const page = await context.newPage();
    const { failed, end } = await failAction(page, "message.send");
    await page.goto(`${site.url}/groups/${groupId}/channels/${channelId}`);
    await field(page).fill("the plan");
    const file = { name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("launch") };
    await page.locator("input[type=file]").setInputFiles(file);
    await field(page).press("Enter");
    await failed;
    end();
    const unsent = page.getByRole("group", { name: t("messages:unsent.label") });
    await unsent.getByRole("button", { name: t("common:edit") }).click();
    await unsent.waitFor({ state: "detached" });
    await page
      .getByRole("list", { name: t("composer:upload.list") })
      .getByText("plan.txt")
      .waitFor();
    expect(await field(page).inputValue()).toBe("the plan");
    await field(page).fill("the new plan");
    await field(page).press("Enter");
    await expect.poll(stored).toEqual(["the new plan"]);
    const [message] = (await ada.call("message.list", { channelId })).messages;
    expect(message!.attachments).toMatchObject([{ name: "plan.txt" }]);
    await expectKept(page, 0);
  });

  test(
    "a failed message is also shown elsewhere, and can't be edited where the user can't write",
    { tags: "long" },
    async () => {
      const page = await open();
      await goOffline(page);
      await write(page, "refused one");
      const channels = page.getByRole("navigation", { name: t("channels:list.label") });
      // By key, because the list can still move.
      await channels.getByRole("link", { name: "general" }).press("Enter");
      await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
      const muted = { groupId, userId: grace.user!.id };
      await ada.call("group.mute", { ...muted, durationMs: 60 * 60_000 });
      const toast = page.getByText("“refused one”").first().waitFor();
      await context.setOffline(false);
      await toast;
      await channels
        .getByRole("link", { name: `room-${rounds} ${t("messages:unsent.label")}` })
        .press("Enter");
      const failed = page.getByRole("log").getByRole("group", { name: t("messages:unsent.label") });
      await failed.getByRole("button", { name: t("common:delete") }).waitFor();
      // What the user can do here may still be loading.
      await page.getByText(/muted in this group until/).waitFor();
      expect(await failed.getByRole("button", { name: t("common:edit") }).count()).toBe(0);
      await ada.call("group.unmute", muted);
      await failed.getByRole("button", { name: t("common:edit") }).waitFor();
    },
  );

  test("logging out removes unsent messages", async () => {
    const page = await open();
    await goOffline(page);
    await write(page, "private");
    await expectKept(page, 1);
    await page.getByRole("button", { name: t("shell:you") }).click();
    await page.getByRole("menuitem", { name: t("shell:logOut") }).click();
    await page.getByRole("link", { name: t("session:logIn") }).waitFor();
    await expect.poll(() => kept(page)).toEqual([]);
  });

  test(
    "files interrupted by a reload are named, and the text is kept as a draft",
    { tags: "long" },
    async () => {
      const page = await open();
      await context.route("**/api/file.upload*", () => {});
      await page.locator("input[type=file]").setInputFiles({
        name: "engine.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("thrust"),
      });
      await field(page).fill("see the file");
      await page.keyboard.press("Enter");
      await page.getByText(t("composer:upload.sendLater")).waitFor();
      await expect
        .poll(() => page.evaluate<string>("JSON.stringify(localStorage)"))
        .toContain("see the file");
      await page.reload();
      await page.getByText("engine.txt").waitFor();
      await expect.poll(() => field(page).inputValue()).toBe("see the file");
      await page.getByRole("button", { name: t("composer:upload.dismissLost") }).click();
      expect(await page.getByText("engine.txt").count()).toBe(0);
      expect(await stored()).toEqual([]);
    },
  );
});
