import { beforeAll, describe, expect, test } from "vitest";
import { FanfareClient } from "@fanfare/client";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const FCM_SERVICE_ACCOUNT = JSON.stringify({
  project_id: "my-project",
  client_email: "push@my-project.example",
  private_key: "-----BEGIN PRIVATE KEY-----\n",
});

describe.skipIf(!hasBrowser())("push notifications in an app", () => {
  const site = useSite(() => ({ FCM_SERVICE_ACCOUNT }));
  let ada: FanfareClient;

  beforeAll(async () => {
    ada = new FanfareClient({ url: site.url });
    await ada.register({ username: "ada", password: "correct horse", nickname: "Ada" });
  });

  /** The settings in an app that the server reaches like this. */
  async function openSettings(push: string) {
    const page = await site.newPage({}, await site.logIn("ada"));
    // As the apps do.
    await page.addInitScript(
      (endpoint) => Object.assign(globalThis, { fanfareApp: { push: endpoint } }),
      push,
    );
    await page.goto(`${site.url}/settings/notifications`);
    await site.loaded(page);
    return page;
  }
  const hosts = async () => (await ada.call("push.list", {})).subscriptions.map(({ host }) => host);

  test("are turned on and off by the switch", async () => {
    const page = await openSettings(`fcm:${"a".repeat(22)}:APA91b`);
    const push = page.getByRole("switch", { name: t("settings:push.thisDevice") });
    await push.click();
    await expect.poll(hosts).toEqual(["fcm"]);
    await expect.poll(() => push.isChecked()).toBe(true);
    await push.click();
    await expect.poll(hosts).toEqual([]);
  });

  test("go to the token that the app has now, and can be turned off with another one", async () => {
    const token = (char: string) => `fcm:${char.repeat(22)}:APA91b`;
    const page = await openSettings(token("a"));
    const push = page.getByRole("switch", { name: t("settings:push.thisDevice") });
    await push.click();
    await expect.poll(hosts).toEqual(["fcm"]);
    // The last script wins.
    for (const endpoint of [token("b"), `apns:${"0".repeat(64)}`] as const) {
      await page.addInitScript((now) => Object.assign(globalThis, { fanfareApp: { push: now } }), endpoint);
      await page.reload();
      await site.loaded(page);
      const stored = () => site.instance.collection("pushSubscriptions").findOne({});
      await expect.poll(async () => (await stored())?.["endpoint"]).toBe(token("b"));
    }
    await push.click();
    await expect.poll(hosts).toEqual([]);
    await page.getByText(t("settings:push.unsupportedApp")).waitFor();
  });

  test("can't be turned on where the server has no key for the app", { tags: "long" }, async () => {
    const page = await openSettings(`apns:${"0".repeat(64)}`);
    await page.getByText(t("settings:push.unsupportedApp")).waitFor();
    expect(await page.getByRole("switch", { name: t("settings:push.thisDevice") }).count()).toBe(0);
  });
});
