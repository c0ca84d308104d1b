import { hasPermission, LIMITS } from "@fanfare/contract";
import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { isInviteUsable, mayTouchInvite } from "../group.policy.ts";
import { presentInvite } from "../group.presenter.ts";

export function listInvites({ invites }: GroupDependencies): Handler<"invite.list"> {
  return async ({ params, actor, access }) => {
    const managesInvites = hasPermission(access.permissions, "manageInvites");
    const now = new Date();
    const found = await invites.listOfGroup(params.groupId, 2 * LIMITS.invitesPerGroup);
    const visible = found.filter(
      (invite) =>
        isInviteUsable(invite, now) && mayTouchInvite(invite.createdBy, actor.userId, managesInvites),
    );
    return { invites: visible.map(presentInvite) };
  };
}

export function revokeInvite({ invites, audit }: GroupDependencies): Handler<"invite.revoke"> {
  return async ({ params: { groupId, code }, actor, access }) => {
    const invite = await invites.findByCode(code);
    if (invite?.groupId !== groupId) throw serviceError("INVITE_NOT_FOUND");
    const managesInvites = hasPermission(access.permissions, "manageInvites");
    if (!mayTouchInvite(invite.createdBy, actor.userId, managesInvites)) {
      throw serviceError("FORBIDDEN");
    }
    await invites.remove([invite._id]);
    await audit(groupId, actor.userId, "invite.revoke", {
      before: { code, createdBy: invite.createdBy },
    });
    return {};
  };
}
