import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const chromiumPath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/**
 * Whether there is a Chromium to test with.
 * @throws {Error} when there is none, and REQUIRE_ALL_TESTS=1 says that nothing may be skipped
 */
export function hasBrowser(): boolean {
  if (existsSync(chromiumPath)) return true;
  const missing = `There is no Chromium at ${chromiumPath} (set CHROMIUM_PATH to one)`;
  if (process.env["REQUIRE_ALL_TESTS"] === "1") {
    throw new Error(`${missing}, and REQUIRE_ALL_TESTS=1 allows no test to be skipped.`);
  }
  console.warn(`${missing}: the tests in the browser are skipped.`);
  return false;
}

let browser: Browser | undefined;

/** The browser of this worker, which all of its test files share: they close their contexts, and environment.ts closes it. */
export async function sharedBrowser(): Promise<Browser> {
  if (browser?.isConnected() !== true) browser = await launch();
  return browser;
}

export async function closeSharedBrowser(): Promise<void> {
  await browser?.close();
}

function launch(): Promise<Browser> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return chromium.launch({ executablePath: chromiumPath, args });
}
