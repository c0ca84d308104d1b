import { FanfareClient } from "@fanfare/client";
import { LIMITS, type SessionTokens, type WireAnswer } from "@fanfare/contract";
import { must, post } from "@fanfare/testing";
import { failed } from "../support/answers.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { io, type Socket } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startMailbox, type Mailbox } from "./mailbox.ts";

// How emailed links and passwords open and end sessions, over HTTP and sockets, with a real mail server.

const PUBLIC_URL = "https://chat.example.org";
const OLD = "correct horse";
const NEW = "battery staple";

let mailbox: Mailbox;
let instance: Instance;
const sockets: Socket[] = [];
beforeAll(async () => {
  mailbox = await startMailbox();
  instance = await startInstance({ ...mailbox.env, PUBLIC_URL });
});
afterAll(async () => {
  for (const socket of sockets) socket.disconnect();
  await instance?.stop();
  await mailbox?.stop();
});
afterEach(() => void vi.useRealTimers());

let people = 0;
const newName = (): string => `person${(people += 1)}`;

interface Account {
  username: string;
  email: string;
  tokens: SessionTokens;
}

async function register(locale?: "en" | "zh"): Promise<Account> {
  const username = newName();
  const email = `${username}@example.org`;
  const tokens = await must(instance.url, "user.register", { username, password: OLD, email, locale });
  return { username, email, tokens };
}

const login = (username: string, password: string) =>
  post(instance.url, "user.login", { username, password });

/** Expects that everything the tokens gave access to has ended. */
async function expectRevoked({ accessToken, refreshToken }: SessionTokens): Promise<void> {
  expect(await post(instance.url, "user.me", {}, accessToken)).toEqual(failed("SESSION_REVOKED"));
  expect(await post(instance.url, "user.refresh", { refreshToken })).toEqual(failed("SESSION_REVOKED"));
  const socket = connect(accessToken);
  const [error] = await new Promise<[Error & { data?: unknown }]>((resolve) =>
    socket.once("connect_error", (...args) => resolve(args)),
  );
  expect(error.data).toMatchObject({ type: "SESSION_REVOKED" });
}

function connect(token: string): Socket {
  const socket = io(instance.url, {
    transports: ["websocket"],
    auth: { token },
    reconnection: false,
    forceNew: true,
  });
  sockets.push(socket);
  return socket;
}

/** A ready socket, and a promise for when the server closes it. */
async function listen(token: string): Promise<{ closed: Promise<string> }> {
  const socket = connect(token);
  const closed = new Promise<string>((resolve) => socket.once("disconnect", resolve));
  await new Promise((resolve) => socket.once("ready", resolve));
  return { closed };
}

async function resetToken({ email }: Account): Promise<string> {
  await must(instance.url, "user.requestPasswordReset", { email });
  return (await mailbox.next(email, /new password/)).token;
}

const reset = (token: string, newPassword = NEW) =>
  post(instance.url, "user.resetPassword", { token, newPassword });

describe("changing the password ends sessions", () => {
  test("with a reset link: access tokens, refresh tokens and sockets of every session", async () => {
    const account = await register();
    const second = await must(instance.url, "user.login", { username: account.username, password: OLD });
    const open = await Promise.all([account.tokens, second].map(({ accessToken }) => listen(accessToken)));
    expect((await reset(await resetToken(account))).ok).toBe(true);
    for (const { closed } of open) expect(await closed).toBe("io server disconnect");
    for (const tokens of [account.tokens, second]) await expectRevoked(tokens);
    expect(await login(account.username, OLD)).toEqual(failed("WRONG_CREDENTIALS"));
    expect((await login(account.username, NEW)).ok).toBe(true);
    await mailbox.next(account.email, /password .* has changed/);
  });

  test("with the old password: also the current session, which gets new tokens", async () => {
    const account = await register();
    const second = await must(instance.url, "user.login", { username: account.username, password: OLD });
    const open = await Promise.all([account.tokens, second].map(({ accessToken }) => listen(accessToken)));
    const change = { oldPassword: OLD, newPassword: NEW };
    const { accessToken } = account.tokens;
    const next = await must(instance.url, "user.changePassword", change, accessToken);
    for (const { closed } of open) expect(await closed).toBe("io server disconnect");
    for (const tokens of [account.tokens, second]) await expectRevoked(tokens);
    expect((await post(instance.url, "user.me", {}, next.accessToken)).ok).toBe(true);
    await must(instance.url, "user.refresh", { refreshToken: next.refreshToken });
    await mailbox.next(account.email, /password .* has changed/);
  });

  test("a login with the old password during a reset leaves no session", async () => {
    const account = await register();
    const token = await resetToken(account);
    const logins = Array.from({ length: 8 }, () => login(account.username, OLD));
    const [, answers] = await Promise.all([reset(token), Promise.all(logins)]);
    for (const answer of answers) if (answer.ok) await expectRevoked(answer.data);
    expect((await login(account.username, NEW)).ok).toBe(true);
  });
});

