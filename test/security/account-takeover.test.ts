import { LIMITS, type SessionTokens } from "@fanfare/contract";
import { must, post } from "@fanfare/testing";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  startIdentityProvider,
  type Claims,
  type IdentityProvider,
} from "../integration/identity-provider.ts";
import { startMailbox, type Mailbox } from "../integration/mailbox.ts";
import { Browser, signInAtProvider } from "../integration/oidc-browser.ts";

// An attacker registers with someone else's address and waits for its owner to start using the account.

const PUBLIC_URL = "https://chat.example.org";
const ATTACKERS = "attacker's horse";
const OWNERS = "owner's staple";

let provider: IdentityProvider;
let mailbox: Mailbox;
let instance: Instance;
beforeAll(async () => {
  provider = await startIdentityProvider(`${PUBLIC_URL}/auth/oidc/callback`);
  mailbox = await startMailbox();
  instance = await startInstance({ ...provider.env, ...mailbox.env, PUBLIC_URL, RATE_LIMIT_FACTOR: "100" });
});
afterAll(async () => {
  await instance?.stop();
  await mailbox?.stop();
  await provider?.stop();
});

let people = 0;
const newName = (): string => `victim${(people += 1)}`;
const identity = (sub: string): Claims => ({ sub, preferred_username: sub });
const signIn = (person: Claims, more = "", browser = new Browser(PUBLIC_URL, instance.url)) =>
  signInAtProvider(provider, browser, person, more);
const exchange = async (person: Claims) => post(instance.url, "user.exchangeOidcCode", await signIn(person));

interface Prepared {
  name: string;
  email: string;
  tokens: SessionTokens;
  /** The attacker's identity at the provider. */
  attacker: Claims;
  groupId: string;
  botToken: string;
  webhook: string;
}

async function register(name: string, email: string, password: string): Promise<SessionTokens> {
  return must(instance.url, "user.register", { username: name, password, email });
}

/** An account with a linked login, a bot and a webhook. */
async function prepare({ isVerified }: { isVerified: boolean }): Promise<Prepared> {
  const name = newName();
  const email = `${name}@example.org`;
  const tokens = await register(name, email, ATTACKERS);
  const { token } = await mailbox.next(email, /Verify/);
  if (isVerified) await must(instance.url, "user.verifyEmail", { token });
  const attacker = identity(`attacker-of-${name}`);
  const { accessToken } = tokens;
  const link = { ...(await signIn(attacker)), password: ATTACKERS };
  await must(instance.url, "user.linkOidc", link, accessToken);
  await mailbox.next(email, /login was connected/);
  const { group, channels } = await must(instance.url, "group.create", { name: "Trap" }, accessToken);
  const scopes = ["messages.read" as const];
  const bot = { groupId: group.id, name: "Ear", scopes };
  const { token: botToken } = await must(instance.url, "bot.create", bot, accessToken);
  const hook = { channelId: channels[0]!.id, name: "Mouth" };
  const { path } = await must(instance.url, "webhook.create", hook, accessToken);
  return { name, email, tokens, attacker, groupId: group.id, botToken, webhook: path };
}

async function resetToken(email: string): Promise<string> {
  await must(instance.url, "user.requestPasswordReset", { email });
  return (await mailbox.next(email, /new password/)).token;
}

