import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const HERE = import.meta.dirname;
const WEB = join(HERE, "../..");
let folder: string;
const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");

// Compiling needs Android's and Apple's tools. This shows that Capacitor's templates still have what `generate.ts` changes.
describe("the projects of the mobile apps", { tags: "long" }, () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-mobile-"));
    const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: WEB, stdio: "pipe" });
    run("node_modules/vite/bin/vite.js", "build", "-c", "shells/vite.config.ts");
    run("shells/mobile/generate.ts", "--out", folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("Android's has the chooser, the links and the push plug-in", async () => {
    const app = "android/app/src/main";
    expect(await read(`${app}/assets/public/index.html`)).toContain('id="servers"');
    expect(await read(`${app}/AndroidManifest.xml`)).toContain('android:scheme="fanfare"');
    expect(await read(`${app}/java/chat/fanfare/mobile/ServersPlugin.java`)).toContain("ServersPlugin");
    expect(await read("android/app/build.gradle")).toContain("androidx.webkit:webkit");
    expect(await read("android/app/capacitor.build.gradle")).toContain("capacitor-push-notifications");
  });

  test("iOS's has them too, without CocoaPods", async () => {
    const app = "ios/App/App";
    expect(await read(`${app}/public/index.html`)).toContain('id="servers"');
    expect(await read(`${app}/Info.plist`)).toMatch(/<key>CFBundleURLSchemes<.*fanfare/);
    expect(await read(`${app}/App.entitlements`)).toContain("aps-environment");
    expect(await read(`${app}/AppDelegate.swift`)).toContain("didRegisterForRemoteNotifications");
    expect(await read(`${app}/SceneDelegate.swift`)).toContain("ChooserViewController()");
    expect(await read("ios/App/CapApp-SPM/Package.swift")).toContain("CapacitorPushNotifications");
    const project = await read("ios/App/App.xcodeproj/project.pbxproj");
    for (const name of ["Navigation", "ServersPlugin", "ServerViewController"]) {
      expect(await read(`${app}/${name}.swift`)).not.toBe("");
      expect(project.split(`/* ${name}.swift */`)).toHaveLength(6);
    }
    expect(project.split("CODE_SIGN_ENTITLEMENTS")).toHaveLength(3);
  });
});
