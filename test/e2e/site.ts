import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { type Instance, startInstance } from "../support/instance.ts";
import { startCallServer } from "../support/livekit.ts";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { sharedBrowser } from "./browser.ts";
import { t } from "./texts.ts";

type Env = Record<string, string>;

/** Playwright's default is too short on a busy machine. */
const PATIENCE_MS = 60_000;
const PRINT_WITHIN_MS = 5000;
const PRINTED_CHARS = 2000;

/**
 * As in a private window. A service worker doubles the cost of each page load, and most tests don't need it.
 */
const NO_SERVICE_WORKER = `
  const refuse = () => Promise.reject(new Error("There are no service workers."));
  // Frames with an origin of their own have none.
  if (origin !== "null" && "serviceWorker" in navigator) navigator.serviceWorker.register = refuse;
`;

/**
 * Checks every frame, because Playwright polls only every half second. Placeholders pulse and spinners spin.
 */
export const LOADED = `new Promise((resolve) => {
  const look = () => {
    const isLoaded =
      document.querySelector("h1, h2, h3") !== null &&
      document.querySelector(".animate-pulse, .animate-spin, [aria-busy=true]") === null;
    if (isLoaded) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** What would cover a page that is shown again. */
const POPUPS = "[role=dialog], [role=alertdialog], [role=menu], dialog[open]";

interface SiteOptions extends BrowserContextOptions {
  /** Whether the page may register its service worker. Default: false */
  serviceWorker?: boolean;
  /** Whether the headless shell is not enough, as for notifications. Default: false */
  fullBrowser?: boolean;
}

interface Team {
  ada: FanfareClient;
  grace: FanfareClient;
  groupId: string;
  /** The group's first text channel. */
  channelId: string;
}

/**
 * Starts an instance with the current page, and a browser, for the calling file's tests. Each test closes its
 * windows, and fails if a watched page logged an error.
 */
export function useSite(env: () => Env = () => ({})): Site {
  const site = new Site();
  beforeAll(async () => {
    await Promise.all([site.start(env()), site.launch()]);
  });
  afterEach(async ({ task }) => {
    const hasFailed = task.result?.state === "fail";
    if (hasFailed) await site.printPages();
    await site.closeWindows({ areReusable: !hasFailed });
  });
  afterAll(() => site.stop());
  return site;
}

type CallServer = Awaited<ReturnType<typeof startCallServer>>;

/** As `useSite`, with a real LiveKit server. Its tests need `hasLiveKit()`. */
export function useCallSite(): { site: Site; server: CallServer } {
  const server = {} as CallServer;
  beforeAll(async () => void Object.assign(server, await startCallServer()));
  const site = useSite(() => server.env);
  afterAll(() => server.livekit?.stop());
  return { site, server };
}

class Site {
  instance!: Instance;
  /** Of the pages watched in this test. */
  readonly complaints: string[] = [];
  readonly #kept = new Set<Page>();
  /** The sessions of kept pages that the next test can use as they are. */
  readonly #sessions = new Map<Page, SessionTokens>();
  readonly #browsers = new Set<Browser>();
  readonly #clients: FanfareClient[] = [];

  get url(): string {
    return this.instance.url;
  }

  /** With its own database. */
  async start(env: Env): Promise<void> {
    this.instance = await startInstance({ WEB_DIR: inject("webBuild"), MONGO_URL: "", ...env });
  }

  async launch({ fullBrowser } = { fullBrowser: false }): Promise<Browser> {
    const browser = await sharedBrowser({ fullBrowser });
    this.#browsers.add(browser);
    return browser;
  }

  /** Opens a watched page in its own context, for the user with these tokens or for a visitor. */
  async newPage(options: SiteOptions = {}, tokens?: SessionTokens): Promise<Page> {
    const page = await (await this.newContext(options, tokens)).newPage();
    this.watch(page);
    return page;
  }

  async newContext(
    { serviceWorker = false, fullBrowser = false, ...options }: SiteOptions = {},
    tokens?: SessionTokens,
  ): Promise<BrowserContext> {
    const notifies = options.permissions?.includes("notifications") === true;
    const browser = await this.launch({ fullBrowser: fullBrowser || notifies });
    const context = await browser.newContext({ locale: "en-US", ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    if (!serviceWorker) await context.addInitScript(NO_SERVICE_WORKER);
    if (tokens !== undefined) await keepTokens(context, tokens);
    return context;
  }

  /**
   * A page for all tests of the file, each of which begins with `open`: a new page costs a process and compiles
   * all code again.
   */
  async keepPage(options: SiteOptions = {}): Promise<Page> {
    const page = await this.newPage(options);
    this.#kept.add(page);
    return page;
  }

  /** Starts the application in a kept page with no stored state except these tokens. */
  async open(page: Page, path: string, tokens?: SessionTokens): Promise<void> {
    // Changing only the fragment would not reload the page. This costs a process: each site gets its own.
    if (path.includes("#")) await page.goto("about:blank");
    const forget = await page.addInitScript((held) => {
      localStorage.clear();
      sessionStorage.clear();
      if (held !== undefined) localStorage.setItem("fanfare.tokens", JSON.stringify(held));
    }, tokens);
    await page.goto(this.url + path);
    await forget.dispose();
    if (tokens === undefined) this.#sessions.delete(page);
    else this.#sessions.set(page, tokens);
  }

  /**
   * Like `open`, but keeps a page that already has this session, with its stored state: for tests that don't need a
   * new one. Their paths differ, and callers wait for what only the new path shows.
   */
  async show(page: Page, path: string, tokens: SessionTokens): Promise<void> {
    const isReusable =
      this.#sessions.get(page) === tokens &&
      page.url().startsWith(this.url) &&
      (await page.locator(POPUPS).count()) === 0;
    await (isReusable ? this.visit(page, path) : this.open(page, path, tokens));
  }

  /**
   * Navigates to a path, without a reload if the application already runs, and waits until everything is
   * loaded.
   */
  async visit(page: Page, path: string): Promise<void> {
    if (page.url().startsWith(this.url)) await page.evaluate(`history.pushState(null, "", "${path}")`);
    else await page.goto(this.url + path);
    await this.loaded(page);
  }

  /** Resolves when the page is shown and has no loading placeholder left. */
  async loaded(page: Page): Promise<void> {
    await page.evaluate(LOADED);
  }

  /** Searches with the page's search panel, and waits for the first result. */
  async search(page: Page, words: string): Promise<void> {
    await page
      .getByRole("button", { name: t("search:title"), exact: true })
      .last()
      .click();
    await page.getByRole("combobox", { name: t("search:field") }).fill(words);
    await page
      .getByRole("button", { name: t("search:jump") })
      .first()
      .waitFor();
  }

  /** Collects uncaught errors of a page. */
  watch(page: Page): void {
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  /** Collects errors logged to a page's console, except expected ones. */
  watchConsole(page: Page, isExpected: (text: string) => boolean = () => false): void {
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !isExpected(text)) this.complaints.push(text);
    });
  }

  /** An account whose username is the first name, and its password "correct horse". It is not connected. */
  async newAccount(nickname: string): Promise<FanfareClient> {
    const client = new FanfareClient({ url: this.url });
    this.#clients.push(client);
    const username = nickname.split(" ")[0]!.toLowerCase();
    await client.register({ username, password: "correct horse", nickname });
    return client;
  }

  /** Ada owns a group, and Grace is a member. */
  async newTeam({ graceName = "Grace" } = {}): Promise<Team> {
    const [ada, grace] = [await this.newAccount("Ada"), await this.newAccount(graceName)];
    const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
    const { invite } = await ada.call("invite.create", { groupId: group.id });
    await grace.call("invite.accept", { code: invite.code });
    return { ada, grace, groupId: group.id, channelId: channels.find(({ kind }) => kind === "text")!.id };
  }

  /** A session of an account with the password "correct horse". */
  logIn(username: string): Promise<SessionTokens> {
    return new FanfareClient({ url: this.url }).login({ username, password: "correct horse" });
  }

  /** Prints what the open pages show, after a failure. */
  async printPages(): Promise<void> {
    for (const page of [...this.#browsers]
      .flatMap((browser) => browser.contexts())
      .flatMap((one) => one.pages())) {
      const shown = await page.locator("body").innerText({ timeout: PRINT_WITHIN_MS }).catch(String);
      console.log(`${page.url()} shows:\n${shown.slice(0, PRINTED_CHARS)}`);
    }
  }

  async closeWindows({ areReusable = true } = {}): Promise<void> {
    if (!areReusable) this.#sessions.clear();
    for (const context of [...this.#browsers].flatMap((browser) => browser.contexts())) {
      const others = context.pages().filter((page) => !this.#kept.has(page));
      if (others.length === context.pages().length) await context.close();
      else await Promise.all([context.setOffline(false), ...others.map((page) => page.close())]);
    }
    const received = this.complaints.splice(0);
    if (received.length > 0) throw new Error(`Errors in the browser: ${received.join("\n")}`);
  }

  /** Handles a failed start too. The browser stays for the worker's next file. */
  async stop(): Promise<void> {
    this.#kept.clear();
    this.#sessions.clear();
    for (const client of this.#clients.splice(0)) client.close();
    try {
      await this.closeWindows();
    } finally {
      await this.instance?.stop();
    }
  }
}

/** As after an earlier login; tokens that the page has refreshed since are kept. */
export async function keepTokens(context: BrowserContext, tokens: SessionTokens): Promise<void> {
  await context.addInitScript((held) => {
    // Frames with an origin of their own have no storage.
    if (Reflect.get(globalThis, "origin") === "null") return;
    localStorage.setItem("fanfare.tokens", localStorage.getItem("fanfare.tokens") ?? held);
  }, JSON.stringify(tokens));
}
