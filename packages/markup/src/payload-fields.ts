import { z } from "zod";

// Fields of payloads of other programs, which can have any shape.

/** A text; numbers and booleans are written out, and anything else counts as empty. */
export const text = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((value) => String(value))
  .catch("");

export const flag = z.boolean().catch(false);

/** Anything of another shape counts as absent. */
export const maybe = <S extends z.ZodType>(schema: S) => schema.nullable().catch(null);

const anything = z.unknown().optional();

/** The first `max` items. Those of another shape are left out, as is anything that isn't a list. */
export const list = <S extends z.ZodType>(item: S, max: number) =>
  anything.transform((value) => {
    const all: unknown[] = Array.isArray(value) ? value : [];
    const items = all.slice(0, max).flatMap((one) => {
      const parsed = item.safeParse(one);
      return parsed.success ? [parsed.data] : [];
    });
    return { items, total: all.length };
  });

/** The first `max` entries of an object. */
export const pairs = (max: number) =>
  anything.transform((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    const entries = Object.entries(value).slice(0, max);
    return entries.map(([name, one]) => ({ name, value: text.parse(one) }));
  });
