import { Aggregator } from "mingo/aggregator";
import { CommandError } from "../errors.ts";
import type { DocumentTest } from "../query/matcher.ts";
import { positionalIndex } from "../query/projection.ts";
import type { Collation } from "../values/collation.ts";
import { valuesEqual } from "../values/order.ts";
import { cloneValue, toComputed } from "../values/plain.ts";
import { splitPath } from "../values/path.ts";
import { hasOwn, isObject, type PlainObject } from "../values/types.ts";
import {
  compileArrayFilters,
  type PathContext,
  readTarget,
  resolveTargets,
  type Target,
  writeTarget,
  checkPaths,
} from "./paths.ts";
import { arrayOperators, fieldOperators } from "./operators.ts";
import { mingoOptions } from "../expression/context.ts";

interface UpdateInput {
  readonly filter: PlainObject;
  readonly update: unknown;
  readonly arrayFilters?: unknown;
  readonly collation?: Collation | undefined;
}

/** Returns the changed document without modifying the original. */
type Updater = (document: PlainObject, inserting: boolean) => PlainObject;

interface CompiledUpdate {
  readonly apply: Updater;
  readonly isReplacement: boolean;
}

interface Step {
  readonly operator: string;
  readonly path: string;
  readonly operand: unknown;
}

const UNSET = "$unset";
const RENAME = "$rename";

/**
 * Compiles an update: operators, a replacement document or a pipeline.
 * @throws CommandError FailedToParse, ConflictingUpdateOperators, EmptyFieldName …
 */
export function compileUpdate({ filter, update, arrayFilters, collation }: UpdateInput): CompiledUpdate {
  if (Array.isArray(update))
    return { apply: keepId(compilePipelineUpdate(update, collation)), isReplacement: false };
  if (!isObject(update))
    throw new CommandError("FailedToParse", "Update argument must be either an object or an array");
  const names = Object.keys(update);
  if (names[0]?.startsWith("$") !== true) return { apply: replacement(update), isReplacement: true };
  const filters = compileArrayFilters(arrayFilters, { collation });
  const steps = readSteps(update);
  checkPaths(
    steps.flatMap(({ operator, path, operand }) => (operator === RENAME ? [path, String(operand)] : [path])),
  );
  checkFiltersUsed(filters, steps);
  const positional = steps.some(({ path }) => /\.\$(?:\.|$)/.test(path));
  const apply: Updater = (document, inserting) => {
    const changed = cloneValue(document);
    const context: PathContext = {
      position: positional ? positionalIndex(filter, document, { collation }) : undefined,
      arrayFilters: filters,
    };
    for (const step of steps) {
      if (!inserting) {
        if (step.operator === "$setOnInsert") continue;
        checkDollar(step);
      }
      applyStep(changed, step, context, collation);
    }
    return changed;
  };
  return { apply: keepId(apply), isReplacement: false };
}

function readSteps(update: PlainObject): Step[] {
  const steps: Step[] = [];
  for (const [operator, fields] of Object.entries(update)) {
    if (
      operator !== UNSET &&
      operator !== RENAME &&
      !(operator in fieldOperators) &&
      !(operator in arrayOperators)
    ) {
      const hint = operator.startsWith("$")
        ? ""
        : " Expected a valid update modifier or pipeline-style update.";
      throw new CommandError("FailedToParse", `Unknown modifier: ${operator}.${hint}`);
    }
    if (!isObject(fields)) {
      throw new CommandError(
        "FailedToParse",
        `Modifiers operate on fields but we found another type for ${operator}`,
      );
    }
    for (const [path, operand] of Object.entries(fields)) {
      if (operator === RENAME && typeof operand !== "string") {
        throw new CommandError("BadValue", `The 'to' field for $rename must be a string: ${path}`);
      }
      steps.push({ operator, path, operand });
    }
  }
  return steps;
}

function checkFiltersUsed(filters: ReadonlyMap<string, DocumentTest>, steps: readonly Step[]): void {
  for (const name of filters.keys()) {
    if (!steps.some(({ path }) => path.includes(`$[${name}]`))) {
      throw new CommandError(
        "FailedToParse",
        `The array filter for identifier '${name}' was not used in the update`,
      );
    }
  }
}

