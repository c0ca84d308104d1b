import { createAccount, must } from "@fanfare/testing";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useSite } from "./site.ts";

// Who gets in: the Access and Users pages of admins, and what others see of it.

const password = "correct horse";
const site = useSite();

let admin: { username: string; accessToken: string };
beforeAll(async () => {
  admin = await createAccount(site.url);
});

async function openAsAdmin(path: string): Promise<Page> {
  const page = await site.newPage({}, await site.logIn(admin.username));
  await page.goto(site.url + path);
  return page;
}

test("with registration by invite, the form works on an invite link only", async () => {
  const { accessToken } = admin;
  const { group } = await must(site.url, "group.create", { name: "Analysts" }, accessToken);
  const { invite } = await must(site.url, "invite.create", { groupId: group.id }, accessToken);
  const access = await openAsAdmin("/admin/access");
  await access.getByRole("radio", { name: /^By invite/ }).click();
  await access.getByRole("radio", { name: /^Admins only/ }).click();
  await expect
    .poll(async () => (await must(site.url, "admin.getPolicy", {}, accessToken)).policy)
    .toMatchObject({ registration: "invite", groupCreation: "admins" });

  const page = await site.newPage();
  await page.goto(`${site.url}/register`);
  await page.getByText("You need an invite").waitFor();
  await page.goto(`${site.url}/invite/${invite.code}`);
  await page.getByRole("link", { name: "Register" }).click();
  await page.getByLabel("Username").fill("grace");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("heading", { name: "general" }).waitFor();

  await page.getByRole("button", { name: "Create or join a group" }).click();
  const dialog = page.getByRole("dialog", { name: "Join a group" });
  await dialog.getByLabel("Invite link").waitFor();
  expect(await dialog.getByText("Create group").count()).toBe(0);
});

test("an admin creates a user, who sets a password by the link", async () => {
  const users = await openAsAdmin("/admin/users");
  await users.getByRole("button", { name: "Create user" }).click();
  await users.getByLabel("Username").fill("alan");
  await users.getByRole("dialog").getByRole("button", { name: "Create user" }).click();
  const field = users.getByRole("dialog", { name: "Password link for alan" }).getByLabel("Link");
  await expect.poll(() => field.inputValue()).toMatch(/\/reset-password#token=/);
  const { pathname, hash } = new URL(await field.inputValue());

  const page = await site.newPage();
  await page.goto(site.url + pathname + hash);
  await page.getByText("Set a new password for alan").waitFor();
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("You can log in with it now.").waitFor();
  const { user } = await must(site.url, "user.login", { username: "alan", password });
  expect(user.username).toBe("alan");
});
