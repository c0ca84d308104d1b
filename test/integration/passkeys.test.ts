import { LIMITS } from "@fanfare/contract";
import { createAccount, must, post, type Person } from "@fanfare/testing";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { Authenticator, type Faults, type SoftPasskey } from "./authenticator.ts";
import { startMailbox, type Mailbox } from "./mailbox.ts";

// The browser and the authenticator are written in authenticator.ts; what they sign is checked by the server's library.

const ORIGIN = "https://chat.example.org";
const password = "correct horse";
/** Of answers that the server must refuse. */
const FAULTS: [fault: string, faults: Faults][] = [
  ["from another origin", { origin: "https://chat.example.com" }],
  ["for another site", { rpId: "example.com" }],
  ["with another challenge", { challenge: "bWFkZS11cA" }],
  ["without a verified user", { isVerified: false }],
];

const authenticator = new Authenticator(ORIGIN);
let mailbox: Mailbox;
let instance: Instance;
let admin: Person;
beforeAll(async () => {
  mailbox = await startMailbox();
  instance = await startInstance({ ...mailbox.env, PUBLIC_URL: ORIGIN });
  admin = await createAccount(instance.url);
});
afterAll(async () => {
  await instance?.stop();
  await mailbox?.stop();
});

let people = 0;
async function newAccount() {
  const username = `person${(people += 1)}`;
  const email = `${username}@example.org`;
  const tokens = await must(instance.url, "user.register", { username, email, password });
  return { username, email, userId: tokens.user.id, accessToken: tokens.accessToken };
}
type Account = Pick<Awaited<ReturnType<typeof newAccount>>, "accessToken">;

const startSetup = async ({ accessToken }: Account) =>
  (await must(instance.url, "user.startPasskeySetup", { password }, accessToken)).options;

async function addPasskey(account: Account, name = "Phone"): Promise<SoftPasskey> {
  const { passkey, answer } = authenticator.create(await startSetup(account));
  await must(instance.url, "user.addPasskey", { name, ...answer }, account.accessToken);
  return passkey;
}

const startLogin = async () => (await must(instance.url, "user.startPasskeyLogin", {})).options;
const logIn = async (passkey: SoftPasskey, faults?: Faults) =>
  post(instance.url, "user.loginWithPasskey", authenticator.get(await startLogin(), passkey, faults));
async function mustLogIn(passkey: SoftPasskey) {
  const answer = authenticator.get(await startLogin(), passkey);
  return must(instance.url, "user.loginWithPasskey", answer);
}
const listPasskeys = async ({ accessToken }: Account) =>
  (await must(instance.url, "user.listPasskeys", {}, accessToken)).passkeys;

const refused = failed("PASSKEY_REFUSED");

/** @returns the recovery codes */
async function setUpTotp({ accessToken }: Account): Promise<string[]> {
  const { secret } = await must(instance.url, "user.setupTotp", { password }, accessToken);
  const code = new TOTP({ secret }).generate();
  return (await must(instance.url, "user.enableTotp", { code }, accessToken)).recoveryCodes;
}

