import type { Status } from "@fanfare/client";
import type { Member, Role, User } from "@fanfare/contract";
import { describe, expect, test } from "vitest";
import { linesOf, type Listed, sectionsOf } from "./member-list.tsx";

const role = (id: string, color: number | null): Role => ({ id, name: id, color }) as Role;
const roles = [role("admins", null), role("makers", 0xff0000)];
const listed = (nickname: string, roleIds: string[] = []): Listed => ({
  member: { userId: nickname, roleIds } as Member,
  user: { nickname } as User,
  name: nickname,
});
const compare = (a: string, b: string) => a.localeCompare(b);
const shown = (statuses: Map<string, Status> | null, ...all: Listed[]) =>
  sectionsOf(all, roles, statuses, compare).map(({ key, members }) => [
    key,
    ...members.map(({ member }) => member.userId),
  ]);

describe("sectionsOf", () => {
  test("groups members by highest role, sorted by name", () => {
    const all = [listed("Zoe"), listed("Ada", ["makers"]), listed("Bob", ["makers", "admins"]), listed("Al")];
    expect(shown(null, ...all)).toEqual([
      ["admins", "Bob"],
      ["makers", "Ada"],
      ["rest", "Al", "Zoe"],
    ]);
  });

  test("keeps the order if names are not compared", () => {
    const sections = sectionsOf([listed("Zoe"), listed("Al")], roles, null, null);
    expect(sections[0]!.members.map(({ member }) => member.userId)).toEqual(["Zoe", "Al"]);
  });

  test("puts members who are offline or unknown last", () => {
    const statuses = new Map<string, Status>([
      ["Ada", "idle"],
      ["Bob", "offline"],
      ["Zoe", "online"],
    ]);
    const all = [listed("Zoe"), listed("Ada", ["makers"]), listed("Bob", ["makers"]), listed("Al")];
    expect(shown(statuses, ...all)).toEqual([
      ["makers", "Ada"],
      ["online", "Zoe"],
      ["offline", "Al", "Bob"],
    ]);
  });
});

test("linesOf adds headings and the color of the highest colored role", () => {
  const sections = sectionsOf([listed("Ada", ["admins", "makers"])], roles, null, compare);
  expect(linesOf(sections, roles)).toMatchObject([
    { kind: "heading", key: "section admins" },
    { kind: "member", key: "Ada", color: 0xff0000 },
  ]);
});
