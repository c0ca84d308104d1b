// Scrolls a channel with 100,000 messages in Chromium and switches between loaded channels:
//   node web/bench/scroll.ts [--messages 100000] [--seconds 8] [--data DIR]
// The --data folder is kept, so that later runs can reuse the messages.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { FanfareClient } from "@fanfare/client";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare } from "@fanfare/node";
import { chromium, type Page } from "playwright-core";
import { makeChannels, type BenchPlace } from "./make-channels.ts";
import { scrollFor } from "./scroll-page.ts";
import { switchChannels } from "./switch-page.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    seconds: { type: "string", default: "8" },
    data: { type: "string" },
  },
});
const messages = Number(values.messages);
const seconds = Number(values.seconds);

const folder = await mkdtemp(join(tmpdir(), "fanfare-bench-"));
const webDir = join(import.meta.dirname, "..");
const args = [
  join(webDir, "node_modules/vite/bin/vite.js"),
  "build",
  "--outDir",
  join(folder, "web"),
  "--logLevel",
  "warn",
];
await promisify(execFile)(process.execPath, args, {
  cwd: webDir,
  env: { ...process.env, NODE_ENV: "production" },
});
const fanfare = await startFanfare(
  loadConfig({
    NODE_ENV: "test",
    LOG_LEVEL: "error",
    DATA_DIR: values.data ?? join(folder, "data"),
    WEB_DIR: join(folder, "web"),
    PORT: "0",
    OPS_PORT: "0",
    RATE_LIMIT_FACTOR: "1000000",
  }),
);
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const place = await makeChannels(fanfare.url, messages);
  const page = await openPage(place);
  console.log(`${messages} messages; frames of 60 Hz are due every 16.7 ms`);
  await show(page, place, place.newestId);
  console.log("up from the newest  ", await scrollFor(page, seconds, -60));
  await show(page, place, place.middleId);
  console.log("up from the middle  ", await scrollFor(page, seconds, -60));
  console.log("down from the middle", await scrollFor(page, seconds, 60));
  console.log("fast, up            ", await scrollFor(page, seconds, -400));
  console.log("channel switch      ", await switchChannels(page, place));
} finally {
  await browser.close();
  await fanfare.stop();
  await rm(folder, { recursive: true, force: true });
}

async function openPage({ username, password }: BenchPlace): Promise<Page> {
  const client = new FanfareClient({ url: fanfare.url });
  const tokens = await client.login({ username, password });
  client.close();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript((text) => localStorage.setItem("fanfare.tokens", text), JSON.stringify(tokens));
  return page;
}

async function show(page: Page, { groupId, channelIds }: BenchPlace, messageId: string): Promise<void> {
  await page.goto(`${fanfare.url}/groups/${groupId}/channels/${channelIds[0]}?message=${messageId}`);
  await page.locator(`[data-message-id="${messageId}"]`).waitFor();
  await page.waitForTimeout(1500);
}
