import { LIMITS, type Params, PERMISSIONS } from "@fanfare/contract";
import { createAccount, createGuest, must, post } from "@fanfare/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Mailbox, startMailbox } from "../../../test/integration/mailbox.ts";
import { type Instance, startInstance } from "../../../test/support/instance.ts";

const PUBLIC_URL = "https://chat.example.org";
const PASSWORD = "correct horse";
const SUBJECT = /invited you to chat\.example\.org/;

type Account = Awaited<ReturnType<typeof createAccount>>;

let mailbox: Mailbox;
let instance: Instance;
let admin: Account;
let owner: Account;
let groupId: string;
beforeAll(async () => {
  mailbox = await startMailbox();
  instance = await startInstance({ ...mailbox.env, PUBLIC_URL });
  [admin, owner] = [await createAccount(instance.url), await createAccount(instance.url)];
});
beforeEach(async () => {
  const name = "Rocket builders";
  groupId = (await must(instance.url, "group.create", { name }, owner.accessToken)).group.id;
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await instance?.stop();
  await mailbox?.stop();
});

let people = 0;
const newAddress = () => `invited${(people += 1)}@example.org`;
const addresses = (count: number) => Array.from({ length: count }, newAddress);
const email = (emails: string[], by = owner, of = groupId) =>
  post(instance.url, "invite.email", { groupId: of, emails }, by.accessToken);
const mustEmail = (emails: string[], by = owner) =>
  must(instance.url, "invite.email", { groupId, emails }, by.accessToken);
const listed = async () => (await must(instance.url, "invite.list", { groupId }, owner.accessToken)).invites;
const failed = (type: string, data?: object) => ({ ok: false, error: { type, ...(data && { data }) } });

/** What the link in the email to this address leads to. */
async function linkTo(address: string): Promise<{ code: string; token: string; text: string }> {
  const { text } = await mailbox.next(address, SUBJECT);
  const [, code, token] = /https:\/\/chat\.example\.org\/invite\/([\w-]+)#token=([\w-]+)/.exec(text)!;
  return { code: code!, token: token!, text };
}
const accept = (code: string, by: { accessToken: string }) =>
  post(instance.url, "invite.accept", { code }, by.accessToken);
async function newMember(): Promise<Account> {
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  const member = await createAccount(instance.url);
  await must(instance.url, "invite.accept", { code: invite.code }, member.accessToken);
  return member;
}
const register = (params: Partial<Params<"user.register">>) =>
  post(instance.url, "user.register", { username: `new${(people += 1)}`, password: PASSWORD, ...params });

test("each address gets a link of its own, which one person can use", async () => {
  const [first, second] = [newAddress(), newAddress()];
  const { invites, skipped } = await mustEmail([first, second, first.toUpperCase()]);
  expect(skipped).toEqual([]);
  expect(invites).toMatchObject([
    { email: first, maxUses: 1, uses: 0, createdBy: owner.userId },
    { email: second, maxUses: 1, uses: 0, createdBy: owner.userId },
  ]);
  const lifetimeMs = Date.parse(invites[0]!.expiresAt!) - Date.parse(invites[0]!.createdAt);
  expect(lifetimeMs).toBe(LIMITS.emailInviteLifetimeMs);
  const { code, text } = await linkTo(first);
  expect(code).toBe(invites[0]!.code);
  expect(text).toContain(`${owner.username} invites you to join a group on chat.example.org`);
  expect(text).toContain("> Rocket builders");
  expect(text).toContain("ignore this email");
  expect((await linkTo(second)).code).toBe(invites[1]!.code);
  const [user, other] = [await createAccount(instance.url), await createAccount(instance.url)];
  expect(await accept(code, user)).toMatchObject({ ok: true });
  expect(await accept(code, user)).toMatchObject({ ok: true });
  expect(await accept(code, other)).toMatchObject(failed("INVITE_NOT_FOUND"));
});

test("it is listed with the address, can be revoked, and both are in the audit log", async () => {
  const address = newAddress();
  await mustEmail([address]);
  const [invite] = await listed();
  expect(invite).toMatchObject({ email: address });
  const params = { groupId, code: invite!.code };
  await must(instance.url, "invite.revoke", params, owner.accessToken);
  const { code } = await linkTo(address);
  expect(await accept(code, await createAccount(instance.url))).toMatchObject(failed("INVITE_NOT_FOUND"));
  const { entries } = await must(instance.url, "group.auditLog", { groupId, limit: 10 }, owner.accessToken);
  expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
    ["invite.revoke", { code, createdBy: owner.userId, email: address }, null],
    ["invite.email", null, { email: address }],
  ]);
});

test("the email is in the language of the inviter", async () => {
  const inviter = await newMember();
  await must(instance.url, "user.updateProfile", { locale: "de" }, inviter.accessToken);
  const address = newAddress();
  await mustEmail([address], inviter);
  const { text } = await mailbox.next(address, /hat dich zu chat\.example\.org eingeladen/);
  expect(text).toContain(`${inviter.username} lädt dich in eine Gruppe`);
});

