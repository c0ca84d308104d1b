import { serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { isInviteUsable } from "../group.policy.ts";
import { presentGroup } from "../group.presenter.ts";

export function previewInvite({ groups, invites }: GroupDependencies): Handler<"invite.preview"> {
  return async ({ params }) => {
    const invite = await invites.findByCode(params.code);
    const isUsable = invite !== null && isInviteUsable(invite, new Date());
    const group = isUsable ? await groups.find(invite.groupId) : null;
    if (group === null) throw serviceError("INVITE_NOT_FOUND");
    const { id, name, iconUrl, memberCount } = presentGroup(group);
    return { group: { id, name, iconUrl, memberCount } };
  };
}
