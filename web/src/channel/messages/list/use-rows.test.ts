import { describe, expect, test } from "vitest";
import { testMessage } from "../../../../test/test-message.ts";
import type { RowsInput } from "./rows.ts";
import { finished, firstRows, nextRows, type StagedRows } from "./use-rows.ts";

/** The messages from one number to another, all of one moment. */
function input(from: number, to: number): RowsInput {
  const messages = Array.from({ length: to - from + 1 }, (_, index) => testMessage(from + index));
  const none = new Set<string>();
  return {
    messages,
    changes: [],
    pending: [],
    unsent: [],
    ephemerals: [],
    ownId: "",
    readUpTo: null,
    blockedIds: none,
    unfoldedIds: none,
  };
}

function shown({ rows, isShift, place }: StagedRows): string {
  const messages = rows.filter(({ kind }) => kind === "message");
  return `${messages[0]?.key}–${messages.at(-1)?.key}${isShift ? " shifted" : ""} at ${place}`;
}

describe("nextRows", () => {
  test("changes one end at a time", () => {
    const before = firstRows(input(51, 100));
    expect(shown(nextRows(before, input(1, 100)))).toBe("m1–m100 shifted at 0");
    expect(shown(nextRows(before, input(51, 150)))).toBe("m51–m150 at 0");
  });

  test("the first rows of an empty list move nothing", () => {
    expect(shown(nextRows(firstRows(input(1, 0)), input(1, 3)))).toBe("m1–m3 at 0");
  });

  test("keeps the remaining rows first if both ends change", () => {
    const before = firstRows(input(51, 100));
    const up = nextRows(before, input(1, 80));
    expect(shown(up)).toBe("m51–m80 at 0");
    expect(shown(finished(up))).toBe("m1–m80 shifted at 0");
    const down = nextRows(before, input(71, 120));
    expect(shown(down)).toBe("m71–m100 shifted at 0");
    expect(shown(finished(down))).toBe("m71–m120 at 0");
  });

  test("starts a new place if no row remains", () => {
    expect(shown(nextRows(firstRows(input(51, 100)), input(1, 40)))).toBe("m1–m40 at 1");
  });
});
