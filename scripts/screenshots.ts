import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionTokens } from "@fanfare/contract";
import { startInstance } from "../test/support/instance.ts";
import { type Browser, type BrowserContextOptions, chromium } from "playwright-core";
import { buildWebClient } from "./build.ts";
import { makeTown, type Town } from "./screenshots/make-town.ts";
import { t } from "../test/e2e/texts.ts";

// `node scripts/screenshots.ts`: makes the screenshots of the README from an instance with sample conversations. It needs fonts for Chinese and emoji.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUT = join(ROOT, "docs/images");
const QUALITY = 82;
const WIDE = { viewport: { width: 1280, height: 800 } };

interface Picture {
  name: string;
  path: (town: Town) => string;
  options: BrowserContextOptions;
  /** Text that is there when the page is complete. */
  waitFor: string;
}

const inChannel = (town: Town): string => `/groups/${town.groupId}/channels/${town.channelId}`;
const inThread = (town: Town): string => `${inChannel(town)}?thread=${town.threadId}`;

const PICTURES: Picture[] = [
  {
    name: "channel-light",
    path: inThread,
    options: { ...WIDE, colorScheme: "light" },
    waitFor: "I bring the long cable",
  },
  {
    name: "channel-dark",
    path: inThread,
    options: { ...WIDE, colorScheme: "dark" },
    waitFor: "I bring the long cable",
  },
];

async function take(browser: Browser, url: string, tokens: SessionTokens, picture: Picture, town: Town) {
  const context = await browser.newContext({ ...picture.options, locale: "en-US", reducedMotion: "reduce" });
  try {
    const kept = JSON.stringify(JSON.stringify(tokens));
    await context.addInitScript(`sessionStorage.setItem("fanfare.tokens", ${kept});`);
    const page = await context.newPage();
    await page.goto(url + picture.path(town));
    await page.getByText(picture.waitFor).first().waitFor();
    const toNewest = page.getByRole("button", { name: t("messages:jump.newest") });
    if (await toNewest.isVisible()) await toNewest.click();
    await page.waitForTimeout(1_500);
    const devtools = await context.newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
    await writeFile(join(OUT, `${picture.name}.webp`), Buffer.from(data, "base64"));
  } finally {
    await context.close();
  }
}

await buildWebClient();
await mkdir(OUT, { recursive: true });
const instance = await startInstance({ WEB_DIR: join(ROOT, "web/dist") });
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const town = await makeTown(instance.url);
  for (const picture of PICTURES) {
    await take(browser, instance.url, await town.login(), picture, town);
    process.stdout.write(`docs/images/${picture.name}.webp\n`);
  }
  town.close();
} finally {
  await browser.close();
  await instance.stop();
}
