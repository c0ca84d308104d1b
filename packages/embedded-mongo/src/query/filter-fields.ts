import { isObject, isOperatorName, type PlainObject } from "../values/types.ts";

const LOGICAL = new Set(["$and", "$or", "$nor"]);

const branches = (operand: unknown): PlainObject[] =>
  Array.isArray(operand) ? operand.filter(isObject) : [];

/** Whether a filter can depend on any field, because it has an expression. */
export const usesWholeDocument = (filter: PlainObject): boolean =>
  Object.entries(filter).some(
    ([key, operand]) => key === "$expr" || (LOGICAL.has(key) && branches(operand).some(usesWholeDocument)),
  );

/** The top-level fields that a filter depends on. */
export const filterFields = (filter: PlainObject): string[] =>
  Object.entries(filter).flatMap(([key, operand]) => {
    if (!isOperatorName(key)) return key.split(".", 1);
    return LOGICAL.has(key) ? branches(operand).flatMap(filterFields) : [];
  });
