import { CommandError } from "../errors.ts";
import { encodeKey, type EncodeText, invertKey } from "../values/order.ts";
import { isArrayIndex, type Path } from "../values/path.ts";
import { hasOwn, isObject, type PlainObject } from "../values/types.ts";

export interface KeyField {
  readonly path: Path;
  readonly direction: 1 | -1;
}

/** The index keys of a document. */
export interface DocumentKeys {
  /** Distinct encoded keys, without the suffix that makes them unique. */
  readonly keys: string[];
  /** Whether field i goes through an array. */
  readonly multikey: boolean[] | undefined;
  /** Whether any of the fields exists; a sparse index omits documents without any. */
  readonly anyPresent: boolean;
}

interface Lookup {
  value: unknown;
  /** If the path reaches an array: the remaining path below its elements. */
  array: unknown[] | undefined;
  rest: Path;
}

function walk(start: unknown, path: Path): Lookup {
  let current = start;
  for (let i = 0; i < path.length; i++) {
    const part = path[i]!;
    if (isObject(current)) {
      current = hasOwn(current, part) ? current[part] : undefined;
    } else if (Array.isArray(current)) {
      if (!isArrayIndex(part)) return { value: undefined, array: current, rest: path.slice(i) };
      current = current[Number(part)];
    } else {
      return { value: undefined, array: undefined, rest: [] };
    }
  }
  return { value: current, array: Array.isArray(current) ? current : undefined, rest: [] };
}

const encodeField = (value: unknown, direction: 1 | -1, encodeText: EncodeText | undefined): string => {
  const key = encodeKey(value === undefined ? null : value, encodeText);
  return direction < 0 ? invertKey(key) : key;
};

const EMPTY_ARRAY_KEY = encodeKey(undefined);

/**
 * Computes the index keys of a document like MongoDB's btree_key_generator.cpp: one key for each element of the array that one or
 * several fields go through.
 * @throws CommandError CannotIndexParallelArrays if two fields go through different arrays
 */
export function documentKeys(
  document: PlainObject,
  fields: readonly KeyField[],
  encodeText?: EncodeText,
): DocumentKeys {
  let simple = "";
  let anyPresent = false;
  for (const field of fields) {
    const found = walk(document, field.path);
    if (found.array) return arrayKeys(document, fields, encodeText);
    if (found.value !== undefined) anyPresent = true;
    simple += encodeField(found.value, field.direction, encodeText);
  }
  return { keys: [simple], multikey: undefined, anyPresent };
}

interface Slot {
  start: unknown;
  path: Path;
  /** The encoded key, if there is no array on the path. */
  fixed: string | undefined;
}

function arrayKeys(
  document: PlainObject,
  fields: readonly KeyField[],
  encodeText: EncodeText | undefined,
): DocumentKeys {
  const keys = new Set<string>();
  const multikey = fields.map(() => false);
  const state = { anyPresent: false, encodeText };
  const expand = (slots: Slot[]): void => {
    let shared: unknown[] | undefined;
    const rests = new Map<number, Path>();
    const next = slots.map((slot, i): Slot => {
      if (slot.fixed !== undefined) return slot;
      const found = walk(slot.start, slot.path);
      if (found.array) {
        if (shared !== undefined && shared !== found.array) {
          throw new CommandError(
            "CannotIndexParallelArrays",
            `cannot index parallel arrays [${fields[i]!.path.join(".")}]`,
          );
        }
        shared = found.array;
        rests.set(i, found.rest);
        multikey[i] = true;
        return slot;
      }
      if (found.value !== undefined) state.anyPresent = true;
      return { ...slot, fixed: encodeField(found.value, fields[i]!.direction, encodeText) };
    });
    if (shared === undefined) {
      keys.add(next.map((slot) => slot.fixed).join(""));
      return;
    }
    const elements = shared.length > 0 ? shared : [undefined];
    for (const element of elements) {
      expand(
        next.map((slot, i) => {
          const rest = rests.get(i);
          return rest === undefined
            ? slot
            : elementSlot(slot, element, rest, shared!.length === 0, fields[i]!.direction, state);
        }),
      );
    }
  };
  expand(fields.map(({ path }) => ({ start: document, path, fixed: undefined })));
  return { keys: [...keys], multikey, anyPresent: state.anyPresent };
}

function elementSlot(
  slot: Slot,
  element: unknown,
  rest: Path,
  emptyArray: boolean,
  direction: 1 | -1,
  state: { anyPresent: boolean; readonly encodeText: EncodeText | undefined },
): Slot {
  if (rest.length > 0) {
    return isObject(element)
      ? { start: element, path: rest, fixed: undefined }
      : { ...slot, fixed: encodeField(undefined, direction, undefined) };
  }
  state.anyPresent = true;
  if (emptyArray) return { ...slot, fixed: direction < 0 ? invertKey(EMPTY_ARRAY_KEY) : EMPTY_ARRAY_KEY };
  return { ...slot, fixed: encodeField(element, direction, state.encodeText) };
}
