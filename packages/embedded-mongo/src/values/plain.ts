import type { Double, Int32, Long } from "bson";
import { bsonType, isObject } from "./types.ts";
import { kindOf } from "./numbers.ts";

/** Converts all numbers to JavaScript numbers; a Long that isn't a safe integer stays a Long. */
export const toPlain = (value: unknown): unknown => convert(value, plainNumber);

/**
 * Converts a value to the form that expressions compute with. Ints are JavaScript numbers, as are doubles that `bson` encodes as
 * doubles; all other numbers stay wrapped. It encodes to the same BSON as the original.
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

/** Sets an own property, even `__proto__`. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** A deep copy of objects and arrays. BSON wrappers and dates are shared, because they are never modified. */
export function cloneValue<T>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneValue) as T;
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setField(out, key, cloneValue(value[key]));
  return out as T;
}
