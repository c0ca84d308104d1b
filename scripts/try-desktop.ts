import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { FanfareClient } from "@fanfare/client";
import { t } from "../test/e2e/texts.ts";
import { startIdentityProvider } from "../test/integration/identity-provider.ts";
import { startInstance } from "../test/support/instance.ts";
import { until, WebDriver } from "../test/support/web-driver.ts";
import { channelPath, directPath, inboxPath, loginPath } from "../web/src/routes.ts";
import { buildPages } from "./build.ts";

// `node scripts/try-desktop.ts <program> [folder of screenshots]`: starts the desktop app on a screen of its own, and uses it with a
// new instance. It needs Debian's xvfb, webkit2gtk-driver, dbus, dunst, x11-utils and imagemagick.

const DISPLAY = ":97";
const DRIVER_PORT = 21_397;
const INSTANCE_PORT = "21398";
/** Long enough for a navigation that must not happen. */
const NOTHING_HAPPENS_MS = 1500;
const PASSWORD = "correct horse";

const [program, pictures = join(tmpdir(), "fanfare-desktop")] = process.argv.slice(2);
if (program === undefined) throw new Error("Name the program: node scripts/try-desktop.ts <program>");
await mkdir(pictures, { recursive: true });
const home = await mkdtemp(join(tmpdir(), "fanfare-desktop-"));
const started: ChildProcess[] = [];
await buildPages("web");
const PUBLIC_URL = `http://127.0.0.1:${INSTANCE_PORT}`;
const provider = await startIdentityProvider(`${PUBLIC_URL}/auth/oidc/callback`);
const webDir = join(import.meta.dirname, "../web/dist");
const instance = await startInstance({ WEB_DIR: webDir, PORT: INSTANCE_PORT, PUBLIC_URL, ...provider.env });
const clients: FanfareClient[] = [];
try {
  await run();
  console.log(`The app works. Screenshots: ${pictures}`);
} finally {
  for (const client of clients) client.close();
  for (const child of started.toReversed()) child.kill();
  await instance.stop();
  await provider.stop();
  await rm(home, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const [ada, grace] = [await newAccount("Ada"), await newAccount("Grace")];
  const { group, channels } = await ada.call("group.create", { name: "Rocket builders" });
  const { invite } = await ada.call("invite.create", { groupId: group.id });
  await grace.call("invite.accept", { code: invite.code });
  const channelId = channels.find(({ kind }) => kind === "text")!.id;
  await ada.call("message.send", {
    channelId,
    content: "The new engine works: https://example.com/a",
    nonce: crypto.randomUUID(),
  });

  const app = await startApp();
  const { host } = new URL(instance.url);

  await step("the chooser refuses what is no address", async () => {
    await until("the chooser", () =>
      app.run("return document.title === 'Fanfare' && !!document.activeElement.id"),
    );
    await app.type("#address", "*.example.com");
    await app.click("#connect");
    await app.untilText("#message", "Enter an address");
  });
  await step("the chooser connects, and warns of a connection without encryption", async () => {
    await app.type("#address", host);
    await app.click("#connect");
    await app.untilText("#message", "not encrypted");
    await screenshot("chooser");
    await app.click("#connect");
    await until("the server's page", () => app.run(`return location.origin === "${instance.url}"`));
  });
  await step("a single sign-on leads to the provider and back", async () => {
    provider.person = { sub: "lin", name: "Lin Lanying", preferred_username: "lin" };
    await app.visit(loginPath());
    const label = JSON.stringify(t("session:oidc.logIn"));
    await until("the button", () =>
      app.run(`
        const button = [...document.querySelectorAll("button")].find((each) => each.textContent === ${label});
        button?.click();
        return button !== undefined;
      `),
    );
    await app.untilText("body", "Lin Lanying");
    await app.run(`localStorage.clear(); location.assign("${loginPath()}")`);
  });
  await step("a login shows a channel", async () => {
    await app.type("input[name=username]", "grace");
    await app.type("input[type=password]", PASSWORD);
    await app.click("button[type=submit]");
    await until("the login", () => app.run("return !document.querySelector('input[type=password]')"));
    await app.visit(channelPath(group.id, channelId));
    await app.untilText("body", "The new engine works");
    await screenshot("channel");
  });
  await step("the unread count is in the window's title", async () => {
    await app.visit(inboxPath());
    await ada.call("message.send", {
      channelId,
      content: `<@${grace.user!.id}> look`,
      nonce: crypto.randomUUID(),
    });
    await until("the title", () => app.run("return document.title.startsWith('(1)')"));
    await until("the window's title", async () => (await windowTitles()).includes("(1) "));
    await app.run("return navigator.setAppBadge(120)");
    await screenshot("unread");
  });
  await step("the server's page has two commands, and no others", async () => {
    for (const command of ["list_servers", "open_server", "plugin:window|close", "plugin:event|listen"]) {
      const outcome = await app.run(
        `return window.__TAURI_INTERNALS__.invoke("${command}", {}).then(() => "allowed", String)`,
      );
      if (!/not allowed/.test(String(outcome))) throw new Error(`${command}: ${String(outcome)}`);
    }
  });
  await step("other sites open in the browser", async () => {
    await app.visit(channelPath(group.id, channelId));
    await app.click("a[href='https://example.com/a']");
    await app.click("[role=dialog] button:last-of-type");
    await until("the browser", async () => (await opened()).includes("https://example.com/a"));
    await wait(NOTHING_HAPPENS_MS);
    await app.run("location.assign('https://example.com/b')");
    await until("the browser", async () => (await opened()).includes("https://example.com/b"));
    await app.run("location.assign('file:///etc/passwd')");
    await wait(NOTHING_HAPPENS_MS);
    await app.run("location.assign('tauri://localhost/')");
    await wait(NOTHING_HAPPENS_MS);
    const origin = await app.run("return location.origin");
    if (origin !== instance.url) throw new Error(`The window shows ${String(origin)}.`);
    if ((await opened()).includes("passwd")) throw new Error("A file was opened.");
  });
  await step("a notification is the system's, and opens its message", async () => {
    await app.run("window.marked = true");
    const data = JSON.stringify({ body: "<b>look</b>", tag: "a", data: { path: inboxPath() } });
    await app.run(`navigator.serviceWorker.ready.then((worker) => worker.showNotification("Ada", ${data}))`);
    await until(
      "the notification",
      async () => (await output("dunstctl", ["count", "displayed"])).trim() === "1",
    );
    await screenshot("notification");
    await output("dunstctl", ["action", "0"]);
    await until("the inbox", () =>
      app.run(`return location.pathname === "${inboxPath()}" && window.marked === true`),
    );
  });
  await step("a link opens its page without loading the application again", async () => {
    await app.run("window.marked = true");
    second(`fanfare://${host}${directPath()}`);
    await until("the link", () =>
      app.run(`return location.pathname === "${directPath()}" && window.marked === true`),
    );
  });
  await step("a link to an unknown server only fills in its address", async () => {
    second("fanfare://unknown.example.com/inbox");
    await until("the chooser", () =>
      app.run("return document.querySelector('#address')?.value === 'unknown.example.com'"),
    );
    await app.untilText("#linked", "unknown.example.com");
    await app.untilText("#servers", host);
    await screenshot("link");
  });
  await step("the servers are remembered", async () => {
    await app.click("#servers .open");
    await until("the server's page", () => app.run(`return location.origin === "${instance.url}"`));
    const file = join(home, ".config/chat.fanfare.desktop/servers.json");
    const { current } = JSON.parse(await readFile(file, "utf8")) as { current: string };
    if (current !== instance.url) throw new Error(`The current server is ${current}.`);
  });
}

async function step(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    await screenshot("failure");
    throw new Error(`Failed: ${name}. See ${join(pictures, "failure.png")}`, { cause: error });
  }
  console.log(`ok: ${name}`);
}

