import type { Group } from "@fanfare/contract";
import type { LiveSource } from "../../shared/use-live.ts";

/** The groups of the user, in the order in which they were made. */
export const groupsSource: LiveSource<
  readonly Group[],
  "group.joined" | "group.left" | "group.updated" | "group.deleted" | "member.joined" | "member.left"
> = {
  events: ["group.joined", "group.left", "group.updated", "group.deleted", "member.joined", "member.left"],
  load: async (client) => (await client.call("group.listMine", {})).groups.toSorted(byAge),
  apply(groups, event) {
    switch (event.name) {
      case "group.joined": {
        const { group } = event.payload;
        return [...groups.filter(({ id }) => id !== group.id), group].sort(byAge);
      }
      case "group.updated": {
        const { group } = event.payload;
        return groups.map((held) => (held.id === group.id ? group : held));
      }
      case "group.left":
      case "group.deleted": {
        const { groupId } = event.payload;
        return groups.filter(({ id }) => id !== groupId);
      }
      case "member.joined":
      case "member.left": {
        const { groupId, memberCount } = event.payload;
        return groups.map((held) => (held.id === groupId ? { ...held, memberCount } : held));
      }
    }
  },
};

function byAge(a: Group, b: Group): number {
  return a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);
}
