import type { Double, Int32, Long } from "bson";
import { bsonType, isObject } from "./types.ts";
import { compareValues } from "./compare.ts";

/** Turns exactly decoded values into the JavaScript values that mingo computes with. */
export function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain);
  if (isObject(value)) {
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(value)) setField(out, key, toPlain(value[key]));
    return out;
  }
  switch (bsonType(value)) {
    case "Int32":
    case "Double":
      return (value as Int32 | Double).value;
    case "Long": {
      const number = (value as Long).toNumber();
      return Number.isSafeInteger(number) ? number : value;
    }
    default:
      return value;
  }
}

/**
 * Gives back the exact BSON types of what a computation left as it was: where `computed` equals the plain form of
 * `exact`, the exact value is taken.
 */
export function restoreTypes(computed: unknown, exact: unknown): unknown {
  if (Array.isArray(computed)) {
    return Array.isArray(exact) ? computed.map((element, i) => restoreTypes(element, exact[i])) : computed;
  }
  if (isObject(computed)) {
    if (!isObject(exact)) return computed;
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(computed)) setField(out, key, restoreTypes(computed[key], exact[key]));
    return out;
  }
  return exact !== undefined && compareValues(computed, exact) === 0 ? exact : computed;
}

/** Sets an own property, `__proto__` included. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** A copy that shares no object or array with the original; BSON wrappers and dates are shared, nothing changes them. */
export function cloneValue<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneValue) as T;
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setField(out, key, cloneValue(value[key]));
  return out as T;
}
