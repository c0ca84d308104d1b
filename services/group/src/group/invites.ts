import { randomBytes } from "node:crypto";
import { hasPermission, LIMITS, type Result } from "@fanfare/contract";
import {
  assertBelow,
  can,
  type Handlers,
  orThrow,
  newId,
  serviceError,
  withoutDeadline,
} from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { isInviteExpired, isInviteUsable, canManageInvite } from "../group.policy.ts";
import { presentGroup, presentInvite } from "../group.presenter.ts";
import type { InviteDocument, InviteRepository } from "./invite.repository.ts";
import { createJoin, type JoinPath } from "./join.ts";
import { needsApproval } from "./moderation.ts";

/** 64 bits, so that invite codes can't be guessed. */
const CODE_BYTES = 8;

export function inviteActions(dependencies: GroupDependencies): Handlers {
  const { invites, audit, groups } = dependencies;
  const { join, joinOrAsk } = createJoin(dependencies);
  return {
    "invite.create": async ({ params: { groupId, maxUses, maxAgeMs }, actor }) => {
      await makeSpaceForInvites(invites, groupId, 1);
      const invite = newInvite(groupId, actor.userId, { maxUses, maxAgeMs });
      await invites.insert(invite);
      await audit(groupId, actor.userId, "invite.create", { after: { code: invite.code } });
      return { invite: presentInvite(invite) };
    },

    "invite.list": async ({ params, actor, access }) => {
      const managesInvites = hasPermission(access.permissions, "manageInvites");
      const approvesJoins = hasPermission(access.permissions, "kickMembers");
      const now = new Date();
      const found = await invites.listOfGroup(params.groupId, 2 * LIMITS.invitesPerGroup);
      const visible = found.filter(
        (invite) =>
          isInviteUsable(invite, now) &&
          canManageInvite(invite.createdBy, actor.userId, managesInvites) &&
          // With the code of an emailed invite, one may be able to join without approval.
          (invite.email === undefined || invite.createdBy === actor.userId || approvesJoins),
      );
      return { invites: visible.map(presentInvite) };
    },

    "invite.revoke": async ({ params: { groupId, code }, actor, access }) => {
      const invite = await invites.findByCode(code);
      if (invite?.groupId !== groupId) throw serviceError("INVITE_NOT_FOUND");
      const managesInvites = hasPermission(access.permissions, "manageInvites");
      if (!canManageInvite(invite.createdBy, actor.userId, managesInvites)) {
        throw serviceError("FORBIDDEN");
      }
      await invites.remove([invite._id]);
      await audit(groupId, actor.userId, "invite.revoke", {
        before: { code, createdBy: invite.createdBy, ...(invite.email && { email: invite.email }) },
      });
      return {};
    },

    "invite.preview": async ({ params }) => {
      const invite = await findInvite(dependencies, params.code);
      const isUsable = isInviteUsable(invite, new Date());
      const group = orThrow(isUsable ? await groups.find(invite.groupId) : null, "INVITE_NOT_FOUND");
      const { id, name, iconUrl, memberCount } = presentGroup(group);
      return { group: { id, name, iconUrl, memberCount, needsApproval: needsApproval(group) } };
    },

    "invite.accept": async ({ params: { code }, actor: { userId }, askedAtMs }) =>
      join(await findInvitePath(dependencies, code, userId), { userId, askedAtMs }),

    "invite.acceptFor": async ({ params: { code, userId }, askedAtMs }) => {
      await joinOrAsk(await findInvitePath(dependencies, code, userId), { userId, askedAtMs }, "");
      return {};
    },

    "invite.findCreator": async ({ params: { code } }) => ({
      userId: (await findInvite(dependencies, code)).createdBy,
    }),
  };
}

function newInvite(
  groupId: string,
  createdBy: string,
  {
    maxUses,
    maxAgeMs,
    email,
  }: { maxUses?: number | undefined; maxAgeMs?: number | undefined; email?: string },
): InviteDocument {
  const createdAt = new Date();
  return {
    _id: newId(),
    code: randomBytes(CODE_BYTES).toString("base64url"),
    groupId,
    createdBy,
    uses: 0,
    maxUses: maxUses ?? null,
    expiresAt: maxAgeMs === undefined ? null : new Date(createdAt.getTime() + maxAgeMs),
    ...(email !== undefined && { email }),
    createdAt,
  };
}

/**
 * Removes the invites of a group that are no longer usable. Emailed invites and others don't take each other's space.
 * @throws {ServiceError} LIMIT_REACHED if the group can't have `added` more
 */
async function makeSpaceForInvites(
  invites: InviteRepository,
  groupId: string,
  added: number,
  { isEmailed = false } = {},
): Promise<void> {
  const now = new Date();
  const existing = await invites.listOfGroup(groupId, 2 * LIMITS.invitesPerGroup);
  const dead = existing.filter((invite) => !isInviteUsable(invite, now));
  const alike = existing.filter(
    (invite) => (invite.email !== undefined) === isEmailed && !dead.includes(invite),
  );
  assertBelow("invitesPerGroup", alike.length + added - 1);
  if (dead.length > 0) await invites.remove(dead.map(({ _id }) => _id));
}