test("guests send no emails, and neither do calls with a faulty address", async () => {
  const guest = await createGuest(instance.url);
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, guest.accessToken);
  expect(await email([newAddress()], guest as Account)).toMatchObject(failed("GUEST_NOT_ALLOWED"));
  const issues = [{ path: "emails.1" }];
  expect(await email([newAddress(), "not an address"])).toMatchObject(
    failed("VALIDATION_FAILED", { issues }),
  );
  const tooMany = addresses(LIMITS.emailInvitesPerCall + 1);
  expect(await email(tooMany)).toMatchObject(failed("VALIDATION_FAILED"));
  expect((await listed()).filter((one) => one.email !== null)).toEqual([]);
});

test("a group emails an address once a day, also when the invite was revoked; others can", async () => {
  const address = newAddress();
  const { invites } = await mustEmail([address]);
  await must(instance.url, "invite.revoke", { groupId, code: invites[0]!.code }, owner.accessToken);
  const member = await newMember();
  expect(await mustEmail([address.toUpperCase()], member)).toEqual({
    invites: [],
    skipped: [{ email: address, reason: "invited" }],
  });
  const { group } = await must(instance.url, "group.create", { name: "Others" }, owner.accessToken);
  expect(await email([address], owner, group.id)).toMatchObject({ ok: true, data: { skipped: [] } });
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LIMITS.emailInviteWindowMs + 1000 });
  const { accessToken } = await must(instance.url, "user.login", {
    username: member.username,
    password: PASSWORD,
  });
  expect((await mustEmail([address], { ...member, accessToken })).skipped).toEqual([]);
});

test("the emails of a user and of a group in a day are limited", async () => {
  const inviter = await newMember();
  const max = LIMITS.emailInvitesPerUser;
  const perCall = LIMITS.emailInvitesPerCall;
  await mustEmail(addresses(perCall), inviter);
  await mustEmail(addresses(perCall), inviter);
  const rest = max - 2 * perCall;
  const limit = failed("LIMIT_REACHED", { limit: "emailInvitesPerUser", max });
  const tooMany = addresses(rest + 1);
  expect(await email(tooMany, inviter)).toMatchObject(limit);
  // Nothing of a rejected call is left.
  await mustEmail(tooMany.slice(0, rest), inviter);
  expect(await email([newAddress()], inviter)).toMatchObject(limit);

  const [second, third] = [await newMember(), await newMember()];
  // Emailed invites take no space of others.
  await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  for (const { code } of await listed())
    await must(instance.url, "invite.revoke", { groupId, code }, owner.accessToken);
  await mustEmail(addresses(perCall), second);
  await mustEmail(addresses(perCall), second);
  await mustEmail(addresses(LIMITS.emailInvitesPerGroup - max - 2 * perCall), third);
  expect(await email([newAddress()], third)).toMatchObject(
    failed("LIMIT_REACHED", { limit: "emailInvitesPerGroup", max: LIMITS.emailInvitesPerGroup }),
  );
});

test("an address that a mail server refused is skipped; the answer is the same with and without an account", async () => {
  const [refused, known, unknown] = addresses(3) as [string, string, string];
  await must(instance.url, "user.register", { username: `known${people}`, password: PASSWORD, email: known });
  mailbox.refusals.set(refused, "5.1.1 No such user");
  const { invites, skipped } = await mustEmail([refused, known, unknown]);
  expect(skipped).toEqual([]);
  expect(invites.map(({ email: to }) => to)).toEqual([refused, known, unknown]);
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${instance.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/fanfare_mails_total\{[^}]*outcome="dropped"[^}]*\} 1\b/);
  });
  const { group } = await must(instance.url, "group.create", { name: "Others" }, owner.accessToken);
  const answer = await email([refused], owner, group.id);
  expect(answer).toMatchObject({
    data: { invites: [], skipped: [{ email: refused, reason: "refused" }] },
  });
  const left = await must(instance.url, "invite.list", { groupId: group.id }, owner.accessToken);
  expect(left.invites).toEqual([]);
});

test("a person whom someone with the right to approve invited needs no approval, others do", async () => {
  await must(instance.url, "group.update", { groupId, needsApproval: true }, owner.accessToken);
  const [byOwner, byMember] = [newAddress(), newAddress()];
  await mustEmail([byOwner]);
  await must(instance.url, "group.update", { groupId, needsApproval: false }, owner.accessToken);
  const member = await newMember();
  await must(instance.url, "group.update", { groupId, needsApproval: true }, owner.accessToken);
  await mustEmail([byMember], member);
  const [first, second] = [await createAccount(instance.url), await createAccount(instance.url)];
  expect(await accept((await linkTo(byOwner)).code, first)).toMatchObject({ ok: true });
  const { code } = await linkTo(byMember);
  expect(await accept(code, second)).toMatchObject(failed("APPROVAL_REQUIRED"));
  // What counts is what the inviter can do when the invite is used.
  await must(instance.url, "group.transfer", { groupId, userId: member.userId }, owner.accessToken);
  expect(await accept(code, second)).toMatchObject({ ok: true });
});

