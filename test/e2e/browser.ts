import { setTimeout as sleep } from "node:timers/promises";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { inject } from "vitest";

const chosenPath = process.env["CHROMIUM_PATH"];
const chromiumPath = chosenPath ?? "/usr/bin/chromium";
/**
 * The same engine without windows and notifications, for a quarter less work. It renders text slightly
 * differently.
 */
const shellPath = "/usr/bin/chromium-headless-shell";

/**
 * Whether a Chromium is installed.
 * @throws {Error} if none is, and REQUIRE_ALL_TESTS=1 forbids skipping
 */
export function hasBrowser(): boolean {
  if (existsSync(chromiumPath)) return true;
  const missing = `No Chromium at ${chromiumPath} (set CHROMIUM_PATH)`;
  if (process.env["REQUIRE_ALL_TESTS"] === "1") {
    throw new Error(`${missing}, and REQUIRE_ALL_TESTS=1 forbids skipping tests.`);
  }
  console.warn(`${missing}: browser tests are skipped.`);
  return false;
}

const browsers = new Map<string, Browser>();

/**
 * The worker's browser, shared by its test files: they close their contexts, and environment.ts closes it.
 * `pnpm test` uses the headless shell if it is installed and sufficient; `pnpm test:all` always uses the full
 * browser.
 */
export async function sharedBrowser(needs: { fullBrowser: boolean }): Promise<Browser> {
  const isShellEnough = !needs.fullBrowser && chosenPath === undefined && inject("isShortRun");
  const path = isShellEnough && existsSync(shellPath) ? shellPath : chromiumPath;
  const running = browsers.get(path);
  if (running?.isConnected() === true) return running;
  const browser = await launch(path);
  browsers.set(path, browser);
  return browser;
}

/** A context that one test after another uses, because its cache has the compiled page. */
interface Reused {
  context: BrowserContext;
  origin: string;
  kind: string;
  /** Keeps the process of the other pages alive. */
  anchor: Page;
}

const lent = new Map<BrowserContext, Reused>();
const free: Reused[] = [];
/** Each has a process. */
const MAX_FREE = 6;

/**
 * Lends a context without other pages or stored data, for the pages of one origin.
 * @param kind what the context was created with
 */
export async function borrowContext(
  origin: string,
  kind: string,
  create: () => Promise<BrowserContext>,
): Promise<BrowserContext> {
  const at = free.findLastIndex(
    (one) => one.origin === origin && one.kind === kind && one.context.browser()?.isConnected() === true,
  );
  const reused = free.splice(at, at < 0 ? 0 : 1)[0] ?? (await createReused());
  lent.set(reused.context, reused);
  return reused.context;

  async function createReused(): Promise<Reused> {
    const context = await create();
    const anchor = await context.newPage();
    await anchor.goto(`${origin}/favicon.svg`);
    return { context, origin, kind, anchor };
  }
}

/** The pages that a test has opened. */
export function pagesOf(context: BrowserContext): Page[] {
  return context.pages().filter((page) => page !== lent.get(context)?.anchor);
}

/** Closes a context, or if it was borrowed, closes its pages and deletes their data. */
export async function giveBack(context: BrowserContext): Promise<void> {
  const reused = lent.get(context);
  if (reused === undefined) return context.close();
  const { anchor, origin } = reused;
  await Promise.all(pagesOf(context).map((page) => page.close()));
  lent.delete(context);
  await Promise.all([context.setOffline(false), context.clearCookies()]);
  const session = await context.newCDPSession(anchor);
  for (const one of [origin, origin.replace("127.0.0.1", "localhost")])
    await session.send("Storage.clearDataForOrigin", { origin: one, storageTypes: "all" });
  await session.detach();
  free.push(reused);
  if (free.length > MAX_FREE) await free.shift()!.context.close();
}

export async function closeSharedBrowsers(): Promise<void> {
  await Promise.all([...browsers.values()].map((browser) => browser.close()));
}

function launch(executablePath: string): Promise<Browser> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // A process for all pages of a context, which finds their code compiled.
    "--process-per-site",
    // Pages are too short-lived for optimized code to pay off.
    "--js-flags=--no-opt --no-maglev",
    // A microphone that beeps, for pages that may use it.
    "--use-fake-device-for-media-stream",
  ];
  return chromium.launch({ executablePath, args });
}

/** Delays the answers of these actions, in milliseconds or until a promise resolves, from the next load of the page on. */
export async function delayAnswers(
  page: Page,
  actions: RegExp,
  delay: number | Promise<void>,
): Promise<void> {
  await page.routeWebSocket(/socket\.io/, (client) => {
    const server = client.connectToServer();
    const late = new Set<string>();
    client.onMessage((frame) => {
      const [, id, name] = /^42(\d+)\["([^"]+)"/.exec(frame.toString()) ?? [];
      if (name !== undefined && actions.test(name)) late.add(id!);
      server.send(frame);
    });
    server.onMessage((frame) => {
      const [, id] = /^43(\d+)\[/.exec(frame.toString()) ?? [];
      const isLate = id !== undefined && late.has(id);
      const ready = isLate ? (typeof delay === "number" ? sleep(delay) : delay) : sleep(0);
      void ready.then(() => client.send(frame));
    });
  });
}