async function isWebhookAlive(path: string): Promise<boolean> {
  const answer = await fetch(`${instance.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ content: "still here" }),
  });
  return answer.ok;
}

const isBotAlive = async (token: string) => (await post(instance.url, "bot.me", {}, token)).ok;

describe("a password reset that verifies the address for the first time", () => {
  test("removes what the previous holder set up: linked login, sessions, bots and webhooks", async () => {
    const { name, email, tokens, attacker, botToken, webhook } = await prepare({ isVerified: false });
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([true, true]);
    const token = await resetToken(email);
    expect(await must(instance.url, "user.inspectPasswordReset", { token })).toMatchObject({
      username: name,
      removesAll: true,
    });
    await must(instance.url, "user.resetPassword", { token, newPassword: OWNERS });
    const owner = await must(instance.url, "user.login", { username: email, password: OWNERS });
    expect(owner.user).toMatchObject({ id: tokens.user.id, emailVerified: true, oidcLinked: false });
    const elsewhere = await exchange(attacker);
    expect(elsewhere.ok && elsewhere.data.user.id).not.toBe(tokens.user.id);
    expect(await post(instance.url, "user.me", {}, tokens.accessToken)).toEqual(failed("SESSION_REVOKED"));
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([false, false]);
  });

  test("removes the second factor, which would lock the owner out", async () => {
    const name = newName();
    const email = `${name}@example.org`;
    const { accessToken } = await register(name, email, ATTACKERS);
    const { secret } = await must(instance.url, "user.setupTotp", { password: ATTACKERS }, accessToken);
    await must(instance.url, "user.enableTotp", { code: new TOTP({ secret }).generate() }, accessToken);
    await mailbox.next(email, /Two-step verification is on/);
    await must(instance.url, "user.resetPassword", { token: await resetToken(email), newPassword: OWNERS });
    const { user } = await must(instance.url, "user.login", { username: name, password: OWNERS });
    expect(user.totpEnabled).toBe(false);
  });
});

describe("a password reset of a verified account", () => {
  test("names the linked login in the email and on the page, and keeps it", async () => {
    const { name, email, tokens, attacker } = await prepare({ isVerified: true });
    await must(instance.url, "user.requestPasswordReset", { email });
    const { token, text } = await mailbox.next(email, /new password/);
    const host = new URL(provider.env["OIDC_ISSUER"]!).host;
    expect(text).toContain(host);
    expect(await must(instance.url, "user.inspectPasswordReset", { token })).toEqual({
      username: name,
      oidcProvider: host,
      isNew: false,
      removesAll: false,
    });
    await must(instance.url, "user.resetPassword", { token, newPassword: OWNERS });
    const back = await exchange(attacker);
    expect(back.ok && back.data.user.id).toBe(tokens.user.id);
    expect(await post(instance.url, "user.inspectPasswordReset", { token })).toEqual(failed("INVALID_LINK"));
  });

  test("removes the other ways to sign in if requested", async () => {
    const { email, tokens, attacker, botToken, webhook } = await prepare({ isVerified: true });
    const token = await resetToken(email);
    await must(instance.url, "user.resetPassword", { token, newPassword: OWNERS, removeOtherSignIns: true });
    const elsewhere = await exchange(attacker);
    expect(elsewhere.ok && elsewhere.data.user.id).not.toBe(tokens.user.id);
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([false, false]);
  });
});

test("password guesses do not lock out the owner after a reset", async () => {
  const name = newName();
  const email = `${name}@example.org`;
  await register(name, email, ATTACKERS);
  await must(instance.url, "user.verifyEmail", { token: (await mailbox.next(email, /Verify/)).token });
  for (const username of [name, email])
    for (let n = 0; n < LIMITS.loginsPerNameAndAddress; n += 1)
      await post(instance.url, "user.login", { username, password: "wrong horse" });
  const call = (action: string, params: object, cookie = "") =>
    fetch(`${instance.url}/api/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(params),
    });
  const reset = await call("user.resetPassword", { token: await resetToken(email), newPassword: OWNERS });
  expect(reset.status).toBe(200);
  const [cookie] = reset.headers.getSetCookie()[0]!.split(";");
  for (const username of [name, email]) {
    expect((await call("user.login", { username, password: OWNERS })).status).toBe(429);
    expect((await call("user.login", { username, password: OWNERS }, cookie)).status).toBe(200);
  }
});

describe("a password change", () => {
  const change = (accessToken: string, params: { revokeTokens?: boolean }) =>
    must(
      instance.url,
      "user.changePassword",
      { oldPassword: ATTACKERS, newPassword: OWNERS, ...params },
      accessToken,
    );

  test("keeps bots and webhooks working", async () => {
    const { tokens, botToken, webhook } = await prepare({ isVerified: true });
    await change(tokens.accessToken, {});
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([true, true]);
  });

  test("revokes bot and webhook tokens if requested", async () => {
    const { tokens, botToken, webhook } = await prepare({ isVerified: true });
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([true, true]);
    const { accessToken } = await change(tokens.accessToken, { revokeTokens: true });
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([false, false]);
    expect(await post(instance.url, "user.me", {}, accessToken)).toMatchObject({ ok: true });
  });

  test("lists each token next to the sessions, and lets only its holder revoke it", async () => {
    const { tokens, botToken, webhook, groupId } = await prepare({ isVerified: true });
    const { accessToken } = tokens;
    const list = async () => (await must(instance.url, "bot.listTokens", {}, accessToken)).tokens;
    const [ofBot, ofWebhook] = (await list()).toSorted((a, b) => a.kind.localeCompare(b.kind));
    expect([ofBot, ofWebhook]).toMatchObject([
      { kind: "bot", name: "Ear" },
      { kind: "webhook", name: "Mouth" },
    ]);
    const listPage = (before?: string) =>
      must(instance.url, "bot.listTokens", { limit: 1, ...(before && { before }) }, accessToken);
    const first = await listPage();
    const second = await listPage(first.nextBefore!);
    expect([...first.tokens, ...second.tokens]).toEqual(await list());
    expect(second.nextBefore).toBeNull();
    const stranger = await register(newName(), `${newName()}@example.org`, OWNERS);
    for (const { kind, id } of [ofBot!, ofWebhook!]) {
      expect(await post(instance.url, "bot.revokeToken", { kind, id }, stranger.accessToken)).toEqual(
        failed(kind === "bot" ? "BOT_NOT_FOUND" : "WEBHOOK_NOT_FOUND"),
      );
    }
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([true, true]);
    await must(instance.url, "bot.revokeToken", { kind: "bot", id: ofBot!.id }, accessToken);
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([false, true]);
    await must(instance.url, "bot.revokeToken", { kind: "webhook", id: ofWebhook!.id }, accessToken);
    expect(await isWebhookAlive(webhook)).toBe(false);
    expect(await list()).toEqual([]);
    const { bots } = await must(instance.url, "bot.list", { groupId }, accessToken);
    await must(instance.url, "bot.rotateToken", { groupId, botId: bots[0]!.id }, accessToken);
    expect(await list()).toMatchObject([{ kind: "bot", name: "Ear" }]);
  });

  test("revokes nothing if the old password is wrong", async () => {
    const { tokens, botToken, webhook } = await prepare({ isVerified: true });
    const params = { oldPassword: "wrong password", newPassword: OWNERS, revokeTokens: true };
    expect(await post(instance.url, "user.changePassword", params, tokens.accessToken)).toEqual(
      failed("WRONG_CREDENTIALS"),
    );
    expect([await isBotAlive(botToken), await isWebhookAlive(webhook)]).toEqual([true, true]);
  });
});