/** @throws {ServiceError} INVITE_NOT_FOUND, also when it has expired, or its creator left the group or is disabled */
async function findInvite(
  { node, members, invites }: GroupDependencies,
  code: string,
): Promise<InviteDocument> {
  const invite = await invites.findByCode(code);
  if (invite === null || isInviteExpired(invite, new Date())) throw serviceError("INVITE_NOT_FOUND");
  const { groupId, createdBy } = invite;
  const [isMember, { isActive }] = await Promise.all([
    members.exists(groupId, createdBy),
    node.services.user.isActive({ userId: createdBy }),
  ]);
  if (!isMember || !isActive) throw serviceError("INVITE_NOT_FOUND");
  return invite;
}

/**
 * The use is taken before the member is stored, so that every member has used one. A process that dies in between wastes a use.
 * @throws {ServiceError} INVITE_NOT_FOUND
 */
export async function findInvitePath(
  dependencies: GroupDependencies,
  code: string,
  userId: string,
): Promise<JoinPath> {
  const { members, invites, node } = dependencies;
  const invite = await findInvite(dependencies, code);
  const { groupId } = invite;
  const isApproved =
    invite.email !== undefined && can(await node.access.get(invite.createdBy, { groupId }), "kickMembers");
  return {
    groupId,
    isApproved,
    enter: async (store) => {
      if (!(await invites.takeUse(invite))) {
        if (await members.exists(groupId, userId)) return null;
        throw serviceError("INVITE_NOT_FOUND");
      }
      const stored = await store();
      if (stored === null) await invites.giveUseBack(invite);
      return stored;
    },
  };
}

type Skipped = Result<"invite.email">["skipped"];

/** Invites that are emailed. */
export function emailInviteActions(dependencies: GroupDependencies): Handlers {
  const { node, groups, invites } = dependencies;
  return {
    "invite.email": async ({ params, actor: { userId, kind }, services }) => {
      const { groupId } = params;
      if (kind === "guest") throw serviceError("GUEST_NOT_ALLOWED");
      if (node.config.smtp === undefined) throw serviceError("EMAIL_OFF");
      const { name } = orThrow(await groups.find(groupId), "GROUP_NOT_FOUND");
      const emails = [...new Set(params.emails.map((email) => email.toLowerCase()))];
      await makeSpaceForInvites(invites, groupId, emails.length, { isEmailed: true });
      return withoutDeadline(() =>
        emailAll(dependencies, services, { groupId, groupName: name, userId, emails }),
      );
    },
  };
}

interface EmailAll {
  groupId: string;
  groupName: string;
  userId: string;
  emails: readonly string[];
}

async function emailAll(
  { invites, emailInvites, audit }: GroupDependencies,
  services: GroupDependencies["node"]["services"],
  { groupId, groupName, userId, emails }: EmailAll,
): Promise<Result<"invite.email">> {
  const added = await emailInvites.add(groupId, userId, emails);
  // Counted once they are stored, so that concurrent calls can't exceed the limits.
  const crowded = await emailInvites.listCrowded([...added.keys()]);
  await emailInvites.remove(crowded.map((email) => added.get(email)!));
  for (const email of crowded) added.delete(email);
  const skipped: Skipped = emails.flatMap((email) =>
    added.has(email) ? [] : [{ email, reason: "invited" }],
  );
  const made = [...added.keys()].map((email) =>
    newInvite(groupId, userId, { maxUses: 1, maxAgeMs: LIMITS.emailInviteLifetimeMs, email }),
  );
  let refused: readonly string[];
  try {
    const [ofUser, ofGroup] = await Promise.all([
      emailInvites.count({ userId }),
      emailInvites.count({ groupId }),
    ]);
    assertBelow("emailInvitesPerUser", ofUser - 1);
    assertBelow("emailInvitesPerGroup", ofGroup - 1);
    await Promise.all(made.map((invite) => invites.insert(invite)));
    const mails = made.map(({ code, email }) => ({ code, email: email! }));
    ({ refused } = await services.user.mailInvites({ userId, groupName, invites: mails }));
  } catch (error) {
    await invites.remove(made.map(({ _id }) => _id));
    await emailInvites.remove([...added.values()]);
    throw error;
  }
  const unsent = made.filter(({ code }) => refused.includes(code));
  await invites.remove(unsent.map(({ _id }) => _id));
  skipped.push(...unsent.map(({ email }) => ({ email: email!, reason: "refused" as const })));
  const sent = made.filter((invite) => !unsent.includes(invite));
  await Promise.all(sent.map(({ email }) => audit(groupId, userId, "invite.email", { after: { email } })));
  return { invites: sent.map(presentInvite), skipped };
}