test("an open request to join doesn't make an invite work twice", async () => {
  const address = newAddress();
  await mustEmail([address]);
  await must(instance.url, "group.update", { groupId, needsApproval: true, listed: true }, owner.accessToken);
  const [first, second] = [await createAccount(instance.url), await createAccount(instance.url)];
  for (const { accessToken } of [first, second])
    await must(instance.url, "join.request", { groupId, message: "Please" }, accessToken);
  const { code } = await linkTo(address);
  expect(await accept(code, first)).toMatchObject({ ok: true });
  expect(await accept(code, second)).toMatchObject(failed("INVITE_NOT_FOUND"));
});

test("only its inviter and those who can approve joins see its link", async () => {
  const [manager, approver] = [await newMember(), await newMember()];
  const give = async (permissions: number, { userId }: Account) => {
    const params = { groupId, name: "Helpers", permissions };
    const { role } = await must(instance.url, "role.create", params, owner.accessToken);
    await must(instance.url, "role.assign", { groupId, userId, roleId: role.id }, owner.accessToken);
  };
  await give(PERMISSIONS.manageInvites, manager);
  await give(PERMISSIONS.manageInvites | PERMISSIONS.kickMembers, approver);
  const { invites } = await mustEmail([newAddress()]);
  const seenBy = async ({ accessToken }: Account) =>
    (await must(instance.url, "invite.list", { groupId }, accessToken)).invites.map(({ code }) => code);
  expect(await seenBy(owner)).toContain(invites[0]!.code);
  expect(await seenBy(approver)).toContain(invites[0]!.code);
  expect(await seenBy(manager)).not.toContain(invites[0]!.code);
});

test("all groups together email a person three times a day, whatever follows the plus sign", async () => {
  const address = newAddress();
  const [name, domain] = address.split("@");
  const first = [address, `${name}+a@${domain}`, `${name}+b@${domain}`];
  expect((await mustEmail(first)).skipped).toEqual([]);
  const { group } = await must(instance.url, "group.create", { name: "Others" }, owner.accessToken);
  expect(await email([address], owner, group.id)).toMatchObject({
    data: { invites: [], skipped: [{ email: address, reason: "invited" }] },
  });
});

test("when the inviter's account is deleted, their invites and the addresses are, too", async () => {
  const inviter = await newMember();
  const { invites } = await mustEmail([newAddress()], inviter);
  await must(instance.url, "user.deleteMe", { password: PASSWORD }, inviter.accessToken);
  await expect.poll(async () => (await listed()).map(({ code }) => code)).not.toContain(invites[0]!.code);
});

test("it lets a new user in where registration is by invite, with the address verified by the link", async () => {
  await must(instance.url, "admin.setPolicy", { registration: "invite" }, admin.accessToken);
  try {
    const emails = addresses(3) as [string, string, string];
    const [first, second, third] = emails;
    await mustEmail(emails);
    const links = [await linkTo(first), await linkTo(second), await linkTo(third)];
    const mine = async (answer: Awaited<ReturnType<typeof register>>) => {
      if (!answer.ok) throw new Error(answer.error.type);
      const { groups } = await must(instance.url, "group.listMine", {}, answer.data.accessToken);
      expect(groups.map(({ id }) => id)).toEqual([groupId]);
      return (await must(instance.url, "user.me", {}, answer.data.accessToken)).user;
    };
    const proof = (index: number) => ({
      inviteCode: links[index]!.code,
      inviteToken: links[index]!.token,
    });
    expect(await register({ email: first })).toMatchObject(failed("INVITE_REQUIRED"));
    const user = await mine(await register({ ...proof(0), email: first.toUpperCase() }));
    expect(user).toMatchObject({ email: first.toUpperCase(), emailVerified: true });
    expect(await register({ ...proof(0), email: newAddress() })).toMatchObject(failed("INVITE_NOT_FOUND"));
    // Neither another address, nor one of another link, nor the code alone, which members can see.
    const other = newAddress();
    expect(await mine(await register({ ...proof(1), email: other }))).toMatchObject({ emailVerified: false });
    const withWrongToken = { ...proof(2), inviteToken: links[1]!.token, email: third };
    expect(await mine(await register(withWrongToken))).toMatchObject({ emailVerified: false });
  } finally {
    await must(instance.url, "admin.setPolicy", { registration: "open" }, admin.accessToken);
  }
});

test("the link takes the address from an account that never verified it", async () => {
  const address = newAddress();
  const squatter = await register({ email: address });
  await mustEmail([address]);
  const { code, token } = await linkTo(address);
  expect(await register({ inviteCode: code, inviteToken: token, email: address })).toMatchObject({
    ok: true,
    data: { user: { email: address, emailVerified: true } },
  });
  if (!squatter.ok) throw new Error(squatter.error.type);
  const { user } = await must(instance.url, "user.me", {}, squatter.data.accessToken);
  expect(user.email).toBeNull();
});
