import { setTimeout as sleep } from "node:timers/promises";
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
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
