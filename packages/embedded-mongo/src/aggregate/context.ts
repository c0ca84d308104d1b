import { Aggregator } from "mingo/aggregator";
import { Context } from "mingo/core";
import { Lazy } from "mingo/lazy";
import * as pipeline from "mingo/operators/pipeline";
import * as window from "mingo/operators/window";
import { CommandError } from "../errors.ts";
import { operators } from "../expression/context.ts";
import { collationOf } from "../expression/operands.ts";
import { compileFilter } from "../query/matcher.ts";
import type { Collation } from "../values/collation.ts";
import { integerOption } from "../values/numbers.ts";
import { toPlain } from "../values/plain.ts";
import { isObject, type PlainObject } from "../values/types.ts";

type Stream = ReturnType<typeof Lazy>;
/** Options that mingo passes from stage to stage: variables and the context. */
type StageOptions = Parameters<typeof pipeline.$match>[2];

const documentsOf = (stream: unknown): PlainObject[] => stream as PlainObject[];

/** The variables of the command and of the enclosing `$lookup`. */
const variablesOf = ({ variables }: StageOptions): PlainObject => variables ?? {};

/** Consistent with `find` for types, nulls and arrays. */
const $match = (stream: Stream, filter: PlainObject, options: StageOptions): Stream => {
  const test = compileFilter(filter, { variables: variablesOf(options), collation: collationOf(options) });
  return stream.filter((document: PlainObject) => test(document));
};

const $sample = (stream: Stream, sample: PlainObject): Stream =>
  stream.transform((documents) => {
    const left = [...documentsOf(documents)];
    const size = integerOption(sample["size"], "size", 0);
    if (size < 0) throw new CommandError("Location28747", "size argument to $sample must not be negative");
    const count = Math.min(size, left.length);
    return Lazy(
      Array.from({ length: count }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]!),
    );
  });

const $unwind: typeof pipeline.$unwind = (stream, specification, options) => {
  const path: unknown = isObject(specification) ? specification.path : specification;
  if (typeof path !== "string" || !path.startsWith("$"))
    throw new CommandError("Location28818", "path option to $unwind stage should be prefixed with a '$'");
  return pipeline.$unwind(stream, specification, options);
};

type Stage = (stream: Stream, specification: never, options: StageOptions) => Stream;

/**
 * A stage of mingo that computes with doubles and returns ints and doubles without their type. It compares strings without a
 * collation.
 */
const inDoubles =
  (stage: Stage): Stage =>
  (stream, specification, options) => {
    if (collationOf(options))
      throw new CommandError("InvalidOptions", "The embedded database has no collation for this stage");
    return stage(
      stream.map((document: PlainObject) => toPlain(document) as PlainObject),
      toPlain(specification) as never,
      options,
    );
  };

/** The operators of mingo, with those replaced that differ from MongoDB. */
export const aggregationContext = Context.init({
  ...operators,
  pipeline: {
    ...operators.pipeline,
    $bucketAuto: inDoubles(pipeline.$bucketAuto),
    $densify: inDoubles(pipeline.$densify),
    $fill: inDoubles(pipeline.$fill),
    $match,
    $sample,
    $setWindowFields: inDoubles(pipeline.$setWindowFields),
    $unwind,
  },
  window,
} as unknown as Parameters<typeof Context.init>[0]);

/** The options of mingo for a pipeline. */
export interface PipelineOptions {
  readonly context: Context;
  readonly variables: PlainObject;
  readonly collation?: Collation;
}

export type ExpressionOptions = StageOptions;

/** The options for expressions, which mingo only passes to its stages. */
export function expressionOptions(options: PipelineOptions): ExpressionOptions {
  let found!: ExpressionOptions;
  const $options = (stream: Stream, _: unknown, given: ExpressionOptions): Stream => {
    found = given;
    return stream;
  };
  const context = Context.from(options.context).addPipelineOps({ $options });
  new Aggregator([{ $options: 1 }], { ...options, context }).stream([]);
  return found;
}
