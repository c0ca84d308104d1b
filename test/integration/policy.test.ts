import {
  PERMISSIONS,
  type ActionName,
  type ErrorCode,
  type InstancePolicy,
  type Meta,
  type Params,
} from "@fanfare/contract";
import { createAccount, createGuest, must, post, type Person } from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { startMailbox, type Mailbox } from "./mailbox.ts";

// Who can sign up, as set by admins in the console or by operators in the environment, on two gateways over
// HTTP.

const PUBLIC_URL = "https://chat.example.org";
const password = "correct horse";
const OPEN: InstancePolicy = {
  registration: "open",
  guests: true,
  mailDomains: [],
  oidcOnly: false,
  requireSecondFactor: "off",
  sessionMaxHours: null,
  sessionIdleMinutes: null,
  groupCreation: "everyone",
  directory: true,
  directMessages: "everyone",
  fileQuotaUserBytes: 1024 ** 3,
  fileQuotaGuestBytes: 100 * 1024 ** 2,
  fileQuotaGroupBytes: 50 * 1024 ** 3,
  fileQuotaInstanceBytes: null,
  usersPerInstance: null,
  groupsOwnedPerUser: null,
  membersPerGroup: null,
  channelsPerGroup: null,
};

let mailbox: Mailbox;
let instance: Instance;
let admin: Person;
beforeAll(async () => {
  mailbox = await startMailbox();
  instance = await startInstance({ ...mailbox.env, PUBLIC_URL, GATEWAY_THREADS: "2" });
  admin = await createAccount(instance.url);
});
afterAll(async () => {
  await instance?.stop();
  await mailbox?.stop();
});
afterEach(() => setPolicy(OPEN));

let people = 0;
const newName = (): string => `person${(people += 1)}`;
const failed = (type: ErrorCode, data?: object) => ({
  ok: false,
  error: { type, ...(data !== undefined && { data }) },
});
const setPolicy = (changes: Partial<InstancePolicy>) =>
  must(instance.url, "admin.setPolicy", changes, admin.accessToken);
const meta = async (url = instance.url): Promise<Meta> =>
  (await (await fetch(`${url}/api/meta`)).json()) as Meta;

describe("closed registration", () => {
  test("rejects new accounts and guest claims, and lets existing accounts in", async () => {
    const existing = await createAccount(instance.url);
    const guest = await must(instance.url, "user.createGuest", {});
    const { policy } = await setPolicy({ registration: "closed" });
    expect(policy).toEqual({ ...OPEN, registration: "closed" });

    const credentials = { username: newName(), password };
    expect(await post(instance.url, "user.register", credentials)).toMatchObject(
      failed("REGISTRATION_CLOSED"),
    );
    expect(await post(instance.url, "user.claimGuest", credentials, guest.accessToken)).toMatchObject(
      failed("REGISTRATION_CLOSED"),
    );
    const login = { username: existing.username, password };
    expect(await post(instance.url, "user.login", login)).toMatchObject({ ok: true });
  });

  test("is reported by every gateway", async () => {
    await setPolicy({ registration: "closed", guests: false });
    await vi.waitFor(async () => {
      // Each request opens its own connection, and the system spreads these over the gateways.
      const answers = await Promise.all(Array.from({ length: 12 }, () => meta()));
      for (const answer of answers) expect(answer).toMatchObject({ registration: "closed", guests: false });
    }, 20_000);
  });
});