/** Rejects top-level fields whose names start with `$`, which only inserts (including upserts) can create. */
function checkDollar({ operator, path, operand }: Step): void {
  const written = operator === RENAME ? String(operand) : path;
  if (operator === UNSET || !written.startsWith("$")) return;
  throw new CommandError(
    "DollarPrefixedFieldName",
    `The dollar ($) prefixed field '${written}' is not allowed in an update of an existing document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

function applyStep(
  document: PlainObject,
  { operator, path, operand }: Step,
  context: PathContext,
  collation: Collation | undefined,
): void {
  if (operator === UNSET) {
    for (const target of resolveTargets(document, path, false, context)) unset(target);
    return;
  }
  if (operator === RENAME) {
    rename(document, path, String(operand), context);
    return;
  }
  const creates = operator !== "$pop" && operator !== "$pull" && operator !== "$pullAll";
  const change = fieldOperators[operator] ?? arrayOperators[operator]!;
  for (const target of resolveTargets(document, path, creates, context)) {
    const value = change(readTarget(target), operand, path, collation);
    if (value !== undefined) writeTarget(target, value);
  }
}

function unset({ container, key }: Target): void {
  if (!Array.isArray(container)) delete container[key];
  else if (Number(key) < container.length) container[Number(key)] = null;
}

function rename(document: PlainObject, from: string, to: string, context: PathContext): void {
  const [source] = resolveTargets(document, from, false, context);
  if (!source) return checkNoArray(document, from);
  if (Array.isArray(source.container)) {
    throw new CommandError("BadValue", `The source field cannot be an array element, '${from}'`);
  }
  const value = readTarget(source);
  if (value === undefined) return;
  unset(source);
  for (const target of resolveTargets(document, to, true, context)) writeTarget(target, value);
}

function checkNoArray(document: PlainObject, path: string): void {
  let value: unknown = document;
  for (const part of splitPath(path)) {
    if (Array.isArray(value))
      throw new CommandError("BadValue", `The source field cannot be an array element, '${path}'`);
    value = isObject(value) && hasOwn(value, part) ? value[part] : undefined;
  }
}

const replacement =
  (update: PlainObject): Updater =>
  (document) => {
    const dollar = Object.keys(update).find((key) => key.startsWith("$"));
    if (dollar !== undefined) {
      throw new CommandError(
        "DollarPrefixedFieldName",
        `The dollar ($) prefixed field '${dollar}' is not allowed here`,
      );
    }
    const { _id: given, ...rest } = update;
    const { _id } = document;
    if (given !== undefined && _id !== undefined && !valuesEqual(given, _id)) throw immutableId();
    const id = _id ?? given;
    return id === undefined ? rest : { _id: id, ...rest };
  };

const keepId =
  (updater: Updater): Updater =>
  (document, inserting) => {
    const changed = updater(document, inserting);
    const before = document["_id"];
    if (before === undefined) return changed;
    if (!("_id" in changed) && before !== undefined) return { _id: before, ...changed };
    if (!valuesEqual(changed["_id"], before)) throw immutableId();
    return changed;
  };

const immutableId = () =>
  new CommandError(
    "ImmutableField",
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  );

const STAGES = new Set(["$set", "$addFields", "$unset", "$project", "$replaceRoot", "$replaceWith"]);

/** Compiles an update that is an aggregation pipeline. */
export function compilePipelineUpdate(stages: readonly unknown[], collation?: Collation): Updater {
  for (const stage of stages) {
    const name = isObject(stage) ? Object.keys(stage)[0] : undefined;
    if (name === undefined || !STAGES.has(name)) {
      throw new CommandError(
        "InvalidOptions",
        `${name ?? "This"} is not allowed to be used within an update`,
      );
    }
  }
  const aggregator = new Aggregator(toComputed(stages) as PlainObject[], mingoOptions({ collation }));
  return (document) => {
    try {
      const [result] = aggregator.run<PlainObject>([toComputed(document)]);
      return result ?? {};
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError("Location40324", (error as Error).message);
    }
  };
}
