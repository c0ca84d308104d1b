import { LIMITS, type Result } from "@fanfare/contract";
import { assertBelow, type Handlers, orThrow, serviceError, withoutDeadline } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentInvite } from "../group.presenter.ts";
import { makeSpaceForInvites, newInvite } from "./invites.ts";

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
