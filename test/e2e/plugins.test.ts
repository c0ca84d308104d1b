import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FanfareClient } from "@fanfare/client";
import { randomId } from "@fanfare/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGitHub, type GitHub } from "../support/github.ts";
import { violations } from "./axe.ts";
import { delayActions, drawn, failAction, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

/** A plug-in whose page tries what it must not do, and draws the results into its panel. */
const HOSTILE_PAGE = `
const outcomes = {};
const attempt = async (name, work) => {
  try { outcomes[name] = String(await work()); } catch (error) { outcomes[name] = "denied"; }
};
definePagePlugin({
  messageCard(link, api) {
    api.openPanel("probe");
    api.openLink("https://example.org/?" + encodeURIComponent(link));
    return { title: "Card of " + link };
  },
  composerActions: {
    open: (_context, api) => api.openPanel("probe"),
    many: async (context, api) => {
      const calls = Array.from({ length: 20 }, () => api.call("vote", { pollId: "none", option: 0, channelId: context.channelId }));
      const reasons = (await Promise.allSettled(calls)).map(({ reason }) => reason.message);
      api.insertText([...new Set(reasons)].join());
    },
    flood: (_context, api) => { for (let i = 0; i < 20_000; i += 1) api.insertText("x"); },
    long: (context, api) => api.call("vote", { text: "x".repeat(100_000), ...context }).catch(({ message }) => api.insertText(message)),
  },
  panels: {
    async probe(container, { channelId }, api) {
      await attempt("tokens", () => localStorage.getItem("fanfare.tokens"));
      await attempt("parent", () => parent.document.title);
      await attempt("cookie", () => document.cookie);
      await attempt("request", () => fetch("/api/meta").then(({ status }) => status));
      await attempt("elsewhere", () => fetch("https://example.org/").then(({ status }) => status));
      await attempt("account", () => api.call("../user.me", {}));
      await attempt("undeclared", () => api.call("list", { channelId }));
      await attempt("rtc", () => new RTCPeerConnection({ iceServers: [{ urls: "stun:example.org" }] }).iceGatheringState);
      await attempt("eval", () => new Function("return 1")());
      container.textContent = JSON.stringify(outcomes);
    },
  },
});`;

describe.skipIf(!hasBrowser())("plug-ins", () => {
  let github: GitHub;
  let hostile: string;
  const env = { OUTBOUND_ALLOW: "127.0.0.0/8" } as Record<string, string>;
  beforeAll(async () => {
    github = await startGitHub();
    hostile = await mkdtemp(join(tmpdir(), "fanfare-plugin-"));
    await cp("plugins/quickpoll", hostile, { recursive: true });
    const manifest = JSON.parse(await readFile(join(hostile, "plugin.json"), "utf8")) as Record<
      string,
      unknown
    >;
    const page = {
      file: "page.js",
      actions: ["vote"],
      messageCards: ["https://probe.example/"],
      composerActions: [
        { id: "open", title: "Probe" },
        { id: "many", title: "Many calls" },
        { id: "flood", title: "Flood" },
        { id: "long", title: "Long" },
      ],
      panels: [{ id: "probe", title: "Probe results" }],
    };
    await writeFile(
      join(hostile, "plugin.json"),
      JSON.stringify({ ...manifest, name: "hostile", title: "Hostile", commands: [], page }),
    );
    await writeFile(join(hostile, "page.js"), HOSTILE_PAGE);
    Object.assign(env, {
      PLUGINS: `plugins/github,plugins/quickpoll,${hostile}`,
      PLUGIN_GITHUB_API: github.url,
    });
  });
  afterAll(async () => {
    await github?.stop();
    await rm(hostile, { recursive: true, force: true });
  });
  const site = useSite(() => env);

  let ada: FanfareClient;
  let channelId: string;
  let path: string;
  const windows = new Map<string, Page>();
  /** Whose console is not watched. */
  let page: Page;
  beforeAll(async () => {
    const team = await site.newTeam();
    ({ ada, channelId } = team);
    path = `/groups/${team.groupId}/channels/${channelId}`;
    for (const username of ["ada", "grace"]) {
      const window = await site.keepPage();
      site.watchConsole(window);
      windows.set(username, window);
    }
    page = await site.keepPage();
  });

  const open = async (username: string, to = path): Promise<Page> => {
    const window = windows.get(username)!;
    await site.open(window, to, await site.logIn(username));
    return window;
  };
  /** For plug-ins whose errors the console shows. */
  const openUnwatched = async () => site.open(page, path, await site.logIn("ada"));
  const choose = async (page: Page, title: string) => {
    await page.getByRole("button", { name: t("common:add"), exact: true }).click();
    await page.getByRole("menuitem", { name: title, exact: true }).click();
  };
  /** What the panel of a plug-in has drawn. */
  const panel = (page: Page, title: string) =>
    page.getByRole("complementary", { name: title }).locator("iframe").contentFrame();

  test("a link to GitHub gets a card", async () => {
    const content = "Look at https://github.com/octocat/Hello-World/pull/1348.";
    await ada.call("message.send", { channelId, content, nonce: randomId() });
    const page = await open("grace");
    const message = page.getByRole("article").filter({ hasText: "Look at" });
    const card = message.getByRole("link", { name: "Amazing new feature #1348" });
    await card.waitFor();
    expect(await card.getAttribute("href")).toBe("https://github.com/octocat/Hello-World/pull/1348");
    await message.getByText("merged", { exact: true }).waitFor();
    await message.getByText("new-topic → main", { exact: true }).waitFor();
  });

  test("a poll is started in the panel, answered by another member, and shown to both", async () => {
    const [page, other] = [await open("ada"), await open("grace")];
    await choose(page, "Quick poll");
    const own = panel(page, "Quick polls");
    await own.getByLabel("Question", { exact: true }).fill("Where to?");
    await own.getByLabel("Options, one per line").fill("North\nSouth");
    await own.getByRole("button", { name: "Start poll" }).click();
    await own.getByRole("button", { name: "North: 0 of 0" }).waitFor();
    await page.getByRole("article").getByText("Where to?").waitFor();
    expect(await violations(page, "a panel")).toEqual([]);

    await choose(other, "Quick poll");
    const theirs = panel(other, "Quick polls");
    await theirs.getByRole("button", { name: "South: 0 of 0" }).click();
    await theirs.getByRole("button", { name: "South: 1 of 1", pressed: true }).waitFor();
    await own.getByRole("button", { name: "South: 1 of 1", pressed: false }).waitFor();
  });

  test("a command starts a poll, and a wrong one stays in the field", async () => {
    const page = await site.newPage({}, await site.logIn("ada"));
    const listed = Promise.withResolvers<void>();
    await delayActions(page, /^plugin\.list$/, listed.promise);
    await page.goto(site.url + path);
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    await field.fill("/quickpoll Lunch?; Pizza");
    // Also before the plug-ins are loaded.
    await page.keyboard.press("Enter");
    listed.resolve();
    await page.getByText("Write the question and 2 to 10 options").first().waitFor();
    await expect.poll(() => field.inputValue()).toBe("/quickpoll Lunch?; Pizza");
    await field.fill("/quickpoll Lunch?; Pizza; Salad");
    await page.keyboard.press("Enter");
    await page.getByText("The poll is in the panel Quick polls.").first().waitFor();
    await page.getByRole("article").getByText("Lunch?").waitFor();
  });

  test.for(["plugin.list", "/api/meta"])("a command waits while %s fails and is retried", async (what) => {
    const page = await site.newPage({}, await site.logIn("ada"));
    const { failed, end } = await (what === "/api/meta" ? failMeta(page) : failAction(page, what));
    await page.goto(site.url + path);
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    await failed;
    await drawn(page);
    const question = `Dinner, ${what}?`;
    await field.fill(`/quickpoll ${question}; Pizza; Salad`);
    await page.keyboard.press("Enter");
    await page.getByText(t("composer:command.waiting")).waitFor();
    await end();
    await page.getByText("The poll is in the panel Quick polls.").first().waitFor();
    await page.getByRole("article").getByText(question).waitFor();
    expect(await page.getByRole("article").getByText("/quickpoll").count()).toBe(0);
  });

  test("a plug-in has no access to the session, the page, the network or other actions", async () => {
    await openUnwatched();
    await choose(page, "Probe");
    const drawn = panel(page, "Probe results").locator("body");
    await expect.poll(() => drawn.textContent()).toContain("{");
    const names = [
      "tokens",
      "parent",
      "cookie",
      "request",
      "elsewhere",
      "account",
      "undeclared",
      "rtc",
      "eval",
    ];
    expect(JSON.parse((await drawn.textContent())!)).toEqual(
      Object.fromEntries(names.map((name) => [name, "denied"])),
    );
    // Opened as a page, the frame has no session either.
    const response = await fetch(`${site.url}/plugin-frame.html`);
    expect(response.headers.get("content-security-policy")).toContain("sandbox allow-scripts");
  });

  test("a plug-in opens nothing while the user works elsewhere", async () => {
    await openUnwatched();
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    await field.fill("https://probe.example/a");
    await page.keyboard.press("Enter");
    await page.getByText("Card of https://probe.example/a").waitFor();
    // It asked for both before it returned the card.
    expect(await page.getByRole("complementary", { name: "Probe results" }).count()).toBe(0);
    expect(page.context().pages()).toEqual([page]);
  });

  test("the program of a plug-in ends with the session", async () => {
    const page = await open("ada");
    await page.getByRole("link", { name: "Amazing new feature #1348" }).waitFor();
    expect(await page.locator("iframe").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: t("shell:you") }).click();
    await page.getByRole("menuitem", { name: t("shell:logOut") }).click();
    await page.waitForURL((url) => !url.pathname.includes("/channels/"));
    await expect.poll(() => page.locator("iframe").count()).toBe(0);
  });

  test("many calls of a plug-in wait for each other", { tags: "long" }, async () => {
    await openUnwatched();
    await choose(page, "Many calls");
    const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
    await expect.poll(() => field.inputValue()).toBe("This poll has no such option.");
  });

  test(
    "a plug-in that floods the page is closed, and the page and its connection stay",
    { tags: "long" },
    async () => {
      await openUnwatched();
      await choose(page, "Flood");
      await page.getByText(t("shared:error.PLUGIN_FAILED")).first().waitFor();
      await choose(page, "Long");
      const field = page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
      await expect.poll(() => field.inputValue()).toContain("The parameters are too long.");
      await field.fill("Still here");
      await page.keyboard.press("Enter");
      await page.getByRole("article").getByText("Still here").waitFor();
    },
  );

  test("a program that is not the one of the server does not run", async () => {
    const scripts = "**/plugins/hostile/**/page.js";
    await page.route(scripts, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${await response.text()}\n` });
    });
    await openUnwatched();
    await choose(page, "Probe");
    await page.getByText(t("shared:error.PLUGIN_FAILED")).first().waitFor();
    expect(await page.getByRole("complementary", { name: "Probe results" }).count()).toBe(0);
    await page.unroute(scripts);
  });

  test("admins see what each plug-in can do", async () => {
    const page = await open("ada", "/admin/plugins");
    const github = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: /GitHub links/ }) });
    await github.getByText(t("admin:plugins.messages")).waitFor();
    await github.getByText("PLUGIN_GITHUB_TOKEN").waitFor();
    await github.getByText(t("admin:plugins.running"), { exact: true }).waitFor();
    expect(await violations(page, "the admin page")).toEqual([]);
  });

  test("admins delete what a removed plug-in has stored", async () => {
    const values = site.instance.collection("pluginValues");
    await values.insertOne({ plugin: "removed", key: "a", value: "1" });
    const page = await open("ada", "/admin/plugins");
    const leftovers = page.getByRole("list", { name: t("admin:plugins.leftovers") });
    await leftovers.getByRole("button", { name: t("admin:groups.delete.of", { name: "removed" }) }).click();
    await page.getByRole("button", { name: t("admin:plugins.delete.action"), exact: true }).click();
    await leftovers.waitFor({ state: "detached" });
    expect(await values.countDocuments({ plugin: "removed" })).toBe(0);
  });
});

/** Like `failAction`, for the request that says whether the server has plug-ins. */
async function failMeta(page: Page): Promise<{ failed: Promise<unknown>; end: () => Promise<void> }> {
  const url = "**/api/meta";
  await page.route(url, (route) => route.abort());
  return {
    failed: page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/meta")),
    end: () => page.unroute(url),
  };
}
