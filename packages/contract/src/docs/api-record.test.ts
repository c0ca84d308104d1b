import { expect, test } from "vitest";
import { apiRecord, breakingChanges } from "./api-record.ts";

test("has the actions, parameters, results, events, shared schemas and errors", () => {
  const record = apiRecord();
  for (const line of [
    "action message.send: http|socket",
    "action file.upload: http",
    "params message.send channelId: string",
    "params file.upload name: string",
    "result message.send message: Message",
    "result Message reactions?: Reaction[]",
    "params channel.setOverride target(role).id: string",
    "event server.announced text: string",
    "error RATE_LIMITED: 429 retry",
  ])
    expect(record).toContain(line);
  expect(record.join("\n")).not.toContain("group.access");
  expect(breakingChanges(record, record)).toEqual([]);
  expect(breakingChanges([], record)).toEqual([]);
});

const BASE = [
  "action a.do: http|socket",
  "event e (whole): object",
  'event e state: "off"|"on"',
  "error GONE: 404 give up",
  "params a.do list: object[]",
  "params a.do list[].id: string",
  'params a.do mode?: "fast"|"slow"',
  "result a.do name: null|string",
  "result a.do size: integer",
];
const changed = (from: string, to: string): string[] => BASE.map((line) => (line === from ? to : line));

test.each([
  ["a new action", [...BASE, "action b.do: http", "params b.do id: string"]],
  ["a new optional parameter", [...BASE, "params a.do more?: object", "params a.do more.id: string"]],
  ["a new field of a result", [...BASE, "result a.do more: string"]],
  ["a parameter that becomes optional", changed("params a.do list: object[]", "params a.do list?: object[]")],
  [
    "a parameter that accepts more",
    changed('params a.do mode?: "fast"|"slow"', "params a.do mode?: null|string"),
  ],
  ["a new value in an event", changed('event e state: "off"|"on"', 'event e state: "away"|"off"|"on"')],
  ["a result that is no longer null", changed("result a.do name: null|string", "result a.do name: string")],
])("%s is compatible", (_change, after) => {
  expect(breakingChanges(BASE, after)).toEqual([]);
});

test.each([
  ["removed: result a.do size", BASE.filter((line) => !line.startsWith("result a.do size"))],
  ["removed: error GONE", BASE.filter((line) => !line.startsWith("error"))],
  ["no longer socket: action a.do", changed("action a.do: http|socket", "action a.do: http")],
  ["no longer 404 give up: error GONE", changed("error GONE: 404 give up", "error GONE: 410 give up")],
  ["new and required: params a.do id", [...BASE, "params a.do id: string"]],
  ["new and required: params a.do list[].place", [...BASE, "params a.do list[].place: integer"]],
  [
    "now required: params a.do mode",
    changed('params a.do mode?: "fast"|"slow"', 'params a.do mode: "fast"|"slow"'),
  ],
  [
    'no longer accepts "slow": params a.do mode',
    changed('params a.do mode?: "fast"|"slow"', 'params a.do mode?: "fast"'),
  ],
  [
    "can now be null: result a.do size",
    changed("result a.do size: integer", "result a.do size: integer|null"),
  ],
  [
    "no longer always there: result a.do size",
    changed("result a.do size: integer", "result a.do size?: integer"),
  ],
  ['no longer "on": event e state', changed('event e state: "off"|"on"', 'event e state: "off"')],
])("reports: %s", (report, after) => {
  expect(breakingChanges(BASE, after)).toEqual([report]);
});
