import { randomBytes } from "node:crypto";
import { LIMITS } from "@fanfare/contract";
import { newId, serviceError, type Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { isInviteUsable } from "../group.policy.ts";
import { presentInvite } from "../group.presenter.ts";
import type { InviteDocument } from "../invite.repository.ts";

/** 64 bits: nobody finds an invite by trying. */
const CODE_BYTES = 8;

export function createInvite({ invites, audit }: GroupDependencies): Handler<"invite.create"> {
  return async ({ params: { groupId, maxUses, maxAgeMs }, actor }) => {
    const now = new Date();
    const max = LIMITS.invitesPerGroup;
    const existing = await invites.listOfGroup(groupId, 2 * max);
    const dead = existing.filter((invite) => !isInviteUsable(invite, now));
    if (existing.length - dead.length >= max) {
      throw serviceError("LIMIT_REACHED", { limit: "invitesPerGroup", max });
    }
    if (dead.length > 0) await invites.remove(dead.map(({ _id }) => _id));
    const invite: InviteDocument = {
      _id: newId(),
      code: randomBytes(CODE_BYTES).toString("base64url"),
      groupId,
      createdBy: actor.userId,
      uses: 0,
      maxUses: maxUses ?? null,
      expiresAt: maxAgeMs === undefined ? null : new Date(now.getTime() + maxAgeMs),
      createdAt: now,
    };
    await invites.insert(invite);
    await audit(groupId, actor.userId, "invite.create", { after: { code: invite.code } });
    return { invite: presentInvite(invite) };
  };
}
