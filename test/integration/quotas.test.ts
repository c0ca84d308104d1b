import { randomBytes } from "node:crypto";
import type { InstancePolicy, WireAnswer } from "@fanfare/contract";
import {
  createAccount,
  createGuest,
  createWorld,
  must,
  post,
  type Person,
  type World,
} from "@fanfare/testing";
import { startInstance, type Instance } from "../support/instance.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

// Instance limits that admins set.

const NO_LIMITS: Partial<InstancePolicy> = {
  fileQuotaUserBytes: null,
  fileQuotaGuestBytes: null,
  fileQuotaGroupBytes: null,
  fileQuotaInstanceBytes: null,
  usersPerInstance: null,
  groupsOwnedPerUser: null,
  membersPerGroup: null,
  channelsPerGroup: null,
};

let instance: Instance;
let admin: Person;
let world: World;
beforeAll(async () => {
  instance = await startInstance();
  admin = await createAccount(instance.url);
  world = await createWorld(instance.url);
});
afterEach(() => setLimits(NO_LIMITS));
afterAll(() => instance?.stop());

const setLimits = (limits: Partial<InstancePolicy>) =>
  must(instance.url, "admin.setPolicy", limits, admin.accessToken);
const reached = (limit: keyof InstancePolicy, max: number) => ({
  ok: false,
  error: { type: "LIMIT_REACHED", data: { limit, max } },
});

async function upload({ accessToken }: Person, bytes: number): Promise<WireAnswer<unknown>> {
  const query = new URLSearchParams({ channelId: world.channel.id, name: "a.bin" });
  const response = await fetch(`${instance.url}/api/file.upload?${query.toString()}`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/octet-stream" },
    body: randomBytes(bytes),
  });
  return (await response.json()) as WireAnswer<unknown>;
}

async function join({ accessToken }: Person): Promise<void> {
  await must(instance.url, "invite.accept", { code: world.inviteCode }, accessToken);
}

describe("file quotas", () => {
  test("of guests are separate, and no longer apply once an account is claimed", async () => {
    const [account, guest] = await Promise.all([createAccount(instance.url), createGuest(instance.url)]);
    await Promise.all([join(account), join(guest)]);
    await setLimits({ fileQuotaUserBytes: 200, fileQuotaGuestBytes: 100 });
    expect(await upload(guest, 101)).toMatchObject(reached("fileQuotaGuestBytes", 100));
    expect(await upload(account, 101)).toMatchObject({ ok: true });
    expect(await upload(account, 101)).toMatchObject(reached("fileQuotaUserBytes", 200));
    expect(await must(instance.url, "file.getUsage", {}, guest.accessToken)).toEqual({
      usedBytes: 0,
      maxBytes: 100,
    });
    const claim = { username: `claimed${guest.userId.slice(-6)}`, password: "correct horse" };
    const claimed = await must(instance.url, "user.claimGuest", claim, guest.accessToken);
    expect(await upload({ ...guest, accessToken: claimed.accessToken }, 101)).toMatchObject({ ok: true });
  });

  test("of guests never exceed those of users, and an admin can raise one guest's", async () => {
    const { member } = world;
    await setLimits({ fileQuotaUserBytes: 50, fileQuotaGuestBytes: 100 });
    expect(await upload(member, 60)).toMatchObject(reached("fileQuotaUserBytes", 50));
    const of = { type: "user", id: member.userId } as const;
    await must(instance.url, "file.setQuota", { of, maxBytes: 1000 }, admin.accessToken);
    expect(await upload(member, 60)).toMatchObject({ ok: true });
  });

  test("apply per group, and to the whole instance", async () => {
    const { owner } = world;
    const { usedBytes } = await must(
      instance.url,
      "file.getGroupUsage",
      { groupId: world.group.id },
      owner.accessToken,
    );
    const max = usedBytes + 10;
    await setLimits({ fileQuotaGroupBytes: max });
    expect(await upload(owner, 11)).toMatchObject(reached("fileQuotaGroupBytes", max));
    await setLimits({ fileQuotaGroupBytes: null, fileQuotaInstanceBytes: max });
    expect(await upload(owner, 11)).toMatchObject(reached("fileQuotaInstanceBytes", max));
    await setLimits({ fileQuotaInstanceBytes: max + 1000 });
    await vi.waitFor(async () => expect(await upload(owner, 11)).toMatchObject({ ok: true }));
  });
});

