import type { AuditEntry } from "@fanfare/contract";
import { PERMISSIONS } from "@fanfare/contract/permissions";
import { describe, expect, test } from "vitest";
import { bitsBetween, changesOf } from "./audit-part.tsx";

const entry = (before: AuditEntry["before"], after: AuditEntry["after"]) => ({ before, after }) as AuditEntry;

describe("the changes of an audit entry", () => {
  test("are the fields that differ, without IDs", () => {
    expect(changesOf(entry({ name: "a", topic: "x", id: 1 }, { name: "b", topic: "x", id: 2 }))).toEqual([
      { field: "name", before: "a", after: "b" },
    ]);
    expect(changesOf(entry({ color: null, words: ["a"] }, { color: 255, words: [] }))).toEqual([
      { field: "color", before: null, after: "#0000ff" },
      { field: "words", before: 1, after: 0 },
    ]);
  });

  test("are empty for creations and deletions", () => {
    expect(changesOf(entry(null, { name: "a" }))).toEqual([]);
    expect(changesOf(entry({ name: "a" }, null))).toEqual([]);
  });

  test("list granted and revoked permissions", () => {
    const { view, sendMessages, kickMembers } = PERMISSIONS;
    expect(bitsBetween(view | sendMessages, view | kickMembers)).toEqual({
      added: ["kickMembers"],
      removed: ["sendMessages"],
    });
    expect(bitsBetween(null, view)).toEqual({ added: ["view"], removed: [] });
  });
});
