// Generates the projects for Android Studio in android/ and for Xcode in ios/: `node web/shells/mobile/generate.ts`. They are
// Capacitor's templates with the code in overlay/, and are not committed. `--out <folder>` writes them into another folder.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";

const HERE = import.meta.dirname;
const { out } = parseArgs({ options: { out: { type: "string", default: HERE } } }).values;
const OUT = resolve(out);
const ANDROID = join(OUT, "android/app/src/main");
const IOS = join(OUT, "ios/App");
/** Of the app in Firebase. Without it, Android apps get no push notifications. */
const FIREBASE = join(HERE, "google-services.json");
const { appId } = JSON.parse(await readFile(join(HERE, "capacitor.config.json"), "utf8")) as {
  appId: string;
};
const ACCENT = "#c8401b";
/** Pixels of the launcher icon by density. */
const DENSITIES = { mdpi: 48, hdpi: 72, xhdpi: 96, xxhdpi: 144, xxxhdpi: 192 };
const FOREGROUND_SCALE = 108 / 48;
/** Calls and voice messages. */
const PERMISSIONS = ["RECORD_AUDIO", "MODIFY_AUDIO_SETTINGS", "CAMERA"];

/** What iOS shows when the page first uses them. */
const USAGES = {
  NSMicrophoneUsageDescription: "For calls and voice messages.",
  NSCameraUsageDescription: "For video calls and pictures that you send.",
};
const IOS_CODE = [
  "App.entitlements",
  "Navigation.swift",
  "ServersPlugin.swift",
  "ServerViewController.swift",
];
const LINK_SCHEME = `<key>CFBundleURLTypes</key>
<array><dict><key>CFBundleURLSchemes</key><array><string>fanfare</string></array></dict></array>
`;

/** The push plug-in needs what the system tells the app. */
const REGISTRATION = `
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
        NotificationCenter.default.post(name: .capacitorDidRegisterForRemoteNotifications, object: deviceToken)
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: Error) {
        NotificationCenter.default.post(name: .capacitorDidFailToRegisterForRemoteNotifications, object: error)
    }
`;

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
if (OUT !== HERE) await copySources();
run("npm", ["ci", "--no-audit", "--no-fund"]);
for (const platform of ["android", "ios"]) {
  await rm(join(OUT, platform), { recursive: true, force: true });
  run(process.execPath, ["node_modules/@capacitor/cli/bin/capacitor", "add", platform]);
}
await addAndroidCode();
await addIosCode();
await drawIcons();

/** What Capacitor reads, with the path of the built chooser. */
async function copySources(): Promise<void> {
  await mkdir(OUT, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) await copyFile(join(HERE, name), join(OUT, name));
  const config = JSON.parse(await readFile(join(HERE, "capacitor.config.json"), "utf8")) as {
    webDir: string;
  };
  await cp(join(HERE, config.webDir), join(OUT, "chooser"), { recursive: true });
  await writeFile(join(OUT, "capacitor.config.json"), JSON.stringify({ ...config, webDir: "chooser" }));
}

async function addAndroidCode(): Promise<void> {
  const code = join(ANDROID, "java", ...appId.split("."));
  for (const name of ["MainActivity.java", "Navigation.java", "ServersPlugin.java"]) {
    await copyFile(join(HERE, "overlay/android", name), join(code, name));
    await edit(join(code, name), [["package chat.fanfare.mobile;", `package ${appId};`]]);
  }
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
  await edit(join(OUT, "android/app/build.gradle"), [
    [
      "dependencies {\n",
      'dependencies {\n    implementation "androidx.webkit:webkit:$androidxWebkitVersion"\n',
    ],
  ]);
  if (existsSync(FIREBASE)) await copyFile(FIREBASE, join(OUT, "android/app/google-services.json"));
}

async function addIosCode(): Promise<void> {
  const app = join(IOS, "App");
  for (const name of IOS_CODE) await copyFile(join(HERE, "overlay/ios", name), join(app, name));
  await addToXcode(IOS_CODE.filter((name) => name.endsWith(".swift")));
  const usages = Object.entries(USAGES).map(([key, text]) => `<key>${key}</key><string>${text}</string>`);
  await edit(join(app, "Info.plist"), [
    ["</dict>\n</plist>", `${usages.join("\n")}\n${LINK_SCHEME}</dict>\n</plist>`],
  ]);
  await edit(join(app, "SceneDelegate.swift"), [["CAPBridgeViewController()", "ChooserViewController()"]]);
  await edit(join(app, "AppDelegate.swift"), [
    ["        return config\n    }\n", `        return config\n    }\n${REGISTRATION}`],
  ]);
}

/** Xcode only builds what its project lists. Ids are any 24 hexadecimal digits. */
async function addToXcode(names: readonly string[]): Promise<void> {
  const changes = names.flatMap((name, n): [string, string][] => {
    const [file, build] = [`FA${n}`.padEnd(24, "0"), `FB${n}`.padEnd(24, "0")];
    const kind = "lastKnownFileType = sourcecode.swift";
    const before = (text: string, line: string): [string, string] => [text, `${line}\n${text}`];
    return [
      before(
        "/* End PBXBuildFile section */",
        `${build} /* ${name} */ = {isa = PBXBuildFile; fileRef = ${file} /* ${name} */; };`,
      ),
      before(
        "/* End PBXFileReference section */",
        `${file} /* ${name} */ = {isa = PBXFileReference; ${kind}; path = ${name}; sourceTree = "<group>"; };`,
      ),
      before("504EC3071FED79650016851F /* AppDelegate.swift */,", `${file} /* ${name} */,`),
      before("504EC3081FED79650016851F /* AppDelegate.swift in Sources */,", `${build} /* ${name} */,`),
    ];
  });
  const info = "INFOPLIST_FILE = App/Info.plist;";
  changes.push([info, `${info} CODE_SIGN_ENTITLEMENTS = App/App.entitlements;`]);
  await edit(join(IOS, "App.xcodeproj/project.pbxproj"), changes);
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
  // Apple rounds the corners, and refuses transparent ones.
  await sharp(await draw(icon, 1024))
    .flatten({ background: ACCENT })
    .toFile(join(IOS, "App/Assets.xcassets/AppIcon.appiconset/AppIcon-512@2x.png"));
}

/** @throws if the template has changed and lacks one of the texts */
async function edit(path: string, changes: [from: string, to: string][]): Promise<void> {
  let text = await readFile(path, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from))
      throw new Error(`${path} has no ${from.trim()}: adapt generate.ts to the template.`);
    text = text.replaceAll(from, () => to);
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
  execFileSync(command, parameters, { cwd: OUT, stdio: "inherit" });
}
