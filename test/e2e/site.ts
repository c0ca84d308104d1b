import { FanfareClient } from "@fanfare/client";
import type { SessionTokens } from "@fanfare/contract";
import { type Instance, startInstance } from "@fanfare/testing";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { launchBrowser } from "./browser.ts";

type Env = Record<string, string>;

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
  browser!: Browser;
  /** Of the pages that are watched, in this test. */
  readonly complaints: string[] = [];

  get url(): string {
    return this.instance.url;
  }

  /** With threads, as an instance runs unless it is told otherwise, and with a database of its own. */
  async start(env: Env): Promise<void> {
    const defaults = { WEB_DIR: inject("webBuild"), GATEWAY_THREADS: "", MONGO_URL: "" };
    this.instance = await startInstance({ ...defaults, ...env });
  }

  async launch(): Promise<void> {
    this.browser = await launchBrowser();
  }

  /** A watched page in a context of its own: of somebody with these tokens, or of nobody yet. */
  async newPage(options: BrowserContextOptions = {}, tokens?: SessionTokens): Promise<Page> {
    const context = await this.browser.newContext({ locale: "en-US", ...options });
    if (tokens !== undefined) await keepTokens(context, tokens);
    const page = await context.newPage();
    this.watch(page);
    return page;
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
    for (const context of this.browser.contexts()) await context.close();
    const heard = this.complaints.splice(0);
    if (heard.length > 0) throw new Error(`The browser complained: ${heard.join("\n")}`);
  }

  /** What did not start has nothing to stop. */
  async stop(): Promise<void> {
    await this.browser?.close();
    await this.instance?.stop();
  }
}

/** As when somebody logged in there before; what the page has renewed since stays. */
export async function keepTokens(context: BrowserContext, tokens: SessionTokens): Promise<void> {
  await context.addInitScript((held) => {
    localStorage.setItem("fanfare.tokens", localStorage.getItem("fanfare.tokens") ?? held);
  }, JSON.stringify(tokens));
}
