import { setTimeout as sleep } from "node:timers/promises";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const chosenPath = process.env["CHROMIUM_PATH"];
const chromiumPath = chosenPath ?? "/usr/bin/chromium";
/**
 * The same engine without windows and notifications: a new page costs half as much CPU. It renders text slightly
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
 * The worker's browser, shared by its test files: they close their contexts, and environment.ts closes it. It is
 * the headless shell if that is installed and sufficient.
 */
export async function sharedBrowser(needs: { fullBrowser: boolean }): Promise<Browser> {
  const isShellEnough = !needs.fullBrowser && chosenPath === undefined;
  const path = isShellEnough && existsSync(shellPath) ? shellPath : chromiumPath;
  const running = browsers.get(path);
  if (running?.isConnected() === true) return running;
  const browser = await launch(path);
  browsers.set(path, browser);
  return browser;
}

export async function closeSharedBrowsers(): Promise<void> {
  await Promise.all([...browsers.values()].map((browser) => browser.close()));
}

/**
 * For each new page, Chromium prepares popups of its address bar and the process of a next page: a quarter of
 * the CPU time. This replaces Playwright's list, which says why the others are off.
 */
const DISABLED_FEATURES = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "SpareRendererForSitePerProcess",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "OptimizationHints",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
];

function launch(executablePath: string): Promise<Browser> {
  const args = [
    `--disable-features=${DISABLED_FEATURES.join(",")}`,
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // A microphone that beeps, for pages that may use it.
    "--use-fake-device-for-media-stream",
    // For calls with a media server on this machine.
    "--allow-loopback-in-peer-connection",
  ];
  return chromium.launch({ executablePath, args });
}

interface Call {
  name: string;
  params: string;
  /** Resolves with the server's answer. */
  pass: () => Promise<string>;
  answer: (result: string) => void;
}

/** Calls `handle`, which answers it, for each call of the page, from its next load on. */
export async function handleCalls(page: Page, handle: (call: Call) => Promise<void>): Promise<void> {
  await page.routeWebSocket(/socket\.io/, (client) => {
    const server = client.connectToServer();
    const answers = new Map<string, (answer: string) => void>();
    client.onMessage((frame) => {
      const [, id, name = "", params = ""] = /^42(\d+)\["([^"]+)",?(.*)/s.exec(frame.toString()) ?? [];
      if (id === undefined) return server.send(frame);
      const pass = () => {
        server.send(frame);
        return new Promise<string>((resolve) => answers.set(id, resolve));
      };
      return handle({ name, params, pass, answer: (result) => client.send(`43${id}${result}`) });
    });
    server.onMessage((frame) => {
      const [, id = "", result = ""] = /^43(\d+)(.*)/s.exec(frame.toString()) ?? [];
      (answers.get(id) ?? (() => client.send(frame)))(result);
    });
  });
}

/**
 * Delays calls or their answers, in milliseconds or until a promise resolves, from the next load of the page on.
 * @param which matches the action, or what it is called with
 */
export async function delayActions(
  page: Page,
  which: RegExp,
  delay: number | Promise<void>,
  side: "call" | "answer" = "answer",
): Promise<void> {
  const end = () => (typeof delay === "number" ? sleep(delay) : delay);
  await handleCalls(page, async ({ name, params, pass, answer }) => {
    const isMeant = which.test(name) || which.test(params);
    if (isMeant && side === "call") await end();
    const result = await pass();
    if (isMeant && side === "answer") await end();
    answer(result);
  });
}

/**
 * Answers calls of an action with an error instead of passing them on, from the next load of the page on.
 * @returns when one has failed, and how to end this
 */
export async function failAction(
  page: Page,
  action: string,
): Promise<{ failed: Promise<void>; end: () => void }> {
  const failed = Promise.withResolvers<void>();
  const error = { type: "FORBIDDEN", message: "No.", retryable: false, requestId: "none" };
  let isFailing = true;
  await handleCalls(page, async ({ name, pass, answer }) => {
    if (!isFailing || name !== action) return answer(await pass());
    answer(JSON.stringify([{ ok: false, error }]));
    failed.resolve();
  });
  return { failed: failed.promise, end: () => void (isFailing = false) };
}

/** Resolves once the page has drawn what it has rendered so far. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}