async function screenshot(name: string): Promise<void> {
  await output("import", ["-window", "root", join(pictures, `${name}.png`)]);
}

async function newAccount(nickname: string): Promise<FanfareClient> {
  const client = new FanfareClient({ url: instance.url });
  clients.push(client);
  await client.register({ username: nickname.toLowerCase(), password: PASSWORD, nickname });
  return client;
}

/** Programs see an empty home folder, and an `xdg-open` that only writes down what it is to open. */
function environment(): NodeJS.ProcessEnv {
  return {
    PATH: [join(home, "bin"), process.env["PATH"]].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_RUNTIME_DIR: home,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(home, "bus")}`,
    DISPLAY,
    LANG: "C.UTF-8",
    TAURI_AUTOMATION: "true",
    TAURI_WEBVIEW_AUTOMATION: "true",
    LIBGL_ALWAYS_SOFTWARE: "1",
    // Machines without a graphics card show nothing otherwise.
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
  };
}

function start(command: string, parameters: string[]): ChildProcess {
  const child = spawn(command, parameters, { env: environment(), stdio: ["ignore", "inherit", "inherit"] });
  started.push(child);
  return child;
}

/** As the system does when a link is selected. */
function second(link: string): void {
  start(resolve(program!), [link]);
}

async function opened(): Promise<string> {
  return readFile(join(home, "opened"), "utf8").catch(() => "");
}

async function windowTitles(): Promise<string> {
  return output("xwininfo", ["-root", "-tree"]);
}

async function output(command: string, parameters: string[]): Promise<string> {
  const child = spawn(command, parameters, { env: environment(), stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return text;
}

async function startApp(): Promise<WebDriver> {
  await mkdir(join(home, "bin"));
  const script = `#!/bin/sh\necho "$1" >> "${join(home, "opened")}"\n`;
  await writeFile(join(home, "bin/xdg-open"), script, { mode: 0o755 });
  start("Xvfb", [DISPLAY, "-screen", "0", "1280x900x24", "-nolisten", "tcp"]);
  start("dbus-daemon", ["--session", "--nofork", `--address=unix:path=${join(home, "bus")}`]);
  start("dunst", []);
  start("WebKitWebDriver", [`--port=${DRIVER_PORT}`, "--host=127.0.0.1"]);
  const driver = `http://127.0.0.1:${DRIVER_PORT}`;
  await until("the driver", async () => (await fetch(`${driver}/status`)).ok);
  return WebDriver.start(driver, {
    "webkitgtk:browserOptions": { binary: resolve(program!), args: [] },
  });
}