describe("a passkey", () => {
  test("logs in without a name, a password or a code, and is listed, renamed and removed", async () => {
    const account = await newAccount();
    const passkey = await addPasskey(account);
    await mailbox.next(account.email, /passkey was added/);
    await setUpTotp(account);
    expect(await listPasskeys(account)).toMatchObject([{ id: passkey.id, name: "Phone", lastUsedAt: null }]);

    const { user, accessToken } = await mustLogIn(passkey);
    expect(user).toMatchObject({ id: account.userId, totpEnabled: true });
    expect((await must(instance.url, "user.me", {}, accessToken)).user.id).toBe(account.userId);
    expect((await listPasskeys(account))[0]?.lastUsedAt).toEqual(expect.any(String));

    const renamed = { passkeyId: passkey.id, name: "Old phone" };
    await must(instance.url, "user.renamePasskey", renamed, accessToken);
    const { items } = await must(instance.url, "user.exportMyData", {}, accessToken);
    expect(items).toContainEqual({ kind: "passkey", data: expect.objectContaining({ name: "Old phone" }) });

    const removal = { passkeyId: passkey.id, password };
    const remove = (params: typeof removal) =>
      post(instance.url, "user.removePasskey", params, account.accessToken);
    expect(await remove({ ...removal, password: "wrong" })).toEqual(failed("WRONG_CREDENTIALS"));
    expect(await remove(removal)).toMatchObject({ ok: true });
    await mailbox.next(account.email, /passkey was removed/);
    expect(await listPasskeys(account)).toEqual([]);
    expect(await logIn(passkey)).toEqual(refused);
    expect(await remove(removal)).toEqual(failed("PASSKEY_NOT_FOUND"));
  });

  test("without a counter, as synced ones are, works again and again", async () => {
    const passkey = await addPasskey(await newAccount());
    for (let times = 0; times < 2; times += 1)
      expect(await logIn(passkey, { counter: 0 })).toMatchObject({ ok: true });
  });

  test("is one of several, each of which logs in", async () => {
    const account = await newAccount();
    const passkeys = [await addPasskey(account, "Phone"), await addPasskey(account, "Key")];
    for (const passkey of passkeys) expect((await mustLogIn(passkey)).user.id).toBe(account.userId);
  });

  test("meets the requirement of a second factor, also after a change of the password", async () => {
    await setUpTotp(admin);
    const account = await newAccount();
    const passkey = await addPasskey(account);
    const setRule = (requireSecondFactor: "accounts" | "off") =>
      must(instance.url, "admin.setPolicy", { requireSecondFactor }, admin.accessToken);
    await setRule("accounts");
    try {
      const byPassword = await must(instance.url, "user.login", { username: account.username, password });
      const listGroups = ({ accessToken }: Account) => post(instance.url, "group.listMine", {}, accessToken);
      await vi.waitFor(async () =>
        expect(await listGroups(byPassword)).toEqual(failed("SECOND_FACTOR_REQUIRED")),
      );
      const byPasskey = await mustLogIn(passkey);
      expect(await listGroups(byPasskey)).toMatchObject({ ok: true });
      const passwords = { oldPassword: password, newPassword: "battery staple" };
      const changed = await must(instance.url, "user.changePassword", passwords, byPasskey.accessToken);
      expect(await listGroups(changed)).toMatchObject({ ok: true });
    } finally {
      await setRule("off");
    }
  });
});

