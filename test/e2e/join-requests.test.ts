import { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { delayAnswers, hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PHONE = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe.skipIf(!hasBrowser())("join requests", () => {
  const site = useSite();
  let owner: FanfareClient;
  let asker: FanfareClient;
  let groupId: string;
  let code: string;

  beforeEach(async () => {
    [owner, asker] = [new FanfareClient({ url: site.url }), new FanfareClient({ url: site.url })];
    await owner.createGuest({ nickname: "Olivia" });
    await asker.createGuest({ nickname: "Nadia" });
    const { group } = await owner.call("group.create", { name: "Rocket builders" });
    groupId = group.id;
    ({ code } = (await owner.call("invite.create", { groupId })).invite);
  });

  const settings = () => `${site.url}/groups/${groupId}/settings/join-requests`;
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const openRequests = (page: Page, count: number) =>
    page.getByRole("link", { name: t("groups:joinRequests.open", { count }) });
  const ask = async (page: Page, message = "") => {
    await page.goto(`${site.url}/invite/${code}`);
    await button(page, t("invites:join", { group: "Rocket builders" })).click();
    await page.getByLabel(t("groups:ask.message")).fill(message);
    await button(page, t("groups:ask.action")).click();
    await page.getByText(t("groups:ask.waiting"), { exact: true }).waitFor();
  };

  test("a user asks, withdraws and is approved on all devices, without a reload", async () => {
    const moderators = await site.newPage({}, owner.tokens!);
    await moderators.goto(settings());
    await moderators.getByRole("checkbox", { name: t("group-settings:audit.field.needsApproval") }).click();
    await button(moderators, t("common:save")).click();
    await moderators.getByText(t("common:saved"), { exact: true }).waitFor();

    const page = await site.newPage({}, asker.tokens!);
    await ask(page, "I build engines");
    await openRequests(moderators, 1).waitFor();
    await moderators.getByText("I build engines").waitFor();
    await button(page, t("groups:ask.withdrawNamed", { name: "Rocket builders" })).click();
    await page.getByLabel(t("groups:ask.message")).waitFor();
    await moderators.getByText(t("group-settings:joinRequests.none")).waitFor();

    await ask(page, "I build engines");
    // The other device is at the start page, which lists the request.
    const phone = await site.newPage(PHONE, asker.tokens!);
    await phone.goto(site.url);
    await phone.getByRole("heading", { name: t("groups:ask.yours") }).waitFor();
    await button(moderators, t("group-settings:joinRequests.approveNamed", { name: "Nadia" })).click();
    await moderators.getByText(t("group-settings:joinRequests.none")).waitFor();
    await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
    await phone.getByText(t("groups:ask.waiting"), { exact: true }).waitFor({ state: "detached" });
    expect((await asker.call("join.listMine", {})).requests).toEqual([]);
    await moderators.getByRole("link", { name: t("common:auditLog") }).click();
    const closed = { actor: "Olivia", target: "Nadia" };
    await moderators.getByText(t("group-settings:audit.sentence.join.approve", closed)).waitFor();
  });

  test("a user asks from the directory", { tags: "long" }, async () => {
    await owner.call("group.update", { groupId, listed: true, needsApproval: true });
    const page = await site.newPage({}, asker.tokens!);
    await page.goto(`${site.url}/find-groups`);
    await button(page, t("groups:directory.joinNamed", { name: "Rocket builders" })).click();
    await button(page, t("groups:ask.action")).click();
    await page.getByText(t("groups:ask.waiting"), { exact: true }).waitFor();
    await owner.call("join.approve", { groupId, userIds: [asker.user!.id] });
    const open = t("groups:directory.openNamed", { name: "Rocket builders" });
    await page.getByRole("link", { name: open }).waitFor();
    expect(await page.getByText(t("groups:ask.waiting"), { exact: true }).count()).toBe(0);
    await owner.call("group.update", { groupId, listed: false });
  });

  test("a user who waits can join once no approval is needed", { tags: "long" }, async () => {
    await owner.call("group.update", { groupId, listed: true, needsApproval: true });
    const page = await site.newPage({}, asker.tokens!);
    await ask(page);
    await owner.call("group.update", { groupId, needsApproval: false });
    await page.goto(`${site.url}/find-groups`);
    await button(page, t("groups:directory.joinNamed", { name: "Rocket builders" })).waitFor();
    await page.goto(`${site.url}/invite/${code}`);
    await button(page, t("invites:join", { group: "Rocket builders" })).click();
    await page.getByRole("textbox", { name: t("composer:label", { title: "#general" }) }).waitFor();
    expect((await asker.call("join.listMine", {})).requests).toEqual([]);
    await owner.call("group.update", { groupId, listed: false });
  });

  test(
    "the invite dialog says that others ask to join, also during a lockdown",
    { tags: "long" },
    async () => {
      await owner.call("group.startLockdown", { groupId });
      const page = await site.newPage({}, owner.tokens!);
      await page.goto(`${site.url}/groups/${groupId}`);
      await button(page, "Rocket builders").click();
      await page.getByRole("menuitem", { name: t("groups:menu.invite") }).click();
      await page.getByText(t("invites:linkAskHint")).waitFor();
      expect(await page.getByText(t("invites:linkHint")).count()).toBe(0);
      await owner.call("group.endLockdown", { groupId });
      await page.getByText(t("invites:linkHint")).waitFor();
    },
  );

  test(
    "a request that took the last use of an invite is shown after a reload",
    { tags: "long" },
    async () => {
      await owner.call("group.update", { groupId, needsApproval: true });
      ({ code } = (await owner.call("invite.create", { groupId, maxUses: 1 })).invite);
      const page = await site.newPage({}, asker.tokens!);
      await ask(page);
      await page.reload();
      await page.getByRole("heading", { name: t("groups:ask.yours") }).waitFor();
      expect(await page.getByText(t("invites:cannotJoin")).count()).toBe(0);
    },
  );

  test("a lockdown, and several requests at once, on a phone", { tags: "long" }, async () => {
    await owner.call("group.update", { groupId, raidLimit: 2 });
    const others = await Promise.all(
      ["Ben", "Cleo", "Dan"].map(async (nickname) => {
        const client = new FanfareClient({ url: site.url });
        await client.createGuest({ nickname });
        return client;
      }),
    );
    for (const client of others.slice(0, 2)) await client.call("invite.accept", { code });
    const moderators = await site.newPage(PHONE, owner.tokens!);
    await moderators.goto(settings());
    await button(moderators, t("group-settings:joinRequests.startLockdown")).waitFor();
    const page = await site.newPage(PHONE, asker.tokens!);
    await ask(page);
    await others[2]!.call("join.request", { code, message: "Hello" });
    const endLockdown = button(moderators, t("group-settings:joinRequests.endLockdown"));
    await endLockdown.waitFor();
    await moderators
      .getByRole("checkbox", { name: t("group-settings:joinRequests.select", { name: "Dan" }) })
      .tap();
    await moderators
      .getByRole("checkbox", { name: t("group-settings:joinRequests.select", { name: "Nadia" }) })
      .tap();
    expect(await moderators.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.viewport.width);
    await button(moderators, t("group-settings:joinRequests.rejectSelected", { count: 2 })).tap();
    await moderators.getByText(t("group-settings:joinRequests.none")).waitFor();
    await page.getByText(t("groups:ask.rejected", { time: "" }).slice(0, 26)).waitFor();
    await endLockdown.tap();
    await button(moderators, t("group-settings:joinRequests.startLockdown")).waitFor();
    const { group } = await owner.call("group.get", { groupId });
    expect(group.lockdownUntil).toBeNull();
  });

  test("a button keeps the focus while what it does takes its time", { tags: "long" }, async () => {
    const page = await site.newPage({}, owner.tokens!);
    const started = Promise.withResolvers<void>();
    await delayAnswers(page, /^group\.startLockdown$/, started.promise);
    await page.goto(settings());
    await button(page, t("group-settings:joinRequests.startLockdown")).press("Enter");
    await button(page, t("group-settings:joinRequests.endLockdown")).waitFor();
    await page.keyboard.press("Enter");
    started.resolve();
    await expect.poll(async () => page.locator("[aria-busy=true]").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toBe(
      t("group-settings:joinRequests.endLockdown"),
    );
    const { group } = await owner.call("group.get", { groupId });
    expect(group.lockdownUntil).not.toBeNull();
  });
});
