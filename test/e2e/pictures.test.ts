import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { hasLiveKit } from "@fanfare/testing";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "./browser.ts";
import { layoutFaults } from "./layout-faults.ts";
import { freezeLooks, looksDifferent, noonTimezone, screenshotFault } from "./screenshot.ts";
import { useCallSite, useSite } from "./site.ts";
import { t } from "./texts.ts";

const THEMES = ["light", "dark"] as const;
const WINDOWS: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  low: { viewport: { width: 1100, height: 400 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

const CHANNELS = 499;
/** The longest possible names. */
const longName = (start: string, maxChars: number) =>
  start.padEnd(maxChars, " Wolfeschlegelsteinhausen").trim();

/** The stored images were taken with the full browser: the headless shell renders text differently. */
const STILL = {
  reducedMotion: "reduce",
  deviceScaleFactor: 1,
  timezoneId: noonTimezone(),
  fullBrowser: true,
} as const;

interface Shot {
  name: string;
  path: () => string;
  /** Opens and scrolls to the content to show. */
  prepare?: (page: Page, isPhone: boolean) => Promise<unknown>;
  /** Whether it is above the page, which it covers. */
  isPopup?: boolean;
  /** Closes what would stay open on the next page. */
  leave?: (page: Page) => Promise<unknown>;
}

describe.skipIf(!hasBrowser())("pages match their images in test/e2e/pictures", { tags: "long" }, () => {
  const site = useSite();
  const people: FanfareClient[] = [];
  let admin: SessionTokens;
  let group: string;
  let channel: string;
  let thread: string;
  let crowded: string;
  let last: string;

  beforeAll(async () => {
    const join = async (username: string, nickname: string) => {
      const client = new FanfareClient({ url: site.url });
      const tokens = await client.register({ username, nickname, password: "correct horse" });
      if (people.push(client) === 1) admin = tokens;
      await client.connect();
      return client;
    };
    const ada = await join("ada", "Ada Lovelace");
    const grace = await join("grace", "Grace Hopper");
    const lin = await join("lin", "Lin Xiaoyu");
    const mary = await join("mary", longName("Mary", 32));
    const idOf = ({ user }: FanfareClient) => user!.id;
    const send = async (who: FanfareClient, channelId: string, content: string, replyTo?: string) => {
      const params = { channelId, content, nonce: crypto.randomUUID() };
      return (await who.call("message.send", replyTo === undefined ? params : { ...params, replyTo }))
        .message;
    };
    const makeGroup = async (name: string) => {
      const made = await ada.call("group.create", { name });
      const groupId = made.group.id;
      const { invite } = await ada.call("invite.create", { groupId });
      for (const one of [grace, lin, mary]) await one.call("invite.accept", { code: invite.code });
      return { groupId, first: made.channels[0]!.id };
    };

    const observatory = await makeGroup("Observatory");
    group = observatory.groupId;
    channel = observatory.first;
    for (const [section, names] of Object.entries({ Tonight: ["weather", "guests"], Workshop: ["optics"] })) {
      const { channel: made } = await ada.call("channel.create", {
        groupId: group,
        name: section,
        kind: "section",
      });
      for (const name of names) {
        const { channel: one } = await ada.call("channel.create", {
          groupId: group,
          name,
          sectionId: made.id,
        });
        if (name === "guests")
          await send(grace, one.id, `Twelve guests, <@${idOf(ada)}>. Who opens the zeppelin?`);
        if (name === "optics") await send(lin, one.id, "The mirror is clean.");
      }
    }
    await ada.call("channel.update", { channelId: channel, topic: "What happens under the dome tonight" });
    const { role } = await ada.call("role.create", { groupId: group, name: "Astronomer" });
    await ada.call("role.assign", { groupId: group, roleId: role.id, userId: idOf(grace) });
    const plan = await send(
      ada,
      channel,
      "Good evening! The sky will be clear **from nine**. Tonight:\n\n1. Saturn while it is high\n2. the double cluster\n3. the zeppelin",
    );
    await ada.call("message.pin", { channelId: channel, messageId: plan.id });
    await send(grace, channel, "Dome motor is fixed, see `dome.ts`. It now waits for the limit switch:");
    await send(
      grace,
      channel,
      "```ts\nfor (const side of dome.shutters) {\n  await side.open({ until: limitSwitch });\n}\n```",
    );
    const question = await send(
      lin,
      channel,
      `<@${idOf(ada)}> do we need another telescope?\n\n> a quote\n\nhttps://example.org/zeppelin`,
    );
    await send(grace, channel, "Yes please! The small refractor is packed.", question.id);
    const cable = await send(mary, channel, "Is there a spare power cable for it?");
    thread = (
      await mary.call("channel.openThread", {
        channelId: channel,
        messageId: cable.id,
        name: "Spare power cable",
      })
    ).channel.id;
    await send(grace, thread, "How long does it have to be?");
    await send(mary, thread, "Ten metres would do.");
    await send(grace, thread, "I bring the long cable, and the drum.");
    await ada.call("channel.markRead", { channelId: thread, seq: 3 });
    await ada.call("channel.markRead", {
      channelId: channel,
      seq: (await send(ada, channel, "See you there at eight.")).seq,
    });

    const library = await makeGroup(longName("Library", 100));
    crowded = library.groupId;
    last = library.first;
    for (let number = 2; number <= CHANNELS; number++) {
      const name = number % 5 === 0 ? longName(`shelf-${number}`, 100) : `shelf-${number}`;
      last = (await ada.call("channel.create", { groupId: crowded, name })).channel.id;
    }
    await ada.call("channel.update", { channelId: last, topic: longName("Shelves", 200) });
    const long = await send(mary, last, longName("zeppelin", 300).replaceAll(" ", "-"));
    await ada.call("channel.markRead", { channelId: last, seq: long.seq });

    await ada.call("friend.request", { userId: idOf(grace) });
    await grace.call("friend.accept", { userId: idOf(ada) });
    await ada.call("friend.request", { userId: idOf(lin) });
    await lin.call("friend.accept", { userId: idOf(ada) });
    await mary.call("friend.request", { userId: idOf(ada) });
    await ada.call("channel.openDirect", { userId: idOf(grace) });
    await ada.call("channel.createGroupDirect", {
      userIds: [idOf(grace), idOf(lin), idOf(mary)],
      name: longName("Direct", 100),
    });
  });

  afterAll(() => people.forEach((one) => one.close()));

  const inChannel = () => `/groups/${group}/channels/${channel}`;
  const messages = (page: Page, text: string) => page.getByRole("log").getByText(text).first().waitFor();
  const closePanel = (page: Page) =>
    page
      .getByRole("button", { name: t("ui:close") })
      .last()
      .click();

  const SHOTS: Shot[] = [
    { name: "channel", path: inChannel, prepare: (page) => messages(page, "See you there") },
    {
      name: "thread",
      path: () => `${inChannel()}?thread=${thread}`,
      prepare: (page) => messages(page, "I bring the long cable"),
      leave: closePanel,
    },
    {
      name: "search",
      path: inChannel,
      prepare: (page) => site.search(page, "zeppelin"),
      async leave(page) {
        await closePanel(page);
        // On a phone this goes back in the browser's history.
        await page.getByRole("combobox", { name: t("search:field") }).waitFor({ state: "detached" });
      },
    },
    {
      name: "members",
      path: inChannel,
      async prepare(page) {
        await page
          .getByRole("button", { name: t("common:members"), exact: true })
          .last()
          .click();
        await page.getByRole("button", { name: "Mary" }).last().waitFor();
      },
      leave: closePanel,
    },
    { name: "inbox", path: () => "/inbox" },
    { name: "friends", path: () => "/direct" },
    { name: "group-settings", path: () => `/groups/${crowded}/settings/overview` },
    { name: "user-settings", path: () => "/settings/profile" },
    { name: "admin", path: () => "/admin/users" },
    {
      name: "status",
      path: () => "/status",
      // A chart needs two round trips. The server counts in steps of five seconds, and nothing is published in
      // the last one.
      async prepare(page) {
        await expect.poll(() => page.locator("figure svg").count()).toBe(7);
        const slowest = page.locator("dl > div").filter({ hasText: t("status:metrics.slowest") });
        await slowest.getByText("–", { exact: true }).waitFor();
      },
    },
    {
      name: "channels",
      path: () => `/groups/${crowded}/channels/${last}`,
      async prepare(page, isPhone) {
        await messages(page, "zeppelin");
        if (isPhone) {
          await page.getByRole("button", { name: t("shell:openLists") }).click();
          await page.getByRole("dialog").waitFor();
        }
        const list = page.getByRole("navigation", { name: t("channels:list.label") });
        await list.evaluate((box) => box.scrollTo(0, box.scrollHeight));
      },
      leave: (page) => page.keyboard.press("Escape"),
    },
  ];
  const LOGIN: Shot[] = [{ name: "log-in", path: () => "/login" }];

  const escape = (page: Page) => page.keyboard.press("Escape");
  const chooseItem = (page: Page, name: string) => page.getByRole("menuitem", { name }).first().click();
  const chooseOfGroup = async (page: Page, name: string) => {
    await messages(page, "See you there");
    await page.getByRole("button", { name: "Observatory" }).last().click();
    await chooseItem(page, name);
    await page.getByRole("dialog").waitFor();
  };
  const openMessageMenu = async (page: Page) => {
    await messages(page, "See you there");
    await page.getByRole("log").getByText("See you there").click({ button: "right" });
  };
  const dialog = (name: string, prepare: Shot["prepare"] & object): Shot => ({
    name,
    path: inChannel,
    isPopup: true,
    prepare,
    leave: escape,
  });

  const DIALOGS: Shot[] = [
    dialog("switcher", async (page) => {
      await messages(page, "See you there");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: t("quick-switcher:title") }).fill("o");
      // All groups are loaded.
      await page.getByRole("option", { name: /shelf-5 / }).waitFor();
    }),
    dialog("message-menu", openMessageMenu),
    dialog("profile", async (page) => {
      await messages(page, "See you there");
      await page.getByRole("log").getByRole("button", { name: "Grace Hopper" }).last().click();
      await page.getByRole("dialog").getByText("Online").waitFor();
    }),
    dialog("emoji", async (page) => {
      await messages(page, "See you there");
      await page.getByRole("button", { name: t("composer:emoji") }).click();
      await page.getByRole("dialog").getByRole("gridcell").first().waitFor();
    }),
    { name: "new-message", path: () => "/new-message" },
  ];
  const openAddMenu = async (page: Page) => {
    await messages(page, "See you there");
    await page.getByRole("button", { name: t("common:add"), exact: true }).click();
  };
  const SHEETS: Shot[] = [
    ...DIALOGS,
    dialog("add-menu", async (page) => {
      await openAddMenu(page);
      await page.getByRole("menu").waitFor();
    }),
    dialog("poll", async (page) => {
      await openAddMenu(page);
      await chooseItem(page, t("composer:poll.title"));
      await page.getByRole("dialog").waitFor();
    }),
  ];
  /** Phones have other ways to open these. */
  const WIDE_DIALOGS: Shot[] = [
    ...DIALOGS,
    dialog("delete-message", async (page) => {
      await openMessageMenu(page);
      await chooseItem(page, t("common:delete"));
      await page.getByRole("alertdialog").waitFor();
    }),
    dialog("invite", (page) => chooseOfGroup(page, t("groups:menu.invite"))),
    dialog("create-channel", (page) => chooseOfGroup(page, t("groups:menu.createChannel"))),
    dialog("notifications", (page) => chooseOfGroup(page, t("common:notifications"))),
    dialog("channel-settings", async (page) => {
      await page.getByRole("link", { name: "optics" }).click({ button: "right" });
      await chooseItem(page, t("channels:menu.edit"));
      await page.getByRole("dialog").waitFor();
    }),
    dialog("shortcuts", async (page) => {
      await messages(page, "See you there");
      await page.keyboard.press("Control+/");
      await page.getByRole("dialog").waitFor();
    }),
  ];

  async function openPage(options: BrowserContextOptions, tokens?: SessionTokens): Promise<Page> {
    const context = await site.newContext({ ...STILL, ...options }, tokens);
    await freezeLooks(context);
    const page = await context.newPage();
    site.watch(page);
    return page;
  }

  async function faultsOf(
    page: Page,
    shots: readonly Shot[],
    window: string,
    themes: readonly (typeof THEMES)[number][] = THEMES,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const { name, path, prepare, leave, isPopup = false } of shots) {
      await site.visit(page, path());
      await prepare?.(page, window === "phone");
      await site.loaded(page);
      await page.mouse.move(0, 0);
      if (!isPopup) found.push(...(await layoutFaults(page, `${name}-${window}`)));
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        found.push((await screenshotFault(page, `${name}-${window}-${colorScheme}`)) ?? "");
      }
      await leave?.(page);
    }
    return found.filter((fault) => fault !== "");
  }

  for (const [window, options] of Object.entries(WINDOWS)) {
    test(`every main page in both themes, ${window}`, async () => {
      const found = await faultsOf(await openPage(options), LOGIN, window);
      found.push(...(await faultsOf(await openPage(options, admin), SHOTS, window)));
      expect(found).toEqual([]);
    });
  }

  test("dialogs and menus in a low window and on a phone", async () => {
    const low = await openPage(WINDOWS["low"]!, admin);
    const found = await faultsOf(low, WIDE_DIALOGS, "low", ["dark"]);
    const phone = await openPage(WINDOWS["phone"]!, admin);
    found.push(...(await faultsOf(phone, SHEETS, "phone", ["light"])));
    expect(found).toEqual([]);
  });

  test("main pages in Chinese", async () => {
    const chinese = { locale: "zh-CN", viewport: { width: 1100, height: 700 } };
    const pages = ["channel", "inbox", "group-settings", "user-settings"];
    const shots = SHOTS.filter(({ name }) => pages.includes(name));
    const found = await faultsOf(await openPage(chinese, admin), shots, "chinese", ["light"]);
    const phone = await openPage({ ...WINDOWS["phone"], locale: "zh-CN" });
    found.push(...(await faultsOf(phone, LOGIN, "phone-chinese", ["light"])));
    expect(found).toEqual([]);
  });

  /** CSS that breaks a channel's look in the dark theme. */
  const BROKEN = {
    "a panel moves": "nav { transform: translateX(12px); }",
    "a panel is missing": "[role=log] { visibility: hidden; }",
    "a panel is white": ":root { --color-sidebar: #fff !important; }",
    "badges in another color": ":root { --color-badge: #2a62b8 !important; }",
    "rows are higher": ":root { --spacing-row: 2.5rem !important; }",
    "everything is larger": ":root { font-size: 17px !important; }",
    "icons are missing": "header svg { visibility: hidden; }",
  };

  /** Letters of the same width with other edges, and another system font. */
  const OTHER_LETTERS =
    ":root { --font-sans: serif !important; } * { -webkit-text-stroke: 0.2px; text-rendering: geometricPrecision !important; }";

  test("a broken page differs from its image, and other letters don't", async () => {
    const page = await openPage({ ...WINDOWS["desktop"], colorScheme: "dark" }, admin);
    await site.visit(page, inChannel());
    await messages(page, "See you there");
    const differsWith = async (rules: string) => {
      await page.evaluate(`{
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(${JSON.stringify(rules)});
        document.adoptedStyleSheets.push(sheet);
      }`);
      const differs = await looksDifferent(page, "channel-desktop-dark");
      await page.evaluate("void document.adoptedStyleSheets.pop()");
      return differs;
    };
    // Content that is still loading would differ too.
    expect(await screenshotFault(page, "channel-desktop-dark")).toBeNull();
    expect(await differsWith("")).toBe(false);
    expect(await differsWith(OTHER_LETTERS)).toBe(false);
    const missed: string[] = [];
    for (const [what, rules] of Object.entries(BROKEN)) {
      if (!(await differsWith(rules))) missed.push(what);
    }
    await page.evaluate('document.documentElement.dataset.theme = "light"');
    if (!(await differsWith(""))) missed.push("the other theme");
    expect(missed).toEqual([]);
  });

  // These are last, because their users and groups would be in the other pictures.
  const joinAsGuest = async (nickname: string) => {
    const client = new FanfareClient({ url: site.url });
    people.push(client);
    return { client, tokens: await client.createGuest({ nickname }) };
  };

  test("the compact density", async () => {
    const { client: ada, tokens } = await joinAsGuest("Ada Lovelace");
    const { client: grace } = await joinAsGuest("Grace Hopper");
    const { group: made, channels } = await ada.call("group.create", { name: "Observatory" });
    const { invite } = await ada.call("invite.create", { groupId: made.id });
    await grace.call("invite.accept", { code: invite.code });
    const channelId = channels[0]!.id;
    const send = async (who: FanfareClient, content: string, more: { replyTo?: string } = {}) =>
      (await who.call("message.send", { channelId, content, nonce: crypto.randomUUID(), ...more })).message;
    const first = await send(ada, "Good evening! The sky will be **clear** from nine.");
    await send(ada, "Tonight:\n\n1. Saturn while it is high\n2. the double cluster");
    await send(grace, "The dome waits for the limit switch, see `dome.ts`.");
    await send(grace, "```ts\nconst dome = open();\n```");
    const reply = await send(grace, "Is the small refractor packed?", { replyTo: first.id });
    for (const who of [ada, grace])
      await who.call("message.react", { channelId, messageId: reply.id, emoji: "🔭" });
    const last = await send(ada, "It is. See you there at eight.");
    await ada.call("channel.markRead", { channelId, seq: last.seq });
    await ada.call("user.setPreferences", { density: "compact" });
    const shots: Shot[] = [
      {
        name: "channel",
        path: () => `/groups/${made.id}/channels/${channelId}`,
        async prepare(page) {
          await page.locator('html[data-density="compact"]').waitFor();
          await messages(page, "See you there");
        },
      },
    ];
    const wide = { viewport: { width: 1100, height: 700 } };
    expect(await faultsOf(await openPage(wide, tokens), shots, "compact", ["light"])).toEqual([]);
  });

  test("names and messages from right to left", async () => {
    const { client: noa, tokens } = await joinAsGuest("נועה");
    const { client: omar } = await joinAsGuest("عمر");
    const made = await noa.call("group.create", { name: "מצפה הכוכבים" });
    const groupId = made.group.id;
    const { invite } = await noa.call("invite.create", { groupId });
    await omar.call("invite.accept", { code: invite.code });
    const { channel: talk } = await noa.call("channel.create", {
      groupId,
      name: "מרצד",
      topic: "الليلة تحت القبة",
    });
    const send = async (who: FanfareClient, content: string, replyTo?: string) => {
      const params = { channelId: talk.id, content, nonce: crypto.randomUUID() };
      return (await who.call("message.send", replyTo === undefined ? params : { ...params, replyTo }))
        .message;
    };
    const first = await send(noa, `ערב טוב <@${omar.user!.id}>, השמיים יהיו **בהירים** מ-21:00.`);
    await send(
      omar,
      "مساء الخير! هل نحتاج إلى `telescope` آخر؟\n\n> السماء صافية\n\n1. زحل\n2. المشتري",
      first.id,
    );
    await send(noa, "```ts\nconst dome = open();\n```");
    const last = await send(noa, "Saturn first, ואז צדק.");
    await noa.call("channel.markRead", { channelId: talk.id, seq: last.seq });
    const shots: Shot[] = [
      {
        name: "channel",
        path: () => `/groups/${groupId}/channels/${talk.id}`,
        prepare: (page) => messages(page, "Saturn first"),
      },
    ];
    const wide = { locale: "ar", viewport: { width: 1100, height: 700 } };
    const found = await faultsOf(await openPage(wide, tokens), shots, "right-to-left", ["light"]);
    const phone = await openPage({ ...WINDOWS["phone"], locale: "ar" }, tokens);
    found.push(...(await faultsOf(phone, shots, "phone-right-to-left", ["dark"])));
    const others = SHOTS.filter(({ name }) => ["inbox", "group-settings", "user-settings"].includes(name));
    found.push(...(await faultsOf(await openPage(wide, admin), others, "right-to-left", ["light"])));
    expect(found).toEqual([]);
  });
});

