import type { Handlers } from "@fanfare/kernel";
import { directKey } from "../direct/directs.ts";
import type { GroupDependencies } from "../group.dependencies.ts";

export const acquaintanceActions = ({ members, directs }: GroupDependencies): Handlers => ({
  /** The cost depends on how many groups the users have, not on the size of the groups. */
  "group.listAcquaintances": async ({ params: { userId, userIds, groupsOnly } }) => {
    const [ownGroupIds, ...groupIds] = await Promise.all(
      [userId, ...userIds].map((id) => members.listGroupIds(id)),
    );
    const own = new Set(ownGroupIds);
    const known = new Set(
      userIds.filter((id, index) => id === userId || groupIds[index]!.some((groupId) => own.has(groupId))),
    );
    const others = groupsOnly ? [] : userIds.filter((id) => !known.has(id));
    const found = await directs.listKeys(others.map((id) => directKey(userId, id)));
    const companions = others.length === 0 ? new Set<string>() : await directs.listCompanions(userId);
    return {
      userIds: userIds.filter(
        (id) => known.has(id) || found.has(directKey(userId, id)) || companions.has(id),
      ),
    };
  },
});