test("a verification email and its link name the account, so the owner of the address knows whose it is", async () => {
  const email = `${newName()}@example.org`;
  const attacker = newName();
  await register(attacker, email, ATTACKERS);
  const { text, token } = await mailbox.next(email, /Verify/);
  expect(text).toContain(`The account “${attacker}”`);
  expect(await must(instance.url, "user.inspectEmailVerification", { token })).toEqual({
    username: attacker,
    email,
  });
  // Inspecting the link doesn't use it up.
  await must(instance.url, "user.verifyEmail", { token });
  expect(await post(instance.url, "user.inspectEmailVerification", { token })).toEqual(
    failed("INVALID_LINK"),
  );
});

describe("an unverified claim to an address", () => {
  test("yields to a new account that verifies it", async () => {
    const email = `${newName()}@example.org`;
    const squatter = await register(newName(), email, ATTACKERS);
    await mailbox.next(email, /Verify/);
    const owner = await register(newName(), email, OWNERS);
    expect(owner.user.email).toBeNull();
    const { token } = await mailbox.next(email, /Verify/);
    await must(instance.url, "user.verifyEmail", { token });
    const me = async ({ accessToken }: SessionTokens) =>
      (await must(instance.url, "user.me", {}, accessToken)).user;
    expect(await me(owner)).toMatchObject({ email, emailVerified: true });
    expect(await me(squatter)).toMatchObject({ email: null, emailVerified: false });
    const third = { username: newName(), password: OWNERS, email };
    expect(await post(instance.url, "user.register", third)).toEqual(failed("EMAIL_TAKEN"));
  });

  test("yields to an account that changes to the address", async () => {
    const email = `${newName()}@example.org`;
    await register(newName(), email, ATTACKERS);
    const owner = await register(newName(), `${newName()}@example.org`, OWNERS);
    await must(instance.url, "user.changeEmail", { email, password: OWNERS }, owner.accessToken);
    const { token } = await mailbox.next(email, /new email address/);
    await must(instance.url, "user.verifyEmail", { token });
    const { user } = await must(instance.url, "user.me", {}, owner.accessToken);
    expect(user).toMatchObject({ email, emailVerified: true });
  });
});

describe("an account that only signs in through the provider", () => {
  const fresh = async (person: Claims) => signIn(person, "&fresh=1");

  test("must sign in there again before adding or removing a second factor", async () => {
    const person = identity(newName());
    const browser = new Browser(PUBLIC_URL, instance.url);
    const { accessToken } = await must(
      instance.url,
      "user.exchangeOidcCode",
      await signIn(person, "", browser),
    );
    const setUp = (proof: object) => post(instance.url, "user.setupTotp", proof as never, accessToken);
    expect(await setUp({})).toEqual(failed("WRONG_CREDENTIALS"));
    // The provider's session is still active, so the provider doesn't prompt.
    expect(await setUp(await signIn(person, "", browser))).toEqual(failed("LOGIN_NOT_FRESH"));
    expect(await setUp(await fresh(identity(newName())))).toEqual(failed("OIDC_FAILED"));
    const login = await fresh(person);
    const { secret } = await must(instance.url, "user.setupTotp", login, accessToken);
    expect(await setUp(login)).toEqual(failed("OIDC_FAILED"));
    const code = new TOTP({ secret }).generate();
    const { recoveryCodes } = await must(instance.url, "user.enableTotp", { code }, accessToken);
    const off = { ...(await fresh(person)), code: recoveryCodes[0]! };
    await must(instance.url, "user.disableTotp", off, accessToken);
  });

  test("must do so within a few minutes", async () => {
    const person = identity(newName());
    const { accessToken } = await must(instance.url, "user.exchangeOidcCode", await signIn(person));
    const setUp = async () => post(instance.url, "user.setupTotp", await fresh(person), accessToken);
    provider.signedInAgoMs = LIMITS.freshLoginMs + 60_000;
    expect(await setUp()).toEqual(failed("LOGIN_NOT_FRESH"));
    provider.signedInAgoMs = 0;
    expect((await setUp()).ok).toBe(true);
  });
});

test("a linked login can't replace the password of an account that has one", async () => {
  const { tokens, attacker } = await prepare({ isVerified: true });
  const proof = await signIn(attacker, "&fresh=1");
  const answer = await post(instance.url, "user.setupTotp", proof, tokens.accessToken);
  expect(answer).toEqual(failed("WRONG_CREDENTIALS"));
});
