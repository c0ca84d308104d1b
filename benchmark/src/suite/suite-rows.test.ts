import { expect, test } from "vitest";
import { SUITE_ROWS } from "./suite-files.ts";

test.each(["quick", "full"] as const)("the %s profile has every kind of measurement", (profile) => {
  const lines = SUITE_ROWS.flatMap((row) => row[profile] ?? []);
  const commands = new Set(lines.map((line) => line.split(" ")[0]));
  const wanted =
    "sweep versus register connect login direct group chatroom cluster nodes http echo stages storm overload capacity";
  for (const command of wanted.split(" ")) expect(commands).toContain(command);
});
