import type { ErrorCode } from "@fanfare/contract";
import { createAccount, createGuest, must, post, type Person } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMailbox, type Mailbox } from "./mailbox.ts";

// Accounts that admins create, and links to set passwords: sent by email if it is configured, otherwise shown
// to the admin.

const PUBLIC_URL = "https://chat.example.org";
const password = "correct horse";
const newPassword = "battery staple";

let mailbox: Mailbox;
let withMail: Instance;
let withoutMail: Instance;
const admins = new Map<Instance, Person>();
beforeAll(async () => {
  mailbox = await startMailbox();
  withMail = await startInstance({ ...mailbox.env, PUBLIC_URL });
  withoutMail = await startInstance({ PUBLIC_URL });
  for (const instance of [withMail, withoutMail]) admins.set(instance, await createAccount(instance.url));
});
afterAll(async () => {
  await withMail?.stop();
  await withoutMail?.stop();
  await mailbox?.stop();
});

let people = 0;
const newName = (): string => `person${(people += 1)}`;
const failed = (type: ErrorCode) => ({ ok: false, error: { type } });
const asAdmin = (instance: Instance) => admins.get(instance)!.accessToken;
const tokenIn = (link: string | null): string => {
  expect(link).toMatch(/^https:\/\/chat\.example\.org\/reset-password#token=[\w-]+$/);
  return link!.split("#token=")[1]!;
};
const logIn = (instance: Instance, username: string, secret: string) =>
  post(instance.url, "user.login", { username, password: secret });

describe("an admin creates a user", () => {
  test("with an emailed link that sets the password and verifies the address, even if registration is closed", async () => {
    const { url } = withMail;
    await must(url, "admin.setPolicy", { registration: "closed" }, asAdmin(withMail));
    const username = newName();
    const email = `${username}@example.org`;
    const created = await must(url, "admin.createUser", { username, email }, asAdmin(withMail));
    await must(url, "admin.setPolicy", { registration: "open" }, asAdmin(withMail));
    expect(created).toMatchObject({ link: null, user: { username, email, kind: "member", admin: false } });
    expect(await logIn(withMail, username, password)).toMatchObject(failed("WRONG_CREDENTIALS"));
    const { token, text } = await mailbox.next(email, /invited/);
    expect(text).toContain(username);
    expect(await must(url, "user.inspectPasswordReset", { token })).toMatchObject({ username, isNew: true });
    await must(url, "user.resetPassword", { token, newPassword: password });
    const { user } = await must(url, "user.login", { username, password });
    expect(user).toMatchObject({ email, emailVerified: true });
    expect(await post(url, "user.resetPassword", { token, newPassword })).toMatchObject(
      failed("INVALID_LINK"),
    );
  });

  test.each(["with an address", "without one"])(
    "%s, with a link that is shown if email isn't configured, and verifies nothing",
    async (how) => {
      const { url } = withoutMail;
      const username = newName();
      const params = { username, ...(how === "with an address" && { email: `${username}@example.org` }) };
      const { link } = await must(url, "admin.createUser", params, asAdmin(withoutMail));
      await must(url, "user.resetPassword", { token: tokenIn(link), newPassword: password });
      const { user } = await must(url, "user.login", { username, password });
      expect(user).toMatchObject({ email: params.email ?? null, emailVerified: false });
    },
  );

  test("with another account's email address only if that account never verified it", async () => {
    const { url } = withMail;
    const create = (username: string, email: string) =>
      post(url, "admin.createUser", { username, email }, asAdmin(withMail));
    const [claimant, owner] = [newName(), newName()];
    const email = `${claimant}@example.org`;
    await must(url, "user.register", { username: claimant, password, email });
    expect(await create(claimant, "other@example.org")).toMatchObject(failed("USERNAME_TAKEN"));
    expect(await create(owner, email)).toMatchObject({ ok: true });
    const { token } = await mailbox.next(email, /invited/);
    await must(url, "user.resetPassword", { token, newPassword: password });
    expect(await create(newName(), email)).toMatchObject(failed("EMAIL_TAKEN"));
    const { user } = await must(url, "user.login", { username: claimant, password });
    expect(user.email).toBeNull();
  });

  test("which the audit log records without the link", async () => {
    const { url } = withoutMail;
    const username = newName();
    const { link } = await must(url, "admin.createUser", { username }, asAdmin(withoutMail));
    const { entries } = await must(url, "admin.auditLog", {}, asAdmin(withoutMail));
    expect(entries[0]).toMatchObject({ action: "admin.createUser", params: { username }, outcome: "done" });
    expect(JSON.stringify(entries)).not.toContain(tokenIn(link));
  });
});

describe("an admin sends a password link", () => {
  test("by email to an account with an address", async () => {
    const { url } = withMail;
    const username = newName();
    const email = `${username}@example.org`;
    const { user } = await must(url, "user.register", { username, password, email });
    const { token: verification } = await mailbox.next(email, /Verify/);
    await must(url, "user.verifyEmail", { token: verification });
    const answer = await must(url, "admin.sendPasswordReset", { userId: user.id }, asAdmin(withMail));
    expect(answer).toEqual({ link: null });
    const { token } = await mailbox.next(email, /new password/);
    await must(url, "user.resetPassword", { token, newPassword });
    expect(await logIn(withMail, username, password)).toMatchObject(failed("WRONG_CREDENTIALS"));
    expect(await logIn(withMail, username, newPassword)).toMatchObject({ ok: true });
  });

  test("to pass on if the account has no address; using it ends all sessions", async () => {
    const { url } = withMail;
    const { userId, username, accessToken } = await createAccount(url);
    const { link } = await must(url, "admin.sendPasswordReset", { userId }, asAdmin(withMail));
    expect(await post(url, "user.me", {}, accessToken)).toMatchObject({ ok: true });
    await must(url, "user.resetPassword", { token: tokenIn(link), newPassword });
    expect(await post(url, "user.me", {}, accessToken)).toMatchObject(failed("SESSION_REVOKED"));
    expect(await logIn(withMail, username, newPassword)).toMatchObject({ ok: true });
  });

  test("only as an admin, and not to guests or unknown users", async () => {
    const { url } = withMail;
    const [guest, account] = await Promise.all([createGuest(url), createAccount(url)]);
    const send = (userId: string, accessToken = asAdmin(withMail)) =>
      post(url, "admin.sendPasswordReset", { userId }, accessToken);
    expect(await send(guest.userId)).toMatchObject(failed("GUEST_NOT_ALLOWED"));
    expect(await send("0".repeat(24))).toMatchObject(failed("USER_NOT_FOUND"));
    expect(await send(guest.userId, account.accessToken)).toMatchObject(failed("FORBIDDEN"));
  });
});
