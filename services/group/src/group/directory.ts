import type { ListedGroup } from "@fanfare/contract";
import { type Handlers, serviceError } from "@fanfare/kernel";
import type { GroupDependencies } from "../group.dependencies.ts";
import { presentGroup } from "../group.presenter.ts";
import type { DirectoryPosition, GroupDocument } from "./group.repository.ts";
import { createJoin, type JoinPath } from "./join.ts";
import { needsApproval } from "./moderation.ts";

/** Groups that one call compares with the search, in queries of `GROUPS_PER_QUERY`. The next page goes on after them. */
const GROUPS_PER_CALL = 1000;
const GROUPS_PER_QUERY = 250;

/** Groups that all users can find and join, because their managers list them. */
export function directoryActions(dependencies: GroupDependencies): Handlers {
  const { groups } = dependencies;
  const { join } = createJoin(dependencies);
  return {
    "group.listDirectory": async ({ params: { query, cursor, limit } }) => {
      await requireDirectory(dependencies);
      const found: ListedGroup[] = [];
      let position = cursor === undefined ? null : positionOf(cursor);
      for (let looked = 0; looked < GROUPS_PER_CALL; looked += GROUPS_PER_QUERY) {
        const some = await groups.listListed(position, GROUPS_PER_QUERY);
        for (const group of some) {
          position = group;
          if (matches(group, query.toLowerCase())) found.push(presentListed(group));
          if (found.length === limit) return { groups: found, nextCursor: cursorOf(group) };
        }
        if (some.length < GROUPS_PER_QUERY) return { groups: found, nextCursor: null };
      }
      return { groups: found, nextCursor: position && cursorOf(position) };
    },

    "group.joinListed": async ({ params: { groupId }, actor: { userId }, askedAtMs }) =>
      join(await findListed(dependencies, groupId), { userId, askedAtMs }),
  };
}

async function requireDirectory({ node }: GroupDependencies): Promise<void> {
  if (!(await node.policy.get()).directory) throw serviceError("DIRECTORY_OFF");
}

/** @throws {ServiceError} DIRECTORY_OFF, GROUP_NOT_FOUND */
export async function findListed(dependencies: GroupDependencies, groupId: string): Promise<JoinPath> {
  await requireDirectory(dependencies);
  if ((await dependencies.groups.find(groupId))?.listed !== true) throw serviceError("GROUP_NOT_FOUND");
  return { groupId, enter: (store) => store() };
}

function matches({ name, description = "" }: GroupDocument, text: string): boolean {
  return [name, description].some((part) => part.toLowerCase().includes(text));
}

function presentListed(document: GroupDocument): ListedGroup {
  const { id, name, description, iconUrl, memberCount } = presentGroup(document);
  return { id, name, description, iconUrl, memberCount, needsApproval: needsApproval(document) };
}

function cursorOf({ memberCount, _id }: DirectoryPosition): string {
  return `${memberCount}_${_id}`;
}

function positionOf(cursor: string): DirectoryPosition {
  const [memberCount, _id] = cursor.split("_");
  return { memberCount: Number(memberCount), _id: _id! };
}