describe("a login is refused", () => {
  let passkey: SoftPasskey;
  beforeAll(async () => {
    passkey = await addPasskey(await newAccount());
  });

  test.each(FAULTS)("%s", async (_fault, faults) => {
    expect(await logIn(passkey, faults)).toEqual(refused);
    expect(await logIn(passkey)).toMatchObject({ ok: true });
  });

  test("with a counter that goes back or stays, as that of a copy does", async () => {
    const { counter } = passkey;
    expect(await logIn(passkey, { counter: counter + 5 })).toMatchObject({ ok: true });
    expect(await logIn(passkey, { counter: counter + 4 })).toEqual(refused);
    expect(await logIn(passkey, { counter: counter + 5 })).toEqual(refused);
    passkey.counter += 5;
  });

  test("the second time, for one of concurrent ones too", async () => {
    // The counter would refuse it as well.
    const synced = await addPasskey(await newAccount());
    const answer = authenticator.get(await startLogin(), synced, { counter: 0 });
    const answers = await Promise.all(
      [answer, answer].map((params) => post(instance.url, "user.loginWithPasskey", params)),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await post(instance.url, "user.loginWithPasskey", answer)).toEqual(refused);
  });

  test("with a challenge that was made up, or made for another purpose", async () => {
    const answer = authenticator.get(await startLogin(), passkey, { challenge: "bWFkZS11cA" });
    const madeUp = { ...answer, challenge: "bWFkZS11cA" };
    expect(await post(instance.url, "user.loginWithPasskey", madeUp)).toEqual(refused);
    const { challenge } = await startSetup(await newAccount());
    const options = { ...(await startLogin()), challenge };
    const params = authenticator.get(options, passkey);
    expect(await post(instance.url, "user.loginWithPasskey", params)).toEqual(refused);
  });

  test("for the account of another passkey", async () => {
    const victim = await addPasskey(await newAccount());
    const { userHandle, id } = victim;
    expect(await logIn({ ...passkey, userHandle })).toEqual(refused);
    expect(await logIn({ ...passkey, userHandle, id })).toEqual(refused);
    expect(await logIn({ ...passkey, userHandle: "c29tZW9uZQ" })).toEqual(refused);
    expect(await logIn(victim)).toMatchObject({ ok: true });
  });

  test("for a disabled or a deleted account", async () => {
    const account = await newAccount();
    const its = await addPasskey(account);
    const { userId } = account;
    await must(instance.url, "admin.disableUser", { userId }, admin.accessToken);
    expect(await logIn(its)).toEqual(failed("USER_DISABLED"));
    await must(instance.url, "admin.enableUser", { userId }, admin.accessToken);
    const { accessToken } = await mustLogIn(its);
    await must(instance.url, "user.deleteMe", { password }, accessToken);
    expect(await logIn(its)).toEqual(refused);
  });
});

describe("adding a passkey is refused", () => {
  const add = ({ accessToken }: Account, answer: ReturnType<Authenticator["create"]>["answer"]) =>
    post(instance.url, "user.addPasskey", { name: "Phone", ...answer }, accessToken);

  test("without the password", async () => {
    const { accessToken } = await newAccount();
    const start = (params: { password: string }) =>
      post(instance.url, "user.startPasskeySetup", params, accessToken);
    expect(await start({ password: "wrong" })).toEqual(failed("WRONG_CREDENTIALS"));
  });

  test("without a code of two-step verification, which it replaces", async () => {
    const account = await newAccount();
    const [code] = await setUpTotp(account);
    const start = (params: { code?: string }) =>
      post(instance.url, "user.startPasskeySetup", { password, ...params }, account.accessToken);
    expect(await start({})).toEqual(failed("TOTP_REQUIRED"));
    expect(await start({ code: "wrong" })).toEqual(failed("WRONG_CODE"));
    const params = { password, code: code! };
    const { options } = await must(instance.url, "user.startPasskeySetup", params, account.accessToken);
    const { passkey, answer } = authenticator.create(options);
    expect(await add(account, answer)).toMatchObject({ ok: true });
    expect(await logIn(passkey)).toMatchObject({ ok: true });
  });

  test.each(FAULTS)("%s", async (_fault, faults) => {
    const account = await newAccount();
    const { answer } = authenticator.create(await startSetup(account), faults);
    expect(await add(account, answer)).toEqual(refused);
    expect(await listPasskeys(account)).toEqual([]);
  });

  test("with a challenge that was used, belongs to another user or came before a change of the password", async () => {
    const account = await newAccount();
    const { answer } = authenticator.create(await startSetup(account));
    expect(await add(await newAccount(), answer)).toEqual(refused);
    expect(await add(account, answer)).toMatchObject({ ok: true });
    expect(await add(account, answer)).toEqual(refused);
    const late = authenticator.create(await startSetup(account)).answer;
    const passwords = { oldPassword: password, newPassword: "battery staple" };
    const changed = await must(instance.url, "user.changePassword", passwords, account.accessToken);
    expect(await add(changed, late)).toEqual(refused);
  });

  test("to a guest, and beyond the limit", { tags: "long" }, async () => {
    const account = await newAccount();
    for (let count = 0; count < LIMITS.passkeysPerUser; count += 1) await addPasskey(account, `Key ${count}`);
    expect(
      await post(instance.url, "user.startPasskeySetup", { password }, account.accessToken),
    ).toMatchObject({ error: { type: "LIMIT_REACHED", data: { limit: "passkeysPerUser" } } });
    const guest = await must(instance.url, "user.createGuest", {});
    expect(await post(instance.url, "user.startPasskeySetup", { password }, guest.accessToken)).toEqual(
      failed("GUEST_NOT_ALLOWED"),
    );
  });
});

