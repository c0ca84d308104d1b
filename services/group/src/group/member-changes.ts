import { LIMITS, type MemberChange } from "@fanfare/contract";
import { type Handlers, responseUsers } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import type { FormerMemberDocument } from "./former-member.repository.ts";

/** The cost doesn't depend on the size of the group. */
export const memberChangeActions = ({ members, formers }: GroupDependencies): Handlers => ({
  "group.listMemberChanges": async ({ params: { groupId, withUsers }, services }) => {
    const [joined, left] = await Promise.all([
      members.listNewest(groupId, LIMITS.memberChangesListed),
      formers.listLatest(groupId, LIMITS.memberChangesListed),
    ]);
    const current = joined.map(({ userId, joinedAt }) => join(userId, joinedAt));
    const isBack = new Set(joined.map(({ userId }) => userId));
    const earlier = left.flatMap((former) =>
      former.joinedAt === undefined || isBack.has(former.userId)
        ? []
        : [join(former.userId, former.joinedAt)],
    );
    const changes = [...current, ...earlier, ...left.flatMap(departureOf)]
      .sort((a, b) => b.at.localeCompare(a.at) || a.userId.localeCompare(b.userId))
      .slice(0, LIMITS.memberChangesListed);
    const userIds = [...new Set(changes.map(({ userId }) => userId))];
    return { changes, ...(await responseUsers(services, withUsers, userIds)) };
  },
});

function join(userId: string, joinedAt: Date): MemberChange {
  return { userId, change: "joined", at: joinedAt.toISOString() };
}

/** None for documents of earlier versions, which have no time. */
export function departureOf({ userId, leftAt }: FormerMemberDocument): MemberChange[] {
  return leftAt === undefined ? [] : [{ userId, change: "left", at: leftAt.toISOString() }];
}
