import type { Status } from "@fanfare/client";
import type { Member, Role, User } from "@fanfare/contract";

/** A member and who that is; undefined until it is known. */
export interface Listed {
  member: Member;
  user: User | undefined;
}

/** Members that stand together, under the name of their highest role or how they are. */
export interface Section {
  /** A role; else online, offline, or everybody of whom nothing else is known. */
  key: string;
  role: Role | null;
  members: Listed[];
}

/** A line of the list. */
export type Line =
  | { kind: "heading"; key: string; section: Section }
  | { kind: "member"; key: string; listed: Listed; color: number | null };

/**
 * Members by their highest role, the highest first, each section by name; then who has no role.
 * @param roles the highest first
 * @param statuses null where it is not known of all how they are; else those who are offline stand at the end
 * @param compareNames null: as they come, so that those who come later stand at the end
 */
export function sectionsOf(
  listed: readonly Listed[],
  roles: readonly Role[],
  statuses: ReadonlyMap<string, Status> | null,
  compareNames: ((a: string, b: string) => number) | null,
): Section[] {
  const sections = new Map<string, Section>();
  const at = (key: string, role: Role | null): Section => {
    const section = sections.get(key) ?? { key, role, members: [] };
    sections.set(key, section);
    return section;
  };
  for (const one of listed) {
    const role = roles.find(({ id }) => one.member.roleIds.includes(id)) ?? null;
    const isHere = statuses === null || (statuses.get(one.member.userId) ?? "offline") !== "offline";
    const section = isHere
      ? at(role?.id ?? (statuses === null ? "rest" : "online"), role)
      : at("offline", null);
    section.members.push(one);
  }
  if (compareNames !== null) {
    for (const { members } of sections.values()) {
      members.sort(
        (a, b) =>
          compareNames(a.user?.nickname ?? "", b.user?.nickname ?? "") ||
          compareNames(a.member.userId, b.member.userId),
      );
    }
  }
  const order = [...roles.map(({ id }) => id), "online", "rest", "offline"];
  return order.flatMap((key) => sections.get(key) ?? []);
}

/** The sections with their headings, one line after the other. A member's colour is that of the highest role that has one. */
export function linesOf(sections: readonly Section[], roles: readonly Role[]): Line[] {
  return sections.flatMap((section): Line[] => [
    { kind: "heading", key: `section ${section.key}`, section },
    ...section.members.map((listed): Line => {
      const colored = roles.find(({ id, color }) => color !== null && listed.member.roleIds.includes(id));
      return { kind: "member", key: listed.member.userId, listed, color: colored?.color ?? null };
    }),
  ]);
}
