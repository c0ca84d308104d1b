import type { Handler } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentMember } from "../group.presenter.ts";

/** Groups of one page; a cursor is the id of the last. */
const PAGE = 50;

export function exportUser({ groups, members }: GroupDependencies): Handler<"group.exportUser"> {
  return async ({ params: { userId, cursor } }) => {
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
    return { items: items.flat(), nextCursor: groupIds.length === PAGE ? (groupIds.at(-1) ?? null) : null };
  };
}
