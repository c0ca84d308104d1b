import { FanfareClient } from "@fanfare/client";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import type { BrowserContext, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

interface Picture {
  src: string;
  sizes: string;
  type: string;
}

interface WebManifest {
  icons: Picture[];
  screenshots: Picture[];
  shortcuts: { name: string; url: string; icons: Picture[] }[];
  share_target: { action: string; enctype: string; params: Record<string, unknown> };
}

/** Records the counts: a page can't read its badge. */
const WATCH_BADGE = `
  window.badges = [];
  navigator.setAppBadge = async (count) => void badges.push(count);
`;

/** Another page, answered by the test. */
const ELSEWHERE = "http://localhost:9/";

/** What the system's share menu sends, as a form. */
const SHARE = (url: string) => `
  <form action="${url}/new-message" method="post" enctype="multipart/form-data">
    <input name="title"><input name="text"><input name="url"><input name="files" type="file" multiple>
    <button>Share</button>
  </form>
`;

describe.skipIf(!hasBrowser())("the installed app", () => {
  const site = useSite();
  /** Owns the group with the channels general, news, where only they can write, and talk. */
  let ada: FanfareClient;
  let inviteCode: string;
  let groupId: string;
  let channelIds: Record<"general" | "news" | "talk", string>;

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    const create = async (name: string) => (await ada.call("channel.create", { groupId, name })).channel.id;
    channelIds = { general: channels[0]!.id, news: await create("news"), talk: await create("talk") };
    const deny = PERMISSIONS.sendMessages;
    await ada.call("channel.setOverride", {
      channelId: channelIds.news,
      target: { type: "everyone" },
      allow: 0,
      deny,
    });
    inviteCode = (await ada.call("invite.create", { groupId })).invite.code;
  });
  afterAll(() => ada.close());

  /** A member of the group. */
  async function addGuest() {
    const client = new FanfareClient({ url: site.url });
    const tokens = await client.createGuest({ nickname: "Grace" });
    await client.call("invite.accept", { code: inviteCode });
    return { client, tokens };
  }

  async function logOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: t("shell:you") }).click();
    await page.getByRole("menuitem", { name: t("shell:logOut") }).click();
    await page.getByRole("button", { name: t("session:guestLogout.action") }).click();
    await page.getByRole("button", { name: t("session:asGuest") }).waitFor();
  }

  async function manifestOf(page: Page): Promise<WebManifest> {
    const session = await page.context().newCDPSession(page);
    const { errors, data } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    return JSON.parse(data!) as WebManifest;
  }

  /** A page in the application, whose service worker is active. */
  async function openApp(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    site.watch(page);
    await page.goto(site.url);
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
    return page;
  }

  interface Shared {
    title?: string;
    text?: string;
    url?: string;
    files?: { name: string; mimeType: string; buffer: Buffer }[];
  }

  async function share(page: Page, { files = [], ...texts }: Shared): Promise<void> {
    await page.route(ELSEWHERE, (route) =>
      route.fulfill({ contentType: "text/html", body: SHARE(site.url) }),
    );
    await page.goto(ELSEWHERE);
    for (const [name, text] of Object.entries(texts)) await page.locator(`[name=${name}]`).fill(text);
    await page.locator("[name=files]").setInputFiles(files);
    await page.getByRole("button", { name: "Share" }).click();
    await page.waitForURL(`${site.url}/new-message`);
  }

  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`This is ${name}`) });
  const composer = (page: Page) => page.getByRole("textbox", { name: /#/ });
  const toast = (page: Page, text: string) => page.getByRole("alert").getByText(text);
  const choose = (page: Page, name: string) => page.getByRole("option", { name }).click();

  test("has a manifest without errors, and all its pictures and pages", async () => {
    const page = await site.newPage();
    await page.goto(site.url);
    const { icons, screenshots, shortcuts, share_target } = await manifestOf(page);
    const pictures = [...icons, ...screenshots, ...shortcuts.flatMap((shortcut) => shortcut.icons)];
    for (const { src, sizes, type } of pictures) {
      const response = await fetch(site.url + src);
      expect(response.headers.get("content-type")).toContain(type);
      if (sizes === "any") continue;
      const { width, height } = await sharp(await response.arrayBuffer()).metadata();
      expect(`${src} ${width}x${height}`).toBe(`${src} ${sizes}`);
    }
    expect(shortcuts.map(({ url }) => url)).toEqual(["/new-message", "/inbox"]);
    expect(share_target.action).toBe("/new-message");
  });

  test("asks where to send what is shared, and puts it in the message box", { tags: "long" }, async () => {
    const page = await openApp(await site.newContext({ serviceWorker: true }, await site.logIn("ada")));
    const files = Array.from({ length: 11 }, (_, index) => file(`notes-${index + 1}.txt`));
    await share(page, {
      title: "Zeppelin",
      text: "Look at this https://example.org/zeppelin",
      url: "https://example.org/zeppelin",
      files,
    });
    const shared = page.getByRole("region", { name: t("new-message:shared") });
    await shared.getByText("Look at this").waitFor();
    await shared.getByText("notes-11.txt").waitFor();

    await choose(page, "general");
    await expect
      .poll(() => composer(page).inputValue())
      .toBe("Zeppelin\nLook at this https://example.org/zeppelin");
    await toast(page, t("composer:upload.tooMany", { count: 10 })).waitFor();
    const uploads = page.getByRole("list", { name: t("composer:upload.list") });
    await expect.poll(() => uploads.getByRole("listitem").count()).toBe(10);
    await expect.poll(() => uploads.getByRole("progressbar").count()).toBe(0);
    expect(await page.getByRole("log").getByText("Look at this").count()).toBe(0);

    await page.getByRole("button", { name: t("composer:send") }).click();
    await page.getByRole("log").getByText("Look at this").waitFor();
    await page
      .getByRole("log")
      .getByRole("link", { name: t("messages:attachment.download", { name: "notes-10.txt" }) })
      .waitFor();
    // It isn't offered again.
    await site.visit(page, "/new-message");
    await page.getByRole("option").first().waitFor();
    expect(await shared.count()).toBe(0);
  });

  test(
    "adds what is shared to a draft, and refuses channels the user can't write in",
    { tags: "long" },
    async () => {
      const { tokens } = await addGuest();
      const page = await openApp(await site.newContext({ serviceWorker: true }, tokens));
      await site.visit(page, `/groups/${groupId}/channels/${channelIds.talk}`);
      await composer(page).fill("Have you seen this?");
      // Drafts are saved a moment later.
      await expect.poll(() => page.evaluate("JSON.stringify(localStorage)")).toContain("Have you seen this?");
      await share(page, { url: "https://example.org/zeppelin" });
      await choose(page, "news");
      await toast(page, t("new-message:readOnly", { name: "news" })).waitFor();
      await choose(page, "talk");
      await expect
        .poll(() => composer(page).inputValue())
        .toBe("Have you seen this?\nhttps://example.org/zeppelin");
    },
  );

  test("keeps what is shared until the login, and forgets it on logout", { tags: "long" }, async () => {
    const context = await site.newContext({ serviceWorker: true });
    const page = await openApp(context);
    await share(page, { text: "For later" });
    const { tokens } = await addGuest();
    await page.getByRole("button", { name: t("session:logIn"), exact: true }).waitFor();
    await page.evaluate((held) => localStorage.setItem("fanfare.tokens", held), JSON.stringify(tokens));
    await page.reload();
    await page.getByText("For later").waitFor();
    await logOut(page);
    await expect.poll(() => page.evaluate("caches.has('fanfare-shared')")).toBe(false);
  });

  test("shows the number of mentions on its icon, until they are read or the user logs out", async () => {
    const { client: grace, tokens } = await addGuest();
    const channelId = channelIds.general;
    const mention = async () => {
      const message = { channelId, content: `<@${grace.user!.id}>`, nonce: crypto.randomUUID() };
      return (await ada.call("message.send", message)).message;
    };
    const page = await site.newPage({}, tokens);
    await page.addInitScript(WATCH_BADGE);
    await page.goto(`${site.url}/direct`);
    const badge = () => page.evaluate("badges.at(-1)");
    await expect.poll(badge).toBe(0);
    await mention();
    const { seq } = await mention();
    await expect.poll(badge).toBe(2);
    await grace.call("channel.markRead", { channelId, seq });
    await expect.poll(badge).toBe(0);
    await mention();
    await expect.poll(badge).toBe(1);
    await logOut(page);
    await expect.poll(badge).toBe(0);
  });
});
