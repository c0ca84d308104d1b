import { FanfareClient, type FanfareError } from "@fanfare/client";
import { ACTIONS, actionsWhere, needsSecondFactor, type InstancePolicy } from "@fanfare/contract";
import { createAccount, createGuest, must, post, type Person } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { TOTP } from "otpauth";
import { io } from "socket.io-client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

// The policy that requires a second factor, on two gateways over HTTP and Socket.IO.

const password = "correct horse";
const refusal = { ok: false, error: { type: "SECOND_FACTOR_REQUIRED" } };

let instance: Instance;
let admin: Person;
const clients: FanfareClient[] = [];
beforeAll(async () => {
  instance = await startInstance({ GATEWAY_THREADS: "2" });
  admin = await createAccount(instance.url);
});
afterEach(async () => {
  await setRule("off");
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => instance?.stop());

const setRule = (requireSecondFactor: InstancePolicy["requireSecondFactor"]) =>
  must(instance.url, "admin.setPolicy", { requireSecondFactor }, admin.accessToken);
const listGroups = ({ accessToken }: { accessToken: string }) =>
  post(instance.url, "group.listMine", {}, accessToken);

async function setUpFactor({ accessToken }: { accessToken: string }): Promise<TOTP> {
  const { secret } = await must(instance.url, "user.setupTotp", { password }, accessToken);
  const totp = new TOTP({ secret });
  await must(instance.url, "user.enableTotp", { code: totp.generate() }, accessToken);
  return totp;
}

async function connect(username: string): Promise<FanfareClient> {
  const client = new FanfareClient({ url: instance.url });
  clients.push(client);
  await client.login({ username, password });
  await client.connect();
  return client;
}

/** An instance's gateways learn of a change one after the other. */
const everyGatewayRefuses = (who: { accessToken: string }) =>
  vi.waitFor(async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => listGroups(who)));
    for (const answer of answers) expect(answer).toMatchObject(refusal);
  }, 20_000);

test("an admin without a second factor can't require one", async () => {
  expect(
    await post(instance.url, "admin.setPolicy", { requireSecondFactor: "admins" }, admin.accessToken),
  ).toMatchObject({ ok: false, error: { type: "TOTP_NOT_SET_UP" } });
});

