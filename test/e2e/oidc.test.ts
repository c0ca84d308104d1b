import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FanfareClient } from "@fanfare/client";
import { loadConfig } from "@fanfare/kernel";
import { startFanfare, type Fanfare } from "@fanfare/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startIdentityProvider, type IdentityProvider } from "../integration/identity-provider.ts";
import { copyWeb, hasBrowser, launchBrowser } from "./browser.ts";

const PASSWORD = "correct horse";

describe.skipIf(!hasBrowser())("single sign-on in a browser", () => {
  let folder: string;
  let provider: IdentityProvider;
  let fanfare: Fanfare;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fanfare-e2e-"));
    await copyWeb(join(folder, "web"));
    // The provider has to know before where to send browsers back to.
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${url}/auth/oidc/callback`);
    const config = loadConfig({
      NODE_ENV: "test",
      LOG_LEVEL: "error",
      DATA_DIR: join(folder, "data"),
      WEB_DIR: join(folder, "web"),
      PORT: String(port),
      OPS_PORT: "0",
      PUBLIC_URL: url,
      RATE_LIMIT_FACTOR: "1000",
      ...provider.env,
    });
    [fanfare, browser] = await Promise.all([startFanfare(config), launchBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await fanfare?.stop();
    await provider?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function openWindow(path: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(fanfare.url + path);
    return page;
  }

  test("somebody comes in by the provider, to where they wanted to go, and a code serves once", async () => {
    provider.person = { sub: "ada", name: "Ada Lovelace", preferred_username: "ada" };
    const page = await openWindow("/status");
    await page.getByRole("button", { name: "Log in with single sign-on" }).click();
    await page.getByRole("button", { name: "You: Ada Lovelace" }).waitFor();
    expect(page.url()).toBe(`${fanfare.url}/status`);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain("oidcCode");
    await page.context().close();
  });

  test("who is refused there is told so, and can log in otherwise", async () => {
    provider.person = null;
    const page = await openWindow("/login");
    await page.getByRole("button", { name: "Log in with single sign-on" }).click();
    await page.getByRole("alert").getByText("did not succeed").waitFor();
    expect(page.url()).toBe(`${fanfare.url}/login`);
    await page.getByLabel("Username").waitFor();
    await page.context().close();
  });

  test("an account connects it, and is logged in to by it", async () => {
    const client = new FanfareClient({ url: fanfare.url });
    await client.register({ username: "grace", password: PASSWORD });
    provider.person = { sub: "grace", preferred_username: "grace.at.work" };
    const page = await openWindow("/settings/security");
    await page.getByLabel("Username").fill("grace");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("button", { name: "Connect single sign-on" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill("wrong");
    await dialog.getByRole("button", { name: "Connect single sign-on" }).click();
    await dialog.getByRole("alert").getByText("is wrong").waitFor();
    await dialog.getByLabel("Current password").fill(PASSWORD);
    await dialog.getByRole("button", { name: "Connect single sign-on" }).click();
    await page.getByRole("button", { name: "Disconnect single sign-on" }).waitFor();

    const other = await openWindow("/login");
    await other.getByRole("button", { name: "Log in with single sign-on" }).click();
    await other.getByRole("button", { name: "You: grace" }).waitFor();
    expect((await client.call("user.me", {})).user.oidcLinked).toBe(true);
    client.close();
    await page.context().close();
    await other.context().close();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
