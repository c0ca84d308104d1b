import { LIMITS } from "@fanfare/contract";
import type { Handlers } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember } from "../group.presenter.ts";
import { presentJoinRequest } from "./join-request.repository.ts";
import { publishRequestsChanged } from "./join.ts";
import { directKey } from "../direct/directs.ts";
import { removeFromDirect } from "../direct/group-directs.ts";

/** Groups per page; the cursor is the id of the last one. */
const PAGE = 50;

const BATCH = 1000;

export function ownDataActions(dependencies: GroupDependencies): Handlers {
  const { groups, members, joinRequests, formers, membership, directs } = dependencies;
  return {
    "group.exportUser": async ({ params: { userId, cursor } }) => {
      const all = (await members.listGroupIds(userId)).sort();
      const groupIds = all.filter((id) => cursor === null || id > cursor).slice(0, PAGE);
      const found = await groups.findMany(groupIds);
      const items = await Promise.all(
        found.map(async ({ _id, name }) => {
          const member = await members.find(_id, userId);
          return member === null
            ? []
            : [{ kind: "membership", data: { groupName: name, ...presentMember(member) } }];
        }),
      );
      const requests =
        cursor === null ? await joinRequests.listOfUser(userId, LIMITS.joinRequestsListed) : [];
      const asked = requests.map((request) => ({ kind: "joinRequest", data: presentJoinRequest(request) }));
      return {
        items: [...asked, ...items.flat()],
        nextCursor: groupIds.length === PAGE ? (groupIds.at(-1) ?? null) : null,
      };
    },

    "group.listOwned": async ({ params: { userId } }) => ({ groupIds: await groups.listOwnedIds(userId) }),

    /** Owners can't leave, so the user stays in a group that was just transferred to them; instance admins resolve this. */
    "group.forgetUser": async ({ params: { userId } }) => {
      for (const groupId of await joinRequests.removeAllOf(userId))
        await publishRequestsChanged(dependencies, groupId);
      for (const groupId of await members.listGroupIds(userId))
        await membership.remove(groupId, userId, "left");
      const notes = await directs.find(directKey(userId, userId));
      const directIds = await directs.listGroupDirectIds(userId);
      for (const channelId of notes === null ? directIds : [...directIds, notes._id])
        await removeFromDirect(dependencies, channelId, userId);
      for (let removed = BATCH; removed === BATCH;) removed = await formers.removeSomeOf(userId, BATCH);
      return {};
    },
  };
}
