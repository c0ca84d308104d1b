import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { type Instance, startInstance } from "../support/instance.ts";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { sharedBrowser } from "./browser.ts";
import { t } from "./texts.ts";

type Env = Record<string, string>;

/** On a busy machine a condition that will come true may take much longer than Playwright's default. */
const PATIENCE_MS = 60_000;

/** As in a private window. A service worker makes each load of a page cost twice as much, and most tests are not about it. */
const NO_SERVICE_WORKER = `
  const refuse = () => Promise.reject(new Error("There are no service workers."));
  if ("serviceWorker" in navigator) navigator.serviceWorker.register = refuse;
`;

/** Looks in every frame: Playwright would look every half a second. Places of rows and figures pulse, and spinners spin. */
const LOADED = `new Promise((resolve) => {
  const look = () => {
    const isLoaded =
      document.querySelector("h1, h2, h3") !== null &&
      document.querySelector(".animate-pulse, .animate-spin, [aria-busy=true]") === null;
    if (isLoaded) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

interface SiteOptions extends BrowserContextOptions {
  /** Whether the page may register its service worker. Default: false */
  serviceWorker?: boolean;
  /** Whether the headless shell is not enough, as it is not for notifications. Default: false */
  fullBrowser?: boolean;
}

/**
 * An instance that serves the page as it is now, and a browser to visit it with, for the tests beside the call.
 * After each test its windows are closed, and it fails if a page that is watched has complained.
 */
export function useSite(env: () => Env = () => ({})): Site {
  const site = new Site();
  beforeAll(async () => {
    await Promise.all([site.start(env()), site.launch()]);
  });
  afterEach(() => site.closeWindows());
  afterAll(() => site.stop());
  return site;
}

class Site {
  instance!: Instance;
  /** Of the pages that are watched, in this test. */
  readonly complaints: string[] = [];
  readonly #kept = new Set<Page>();
  readonly #browsers = new Set<Browser>();

  get url(): string {
    return this.instance.url;
  }

  /** With a database of its own. */
  async start(env: Env): Promise<void> {
    this.instance = await startInstance({ WEB_DIR: inject("webBuild"), MONGO_URL: "", ...env });
  }

  async launch({ fullBrowser } = { fullBrowser: false }): Promise<Browser> {
    const browser = await sharedBrowser({ fullBrowser });
    this.#browsers.add(browser);
    return browser;
  }

  /** A watched page in a context of its own: of the user with these tokens, or of a visitor. */
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

  /** A page for all tests of the file, each of which begins with `open`: a new one costs a process, and compiles all code again. */
  async keepPage(options: SiteOptions = {}): Promise<Page> {
    const page = await this.newPage(options);
    this.#kept.add(page);
    return page;
  }

  /** Starts the application in a kept page that remembers nothing but these tokens. */
  async open(page: Page, path: string, tokens?: SessionTokens): Promise<void> {
    // Another fragment of the same address would not load it again. It costs a process: another site gets one of its own.
    if (path.includes("#")) await page.goto("about:blank");
    const forget = await page.addInitScript((held) => {
      localStorage.clear();
      sessionStorage.clear();
      if (held !== undefined) localStorage.setItem("fanfare.tokens", JSON.stringify(held));
    }, tokens);
    await page.goto(this.url + path);
    await forget.dispose();
  }

  /** Goes to a path, without a reload where the application runs already, and waits until everything there is loaded. */
  async visit(page: Page, path: string): Promise<void> {
    if (page.url().startsWith(this.url)) await page.evaluate(`history.pushState(null, "", "${path}")`);
    else await page.goto(this.url + path);
    await this.loaded(page);
  }

  /** Resolves when there is a page, and nothing in it stands in any more for what is being loaded. */
  async loaded(page: Page): Promise<void> {
    await page.evaluate(LOADED);
  }

  /** Searches with the panel of the page, and waits for the first result. */
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

  /** Hears of what is thrown in a page and not caught. */
  watch(page: Page): void {
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  /** Hears of the errors on its console, but for those that are expected. */
  watchConsole(page: Page, isExpected: (text: string) => boolean = () => false): void {
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !isExpected(text)) this.complaints.push(text);
    });
  }

  /** A session of an account with the password "correct horse". */
  logIn(username: string): Promise<SessionTokens> {
    return new FanfareClient({ url: this.url }).login({ username, password: "correct horse" });
  }

  async closeWindows(): Promise<void> {
    for (const context of [...this.#browsers].flatMap((browser) => browser.contexts())) {
      const others = context.pages().filter((page) => !this.#kept.has(page));
      if (others.length === context.pages().length) await context.close();
      else await Promise.all([context.setOffline(false), ...others.map((page) => page.close())]);
    }
    const heard = this.complaints.splice(0);
    if (heard.length > 0) throw new Error(`The browser complained: ${heard.join("\n")}`);
  }

  /** What did not start has nothing to stop. The browser is for the next file of the worker. */
  async stop(): Promise<void> {
    this.#kept.clear();
    try {
      await this.closeWindows();
    } finally {
      await this.instance?.stop();
    }
  }
}

/** As when somebody logged in there before; what the page has renewed since stays. */
export async function keepTokens(context: BrowserContext, tokens: SessionTokens): Promise<void> {
  await context.addInitScript((held) => {
    localStorage.setItem("fanfare.tokens", localStorage.getItem("fanfare.tokens") ?? held);
  }, JSON.stringify(tokens));
}
