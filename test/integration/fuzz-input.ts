import { ACTIONS, actionDefinition, type ActionName } from "@fanfare/contract";
import type { World } from "@fanfare/testing";
import fc from "fast-check";

/** Draws from an arbitrary; fast-check's seed decides what. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  minimum?: number;
  maximum?: number;
}

const NAMES = Object.keys(ACTIONS) as ActionName[];
const REACHABLE = NAMES.filter((name) => actionDefinition(name).transports.length > 0);
const NOT_ACTIONS = [
  "group.access",
  "message.listHeads",
  "",
  "error",
  "connection",
  "toString",
  "__proto__",
  "constructor",
  "user",
  "message.send ",
  "$node.list",
];

const CODE_POINTS = fc.string({ unit: "binary", maxLength: 40 });
const ODD_TEXT = fc.oneof(
  fc.constantFrom(
    "\0",
    "\ud800",
    "\udfff\ud800",
    "\u202egnp.exe",
    "\u200b",
    "\ufeff",
    "e\u0301".repeat(20),
    "👨‍👩‍👧‍👦",
  ),
  fc.constantFrom(
    "a".repeat(20_000),
    "\u0001".repeat(4000),
    "ﷺ".repeat(100),
    "a@".repeat(120),
    "../../etc/passwd",
    "%00",
  ),
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "$where", "a.b.$[]", "NaN"),
  CODE_POINTS,
);
const ODD_NUMBER = fc.constantFrom(
  -1,
  -0,
  0,
  0.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e308,
  NaN,
  Infinity,
);
const ODD_OBJECT = fc.constantFrom<unknown>(
  null,
  true,
  [],
  {},
  [[]],
  [null],
  { $gt: "" },
  { $ne: null },
  { $where: "sleep(1000)" },
  { toString: "no", valueOf: null },
  { length: 5, 0: "a" },
  { _bsontype: "ObjectId", id: "a".repeat(12) },
  JSON.parse('{"__proto__": {"kind": "owner"}}'),
  JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`),
);
const ANYTHING = fc.anything({ maxDepth: 3, withBigInt: false, withNullPrototype: false });
const HOSTILE = fc.oneof(ODD_TEXT, ODD_NUMBER, ODD_OBJECT, ANYTHING);

/** An action's name, sometimes an unknown one. */
export function drawName(draw: Draw): string {
  return draw(
    fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...REACHABLE) }, fc.constantFrom(...NOT_ACTIONS)),
  );
}

/** Params from the action's schema, most of them then corrupted in one place or entirely. */
export function drawParams(draw: Draw, name: string, world: World, others: readonly string[]): unknown {
  const isAction = Object.hasOwn(ACTIONS, name);
  const schema = isAction ? inputSchema(name as ActionName) : {};
  const params = drawValue(draw, schema, "", pool(world, others));
  return draw(fc.boolean()) ? params : corrupt(draw, params);
}

function inputSchema(name: ActionName): JsonSchema {
  return actionDefinition(name).params.toJSONSchema({ io: "input" }) as JsonSchema;
}

const times = (count: number, id: string): string[] => Array.from({ length: count }, () => id);

function pool(world: World, others: readonly string[]): Record<string, string[]> {
  const { owner, member, muted, target, stranger, group, channel, message, inviteCode } = world;
  const users = [owner, member, muted, target, stranger].map(({ userId }) => userId);
  const ids = [group.id, channel.id, message.id, "0".repeat(24), "f".repeat(24), ...others];
  return {
    any: [...users, ...ids],
    groupId: [...times(20, group.id), ...ids],
    channelId: [...times(20, channel.id), ...ids],
    messageId: [...times(20, message.id), ...ids],
    replyTo: [...times(20, message.id), ...ids],
    userId: [...users, ...ids],
    code: [inviteCode, inviteCode, "nothing-here"],
  };
}

function drawValue(draw: Draw, schema: JsonSchema, name: string, ids: Record<string, string[]>): unknown {
  switch (schema.type) {
    case "object": {
      const { properties = {}, required = [] } = schema;
      const entries = Object.entries(properties).filter(
        ([key]) => required.includes(key) || draw(fc.boolean()),
      );
      return Object.fromEntries(entries.map(([key, value]) => [key, drawValue(draw, value, key, ids)]));
    }
    case "array": {
      const length = draw(fc.integer({ min: schema.minItems ?? 0, max: 5 }));
      return Array.from({ length }, () => drawValue(draw, schema.items ?? {}, name.replace(/s$/, ""), ids));
    }
    case "integer":
      return draw(fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 100_000) }));
    case "boolean":
      return draw(fc.boolean());
    case "string":
      return drawText(draw, schema, name, ids);
    default:
      return draw(fc.constantFrom({}, { groupId: ids["any"]![0] }));
  }
}

function drawText(draw: Draw, schema: JsonSchema, name: string, ids: Record<string, string[]>): string {
  if (name === "code") return draw(fc.constantFrom(...ids["code"]!));
  if (schema.pattern?.includes("0-9a-f") === true)
    return draw(fc.constantFrom(...(ids[name] ?? ids["any"]!)));
  if (schema.format === "email") return draw(fc.emailAddress());
  if (schema.pattern !== undefined)
    return draw(fc.string({ unit: fc.constantFrom("a", "Z", "0", "_", "-"), minLength: 6, maxLength: 20 }));
  const { minLength = 1, maxLength = 40 } = schema;
  const usual = fc.string({
    unit: "grapheme",
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength, 40)),
  });
  return draw(
    fc.oneof(
      { weight: 2, arbitrary: usual },
      ODD_TEXT.map((text) => text.slice(0, maxLength)),
    ),
  );
}

/** Replaces, removes or adds one field, or replaces everything. */
function corrupt(draw: Draw, params: unknown): unknown {
  const way = draw(fc.integer({ min: 0, max: 9 }));
  const keys = Object.keys(params as object);
  if (way === 0 || (keys.length === 0 && way < 7)) return draw(HOSTILE);
  const copy: Record<string, unknown> = { ...(params as object) };
  const key = keys.length === 0 ? "limit" : draw(fc.constantFrom(...keys));
  if (way === 9) delete copy[key];
  else if (way === 8) copy[draw(ODD_TEXT).slice(0, 100)] = draw(HOSTILE);
  else if (way === 7) copy[key] = [copy[key]];
  else copy[key] = Array.isArray(copy[key]) && way < 3 ? [...copy[key], draw(HOSTILE)] : draw(HOSTILE);
  return copy;
}
