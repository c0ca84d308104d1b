import { Aggregator } from "mingo/aggregator";
import { Double } from "bson";
import { CommandError } from "../errors.ts";
import { mingoOptions } from "../expression/context.ts";
import { integerOption, isNumeric, isTruthy, toDouble } from "../values/numbers.ts";
import { setField, toComputed } from "../values/plain.ts";
import { hasOwn, isObject, type PlainObject, isOperatorObject } from "../values/types.ts";
import { compileElemMatch, type FilterOptions, compileFilter } from "./matcher.ts";
import { splitPath } from "../values/path.ts";

export type Projector = (document: PlainObject, textScore: number | undefined) => PlainObject;

type Leaf =
  | { kind: "include" }
  | { kind: "exclude" }
  | { kind: "slice"; skip: number | undefined; limit: number }
  | { kind: "elemMatch"; test: (value: unknown) => boolean }
  | { kind: "positional" }
  | { kind: "textScore" }
  | { kind: "literal"; value: unknown };

type Node = Map<string, Node | Leaf>;

const isNode = (entry: Node | Leaf | undefined): entry is Node => entry instanceof Map;

/**
 * Compiles a projection of `find` and `findAndModify`.
 * @param filter the query's filter, for the positional `$`
 * @returns undefined if the documents stay unchanged
 */
export function compileProjection(
  projection: unknown,
  filter: PlainObject,
  options: FilterOptions = {},
): Projector | undefined {
  if (!isObject(projection) || Object.keys(projection).length === 0) return undefined;
  const root: Node = new Map();
  let including: boolean | undefined;
  let hasPositional = false;
  for (const [path, raw] of Object.entries(projection)) {
    const positional = path.endsWith(".$");
    const leaf = positional ? ({ kind: "positional" } as const) : readLeaf(path, raw, options);
    if (leaf === "expression") return computed(projection, options);
    hasPositional ||= positional;
    if (leaf.kind === "include" || leaf.kind === "exclude") {
      const wants = leaf.kind === "include";
      if (path !== "_id") {
        if (including !== undefined && including !== wants) {
          throw new CommandError(
            "Location31254",
            `Cannot do ${wants ? "inclusion" : "exclusion"} on field ${path} in ${wants ? "exclusion" : "inclusion"} projection`,
          );
        }
        including = wants;
      }
    } else if (leaf.kind !== "slice" && leaf.kind !== "textScore") including ??= true;
    place(root, positional ? path.slice(0, -2) : path, leaf);
  }
  const idLeaf = root.get("_id");
  const inclusive =
    including ?? (root.size === 1 && idLeaf !== undefined && !isNode(idLeaf) && idLeaf.kind === "include");
  if (inclusive && !idLeaf) root.set("_id", { kind: "include" });
  return (document, textScore) => {
    const position = hasPositional ? positionalIndex(filter, document, options) : undefined;
    return project(document, root, inclusive, { position, textScore }) as PlainObject;
  };
}

function readLeaf(path: string, raw: unknown, options: FilterOptions): Leaf | "expression" {
  if (typeof raw === "boolean" || isNumeric(raw)) return { kind: isTruthy(raw) ? "include" : "exclude" };
  if (!isObject(raw))
    return typeof raw === "string" && raw.startsWith("$") ? "expression" : { kind: "literal", value: raw };
  if ("$slice" in raw) {
    const slice = raw["$slice"];
    if (Array.isArray(slice) && slice.length === 2) {
      return {
        kind: "slice",
        skip: integerOption(slice[0], "$slice", 0),
        limit: integerOption(slice[1], "$slice", 0),
      };
    }
    if (isNumeric(slice)) return { kind: "slice", skip: undefined, limit: toDouble(slice) };
    return "expression";
  }
  if ("$elemMatch" in raw) return { kind: "elemMatch", test: compileElemMatch(raw["$elemMatch"], options) };
  if (isObject(raw) && raw["$meta"] === "textScore") return { kind: "textScore" };
  if (Object.keys(raw).length === 0)
    throw new CommandError("BadValue", `An empty sub-projection is not allowed: ${path}`);
  return "expression";
}

function place(root: Node, path: string, leaf: Leaf): void {
  const parts = path.split(".");
  let node = root;
  for (const part of parts.slice(0, -1)) {
    let next = node.get(part);
    if (next !== undefined && !isNode(next))
      throw new CommandError("Location31254", `Path collision at ${path}`);
    if (!next) node.set(part, (next = new Map()));
    node = next;
  }
  const last = parts.at(-1)!;
  if (node.has(last)) throw new CommandError("Location31254", `Path collision at ${path}`);
  node.set(last, leaf);
}

