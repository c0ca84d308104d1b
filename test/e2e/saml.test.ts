import { freePort } from "@fanfare/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSamlProvider, startSamlProvider, type SamlProvider } from "../integration/saml-provider.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

describe.skipIf(!hasBrowser() || !hasSamlProvider())("SAML in a browser", () => {
  let port: number;
  let url: string;
  let provider: SamlProvider;

  beforeAll(async () => {
    // The addresses of the metadata.
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    provider = await startSamlProvider();
  });
  afterAll(() => provider?.stop());
  const site = useSite(() => ({
    PORT: String(port),
    PUBLIC_URL: url,
    SAML_PROVIDERS: JSON.stringify([{ id: "work", name: "Example Inc.", metadata: provider.metadataUrl }]),
  }));
  beforeAll(async () => {
    provider.register(await (await fetch(`${site.url}/auth/saml/metadata/work`)).text());
  });

  async function signIn(page: Page, username: string): Promise<void> {
    await page.locator("#username").fill(username);
    await page.locator("#password").fill(provider.password);
    await page.locator("#submit_button").click();
  }

  test("a login at the provider leads to the requested page", async () => {
    provider.set("ada", { username: ["ada"], displayName: ["Ada Lovelace"] });
    const page = await site.newPage();
    await page.goto(`${site.url}/status`);
    await page.getByRole("button", { name: t("session:oidc.logInWith", { name: "Example Inc." }) }).click();
    await signIn(page, "ada");
    await page.getByRole("button", { name: `${t("shell:you")} Ada Lovelace` }).waitFor();
    expect(page.url()).toBe(`${site.url}/status`);
  });
});
