import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import type { SessionTokens } from "@fanfare/contract";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

export interface Site {
  url: string;
  browser: Browser;
  /** Opens a page for the user with these tokens. `script` runs before the page's own. */
  newPage(tokens: SessionTokens, script?: string): Promise<Page>;
  /** The same for several pages, which share what the browser stores. */
  newContext(tokens: SessionTokens, script?: string): Promise<BrowserContext>;
  stop(): Promise<void>;
}

/**
 * Starts an instance and Chromium.
 * @param data a folder that is kept; a temporary one by default
 * @param web a built web client; by default the current one is built
 */
export async function startSite({ data, web }: { data?: string; web?: string }): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
  const fanfare = await startFanfare(
    loadConfig({
      NODE_ENV: "test",
      LOG_LEVEL: "error",
      DATA_DIR: data ?? join(folder, "data"),
      WEB_DIR: web ?? (await build(join(folder, "web"))),
      PORT: "0",
      OPS_PORT: "0",
      RATE_LIMIT_FACTOR: "1000000",
    }),
  );
  const browser = await chromium.launch({
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--window-size=1280,880"],
  });
  const newContext: Site["newContext"] = async (tokens, script = "") => {
    // A page of a given size can be higher than its window: input below the window's edge would only be painted with a change above it.
    const context = await browser.newContext({ viewport: null });
    await context.addInitScript(
      (text) => localStorage.setItem("fanfare.tokens", localStorage.getItem("fanfare.tokens") ?? text),
      JSON.stringify(tokens),
    );
    await context.addInitScript(script);
    return context;
  };
  return {
    url: fanfare.url,
    browser,
    newContext,
    newPage: async (tokens, script) => (await newContext(tokens, script)).newPage(),
    async stop() {
      await browser.close();
      await fanfare.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function build(outDir: string): Promise<string> {
  const cwd = join(import.meta.dirname, "..");
  const vite = join(cwd, "node_modules/vite/bin/vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "--outDir", outDir, "--logLevel", "warn"], {
    cwd,
    env: { ...process.env, NODE_ENV: "production" },
  });
  return outDir;
}

/** Slows the page down to a mid-range phone. */
export async function throttleCpu(page: Page, rate = 4): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/** A slow mobile connection. Chromium slows neither a service worker's requests nor the frames of a WebSocket that is already open. */
export async function throttleNetwork(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1_600_000 / 8,
    uploadThroughput: 750_000 / 8,
  });
}

/** The value that a share of the values doesn't exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}