describe.skipIf(!hasBrowser() || !hasLiveKit())("calls match their images", { tags: "long" }, () => {
  const { site } = useCallSite();

  test("a call without video in both themes", async () => {
    const { ada, grace, groupId } = await site.newTeam();
    const lin = await site.newAccount("Lin");
    await ada.connect();
    const { invite } = await ada.call("invite.create", { groupId });
    await lin.call("invite.accept", { code: invite.code });
    const userIds = [grace.user!.id, lin.user!.id];
    const { channel } = await ada.call("channel.createGroupDirect", { userIds, name: "Night shift" });
    const button = (page: Page, key: string) => page.getByRole("button", { name: t(key), exact: true });
    const open = async (username: string, options: BrowserContextOptions) => {
      const context = await site.newContext({ ...STILL, ...options }, await site.logIn(username));
      await freezeLooks(context);
      // Microphones stay off until a key is pressed.
      const settings = JSON.stringify({ hasChosen: true, pushToTalk: true });
      await context.addInitScript(`localStorage.setItem("fanfare.calls", ${JSON.stringify(settings)})`);
      const page = await context.newPage();
      site.watch(page);
      await site.visit(page, `/direct/${channel.id}`);
      return page;
    };
    const found: (string | null)[] = [];
    const own = await open("ada", WINDOWS["desktop"]!);
    const other = await open("grace", WINDOWS["low"]!);
    await button(own, "calls:start").click();
    const invited = own.getByRole("list", { name: t("calls:invited.label") });
    await invited.getByText("Lin").waitFor();
    await lin.call("call.decline", { channelId: channel.id });
    await invited.getByText(t("calls:invited.declined")).waitFor();
    await button(other, "calls:join").first().click();
    await own
      .getByRole("list", { name: t("calls:people") })
      .getByText("Grace")
      .waitFor();
    await invited.getByText("Grace").waitFor({ state: "detached" });
    await site.loaded(own);
    await own.mouse.move(0, 0);
    found.push(...(await layoutFaults(own, "call-desktop")));
    for (const colorScheme of THEMES) {
      await own.emulateMedia({ colorScheme });
      found.push(await screenshotFault(own, `call-desktop-${colorScheme}`));
    }
    expect(found.filter((fault) => fault !== null)).toEqual([]);
  });
});