describe("required of accounts", () => {
  beforeAll(() => setUpFactor(admin));

  test("a session without one can only set it up, log out and read its own user", async () => {
    const account = await createAccount(instance.url);
    await setRule("accounts");
    await everyGatewayRefuses(account);
    const external = actionsWhere(({ transports }) => transports.includes("http"));
    const refused: string[] = [];
    for (const name of external) {
      // No action accepts these params: only the checks before validation decide.
      const answer = await post(instance.url, name, [] as never, account.accessToken);
      if (!answer.ok && answer.error.type === "SECOND_FACTOR_REQUIRED") refused.push(name);
    }
    expect(refused).toEqual(external.filter((name) => needsSecondFactor(ACTIONS[name])));
    expect(external.filter((name) => "worksWithoutSecondFactor" in ACTIONS[name])).toEqual([
      "user.logout",
      "user.logoutAll",
      "user.me",
      "user.setupTotp",
      "user.enableTotp",
    ]);

    const { user } = await must(instance.url, "user.me", {}, account.accessToken);
    expect(user.totpEnabled).toBe(false);
    await setUpFactor(account);
    expect(await listGroups(account)).toMatchObject({ ok: true });
    const other = await createAccount(instance.url);
    await must(instance.url, "user.logout", {}, other.accessToken);
  });

  test("open connections without one are closed, receive nothing more, and can reconnect once it is set up", async () => {
    const { url } = instance;
    const [owner, member] = await Promise.all([createAccount(url), createAccount(url)]);
    await setUpFactor(owner);
    const { group, channels } = await must(url, "group.create", { name: "A group" }, owner.accessToken);
    const { invite } = await must(url, "invite.create", { groupId: group.id }, owner.accessToken);
    await must(url, "invite.accept", { code: invite.code }, member.accessToken);
    const channelId = channels[0]!.id;
    const client = await connect(member.username);
    const received: string[] = [];
    client.on("message.created", ({ messages }) => received.push(...messages.map(({ content }) => content)));
    const send = (content: string) =>
      must(url, "message.send", { channelId, content, nonce: content }, owner.accessToken);
    await send("before");
    await vi.waitFor(() => expect(received).toEqual(["before"]));

    const { promise: refused, resolve } = Promise.withResolvers<FanfareError | undefined>();
    client.on("connection.changed", ({ state, error }) => {
      if (state === "offline") resolve(error);
    });
    await setRule("accounts");
    expect(await refused).toMatchObject({ type: "SECOND_FACTOR_REQUIRED" });
    await send("meanwhile");
    await expect(client.call("message.list", { channelId })).rejects.toMatchObject({
      type: "SECOND_FACTOR_REQUIRED",
    });

    await setUpFactor({ accessToken: client.tokens!.accessToken });
    await client.connect();
    await send("after");
    await vi.waitFor(() => expect(received).toEqual(["before", "after"]));
  });

  test("a socket without one is rejected with the contract's error", async () => {
    const account = await createAccount(instance.url);
    await setRule("accounts");
    await everyGatewayRefuses(account);
    const socket = io(instance.url, {
      transports: ["websocket"],
      auth: { token: account.accessToken },
      reconnection: false,
      forceNew: true,
    });
    try {
      const error = await new Promise<Error & { data?: unknown }>((resolve) => {
        socket.once("connect_error", resolve);
      });
      expect(error.data).toMatchObject({ type: "SECOND_FACTOR_REQUIRED", retryable: false });
    } finally {
      socket.disconnect();
    }
  });

  test("guests and bots need none", async () => {
    const [owner, guest] = await Promise.all([createAccount(instance.url), createGuest(instance.url)]);
    const { group } = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
    const robot = { groupId: group.id, name: "Robot", scopes: ["group.read" as const] };
    const bot = await must(instance.url, "bot.create", robot, owner.accessToken);
    await setRule("accounts");
    await everyGatewayRefuses(owner);
    expect(await listGroups(guest)).toMatchObject({ ok: true });
    await must(instance.url, "bot.me", {}, bot.token);
  });

  test("it can't be removed, and must be set up again after an admin's reset", async () => {
    const account = await createAccount(instance.url);
    const totp = await setUpFactor(account);
    await setRule("accounts");
    const code = totp.generate({ timestamp: Date.now() + 30_000 });
    expect(
      await post(instance.url, "user.disableTotp", { password, code }, account.accessToken),
    ).toMatchObject(refusal);

    const { userId } = account;
    const listed = async () => {
      const { users } = await must(
        instance.url,
        "admin.listUsers",
        { query: account.username },
        admin.accessToken,
      );
      return users.find(({ id }) => id === userId)?.totpEnabled;
    };
    expect(await listed()).toBe(true);
    await must(instance.url, "admin.resetTotp", { userId }, admin.accessToken);
    expect(await listed()).toBe(false);
    const login = await must(instance.url, "user.login", { username: account.username, password });
    await everyGatewayRefuses(login);
  });

  test("a guest who claims an account needs one from then on", async () => {
    const guest = await createGuest(instance.url);
    await setRule("accounts");
    const claim = { username: `claimed${guest.userId.slice(-6)}`, password };
    const claimed = await must(instance.url, "user.claimGuest", claim, guest.accessToken);
    await everyGatewayRefuses(claimed);
    expect((await must(instance.url, "user.me", {}, claimed.accessToken)).user.kind).toBe("member");
  });
});

test("required of admins only, other users need none", async () => {
  const [account, other] = await Promise.all([createAccount(instance.url), createAccount(instance.url)]);
  await must(instance.url, "admin.setAdmin", { userId: other.userId, admin: true }, admin.accessToken);
  const login = await must(instance.url, "user.login", { username: other.username, password });
  await setRule("admins");
  await everyGatewayRefuses(login);
  expect(await listGroups(account)).toMatchObject({ ok: true });
  expect(await listGroups(admin)).toMatchObject({ ok: true });
});

test("required by the environment, the first admin sets one up", async () => {
  const fixed = await startInstance({ REQUIRE_SECOND_FACTOR: "admins" });
  try {
    const first = await createAccount(fixed.url);
    expect(await post(fixed.url, "admin.getPolicy", {}, first.accessToken)).toMatchObject(refusal);
    const { secret } = await must(fixed.url, "user.setupTotp", { password }, first.accessToken);
    const code = new TOTP({ secret }).generate();
    await must(fixed.url, "user.enableTotp", { code }, first.accessToken);
    expect(await must(fixed.url, "admin.getPolicy", {}, first.accessToken)).toMatchObject({
      policy: { requireSecondFactor: "admins" },
      fixed: ["requireSecondFactor"],
    });
  } finally {
    await fixed.stop();
  }
});
