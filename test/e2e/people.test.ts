import { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { delayAnswers, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";

interface Person {
  client: FanfareClient;
  id: string;
  /** To log in with; the tests have people of their own. */
  username: string;
  nickname: string;
}

describe.skipIf(!hasBrowser())("people", () => {
  const site = useSite();
  let ada: Person;
  let grace: Person;
  let lin: Person;
  let round = 0;
  /** Theirs in all tests, but as another user. */
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

  /** A group of Ada's that the others are in: the address of its channel, in which Grace has written. */
  async function makeGroup(): Promise<string> {
    const { group, channels } = await ada.client.call("group.create", { name: "Rocket builders" });
    const { invite } = await ada.client.call("invite.create", { groupId: group.id });
    for (const { client } of [grace, lin]) await client.call("invite.accept", { code: invite.code });
    const channelId = channels.find(({ kind }) => kind === "text")!.id;
    await grace.client.call("message.send", { channelId, content: "Buy sunglasses", nonce: "n" });
    return `/groups/${group.id}/channels/${channelId}`;
  }

  const list = (page: Page) => page.getByRole("navigation", { name: "Direct messages" });
  const heading = (page: Page, name: string) =>
    page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  const choose = (page: Page, item: string) =>
    page.getByRole("menuitem", { name: item, exact: true }).click();

  async function write(page: Page, text: string): Promise<void> {
    await page.getByRole("textbox", { name: /^Message to/ }).fill(text);
    await page.keyboard.press("Enter");
    await said(page, text);
  }

  const said = (page: Page, text: string) => page.getByRole("log").getByText(text, { exact: true }).waitFor();

  test("two become friends, talk, and see at once how the other is", async () => {
    const [hers, his] = [await open(ada), await open(grace)];
    await hers.getByText("No friends yet").waitFor();
    await hers.getByLabel("Add a friend").fill(grace.username);
    await hers.getByRole("button", { name: "Send request" }).click();
    await list(his).getByText("1 friend request").waitFor();
    await his.getByRole("tab", { name: "Pending" }).click();
    await his.getByRole("button", { name: "Accept Ada" }).click();

    await hers.getByText("1 friend is online").waitFor();
    await hers.getByRole("button", { name: "Message Grace" }).click();
    await heading(hers, "Grace");
    await write(hers, "Did you see the report?");
    await list(his).getByRole("link", { name: "Ada Online 1 unread message" }).click();
    await said(his, "Did you see the report?");
    await write(his, "All green");
    await said(hers, "All green");

    await his.getByRole("button", { name: "You: Grace" }).click();
    await his.getByRole("menuitemcheckbox", { name: "Do not disturb" }).click();
    await hers.getByRole("main").getByText("Do not disturb").waitFor();
    await list(hers).getByRole("link", { name: "Grace Do not disturb" }).waitFor();
    expect(await hers.getByRole("log").getByRole("article").count()).toBe(2);
  });

  test("three talk together; one is put out, one leaves", async () => {
    await befriend(ada, grace);
    await befriend(ada, lin);
    const [hers, his, theirs] = [await open(ada), await open(grace), await open(lin)];
    await list(hers).getByRole("button", { name: "New conversation" }).click();
    const dialog = hers.getByRole("dialog", { name: "New conversation" });
    const people = dialog.getByRole("list", { name: "People" });
    await people.getByRole("button", { name: "Grace" }).click();
    await people.getByRole("button", { name: "Lin" }).click();
    await dialog.getByLabel("Name", { exact: true }).fill("Launch party");
    await dialog.getByRole("button", { name: "Start a conversation of 3" }).click();
    await heading(hers, "Launch party");
    await write(hers, "Who brings the cake?");
    for (const page of [his, theirs]) {
      await list(page)
        .getByRole("link", { name: /^Launch party/ })
        .click();
      await said(page, "Who brings the cake?");
    }

    await hers.getByRole("main").getByRole("button", { name: "More about Launch party" }).click();
    await choose(hers, "Rename");
    await hers.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Landing party");
    await hers.getByRole("button", { name: "Save" }).click();
    await heading(his, "Landing party");

    await hers.getByRole("button", { name: "People", exact: true }).click();
    await hers.getByRole("button", { name: "Remove Lin" }).click();
    await hers.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
    await list(theirs).getByRole("link", { name: /party/ }).waitFor({ state: "detached" });
    await heading(theirs, "No such conversation");

    await his.getByRole("main").getByRole("button", { name: "More about Landing party" }).click();
    await choose(his, "Leave");
    await his.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
    await heading(his, "Friends");
    await hers.getByRole("main").getByText("1 person").waitFor();
    expect(await list(his).getByRole("link", { name: /party/ }).count()).toBe(0);
  });

  test("who is blocked is folded away and cannot ask again, until that ends", async () => {
    const path = await makeGroup();
    const hers = await open(ada, path);
    await said(hers, "Buy sunglasses");
    await hers.getByRole("log").getByRole("button", { name: "Grace" }).click();
    const card = hers.getByRole("dialog", { name: "Profile of Grace" });
    await card.getByRole("button", { name: "More about Grace" }).click();
    await choose(hers, "Block");
    await hers.getByRole("alertdialog").getByRole("button", { name: "Block" }).click();
    await hers.getByText("1 message by somebody you have blocked").waitFor();
    expect(await hers.getByText("Buy sunglasses").count()).toBe(0);

    const his = await open(grace);
    await his.getByLabel("Add a friend").fill(ada.username);
    await his.getByRole("button", { name: "Send request" }).click();
    await his.getByText("This user takes no requests from you").waitFor();

    await hers.getByRole("link", { name: /^Direct messages/ }).click();
    await hers.getByRole("tab", { name: "Blocked" }).click();
    await hers.getByRole("button", { name: "Unblock Grace" }).click();
    await hers.getByText("Nobody is blocked").waitFor();
    await hers.goto(site.url + path);
    await said(hers, "Buy sunglasses");
  });

  test("the menu of a card stays open when what the card says of a member arrives", async () => {
    const path = await makeGroup();
    const hers = await open(ada);
    await delayAnswers(hers, /^group\.getMember/, 3000);
    await hers.goto(site.url + path);
    await said(hers, "Buy sunglasses");
    await hers.getByRole("log").getByRole("button", { name: "Grace" }).click();
    const card = hers.getByRole("dialog", { name: "Profile of Grace" });
    await card.getByRole("button", { name: "More about Grace" }).click();
    await hers.getByText("In Rocket builders since").waitFor({ state: "attached" });
    await expect.poll(() => hers.getByRole("menuitem", { name: "Block", exact: true }).count()).toBe(1);
    await choose(hers, "Block");
    await hers.getByRole("alertdialog").getByRole("button", { name: "Block" }).waitFor();
  });

  test("who does not want to be reached is not, and it is said why", async () => {
    const path = await makeGroup();
    await lin.client.call("friend.setReach", { directFrom: "friends" });
    const hers = await open(ada, path);
    await hers.getByRole("button", { name: "Members", exact: true }).click();
    await hers.getByRole("complementary").getByRole("button", { name: "Lin", exact: true }).click();
    await hers.getByRole("dialog").getByRole("button", { name: "Message" }).click();
    await hers.getByRole("alert").getByText("This user takes no direct messages from you.").waitFor();
    expect(new URL(hers.url()).pathname).toBe(path);
  });

  test("the list of members has who is there above who is not, and a card puts somebody out", async () => {
    const path = await makeGroup();
    const hers = await open(ada, path);
    await hers.getByRole("button", { name: "Members", exact: true }).click();
    const panel = hers.getByRole("complementary", { name: "Members" });
    const names = async () =>
      (await panel.getByRole("listitem").allInnerTexts()).map((text) => /(?:\n|^)(\w\w+)/.exec(text)?.[1]);
    await expect.poll(names).toEqual(["Online", "Ada", "Offline", "Grace", "Lin"]);
    const his = await open(grace, path);
    await expect.poll(names).toEqual(["Online", "Ada", "Grace", "Offline", "Lin"]);

    await panel.getByRole("button", { name: "Grace" }).click();
    await hers.getByRole("dialog").getByRole("button", { name: "More about Grace" }).click();
    await choose(hers, "Put out");
    await hers.getByRole("alertdialog").getByRole("button", { name: "Put out" }).click();
    await his.getByText("There is no such group, or you are not in it").waitFor();
    await expect.poll(names).toEqual(["Online", "Ada", "Offline", "Lin"]);
  });
});
