import { CommandError } from "../errors.ts";
import { isObject, type PlainObject } from "../values/types.ts";

/** Translates `$bucket` to the equivalent `$group` and `$sort`. */
export function bucketStages({ groupBy, boundaries, default: other, output }: PlainObject): {
  group: PlainObject;
  sort: PlainObject;
} {
  if (groupBy === undefined || !Array.isArray(boundaries) || boundaries.length < 2) {
    throw new CommandError("FailedToParse", "$bucket needs groupBy and at least two boundaries");
  }
  const branches = boundaries.slice(0, -1).map((low: unknown, i) => ({
    case: { $and: [{ $gte: [groupBy, low] }, { $lt: [groupBy, boundaries[i + 1]] }] },
    // oxlint-disable-next-line unicorn/no-thenable -- the name is MongoDB's
    then: { $literal: low },
  }));
  const $switch = other === undefined ? { branches } : { branches, default: { $literal: other } };
  return {
    group: { _id: { $switch }, ...(isObject(output) ? output : { count: { $sum: 1 } }) },
    sort: { _id: 1 },
  };
}