describe("a password reset link", () => {
  test("works once", async () => {
    const token = await resetToken(await register());
    const answers = await Promise.all(Array.from({ length: 5 }, () => reset(token)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await reset(token)).toEqual(failed("INVALID_LINK"));
    expect(await reset("made-up")).toEqual(failed("INVALID_LINK"));
  });

  test("leads to the page, with the token in the fragment", async () => {
    const account = await register("zh");
    await must(instance.url, "user.requestPasswordReset", { email: account.email.toUpperCase() });
    const mail = await mailbox.next(account.email, /设置你在 chat\.example\.org 的新密码/);
    expect(mail.text).toContain(`${PUBLIC_URL}/reset-password#token=${mail.token}`);
    expect(mail.html).toContain(`href="${PUBLIC_URL}/reset-password#token=${mail.token}"`);
    expect(mail.token).toMatch(/^[\w-]{43}$/);
  });

  test("expires", async () => {
    const token = await resetToken(await register());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LIMITS.passwordResetLifetimeMs });
    expect(await reset(token)).toEqual(failed("INVALID_LINK"));
  });

  test("is invalid once another one was used or the password was changed", async () => {
    const account = await register();
    const [first, second] = [await resetToken(account), await resetToken(account)];
    expect((await reset(first)).ok).toBe(true);
    expect(await reset(second, OLD)).toEqual(failed("INVALID_LINK"));
    const third = await resetToken(account);
    const { accessToken } = await must(instance.url, "user.login", {
      username: account.username,
      password: NEW,
    });
    const change = { oldPassword: NEW, newPassword: OLD };
    await must(instance.url, "user.changePassword", change, accessToken);
    expect(await reset(third)).toEqual(failed("INVALID_LINK"));
  });

  test("is not sent to unknown addresses, and the response is the same", async () => {
    const account = await register();
    const known = await post(instance.url, "user.requestPasswordReset", { email: account.email });
    const unknown = await post(instance.url, "user.requestPasswordReset", { email: "unknown@example.org" });
    expect(unknown).toEqual(known);
    await mailbox.next(account.email, /new password/);
    expect(mailbox.mails.filter(({ to }) => to === "unknown@example.org")).toEqual([]);
  });

  test("can't be replaced by a verification link", async () => {
    const account = await register();
    const { token } = await mailbox.next(account.email, /Verify/);
    expect(await reset(token)).toEqual(failed("INVALID_LINK"));
    expect(await post(instance.url, "user.verifyEmail", { token: await resetToken(account) })).toEqual(
      failed("INVALID_LINK"),
    );
  });
});