describe("registration by invite", () => {
  const createInvite = async (creator: { accessToken: string }, limits: { maxUses?: number } = {}) => {
    const { group } = await must(instance.url, "group.create", { name: "A group" }, creator.accessToken);
    const params = { groupId: group.id, ...limits };
    const { invite } = await must(instance.url, "invite.create", params, creator.accessToken);
    return { groupId: group.id, code: invite.code };
  };
  const register = (inviteCode?: string, username = newName()) =>
    post(instance.url, "user.register", {
      username,
      password,
      ...(inviteCode !== undefined && { inviteCode }),
    });

  test("creates an account that joins the invite's group, and none without an invite", async () => {
    const { groupId, code } = await createInvite(await createAccount(instance.url));
    await setPolicy({ registration: "invite" });
    expect(await register()).toMatchObject(failed("INVITE_REQUIRED"));
    expect(await register("no-such-invite")).toMatchObject(failed("INVITE_NOT_FOUND"));
    const username = newName();
    expect(await register(code, username)).toMatchObject({ ok: true });
    const { accessToken } = await must(instance.url, "user.login", { username, password });
    const { groups } = await must(instance.url, "group.listMine", {}, accessToken);
    expect(groups.map(({ id }) => id)).toEqual([groupId]);
  });

  test("creates as many accounts as the invite has uses, and leaves nothing behind of the others", async () => {
    const { code } = await createInvite(await createAccount(instance.url), { maxUses: 1 });
    await setPolicy({ registration: "invite" });
    const names = Array.from({ length: 4 }, newName);
    const answers = await Promise.all(names.map((username) => register(code, username)));
    const refusals = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.type]));
    expect(refusals).toEqual(Array.from({ length: 3 }, () => "INVITE_NOT_FOUND"));
    await setPolicy({ registration: "open" });
    for (const [index, username] of names.entries())
      expect(await register(undefined, username)).toMatchObject(
        answers[index]!.ok ? failed("USERNAME_TAKEN") : { ok: true },
      );
  });

  test("rejects invites from a guest, a bot or a disabled account", async () => {
    const [guest, account, disabled] = await Promise.all([
      createGuest(instance.url),
      createAccount(instance.url),
      createAccount(instance.url),
    ]);
    const byAccount = await createInvite(account);
    const robot = { groupId: byAccount.groupId, name: "Robot", scopes: ["invites.manage" as const] };
    const { bot, token } = await must(instance.url, "bot.create", robot, account.accessToken);
    const role = { groupId: byAccount.groupId, name: "Inviters", permissions: PERMISSIONS.createInvites };
    const { role: inviters } = await must(instance.url, "role.create", role, account.accessToken);
    const assigned = { groupId: byAccount.groupId, roleId: inviters.id, userId: bot.id };
    await must(instance.url, "role.assign", assigned, account.accessToken);
    const byBot = await must(instance.url, "invite.create", { groupId: byAccount.groupId }, token);
    const codes = [(await createInvite(guest)).code, byBot.invite.code, (await createInvite(disabled)).code];
    await must(instance.url, "admin.disableUser", { userId: disabled.userId }, admin.accessToken);
    await setPolicy({ registration: "invite" });
    for (const code of codes) expect(await register(code)).toMatchObject(failed("INVITE_NOT_FOUND"));
    expect(await register(byAccount.code)).toMatchObject({ ok: true });
  });

  test("guests need an invite to claim an account too", async () => {
    const [guest, account] = await Promise.all([createGuest(instance.url), createAccount(instance.url)]);
    const { groupId, code } = await createInvite(account);
    await setPolicy({ registration: "invite" });
    const claim = (more: { inviteCode?: string }) =>
      post(instance.url, "user.claimGuest", { username: newName(), password, ...more }, guest.accessToken);
    expect(await claim({})).toMatchObject(failed("INVITE_REQUIRED"));
    const claimed = await claim({ inviteCode: code });
    if (!claimed.ok) throw new Error(claimed.error.type);
    const { groups } = await must(instance.url, "group.listMine", {}, claimed.data.accessToken);
    expect(groups.map(({ id }) => id)).toEqual([groupId]);
  });
});

test("with guests off, an account is required to join, and existing guests stay", async () => {
  const guest = await must(instance.url, "user.createGuest", {});
  await setPolicy({ guests: false });
  expect(await post(instance.url, "user.createGuest", {})).toMatchObject(failed("GUESTS_DISABLED"));
  expect(await post(instance.url, "user.me", {}, guest.accessToken)).toMatchObject({ ok: true });
});

