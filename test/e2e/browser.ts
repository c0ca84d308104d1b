import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const webDir = join(import.meta.dirname, "../../web");
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

export function launchBrowser(): Promise<Browser> {
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

/** Builds the page as it is now into a folder of its own, so that no older build is tested. */
export async function buildWeb(outDir: string): Promise<void> {
  const vite = join(webDir, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", outDir, "--logLevel", "warn"];
  await promisify(execFile)(process.execPath, args, {
    cwd: webDir,
    // The tests' own would make it a build for developers.
    env: { ...process.env, NODE_ENV: "production" },
  });
}
