import { Context } from "mingo";
import * as accumulator from "mingo/operators/accumulator";
import * as expression from "mingo/operators/expression";
import * as pipeline from "mingo/operators/pipeline";
import * as projection from "mingo/operators/projection";
import * as query from "mingo/operators/query";
import * as window from "mingo/operators/window";
import { Lazy } from "mingo/lazy";
import { compileFilter } from "../query/matcher.ts";
import { parseSort, sortByKey, sortKey } from "../query/sort.ts";
import type { PlainObject } from "../values/types.ts";

type Stream = ReturnType<typeof Lazy>;

/** `$match` and `$sort` as in `find`, so that both agree on types, nulls and arrays. */
const $match = (stream: Stream, filter: PlainObject) => {
  const test = compileFilter(filter);
  return stream.filter((document) => test(document as PlainObject));
};

const $sort = (stream: Stream, order: PlainObject) => {
  const fields = parseSort(order) ?? [];
  return stream.transform((documents) => {
    const keyed = (documents as unknown as PlainObject[]).map((document) => ({
      document,
      key: sortKey(document, fields),
    }));
    return Lazy(sortByKey(keyed).map(({ document }) => document));
  });
};

export const aggregationContext = Context.init({
  accumulator,
  expression,
  pipeline: { ...pipeline, $match, $sort },
  projection,
  query,
  window,
} as unknown as Parameters<typeof Context.init>[0]);