describe("with email domains", () => {
  const domains = ["example.org"];

  test("an account needs an address in one of them", async () => {
    await setPolicy({ mailDomains: domains });
    for (const email of [undefined, "me@example.com", "me@sub.example.org", "me@example.org.evil.test"]) {
      const params = { username: newName(), password, ...(email !== undefined && { email }) };
      expect(await post(instance.url, "user.register", params)).toMatchObject(
        failed("EMAIL_DOMAIN_NOT_ALLOWED", { domains }),
      );
    }
  });

  test.each(["register", "claim"])("%s: no session opens before the address is verified", async (way) => {
    const guest = await must(instance.url, "user.createGuest", {});
    await setPolicy({ mailDomains: domains });
    const username = newName();
    const email = `${username}@example.org`;
    const made = await (way === "register"
      ? post(instance.url, "user.register", { username, password, email })
      : post(instance.url, "user.claimGuest", { username, password, email }, guest.accessToken));
    expect(made).toMatchObject(failed("EMAIL_NOT_VERIFIED"));
    const login = () => post(instance.url, "user.login", { username, password });
    expect(await login()).toMatchObject(failed("EMAIL_NOT_VERIFIED"));
    const { token } = await mailbox.next(email, /./);
    await must(instance.url, "user.verifyEmail", { token });
    expect(await login()).toMatchObject({ ok: true });
  });

  test("a guest's sessions end if the claim must be verified", async () => {
    const { accessToken, refreshToken } = await must(instance.url, "user.createGuest", {});
    await setPolicy({ mailDomains: domains });
    const username = newName();
    const claim = { username, password, email: `${username}@example.org` };
    expect(await post(instance.url, "user.claimGuest", claim, accessToken)).toMatchObject(
      failed("EMAIL_NOT_VERIFIED"),
    );
    expect(await post(instance.url, "user.me", {}, accessToken)).toMatchObject(failed("SESSION_REVOKED"));
    expect(await post(instance.url, "user.refresh", { refreshToken })).toMatchObject(
      failed("SESSION_REVOKED"),
    );
  });

  test("an unverified address goes to the account that opens its link", async () => {
    await setPolicy({ mailDomains: domains });
    const email = `${newName()}@example.org`;
    const squatter = { username: newName(), password };
    const owner = { username: newName(), password };
    const tokens: string[] = [];
    for (const account of [squatter, owner]) {
      expect(await post(instance.url, "user.register", { ...account, email })).toMatchObject(
        failed("EMAIL_NOT_VERIFIED"),
      );
      tokens.push((await mailbox.next(email, /Verify/)).token);
    }
    await must(instance.url, "user.verifyEmail", { token: tokens[1]! });
    const { user } = await must(instance.url, "user.login", owner);
    expect(user).toMatchObject({ email, emailVerified: true });
    expect(await post(instance.url, "user.verifyEmail", { token: tokens[0]! })).toMatchObject(
      failed("EMAIL_TAKEN"),
    );
    expect(await post(instance.url, "user.login", squatter)).toMatchObject(failed("EMAIL_NOT_VERIFIED"));

    const login = (params: object) => post(instance.url, "user.login", { ...squatter, ...params });
    expect(await login({ email })).toMatchObject(failed("EMAIL_TAKEN"));
    expect(await login({ email: "me@example.com" })).toMatchObject(failed("EMAIL_DOMAIN_NOT_ALLOWED"));
    const other = `${newName()}@example.org`;
    expect(await login({ email: other, password: "wrong horse" })).toMatchObject(failed("WRONG_CREDENTIALS"));
    expect(await login({ email: other })).toMatchObject(failed("EMAIL_NOT_VERIFIED"));
    const { token } = await mailbox.next(other, /Verify/);
    await must(instance.url, "user.verifyEmail", { token });
    expect(await login({})).toMatchObject({
      ok: true,
      data: { user: { email: other, emailVerified: true } },
    });
  });

  test("an account can't change to an address in another domain", async () => {
    const account = await createAccount(instance.url);
    await setPolicy({ mailDomains: domains });
    const params = { email: "me@example.com", password };
    expect(await post(instance.url, "user.changeEmail", params, account.accessToken)).toMatchObject(
      failed("EMAIL_DOMAIN_NOT_ALLOWED"),
    );
  });
});