describe("passkeys are removed", () => {
  const reset = async (email: string, removeOtherSignIns: boolean) => {
    await must(instance.url, "user.requestPasswordReset", { email });
    const { token } = await mailbox.next(email, /new password/);
    const params = { token, newPassword: "battery staple", removeOtherSignIns };
    await must(instance.url, "user.resetPassword", params);
  };

  test("by a password reset only if it is to remove other ways to log in", async () => {
    const account = await newAccount();
    const { token } = await mailbox.next(account.email, /Verify/);
    await must(instance.url, "user.verifyEmail", { token });
    const passkey = await addPasskey(account);
    await reset(account.email, false);
    expect(await logIn(passkey)).toMatchObject({ ok: true });
    await reset(account.email, true);
    expect(await logIn(passkey)).toEqual(refused);
  });

  test("by a change of the password only if it is to revoke tokens too", async () => {
    const account = await newAccount();
    const passkey = await addPasskey(account);
    const newPassword = "battery staple";
    const kept = { oldPassword: password, newPassword };
    const { accessToken } = await must(instance.url, "user.changePassword", kept, account.accessToken);
    expect(await logIn(passkey)).toMatchObject({ ok: true });
    const removed = { oldPassword: newPassword, newPassword: password, revokeTokens: true };
    const changed = await must(instance.url, "user.changePassword", removed, accessToken);
    expect(await listPasskeys(changed)).toEqual([]);
    expect(await logIn(passkey)).toEqual(refused);
  });

  test("by a password reset that verifies the address, whose holder may be someone else", async () => {
    const account = await newAccount();
    const passkey = await addPasskey(account);
    await reset(account.email, false);
    expect(await logIn(passkey)).toEqual(refused);
  });

  test("by an admin who resets the second factor of a lost device", async () => {
    const account = await newAccount();
    const passkey = await addPasskey(account);
    const { accessToken } = await mustLogIn(passkey);
    await must(instance.url, "admin.resetTotp", { userId: account.userId }, admin.accessToken);
    await mailbox.next(account.email, /passkey was removed/);
    expect(await post(instance.url, "user.me", {}, accessToken)).toEqual(failed("SESSION_REVOKED"));
    expect(await logIn(passkey)).toEqual(refused);
  });
});

test("the page learns at which address passkeys work; on an IP address, they don't", async () => {
  const meta = async ({ url }: Instance) => (await fetch(`${url}/api/meta`)).json();
  expect(await meta(instance)).toMatchObject({ passkeyOrigin: ORIGIN });
  const nameless = await startInstance({ PUBLIC_URL: "https://[2001:db8::1]:8443" });
  try {
    expect(await meta(nameless)).toMatchObject({ passkeyOrigin: null });
  } finally {
    await nameless.stop();
  }
});

test("where only single sign-on is accepted, there are no passkeys", async () => {
  const only = await startInstance({
    OIDC_ONLY: "on",
    OIDC_ISSUER: "http://127.0.0.1:9",
    OIDC_CLIENT_ID: "fanfare",
    OIDC_CLIENT_SECRET: "secret",
    PUBLIC_URL: ORIGIN,
  });
  try {
    expect(await post(only.url, "user.startPasskeyLogin", {})).toEqual(failed("OIDC_REQUIRED"));
  } finally {
    await only.stop();
  }
});
