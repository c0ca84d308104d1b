import type { AuditEntry } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { describe, expect, test } from "vitest";
import { bitsBetween, changesOf } from "./audit-part.tsx";

const entry = (before: AuditEntry["before"], after: AuditEntry["after"]) => ({ before, after }) as AuditEntry;

describe("the changes of an entry", () => {
  test("are the fields that differ, without ids", () => {
    expect(changesOf(entry({ name: "a", topic: "x", id: 1 }, { name: "b", topic: "x", id: 2 }))).toEqual([
      { field: "name", before: "a", after: "b" },
    ]);
    expect(changesOf(entry({ color: null, words: ["a"] }, { color: 255, words: [] }))).toEqual([
      { field: "color", before: null, after: "#0000ff" },
      { field: "words", before: 1, after: 0 },
    ]);
  });

  test("are none where something was made or deleted", () => {
    expect(changesOf(entry(null, { name: "a" }))).toEqual([]);
    expect(changesOf(entry({ name: "a" }, null))).toEqual([]);
  });

  test("of permissions are those that were given and taken", () => {
    const { view, sendMessages, kickMembers } = PERMISSIONS;
    expect(bitsBetween(view | sendMessages, view | kickMembers)).toEqual({
      added: ["kickMembers"],
      removed: ["sendMessages"],
    });
    expect(bitsBetween(null, view)).toEqual({ added: ["view"], removed: [] });
  });
});