describe("who can create groups", () => {
  const createGroup = async (who: { accessToken: string }) => {
    const answer = await post(instance.url, "group.create", { name: "A group" }, who.accessToken);
    return answer.ok ? "ok" : answer.error.type;
  };

  test.each([
    ["everyone", "ok", "ok"],
    ["accounts", "GUEST_NOT_ALLOWED", "ok"],
    ["admins", "GROUP_CREATION_RESTRICTED", "GROUP_CREATION_RESTRICTED"],
  ] as const)("%s", async (groupCreation, byGuest, byAccount) => {
    const [guest, account] = await Promise.all([createGuest(instance.url), createAccount(instance.url)]);
    await setPolicy({ groupCreation });
    expect([await createGroup(guest), await createGroup(account), await createGroup(admin)]).toEqual([
      byGuest,
      byAccount,
      "ok",
    ]);
    await vi.waitFor(async () => expect(await meta()).toMatchObject({ groupCreation }), 20_000);
  });
});

test("an instance can turn its directory of groups off", async () => {
  const [owner, user] = await Promise.all([createAccount(instance.url), createAccount(instance.url)]);
  const { group } = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
  const ofGroup = { groupId: group.id };
  await must(instance.url, "group.update", { ...ofGroup, listed: true }, owner.accessToken);
  const { groups } = await must(instance.url, "group.listDirectory", {}, user.accessToken);
  expect(groups.map(({ id }) => id)).toEqual([group.id]);
  await setPolicy({ directory: false });
  expect(await post(instance.url, "group.listDirectory", {}, user.accessToken)).toMatchObject(
    failed("DIRECTORY_OFF"),
  );
  expect(await post(instance.url, "group.joinListed", ofGroup, user.accessToken)).toMatchObject(
    failed("DIRECTORY_OFF"),
  );
  await vi.waitFor(async () => expect(await meta()).toMatchObject({ directory: false }), 20_000);
});

describe("who can open direct channels", () => {
  const ask = async <N extends ActionName>(who: { accessToken: string }, name: N, params: Params<N>) => {
    const answer = await post(instance.url, name, params, who.accessToken);
    return answer.ok ? "ok" : answer.error.type;
  };
  const openDirect = (who: Person, { userId }: Person) => ask(who, "channel.openDirect", { userId });
  const openOfSeveral = (who: Person, { userId }: Person) =>
    ask(who, "channel.createGroupDirect", { userIds: [userId] });
  /** A user, someone unknown to them, a member of their group and a friend. */
  const createPeople = async () => {
    const create = () => createAccount(instance.url);
    const [owner, stranger, mate, friend] = await Promise.all([create(), create(), create(), create()]);
    const { group } = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
    const { invite } = await must(instance.url, "invite.create", { groupId: group.id }, owner.accessToken);
    await must(instance.url, "invite.accept", { code: invite.code }, mate.accessToken);
    await must(instance.url, "friend.request", { userId: owner.userId }, friend.accessToken);
    await must(instance.url, "friend.accept", { userId: friend.userId }, owner.accessToken);
    return { owner, stranger, mate, friend, inviteCode: invite.code };
  };

  test.each([
    ["everyone", ["ok", "ok", "ok"], ["NOT_REACHABLE", "ok", "ok"]],
    ["groupMates", ["NOT_REACHABLE", "ok", "ok"], ["NOT_REACHABLE", "ok", "ok"]],
    ["friends", ["NOT_REACHABLE", "NOT_REACHABLE", "ok"], ["NOT_REACHABLE", "NOT_REACHABLE", "ok"]],
  ] as const)("%s", async (directMessages, ofTwo, ofSeveral) => {
    const { owner, stranger, mate, friend } = await createPeople();
    await setPolicy({ directMessages });
    const people = [stranger, mate, friend];
    expect(await Promise.all(people.map((who) => openDirect(who, owner)))).toEqual(ofTwo);
    expect(await Promise.all(people.map((who) => openOfSeveral(who, owner)))).toEqual(ofSeveral);
  });

  test("doesn't override a user's stricter choice, and applies to adding members", async () => {
    const { owner, mate, stranger, friend } = await createPeople();
    const { channel } = await must(
      instance.url,
      "channel.createGroupDirect",
      { userIds: [mate.userId, friend.userId] },
      owner.accessToken,
    );
    await setPolicy({ directMessages: "groupMates" });
    const add = (who: Person) =>
      ask(owner, "channel.addToDirect", { channelId: channel.id, userId: who.userId });
    expect(await add(stranger)).toBe("NOT_REACHABLE");
    await must(instance.url, "friend.setReach", { directFrom: "friends" }, owner.accessToken);
    expect(await openDirect(mate, owner)).toBe("NOT_REACHABLE");
    expect(await openDirect(friend, owner)).toBe("ok");
  });

  test("leaves existing channels alone", async () => {
    const { owner, stranger } = await createPeople();
    const { channel } = await must(
      instance.url,
      "channel.openDirect",
      { userId: owner.userId },
      stranger.accessToken,
    );
    await setPolicy({ directMessages: "friends" });
    expect(await openDirect(stranger, owner)).toBe("ok");
    const message = { channelId: channel.id, content: "Still here", nonce: "existing-direct" };
    expect(await ask(stranger, "message.send", message)).toBe("ok");
  });

  test("limits guests to members of shared groups, and to no one if only friends are allowed", async () => {
    const { owner, stranger, inviteCode } = await createPeople();
    const guest = await createGuest(instance.url);
    expect(await openDirect(guest, owner)).toBe("NOT_REACHABLE");
    await must(instance.url, "invite.accept", { code: inviteCode }, guest.accessToken);
    await setPolicy({ directMessages: "friends" });
    expect(await openDirect(guest, owner)).toBe("NOT_REACHABLE");
    await setPolicy({ directMessages: "everyone" });
    expect(await openDirect(guest, owner)).toBe("ok");
    expect(await openDirect(guest, stranger)).toBe("NOT_REACHABLE");
  });
});

