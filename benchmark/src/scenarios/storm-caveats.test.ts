import { expect, test } from "vitest";
import { NOT_WATCHED } from "../kernels/broadcast/tester-watch.ts";
import { stormCaveats } from "./storm.ts";

const phase = { name: "steady", tester: NOT_WATCHED, p100Ms: 20 };

test("messages that the SDK did not accept during an outage are named", () => {
  expect(stormCaveats({ counts: { sent: 1521, failed: 0 }, phases: [phase] })).toEqual([]);
  const [caveat] = stormCaveats({ counts: { sent: 1521, failed: 187 }, phases: [phase] });
  expect(caveat).toMatch("187 of 1,521 messages were not accepted, and are in no time.");
});

test("a standstill of the tester is named with its phase", () => {
  const suspended = { ...phase, tester: { ...NOT_WATCHED, standstillMs: 900 } };
  const [caveat] = stormCaveats({ counts: { sent: 1, failed: 0 }, phases: [suspended] });
  expect(caveat).toMatch("steady: The tester itself stood still for up to 900 ms");
});