test("limits the instance's accounts and guests, and deleting one frees its place", async () => {
  const { users } = await must(instance.url, "admin.listUsers", { limit: 100 }, admin.accessToken);
  const max = users.length;
  const last = await createAccount(instance.url);
  await setLimits({ usersPerInstance: max + 1 });
  const register = () =>
    post(instance.url, "user.register", { username: `late${max}`, password: "correct horse" });
  expect(await register()).toMatchObject(reached("usersPerInstance", max + 1));
  expect(await post(instance.url, "user.createGuest", {})).toMatchObject(
    reached("usersPerInstance", max + 1),
  );
  expect(
    await post(instance.url, "admin.createUser", { username: `made${max}` }, admin.accessToken),
  ).toMatchObject(reached("usersPerInstance", max + 1));
  await must(instance.url, "user.deleteMe", { password: "correct horse" }, last.accessToken);
  expect(await register()).toMatchObject({ ok: true });
});

test("limits the groups a user owns, created or taken over", async () => {
  const [owner, other] = await Promise.all([createAccount(instance.url), createAccount(instance.url)]);
  const create = (who: Person) => post(instance.url, "group.create", { name: "A group" }, who.accessToken);
  await setLimits({ groupsOwnedPerUser: 1 });
  const created = await create(owner);
  if (!created.ok) throw new Error("unreachable");
  expect(await create(owner)).toMatchObject(reached("groupsOwnedPerUser", 1));
  expect(await create(other)).toMatchObject({ ok: true });
  const groupId = created.data.group.id;
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  await must(instance.url, "invite.accept", { code: invite.code }, other.accessToken);
  expect(
    await post(instance.url, "group.transfer", { groupId, userId: other.userId }, owner.accessToken),
  ).toMatchObject(reached("groupsOwnedPerUser", 1));
});

test("limits the members and channels of a group", async () => {
  const [owner, member, late] = await Promise.all([
    createAccount(instance.url),
    createAccount(instance.url),
    createAccount(instance.url),
  ]);
  const { group } = await must(instance.url, "group.create", { name: "A group" }, owner.accessToken);
  const groupId = group.id;
  const { invite } = await must(instance.url, "invite.create", { groupId }, owner.accessToken);
  const accept = (who: Person) => post(instance.url, "invite.accept", { code: invite.code }, who.accessToken);
  const create = (name: string) => post(instance.url, "channel.create", { groupId, name }, owner.accessToken);
  await setLimits({ membersPerGroup: 2, channelsPerGroup: 2 });
  expect(await accept(member)).toMatchObject({ ok: true });
  expect(await accept(late)).toMatchObject(reached("membersPerGroup", 2));
  expect(await create("second")).toMatchObject({ ok: true });
  expect(await create("third")).toMatchObject(reached("channelsPerGroup", 2));
});

test("rejects a limit above the built-in maximum, and keeps what the environment sets", async () => {
  expect(
    await post(instance.url, "admin.setPolicy", { channelsPerGroup: 501 }, admin.accessToken),
  ).toMatchObject({ ok: false, error: { type: "VALIDATION_FAILED" } });
  const fixed = await startInstance({ FILE_QUOTA_GUEST_BYTES: "0", USERS_PER_INSTANCE: "2" });
  try {
    const { accessToken } = await createAccount(fixed.url);
    expect(await must(fixed.url, "admin.getPolicy", {}, accessToken)).toMatchObject({
      policy: { fileQuotaGuestBytes: 0, usersPerInstance: 2, fileQuotaUserBytes: 1024 ** 3 },
      fixed: ["fileQuotaGuestBytes", "usersPerInstance"],
    });
    await createGuest(fixed.url);
    expect(await post(fixed.url, "user.createGuest", {})).toMatchObject(reached("usersPerInstance", 2));
  } finally {
    await fixed.stop();
  }
});