describe("a change of the policy", () => {
  test("is in the audit log, and changes nothing else", async () => {
    await setPolicy({ guests: false });
    const { policy } = await setPolicy({ registration: "closed" });
    expect(policy).toMatchObject({ guests: false, registration: "closed" });
    const { entries } = await must(instance.url, "admin.auditLog", {}, admin.accessToken);
    expect(entries[0]).toMatchObject({
      action: "admin.setPolicy",
      params: { registration: "closed" },
      outcome: "done",
    });
  });

  test("that would lock everyone out is rejected, with what to do first", async () => {
    const answer = await post(instance.url, "admin.setPolicy", { oidcOnly: true }, admin.accessToken);
    expect(answer).toMatchObject(failed("VALIDATION_FAILED"));
    expect(JSON.stringify(answer)).toContain("OIDC_ISSUER");
  });

  test("by two admins at once keeps both changes", async () => {
    await Promise.all([setPolicy({ guests: false }), setPolicy({ registration: "closed" })]);
    const { policy } = await must(instance.url, "admin.getPolicy", {}, admin.accessToken);
    expect(policy).toMatchObject({ guests: false, registration: "closed" });
    expect(await post(instance.url, "user.createGuest", {})).toMatchObject(failed("GUESTS_DISABLED"));
    const credentials = { username: newName(), password };
    expect(await post(instance.url, "user.register", credentials)).toMatchObject(
      failed("REGISTRATION_CLOSED"),
    );
  });
});

test("can't override what the environment sets", async () => {
  const fixed = await startInstance({ GUESTS: "off", MAIL_DOMAINS: "" });
  try {
    const { accessToken } = await createAccount(fixed.url);
    expect(await must(fixed.url, "admin.getPolicy", {}, accessToken)).toEqual({
      policy: { ...OPEN, guests: false },
      fixed: ["guests"],
    });
    const changes = { guests: true, registration: "closed" as const };
    expect(await post(fixed.url, "admin.setPolicy", changes, accessToken)).toMatchObject(
      failed("POLICY_FIXED", { names: ["guests"] }),
    );
    expect(await post(fixed.url, "user.createGuest", {})).toMatchObject(failed("GUESTS_DISABLED"));
    expect(await meta(fixed.url)).toMatchObject({ guests: false, registration: "open" });
  } finally {
    await fixed.stop();
  }
});
