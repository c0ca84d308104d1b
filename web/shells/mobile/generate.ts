// Generates the project for Android Studio in android/: `node web/shells/mobile/generate.ts`. It is Capacitor's template with
// the code in overlay/, and is not committed.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

const HERE = import.meta.dirname;
const ANDROID = join(HERE, "android/app/src/main");
const PACKAGE = "chat/fanfare/mobile";
const ACCENT = "#c8401b";
/** Pixels of the launcher icon by density. */
const DENSITIES = { mdpi: 48, hdpi: 72, xhdpi: 96, xxhdpi: 144, xxxhdpi: 192 };
const FOREGROUND_SCALE = 108 / 48;
/** Calls and voice messages. */
const PERMISSIONS = ["RECORD_AUDIO", "MODIFY_AUDIO_SETTINGS", "CAMERA"];

const LINK_FILTER = `
            <intent-filter>
                <action android:name="android.intent.action.VIEW" />
                <category android:name="android.intent.category.DEFAULT" />
                <category android:name="android.intent.category.BROWSABLE" />
                <data android:scheme="fanfare" />
            </intent-filter>
`;

if (!existsSync(join(HERE, "../dist/index.html")))
  throw new Error("Build the chooser first: pnpm --filter @fanfare/web build:shells");
run("npm", ["ci", "--no-audit", "--no-fund"]);
await rm(join(HERE, "android"), { recursive: true, force: true });
run("npx", ["cap", "add", "android"]);
await addCode();
await drawIcons();

async function addCode(): Promise<void> {
  const code = join(ANDROID, "java", PACKAGE);
  for (const name of ["MainActivity", "Navigation", "ServersPlugin"])
    await copyFile(join(HERE, "overlay", `${name}.java`), join(code, `${name}.java`));
  const permissions = PERMISSIONS.map(
    (name) => `    <uses-permission android:name="android.permission.${name}" />\n`,
  );
  await edit(join(ANDROID, "AndroidManifest.xml"), [
    ["</intent-filter>\n", `</intent-filter>\n${LINK_FILTER}`],
    // Backups would have the sessions of the pages.
    ['android:allowBackup="true"', 'android:allowBackup="false"'],
    ["</manifest>", `${permissions.join("")}</manifest>`],
  ]);
  await edit(join(ANDROID, "res/values/ic_launcher_background.xml"), [["#FFFFFF", ACCENT]]);
}

async function drawIcons(): Promise<void> {
  const icon = await readFile(join(HERE, "../../public/favicon.svg"));
  const sign = Buffer.from(icon.toString().replace(/<rect[^>]*>/, ""));
  for (const [density, size] of Object.entries(DENSITIES)) {
    const folder = join(ANDROID, "res", `mipmap-${density}`);
    await mkdir(folder, { recursive: true });
    const square = await draw(icon, size);
    const mask = Buffer.from(
      `<svg width="${size}" height="${size}"><circle cx="50%" cy="50%" r="50%"/></svg>`,
    );
    const round = sharp({ create: { width: size, height: size, channels: 4, background: ACCENT } }).composite(
      [{ input: await draw(sign, size) }, { input: mask, blend: "dest-in" }],
    );
    const whole = Math.round(size * FOREGROUND_SCALE);
    const border = Math.round((whole - size) / 2);
    const foreground = sharp(await draw(sign, whole - 2 * border)).extend({
      top: border,
      bottom: border,
      left: border,
      right: border,
      background: "transparent",
    });
    await writeFile(join(folder, "ic_launcher.png"), square);
    await writeFile(join(folder, "ic_launcher_round.png"), await round.png().toBuffer());
    await writeFile(join(folder, "ic_launcher_foreground.png"), await foreground.png().toBuffer());
  }
}

/** @throws if the template has changed and lacks one of the texts */
async function edit(path: string, changes: [from: string, to: string][]): Promise<void> {
  let text = await readFile(path, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from))
      throw new Error(`${path} has no ${from.trim()}: adapt generate.ts to the template.`);
    text = text.replace(from, to);
  }
  await writeFile(path, text);
}

function draw(svg: Buffer, size: number): Promise<Buffer> {
  return sharp(svg, { density: (72 * size) / 32 })
    .resize(size, size)
    .png()
    .toBuffer();
}

function run(command: string, parameters: string[]): void {
  execFileSync(command, parameters, { cwd: HERE, stdio: "inherit" });
}
