import { CommandError } from "../errors.ts";
import { type DocumentTest, compileFilter, type FilterOptions } from "../query/matcher.ts";
import { isArrayIndex } from "../values/path.ts";
import { setField } from "../values/plain.ts";
import { hasOwn, isObject, type PlainObject, typeName } from "../values/types.ts";

/** Renames the first part of each path to `element`. */
function rename(filter: PlainObject, names: Set<string>): PlainObject {
  const out: PlainObject = {};
  for (const [key, operand] of Object.entries(filter)) {
    if (key.startsWith("$") && Array.isArray(operand)) {
      out[key] = operand.map((part) => (isObject(part) ? rename(part, names) : part));
      continue;
    }
    const [name = "", ...rest] = key.split(".");
    names.add(name);
    out[["element", ...rest].join(".")] = operand;
  }
  return out;
}

/** Compiles `arrayFilters` by identifier to tests of `{ element }`. */
export function compileArrayFilters(filters: unknown, options: FilterOptions): Map<string, DocumentTest> {
  const compiled = new Map<string, DocumentTest>();
  if (filters === undefined || filters === null) return compiled;
  if (!Array.isArray(filters)) throw new CommandError("TypeMismatch", "arrayFilters must be an array");
  for (const filter of filters) {
    if (!isObject(filter)) throw new CommandError("TypeMismatch", "Each array filter must be an object");
    const names = new Set<string>();
    const test = compileFilter(rename(filter, names), options);
    const [name] = names;
    if (name === undefined || names.size > 1) {
      throw new CommandError(
        "FailedToParse",
        "Error parsing array filter: expected a single top-level field name",
      );
    }
    if (compiled.has(name)) {
      throw new CommandError(
        "FailedToParse",
        `Found multiple array filters with the same top-level field name ${name}`,
      );
    }
    compiled.set(name, test);
  }
  return compiled;
}

/**
 * Rejects updates of the same path, or of a path and a part of it, by two operators.
 * @throws CommandError ConflictingUpdateOperators, EmptyFieldName or BadValue
 */
export function checkPaths(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    const parts = path.split(".");
    if (parts.includes("")) {
      throw new CommandError(
        "EmptyFieldName",
        `The update path '${path}' contains an empty field name, which is not allowed.`,
      );
    }
    if (parts[0] === "$" || parts[0]?.startsWith("$[")) {
      throw new CommandError(
        "BadValue",
        `Cannot have positional (i.e. '$') element in the first position in path '${path}'`,
      );
    }
    for (let length = 1; length <= parts.length; length++) {
      const prefix = parts.slice(0, length).join(".");
      if (seen.has(prefix)) throw conflict(path, prefix);
    }
    for (const other of seen) if (other.startsWith(`${path}.`)) throw conflict(path, other);
    seen.add(path);
  }
}

const conflict = (path: string, other: string) =>
  new CommandError(
    "ConflictingUpdateOperators",
    `Updating the path '${path}' would create a conflict at '${other}'`,
  );

/** How far beyond the end of an array an index can be assigned, as in MongoDB. */
const MAX_ARRAY_PADDING = 1_500_000;

export type Container = PlainObject | unknown[];

/** The target of an update operator: a field of an object or an element of an array. */
export interface Target {
  readonly container: Container;
  readonly key: string;
}

export interface PathContext {
  /** The index that the positional `$` stands for. */
  readonly position: number | undefined;
  readonly arrayFilters: ReadonlyMap<string, DocumentTest>;
}

export const readTarget = ({ container, key }: Target): unknown =>
  Array.isArray(container) ? container[Number(key)] : hasOwn(container, key) ? container[key] : undefined;

export function writeTarget({ container, key }: Target, value: unknown): void {
  if (!Array.isArray(container)) {
    setField(container, key, value);
    return;
  }
  const index = Number(key);
  if (index - container.length > MAX_ARRAY_PADDING) {
    throw new CommandError("BadValue", `can't backfill more than ${MAX_ARRAY_PADDING} elements`);
  }
  while (container.length < index) container.push(null);
  container[index] = value;
}

/**
 * Resolves an update path with `$`, `$[]` and `$[name]` to its targets.
 * @param create whether to create missing sub-documents; otherwise a missing path has no targets
 * @throws CommandError PathNotViable if a part of the path is a scalar, BadValue for a `$` without a match
 */
export function resolveTargets(
  root: PlainObject,
  path: string,
  create: boolean,
  context: PathContext,
): Target[] {
  let places: Target[] = [{ container: root, key: "" }];
  const parts = path.split(".");
  for (const [i, part] of parts.entries()) {
    const next: Target[] = [];
    for (const place of places) {
      const container = i === 0 ? root : enter(place, part, create);
      if (container !== undefined) expand(container, part, path, context, next, create);
    }
    places = next;
  }
  return places;
}

function enter(place: Target, part: string, create: boolean): Container | undefined {
  const value = readTarget(place);
  if (isObject(value) || Array.isArray(value)) return value;
  if (!create) return undefined;
  if (value !== undefined) {
    throw new CommandError(
      "PathNotViable",
      `Cannot create field '${part}' in element {${place.key}: ${typeName(value)}}`,
    );
  }
  const created: PlainObject = {};
  writeTarget(place, created);
  return created;
}

function expand(
  container: Container,
  part: string,
  path: string,
  { position, arrayFilters }: PathContext,
  out: Target[],
  create: boolean,
): void {
  const isPositional = part === "$" || (part.startsWith("$[") && part.endsWith("]"));
  if (!isPositional) {
    if (Array.isArray(container) && !isArrayIndex(part)) {
      if (create)
        throw new CommandError("PathNotViable", `Cannot create field '${part}' in an array (path '${path}')`);
      return;
    }
    out.push({ container, key: part });
    return;
  }
  if (part !== "$" && !Array.isArray(container)) {
    throw new CommandError("BadValue", `Cannot apply array updates to non-array element of path '${path}'`);
  }
  if (part === "$") {
    if (position === undefined || !Array.isArray(container)) {
      throw new CommandError(
        "BadValue",
        "The positional operator did not find the match needed from the query.",
      );
    }
    out.push({ container, key: String(position) });
    return;
  }
  const filter = part === "$[]" ? undefined : arrayFilterOf(part, path, arrayFilters);
  for (const [i, element] of (container as unknown[]).entries()) {
    if (!filter || filter({ element })) out.push({ container, key: String(i) });
  }
}

function arrayFilterOf(part: string, path: string, filters: ReadonlyMap<string, DocumentTest>): DocumentTest {
  const name = /^\$\[([a-z]\w*)\]$/.exec(part)?.[1];
  if (name === undefined) throw new CommandError("BadValue", `Invalid part '${part}' in the path '${path}'`);
  const filter = filters.get(name);
  if (!filter)
    throw new CommandError("BadValue", `No array filter found for identifier '${name}' in path '${path}'`);
  return filter;
}