describe("an email address", () => {
  const me = async ({ tokens }: Account) =>
    (await must(instance.url, "user.me", {}, tokens.accessToken)).user;
  const verify = (token: string) => post(instance.url, "user.verifyEmail", { token });

  test("is verified once by the link sent at registration", async () => {
    const account = await register();
    expect(await me(account)).toMatchObject({ email: account.email, emailVerified: false });
    const { token } = await mailbox.next(account.email, /Verify/);
    const socket = connect(account.tokens.accessToken);
    const received = new Promise((resolve) => socket.once("account.updated", resolve));
    await new Promise((resolve) => socket.once("ready", resolve));
    // The page learns of it, wherever the link is opened.
    expect((await verify(token)).ok).toBe(true);
    const now = await me(account);
    expect(now).toMatchObject({ email: account.email, emailVerified: true });
    expect(await received).toEqual({ user: now });
    expect(await verify(token)).toEqual(failed("INVALID_LINK"));
  });

  test("is verified only by the newest link", async () => {
    const account = await register();
    const first = await mailbox.next(account.email, /Verify/);
    await must(instance.url, "user.requestEmailVerification", {}, account.tokens.accessToken);
    const second = await mailbox.next(account.email, /Verify/);
    expect(await verify(first.token)).toEqual(failed("INVALID_LINK"));
    expect((await verify(second.token)).ok).toBe(true);
  });

  test("can be missing, which is reported, and gets a link when a guest claims an account with one", async () => {
    const { accessToken } = await must(instance.url, "user.register", { username: newName(), password: OLD });
    expect(await post(instance.url, "user.requestEmailVerification", {}, accessToken)).toEqual(
      failed("EMAIL_MISSING"),
    );
    const guest = await must(instance.url, "user.createGuest", {});
    const claim = { username: newName(), password: OLD, email: "claimed@example.org" };
    await must(instance.url, "user.claimGuest", { ...claim, locale: "zh" }, guest.accessToken);
    await mailbox.next("claimed@example.org", /验证/);
  });

  test("changes with the password and a link to the new address, and the old one is notified", async () => {
    const account = await register();
    const { accessToken } = account.tokens;
    const email = `new-${account.email}`;
    const change = (password: string) =>
      post(instance.url, "user.changeEmail", { email, password }, accessToken);
    expect(await change("wrong horse")).toEqual(failed("WRONG_CREDENTIALS"));
    expect((await change(OLD)).ok).toBe(true);
    const { token } = await mailbox.next(email, /new email address/);
    // Nothing has changed yet, and links sent to the old address work until then.
    expect(await me(account)).toMatchObject({ email: account.email });
    const toOld = await resetToken(account);
    expect((await verify(token)).ok).toBe(true);
    expect(await me(account)).toMatchObject({ email, emailVerified: true });
    await mailbox.next(account.email, /has changed/);
    expect(await reset(toOld)).toEqual(failed("INVALID_LINK"));
    expect((await login(email, OLD)).ok).toBe(true);
    expect(await login(account.email, OLD)).toEqual(failed("WRONG_CREDENTIALS"));
  });

  test("of another account can't be taken, even by concurrent requests", async () => {
    const [ann, bob] = [await register(), await register()];
    const email = `both-${ann.email}`;
    const change = ({ tokens }: Account, to: string) =>
      post(instance.url, "user.changeEmail", { email: to, password: OLD }, tokens.accessToken);
    expect((await verify((await mailbox.next(bob.email, /Verify/)).token)).ok).toBe(true);
    expect(await change(ann, bob.email)).toEqual(failed("EMAIL_TAKEN"));
    await Promise.all([change(ann, email), change(bob, email)]);
    const links = [await mailbox.next(email, /new/), await mailbox.next(email, /new/)];
    const answers = await Promise.all(links.map(({ token }) => verify(token)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.find(({ ok }) => !ok)!).toEqual(failed("EMAIL_TAKEN"));
  });

  test("requested by a thief is not set after a password reset", async () => {
    const account = await register();
    const theft = { email: `thief-${account.email}`, password: OLD };
    await must(instance.url, "user.changeEmail", theft, account.tokens.accessToken);
    const { token } = await mailbox.next(theft.email, /new/);
    expect((await reset(await resetToken(account))).ok).toBe(true);
    expect(await verify(token)).toEqual(failed("INVALID_LINK"));
  });
});

describe("rate limits", () => {
  let strict: Instance;
  beforeAll(async () => {
    strict = await startInstance({ ...mailbox.env, RATE_LIMIT_FACTOR: "1", TRUST_PROXY: "true" });
  });
  afterAll(() => strict?.stop());

  /** From its own address, or the same one for all. */
  const from = async (address: string, action: string, params: object): Promise<string> => {
    const response = await fetch(`${strict.url}/api/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify(params),
    });
    const answer = (await response.json()) as WireAnswer<unknown>;
    return answer.ok ? "ok" : answer.error.type;
  };
  const count = async (times: number, call: (index: number) => Promise<string>): Promise<number> => {
    let through = 0;
    for (let i = 0; i < times; i += 1) if ((await call(i)) !== "RATE_LIMITED") through += 1;
    return through;
  };

  test("requests for one account, known or not, from any address", async () => {
    for (const email of ["ann@example.org", "unknown@example.org"]) {
      const through = await count(6, (i) =>
        from(`10.0.0.${i}`, "user.requestPasswordReset", {
          email: i % 2 === 0 ? email : email.toUpperCase(),
        }),
      );
      expect(through).toBe(3);
    }
  });

  test("requests from one address, for any account", async () => {
    const through = await count(15, (i) =>
      from("10.0.1.1", "user.requestPasswordReset", { email: `user${i}@example.org` }),
    );
    expect(through).toBe(10);
  });

  test.each([
    ["user.resetPassword", { token: "made-up", newPassword: NEW }, 20],
    ["user.verifyEmail", { token: "made-up" }, 30],
    ["user.exchangeOidcCode", { oidcCode: "made-up", verifier: "made-up" }, 20],
    ["user.login", { username: "somebody", password: "wrong horse" }, 20],
  ])("%s from one address", async (action, params, max) => {
    const other = (i: number) => ("username" in params ? { ...params, username: `user${i}` } : params);
    expect(await count(max + 5, (i) => from("10.0.2.1", action, other(i)))).toBe(max);
  });

  test("emails to other people's addresses by registering", async () => {
    mailbox.mails.length = 0;
    for (let i = 0; i < 40; i += 1) {
      // Slower than the limit of registering itself.
      if (i % 15 === 14) vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
      const email = `stranger${i}@example.org`;
      const params = { username: `flood${i}`, password: OLD, email };
      expect(await from("10.0.4.1", "user.register", params)).toBe("ok");
    }
    const last = { username: "elsewhere", password: OLD, email: "elsewhere@example.org" };
    expect(await from("10.0.4.2", "user.register", last)).toBe("ok");
    await mailbox.next(last.email, /Verify/);
    const sent = () => mailbox.mails.filter(({ to }) => to.startsWith("stranger"));
    await vi.waitFor(() => expect(sent()).toHaveLength(30), 5000);
  });

  test("emails to one mailbox, without blocking the owner's own", async () => {
    const email = "contested@example.org";
    const register = (address: string, username: string) =>
      from(address, "user.register", { username, password: OLD, email });
    for (let i = 0; i < 5; i += 1) expect(await register("10.0.5.1", `squatter${i}`)).toBe("ok");
    expect(await register("10.0.5.2", "theowner")).toBe("ok");
    const sent = () => mailbox.mails.filter(({ to }) => to === email);
    await vi.waitFor(() => expect(sent()).toHaveLength(4), 20_000);
  });

  test("logins to one name from many addresses", async () => {
    const params = { username: "victim", password: "wrong horse" };
    const tries = LIMITS.loginsPerName + 5;
    expect(await count(tries, (i) => from(`10.0.3.${i}`, "user.login", params))).toBe(LIMITS.loginsPerName);
  });
});

test("a client that changes its password continues with the new session by itself", async () => {
  const client = new FanfareClient({ url: instance.url });
  await client.register({ username: newName(), password: OLD });
  await client.connect();
  const old = client.tokens!;
  await client.call("user.changePassword", { oldPassword: OLD, newPassword: NEW });
  await expectRevoked(old);
  await expect.poll(() => client.state).toBe("online");
  expect((await client.call("user.me", {})).user.id).toBe(old.user.id);
  expect(client.tokens?.sessionId).not.toBe(old.sessionId);
  // A client that fails to change it keeps its session.
  const wrong = client.call("user.changePassword", { oldPassword: OLD, newPassword: NEW });
  await expect(wrong).rejects.toMatchObject({ type: "WRONG_CREDENTIALS" });
  expect((await client.call("user.me", {})).user.id).toBe(old.user.id);
  client.close();
});

test("a guest who claims an account has it on the open socket", async () => {
  const client = new FanfareClient({ url: instance.url });
  const guest = await client.createGuest();
  await client.connect();
  const tab = connect(guest.accessToken);
  await new Promise((resolve) => tab.once("ready", resolve));
  const listFriends = () => tab.emitWithAck("friend.list", {});
  expect(await listFriends()).toEqual(failed("GUEST_NOT_ALLOWED"));
  const states: string[] = [];
  client.on("connection.changed", ({ state }) => states.push(state));
  await client.call("user.claimGuest", { username: newName(), password: OLD });
  expect((await client.call("friend.list", {})).friends).toEqual([]);
  expect(await listFriends()).toMatchObject({ ok: true });
  expect(states).toEqual([]);
  client.close();
});

test("a guest can only be claimed with its own token", async () => {
  const [victim, thief] = await Promise.all([
    must(instance.url, "user.createGuest", { nickname: "Victim" }),
    must(instance.url, "user.createGuest", {}),
  ]);
  const { id } = victim.user;
  for (const ids of [{ userId: id }, { id }, { user: { id } }, { sessionId: victim.sessionId }]) {
    const params = { username: newName(), password: OLD, ...ids };
    await post(instance.url, "user.claimGuest", params, thief.accessToken);
  }
  expect(await post(instance.url, "user.claimGuest", { username: newName(), password: OLD })).toEqual(
    failed("UNAUTHENTICATED"),
  );
  const { user } = await must(instance.url, "user.me", {}, victim.accessToken);
  expect(user).toEqual(victim.user);
  expect(user.kind).toBe("guest");
});
