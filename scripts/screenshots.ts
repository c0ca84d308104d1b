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

// `node scripts/screenshots.ts`: makes the screenshots of the README, the user guide and the installed app from an instance with sample conversations. It needs fonts for Chinese and emoji.
// With names, such as `node scripts/screenshots.ts wide phone`, only those.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCS = "docs/images";
/** Shown when the app is installed; listed in manifest.webmanifest. */
const APP = "web/public/screenshots";
const QUALITY = 82;
const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = {
  viewport: { width: 390, height: 780 },
  hasTouch: true,
  isMobile: true,
};
const GUIDE = { viewport: { width: 1080, height: 680 }, colorScheme: "light" } as const;

interface Picture {
  name: string;
  folder?: string;
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
    name: "wide",
    folder: APP,
    path: inThread,
    options: { ...WIDE, colorScheme: "light" },
    waitFor: "I'll bring the long cable",
  },
  {
    name: "phone",
    folder: APP,
    path: inChannel,
    options: { ...PHONE, colorScheme: "light" },
    waitFor: "See you there",
  },
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
    const file = `${picture.folder ?? DOCS}/${picture.name}.webp`;
    await writeFile(join(ROOT, file), Buffer.from(data, "base64"));
    process.stdout.write(`${file}\n`);
  } finally {
    await context.close();
  }
}

await buildWebClient();
for (const folder of [DOCS, APP]) await mkdir(join(ROOT, folder), { recursive: true });
const names = process.argv.slice(2);
const instance = await startInstance({ WEB_DIR: join(ROOT, "web/dist") });
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  const town = await makeTown(instance.url);
  for (const picture of PICTURES) {
    if (names.length === 0 || names.includes(picture.name))
      await take(browser, instance.url, await town.login(), picture, town);
  }
  town.close();
} finally {
  await browser.close();
  await instance.stop();
}
