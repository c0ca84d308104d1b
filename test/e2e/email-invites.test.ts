import { FanfareClient } from "@fanfare/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMailbox, type Mailbox } from "../integration/mailbox.ts";
import { hasBrowser } from "./browser.ts";
import { useSite } from "./site.ts";
import { t } from "./texts.ts";

const PUBLIC_URL = "http://chat.example.org";

describe.skipIf(!hasBrowser())("invites by email", () => {
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await startMailbox();
  });
  afterAll(() => mailbox?.stop());
  const site = useSite(() => ({ PUBLIC_URL, ...mailbox.env }));

  const openDialog = async (page: Page) => {
    await page.getByRole("button", { name: "Rocket builders", exact: true }).last().click();
    await page.getByRole("menuitem", { name: t("groups:menu.invite"), exact: true }).click();
    await page.getByLabel(t("groups:email.addresses")).waitFor();
  };

  test(
    "a member emails an invite, and its recipient registers with the link and is in the group",
    { tags: "long" },
    async () => {
      const owner = await site.newAccount("Ada");
      await owner.call("admin.setPolicy", { registration: "invite" });
      const { group } = await owner.call("group.create", { name: "Rocket builders" });
      const ada = await site.newPage({}, owner.tokens!);
      await ada.goto(`${site.url}/groups/${group.id}`);
      await openDialog(ada);
      const field = ada.getByLabel(t("groups:email.addresses"));
      const send = ada.getByRole("button", { name: t("groups:email.action") });
      await field.fill("Grace Hopper <grace@example.org>, grace@example\nbob");
      await send.click();
      await ada.getByText(t("groups:email.wrong", { addresses: "grace@example, bob" })).waitFor();
      await field.fill("Grace Hopper <grace@example.org>");
      await send.click();
      await ada.getByText(t("groups:email.sent", { count: 1 })).waitFor();
      await ada.getByText(t("invites:more")).click();
      await ada.getByText("grace@example.org").waitFor();
      await field.fill("grace@example.org");
      await send.click();
      await ada.getByText(t("groups:email.invited", { addresses: "grace@example.org" })).waitFor();

      const { text } = await mailbox.next("grace@example.org", /ada invited you/);
      const link = /http:\/\/chat\.example\.org\/invite\S+/.exec(text)![0].replace(PUBLIC_URL, site.url);
      const grace = await site.newPage();
      await grace.goto(link);
      await grace.getByText("Rocket builders").waitFor();
      await grace.getByRole("link", { name: t("session:register") }).click();
      await grace.getByLabel(t("session:username")).fill("grace");
      await grace.getByLabel(t("session:password"), { exact: true }).fill("correct horse");
      expect(await grace.getByLabel(t("session:email")).inputValue()).toBe("grace@example.org");
      await grace.getByRole("button", { name: t("session:register"), exact: true }).click();
      const composer = grace.getByRole("textbox", { name: t("composer:label", { title: "#general" }) });
      await composer.waitFor();
      const client = new FanfareClient({ url: site.url });
      await client.login({ username: "grace", password: "correct horse" });
      expect(client.user).toMatchObject({ email: "grace@example.org", emailVerified: true });
      // The link still leads there.
      await grace.goto(link);
      await composer.waitFor();
    },
  );
});