/** Computes aggregation expressions in a projection with mingo's `$project` stage. */
function computed(projection: PlainObject, options: FilterOptions): Projector {
  const stage = new Aggregator([{ $project: toComputed(projection) }], mingoOptions(options));
  return (document) => stage.run<PlainObject>([toComputed(document)])[0] ?? {};
}

interface Matched {
  position: number | undefined;
  textScore: number | undefined;
}

function project(value: PlainObject, node: Node, inclusive: boolean, matched: Matched): unknown {
  const out: PlainObject = {};
  for (const key of Object.keys(value)) {
    const entry = node.get(key);
    if (entry === undefined) {
      if (!inclusive) setField(out, key, value[key]);
      continue;
    }
    const result = isNode(entry)
      ? descend(value[key], entry, inclusive, matched)
      : applyLeaf(value[key], entry, matched);
    if (result !== undefined) setField(out, key, result);
  }
  for (const [key, entry] of node) {
    if (isNode(entry)) continue;
    if (entry.kind === "textScore") setField(out, key, new Double(matched.textScore ?? 0));
    else if (entry.kind === "literal" && !hasOwn(value, key)) setField(out, key, entry.value);
  }
  return out;
}

function descend(value: unknown, node: Node, inclusive: boolean, matched: Matched): unknown {
  if (isObject(value)) return project(value, node, inclusive, matched);
  if (Array.isArray(value)) {
    const elements = inclusive
      ? value.filter((element) => isObject(element) || Array.isArray(element))
      : value;
    return elements.map((element) => descend(element, node, inclusive, matched));
  }
  return inclusive ? undefined : value;
}

function applyLeaf(value: unknown, leaf: Leaf, { position }: Matched): unknown {
  switch (leaf.kind) {
    case "exclude":
    case "textScore":
      return undefined;
    case "literal":
      return leaf.value;
    case "slice":
      return Array.isArray(value) ? slice(value, leaf.skip, leaf.limit) : value;
    case "elemMatch": {
      const found: unknown = Array.isArray(value) ? value.find(leaf.test) : undefined;
      return found === undefined ? undefined : [found];
    }
    case "positional":
      return Array.isArray(value) ? value.slice(position ?? 0, (position ?? 0) + 1) : value;
    default:
      return value;
  }
}

function slice(array: unknown[], skip: number | undefined, limit: number): unknown[] {
  if (skip === undefined) return limit < 0 ? array.slice(limit) : array.slice(0, limit);
  const start = skip < 0 ? Math.max(array.length + skip, 0) : skip;
  return array.slice(start, start + limit);
}

/**
 * The index that the positional `$` stands for: that of the first array element that matches the filter.
 * @returns undefined if no condition of the filter goes through an array
 */
export function positionalIndex(
  filter: PlainObject,
  document: PlainObject,
  options: FilterOptions,
): number | undefined {
  let index: number | undefined;
  for (const [key, operand] of Object.entries(filter)) {
    if ((key === "$and" || key === "$or") && Array.isArray(operand)) {
      for (const part of operand) {
        if (!isObject(part) || (key === "$or" && !compileFilter(part, options)(document))) continue;
        index ??= positionalIndex(part, document, options);
      }
    } else if (!key.startsWith("$")) {
      index ??= fieldIndex(key, operand, document, options);
    }
  }
  return index;
}

function fieldIndex(
  field: string,
  operand: unknown,
  document: PlainObject,
  options: FilterOptions,
): number | undefined {
  const parts = splitPath(field);
  let value: unknown = document;
  for (const [i, part] of parts.entries()) {
    if (!isObject(value) || !hasOwn(value, part)) return undefined;
    value = value[part];
    if (Array.isArray(value)) return elementIndex(value, parts.slice(i + 1).join("."), operand, options);
  }
  return undefined;
}

function elementIndex(
  array: unknown[],
  rest: string,
  operand: unknown,
  options: FilterOptions,
): number | undefined {
  if (rest === "" && isObject(operand) && "$elemMatch" in operand) {
    return found(array.findIndex(compileElemMatch(operand["$elemMatch"], options)));
  }
  const positive = isOperatorObject(operand) ? withoutNegations(operand) : operand;
  if (positive === undefined) return undefined;
  const test = compileFilter({ [rest === "" ? "element" : rest]: positive }, options);
  return found(
    array.findIndex((element) => test(rest === "" ? { element } : isObject(element) ? element : {})),
  );
}

const NEGATIONS = new Set(["$ne", "$nin", "$not"]);

/** undefined if nothing is left: a negation matches the whole array, not an element. */
function withoutNegations(operators: PlainObject): PlainObject | undefined {
  const left = Object.entries(operators).filter(([name]) => !NEGATIONS.has(name));
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

const found = (index: number): number | undefined => (index === -1 ? undefined : index);
