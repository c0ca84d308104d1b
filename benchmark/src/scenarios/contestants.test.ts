import { expect, test } from "vitest";
import { caveatsOf, serverSpecs } from "./contestants.ts";

test("verdicts that differ only in numbers are one caveat, which counts broadcasts", () => {
  const bursts = (size: number, ms: number) =>
    `stood still during 1 of 3 bursts of ${size} messages, for ${ms} ms`;
  const broadcasts = [
    {
      name: "ws",
      verdicts: ["stood still during 1 of 20 messages, for 5.1 ms", bursts(20, 6), bursts(100, 7)],
    },
    { name: "ws", verdicts: ["stood still during 3 of 20 messages, for 9.2 ms"] },
    { name: "fanfare", verdicts: [] },
  ];
  expect(caveatsOf(broadcasts)).toEqual([
    "ws, 2 of 2 broadcasts: stood still during 3 of 20 messages, for 9.2 ms",
    `ws, 1 of 2 broadcasts: ${bursts(100, 7)}`,
  ]);
});

test("servers are names, with a number or the URL of a running one", () => {
  const url = "http://127.0.0.1:11000/?a=b";
  expect(serverSpecs("servers", `fanfare,fanfare:0, socket.io:2,tailchat=${url}`)).toEqual([
    { label: "fanfare", name: "fanfare", url: undefined, size: undefined },
    { label: "fanfare:0", name: "fanfare", url: undefined, size: 0 },
    { label: "socket.io:2", name: "socket.io", url: undefined, size: 2 },
    { label: "tailchat", name: "tailchat", url, size: undefined },
  ]);
});

test("the label of each server of the same kind includes its URL", () => {
  const specs = serverSpecs("servers", "fanfare=http://127.0.0.1:1,fanfare=http://127.0.0.1:2");
  expect(specs.map(({ label }) => label)).toEqual([
    "fanfare=http://127.0.0.1:1",
    "fanfare=http://127.0.0.1:2",
  ]);
});

test.each([
  "",
  "nginx",
  "ws,ws",
  "ws:2",
  "socket.io:0",
  "fanfare:999",
  "fanfare:2=http://127.0.0.1:1",
  "ws=nowhere",
])("rejects %j", (text) => {
  expect(() => serverSpecs("servers", text)).toThrow("--servers");
});
