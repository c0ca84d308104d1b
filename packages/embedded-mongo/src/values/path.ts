import { hasOwn, isObject } from "./types.ts";

export type Path = readonly string[];

export const splitPath = (path: string): Path => path.split(".");

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

export const isArrayIndex = (part: string): boolean => ARRAY_INDEX.test(part);

/**
 * The values that a dotted path reaches in a query, through arrays of sub-documents; `undefined` is a missing field. Arrays at the end
 * of the path are returned whole.
 */
export function collectValues(value: unknown, path: Path, out: unknown[] = [], at = 0): unknown[] {
  if (at === path.length) {
    out.push(value);
    return out;
  }
  const part = path[at]!;
  if (isObject(value)) {
    if (hasOwn(value, part)) collectValues(value[part], path, out, at + 1);
    else out.push(undefined);
  } else if (Array.isArray(value)) {
    for (const element of value) if (isObject(element)) collectValues(element, path, out, at);
    if (isArrayIndex(part) && Number(part) < value.length)
      collectValues(value[Number(part)], path, out, at + 1);
  } else {
    out.push(undefined);
  }
  return out;
}

/** The value at a path that doesn't traverse arrays, except by numeric parts. */
export function getValue(value: unknown, path: Path): unknown {
  let current = value;
  for (const part of path) {
    if (isObject(current)) current = hasOwn(current, part) ? current[part] : undefined;
    else if (Array.isArray(current) && isArrayIndex(part)) current = current[Number(part)];
    else return undefined;
  }
  return current;
}
