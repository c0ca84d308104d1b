import { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { delayAnswers, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

interface Person {
  client: FanfareClient;
  id: string;
  /** Credentials; each test has its own users. */
  username: string;
  nickname: string;
}

describe.skipIf(!hasBrowser())("friends and direct messages", () => {
  const site = useSite();
  let ada: Person;
  let grace: Person;
  let lin: Person;
  let round = 0;
  /** One per user, reused by all tests. */
  const windows = new Map<string, Page>();

  beforeAll(async () => {
    for (const name of ["Ada", "Grace", "Lin"]) windows.set(name, await site.keepPage());
  });

  beforeEach(async () => {
    round += 1;
    [ada, grace, lin] = (await Promise.all(["Ada", "Grace", "Lin"].map(register))) as [
      Person,
      Person,
      Person,
    ];
  });

  afterEach(async () => {
    for (const { client } of [ada, grace, lin]) client.close();
  });

  async function register(nickname: string): Promise<Person> {
    const username = `${nickname.toLowerCase()}${round}`;
    const client = new FanfareClient({ url: site.url });
    const { user } = await client.register({ username, password: "correct horse", nickname });
    return { client, id: user.id, username, nickname };
  }

  async function open({ nickname, username }: Person, path = "/direct"): Promise<Page> {
    const page = windows.get(nickname)!;
    await site.open(page, path, await site.logIn(username));
    return page;
  }

  async function befriend(one: Person, other: Person): Promise<void> {
    await one.client.call("friend.request", { userId: other.id });
    await other.client.call("friend.accept", { userId: one.id });
  }

  /**
   * Creates a group owned by Ada with the others in it, and a message from Grace; returns the path of its
   * channel.
   */
  async function makeGroup(): Promise<string> {
    const { group, channels } = await ada.client.call("group.create", { name: "Rocket builders" });
    const { invite } = await ada.client.call("invite.create", { groupId: group.id });
    for (const { client } of [grace, lin]) await client.call("invite.accept", { code: invite.code });
    const channelId = channels.find(({ kind }) => kind === "text")!.id;
    await grace.client.call("message.send", { channelId, content: "Buy sunglasses", nonce: "n" });
    return `/groups/${group.id}/channels/${channelId}`;
  }

  const list = (page: Page) => page.getByRole("navigation", { name: t("directs:title") });
  const heading = (page: Page, name: string) =>
    page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  const choose = (page: Page, item: string) =>
    page.getByRole("menuitem", { name: item, exact: true }).click();

  async function write(page: Page, text: string): Promise<void> {
    await page.getByRole("textbox", { name: t("composer:label", { title: "" }) }).fill(text);
    await page.keyboard.press("Enter");
    await said(page, text);
  }

  const said = (page: Page, text: string) => page.getByRole("log").getByText(text, { exact: true }).waitFor();

  test("two users become friends, chat, and see each other's presence at once", async () => {
    const [hers, his] = [await open(ada), await open(grace)];
    await hers.getByText(t("friends:all.empty")).waitFor();
    await hers.getByLabel(t("friends:add.label")).fill(grace.username);
    await hers.getByRole("button", { name: t("friends:add.action") }).click();
    await list(his)
      .getByText(t("friends:requests", { count: 1 }))
      .waitFor();
    await his.getByRole("tab", { name: t("friends:pending.tab") }).click();
    await his.getByRole("button", { name: t("friends:pending.accept", { name: "Ada" }) }).click();

    await hers.getByText(t("friends:online.count", { count: 1 })).waitFor();
    await hers.getByRole("button", { name: t("members:messageTo", { name: "Grace" }) }).click();
    await heading(hers, "Grace");
    await write(hers, "Did you see the report?");
    await list(his)
      .getByRole("link", {
        name: `Ada ${t("members:status.online")} ${t("messages:jump.unread", { count: 1 })}`,
      })
      .click();
    await said(his, "Did you see the report?");
    await write(his, "All green");
    await said(hers, "All green");

    await his.getByRole("button", { name: `${t("shell:you")} Grace` }).click();
    await his.getByRole("menuitemcheckbox", { name: t("members:status.doNotDisturb") }).click();
    await hers.getByRole("main").getByText(t("members:status.doNotDisturb")).waitFor();
    await list(hers).getByRole("link", { name: "Grace Do not disturb" }).waitFor();
    expect(await hers.getByRole("log").getByRole("article").count()).toBe(2);
  });

  test("a group DM of three: one member is removed, one leaves", { tags: "long" }, async () => {
    await befriend(ada, grace);
    await befriend(ada, lin);
    const [hers, his, theirs] = [await open(ada), await open(grace), await open(lin)];
    await list(hers)
      .getByRole("button", { name: t("directs:create.title") })
      .click();
    const dialog = hers.getByRole("dialog", { name: t("directs:create.title") });
    const people = dialog.getByRole("list", { name: t("directs:picker.people") });
    await people.getByRole("button", { name: "Grace" }).click();
    await people.getByRole("button", { name: "Lin" }).click();
    await dialog.getByLabel(t("common:name"), { exact: true }).fill("Launch party");
    await dialog.getByRole("button", { name: t("directs:create.group", { count: 3 }) }).click();
    await heading(hers, "Launch party");
    await write(hers, "Who brings the cake?");
    for (const page of [his, theirs]) {
      await list(page)
        .getByRole("link", { name: /^Launch party/ })
        .click();
      await said(page, "Who brings the cake?");
    }

    await hers
      .getByRole("main")
      .getByRole("button", { name: t("directs:menu.more", { title: "Launch party" }) })
      .click();
    await choose(hers, "Rename");
    await hers.getByRole("dialog").getByLabel(t("common:name"), { exact: true }).fill("Landing party");
    await hers.getByRole("button", { name: t("common:save") }).click();
    await heading(his, "Landing party");

    await hers.getByRole("button", { name: t("common:members"), exact: true }).click();
    await hers.getByRole("button", { name: t("directs:panel.remove", { name: "Lin" }) }).click();
    await hers
      .getByRole("alertdialog")
      .getByRole("button", { name: t("directs:remove.action") })
      .click();
    await list(theirs).getByRole("link", { name: /party/ }).waitFor({ state: "detached" });
    await heading(theirs, t("directs:notFound"));

    await his
      .getByRole("main")
      .getByRole("button", { name: t("directs:menu.more", { title: "Landing party" }) })
      .click();
    await choose(his, "Leave");
    await his
      .getByRole("alertdialog")
      .getByRole("button", { name: t("directs:leave.action") })
      .click();
    await heading(his, "Friends");
    await hers
      .getByRole("main")
      .getByText(t("directs:people", { count: 1 }))
      .waitFor();
    expect(await list(his).getByRole("link", { name: /party/ }).count()).toBe(0);
  });

  test("a favorite direct message is listed first", { tags: "long" }, async () => {
    await befriend(ada, grace);
    for (const { id, client } of [grace, lin]) {
      const { channel } = await client.call("channel.openDirect", { userId: ada.id });
      await client.call("message.send", { channelId: channel.id, content: "Hi", nonce: id });
    }
    const hers = await open(ada);
    const links = list(hers).getByRole("listitem").getByRole("link");
    await expect
      .poll(() => links.allInnerTexts())
      .toEqual([/Lin/, /Grace/].map((name) => expect.stringMatching(name)));
    await links.filter({ hasText: "Grace" }).click({ button: "right" });
    await choose(hers, t("channels:favorites.add"));
    const favorites = list(hers).getByRole("list", { name: t("channels:favorites.title") });
    await favorites.getByRole("link", { name: /^Grace/ }).waitFor();
    expect(await links.count()).toBe(2);
  });

  test(
    "a blocked user is collapsed and can't send another request until unblocked",
    { tags: "long" },
    async () => {
      const path = await makeGroup();
      const hers = await open(ada, path);
      await said(hers, "Buy sunglasses");
      await hers.getByRole("log").getByRole("button", { name: "Grace" }).click();
      const card = hers.getByRole("dialog", { name: t("members:card.label", { name: "Grace" }) });
      await card.getByRole("button", { name: t("members:more", { name: "Grace" }) }).click();
      await choose(hers, "Block");
      await hers
        .getByRole("alertdialog")
        .getByRole("button", { name: t("members:confirm.block.action") })
        .click();
      await hers.getByText(t("messages:blocked.count", { count: 1 })).waitFor();
      expect(await hers.getByText("Buy sunglasses").count()).toBe(0);

      const his = await open(grace);
      await his.getByLabel(t("friends:add.label")).fill(ada.username);
      await his.getByRole("button", { name: t("friends:add.action") }).click();
      await his.getByText(t("friends:add.refused")).waitFor();

      await hers.getByRole("link", { name: /^Direct messages/ }).click();
      await hers.getByRole("tab", { name: t("friends:blocked.tab") }).click();
      await hers.getByRole("button", { name: t("friends:blocked.unblock", { name: "Grace" }) }).click();
      await hers.getByText(t("friends:blocked.empty")).waitFor();
      await hers.goto(site.url + path);
      await said(hers, "Buy sunglasses");
    },
  );

  test("the menu of a user card stays open when the user's data arrives", { tags: "long" }, async () => {
    const path = await makeGroup();
    const hers = await open(ada);
    await delayAnswers(hers, /^group\.getMember/, 3000);
    await hers.goto(site.url + path);
    await said(hers, "Buy sunglasses");
    await hers.getByRole("log").getByRole("button", { name: "Grace" }).click();
    const card = hers.getByRole("dialog", { name: t("members:card.label", { name: "Grace" }) });
    await card.getByRole("button", { name: t("members:more", { name: "Grace" }) }).click();
    await hers
      .getByText(t("members:card.joined", { group: "Rocket builders", date: "" }))
      .waitFor({ state: "attached" });
    await expect
      .poll(() =>
        hers.getByRole("menuitem", { name: t("members:confirm.block.action"), exact: true }).count(),
      )
      .toBe(1);
    await choose(hers, "Block");
    await hers
      .getByRole("alertdialog")
      .getByRole("button", { name: t("members:confirm.block.action") })
      .waitFor();
  });

  test(
    "a user who doesn't accept contact can't be messaged, and the reason is shown",
    { tags: "long" },
    async () => {
      const path = await makeGroup();
      await lin.client.call("friend.setReach", { directFrom: "friends" });
      const hers = await open(ada, path);
      await hers.getByRole("button", { name: t("common:members"), exact: true }).click();
      await hers.getByRole("complementary").getByRole("button", { name: "Lin", exact: true }).click();
      await hers
        .getByRole("dialog")
        .getByRole("button", { name: t("members:action.message") })
        .click();
      await hers.getByRole("alert").getByText(t("directs:notReachable")).waitFor();
      expect(new URL(hers.url()).pathname).toBe(path);
    },
  );

  test("the member list shows online members first, and a member can be kicked from their card", async () => {
    const path = await makeGroup();
    const hers = await open(ada, path);
    await hers.getByRole("button", { name: t("common:members"), exact: true }).click();
    const panel = hers.getByRole("complementary", { name: t("common:members") });
    const names = async () =>
      (await panel.getByRole("listitem").allInnerTexts()).map((text) => /(?:\n|^)(\w{3,})/.exec(text)?.[1]);
    await expect.poll(names).toEqual(["Online", "Ada", "Offline", "Grace", "Lin"]);
    const his = await open(grace, path);
    await expect.poll(names).toEqual(["Online", "Ada", "Grace", "Offline", "Lin"]);

    await panel.getByRole("button", { name: "Grace" }).click();
    await hers
      .getByRole("dialog")
      .getByRole("button", { name: t("members:more", { name: "Grace" }) })
      .click();
    await choose(hers, t("groups:members.kick"));
    await hers
      .getByRole("alertdialog")
      .getByRole("button", { name: t("groups:members.kick") })
      .click();
    await his.getByText(t("home:groupNotFound")).waitFor();
    await expect.poll(names).toEqual(["Online", "Ada", "Offline", "Lin"]);
  });
});
