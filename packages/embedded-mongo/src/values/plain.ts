import type { Double, Int32, Long } from "bson";
import { bsonType, isObject } from "./types.ts";
import { kindOf } from "./numbers.ts";

/** All numbers as JavaScript numbers; a Long that is no safe integer stays a Long. */
export const toPlain = (value: unknown): unknown => convert(value, plainNumber);

/**
 * The form in which expressions compute. An int is a JavaScript number, and so is a double where `bson` encodes it as one; all
 * other numbers stay as they are. It encodes to the same BSON as the original.
 */
export const toComputed = (value: unknown): unknown => convert(value, computedNumber);

function convert(value: unknown, number: (wrapper: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => convert(element, number));
  if (!isObject(value)) return number(value);
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setField(out, key, convert(value[key], number));
  return out;
}

function plainNumber(value: unknown): unknown {
  if (bsonType(value) !== "Long") return computedNumber(value, true);
  const number = (value as Long).toNumber();
  return Number.isSafeInteger(number) ? number : value;
}

function computedNumber(value: unknown, isTypeLost = false): unknown {
  const type = bsonType(value);
  if (type === "Int32") return (value as Int32).value;
  if (type !== "Double") return value;
  const number = (value as Double).value;
  return isTypeLost || kindOf(number) === "double" ? number : value;
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
