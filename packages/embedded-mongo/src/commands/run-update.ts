import { CHANGE_WEIGHT, isPauseDue, PAUSE, type Task } from "../command-scope.ts";
import { CommandError } from "../errors.ts";
import { type QueryOptions, selectOne, selectToChange } from "../query/select.ts";
import { type Collection, withId } from "../storage/collection.ts";
import type { StoredRecord } from "../storage/database.ts";
import { compileUpdate } from "../update/compile.ts";
import { encode } from "../values/codec.ts";
import { hasOwn, type PlainObject, isObject, isOperatorObject } from "../values/types.ts";
import { isRegex } from "../query/regex.ts";
import { setField } from "../values/plain.ts";

/** The initial document of an upsert: the equalities of its filter. */
function upsertSeed(filter: PlainObject): PlainObject {
  const seed: PlainObject = {};
  collect(filter, seed);
  return seed;
}

function collect(filter: PlainObject, seed: PlainObject): void {
  for (const [key, operand] of Object.entries(filter)) {
    if (key === "$and" && Array.isArray(operand)) {
      for (const part of operand) if (isObject(part)) collect(part, seed);
    } else if (key === "$or" && Array.isArray(operand) && operand.length === 1 && isObject(operand[0])) {
      collect(operand[0], seed);
    } else if (!key.startsWith("$")) {
      const value = equality(operand);
      if (value !== undefined) setPath(seed, key.split("."), value);
    }
  }
}

function equality(operand: unknown): unknown {
  if (isRegex(operand)) return undefined;
  if (!isOperatorObject(operand)) return operand;
  if ("$eq" in operand) return operand["$eq"];
  const list = operand["$in"] ?? operand["$all"];
  return Array.isArray(list) && list.length === 1 && !isObject(list[0]) ? list[0] : undefined;
}

function setPath(target: PlainObject, path: string[], value: unknown): void {
  let at = target;
  for (const part of path.slice(0, -1)) {
    if (!hasOwn(at, part)) setField(at, part, {});
    if (!isObject(at[part])) throw notSingle(path);
    at = at[part];
  }
  if (hasOwn(at, path.at(-1)!)) throw notSingle(path);
  setField(at, path.at(-1)!, value);
}

const notSingle = (path: readonly string[]) =>
  new CommandError(
    "NotSingleValueField",
    `cannot infer query fields to set, path '${path.join(".")}' is matched twice`,
  );

export interface UpdateStatement extends QueryOptions {
  readonly filter: PlainObject;
  readonly update: unknown;
  readonly arrayFilters?: unknown;
  readonly sort?: unknown;
  readonly multi: boolean;
  readonly upsert: boolean;
}

export interface UpdateOutcome {
  matched: number;
  modified: number;
  upsertedId: unknown;
  /** The first document before and after the update; null if there is none. */
  before: PlainObject | null;
  after: PlainObject | null;
}

/**
 * Runs an update statement. Each document is read and written atomically, so `$inc` never loses an update. Other commands can run
 * between two documents; if the statement fails, earlier changes stay, as in MongoDB.
 */
export function* runUpdate(collection: Collection, statement: UpdateStatement): Task<UpdateOutcome> {
  const { filter, sort, hint, collation, multi, upsert } = statement;
  const { apply, isReplacement } = compileUpdate(statement);
  if (multi && isReplacement)
    throw new CommandError("FailedToParse", "multi update is not supported for replacement-style update");
  const outcome: UpdateOutcome = {
    matched: 0,
    modified: 0,
    upsertedId: undefined,
    before: null,
    after: null,
  };
  const change = (record: StoredRecord) => {
    const before = collection.document(record);
    const after = apply(before, false);
    outcome.matched++;
    outcome.before ??= before;
    outcome.after ??= after;
    if (collection.replace(record, before, after)) outcome.modified++;
  };
  if (!multi) {
    const record = yield* selectOne(collection, { filter, sort, hint, collation });
    if (record) change(record);
  } else {
    for (const record of selectToChange(collection, { filter, hint, collation })) {
      if (record === PAUSE) yield PAUSE;
      else {
        change(record);
        if (isPauseDue(CHANGE_WEIGHT)) yield PAUSE;
      }
    }
  }
  if (outcome.matched === 0 && upsert) {
    const inserted = withId(apply(upsertSeed(filter), true));
    collection.insert(encode(inserted));
    outcome.upsertedId = inserted["_id"];
    outcome.after = inserted;
  }
  return outcome;
}
