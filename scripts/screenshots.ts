import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionTokens } from "@fanfare/contract";
import { startInstance } from "../test/support/instance.ts";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { buildWebClient } from "./build.ts";
import { makeTown, type Town } from "./screenshots/make-town.ts";
import { t } from "../test/e2e/texts.ts";
import { channelPath, groupSettingsPath, inboxPath, settingsPath } from "../web/src/routes.ts";

// `node scripts/screenshots.ts`: makes the screenshots of the README and the user guide from an instance with sample conversations. It needs fonts for Chinese and emoji.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUT = join(ROOT, "docs/images");
const QUALITY = 82;
const WIDE = { viewport: { width: 1280, height: 800 } };
const GUIDE = { viewport: { width: 1080, height: 680 }, colorScheme: "light" } as const;

interface Picture {
  name: string;
  path: (town: Town) => string;
  options: BrowserContextOptions;
  /** Text that is shown once the page is complete. */
  waitFor: string;
  /** Opens what the picture is about, such as a menu. */
  open?: (page: Page) => Promise<void>;
}

const inChannel = ({ groupId, channelId }: Town): string => channelPath(groupId, channelId);
const inThread = ({ groupId, channelId, threadId }: Town): string =>
  channelPath(groupId, channelId, { thread: threadId });

const PICTURES: Picture[] = [
  {
    name: "channel-light",
    path: inThread,
    options: { ...WIDE, colorScheme: "light" },
    waitFor: "I'll bring the long cable",
  },
  {
    name: "channel-dark",
    path: inThread,
    options: { ...WIDE, colorScheme: "dark" },
    waitFor: "I'll bring the long cable",
  },
  {
    name: "message-actions-light",
    path: inChannel,
    options: GUIDE,
    waitFor: "See you there",
    open: (page) =>
      page
        .getByText("Yes, please!")
        .first()
        .click({ button: "right", position: { x: 5, y: 5 } }),
  },
  {
    name: "group-roles-light",
    path: ({ groupId }) => groupSettingsPath(groupId, "roles"),
    options: GUIDE,
    waitFor: "Moderators",
    open: (page) => page.getByText("Moderators").first().click(),
  },
  {
    name: "moderation-light",
    path: ({ groupId }) => groupSettingsPath(groupId, "members"),
    options: GUIDE,
    waitFor: "Alan Turing",
    open: (page) =>
      page.getByRole("button", { name: t("group-settings:moreOptions", { name: "Alan Turing" }) }).click(),
  },
  { name: "inbox-light", path: inboxPath, options: GUIDE, waitFor: "can you check the forecast" },
  {
    name: "settings-light",
    path: () => settingsPath("profile"),
    options: GUIDE,
    waitFor: t("settings:profile.bio"),
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
    await picture.open?.(page);
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
