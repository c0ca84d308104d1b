import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from "bson";
import { describe, expect, it } from "vitest";
import { decodeExact, decodeFields, pack, packNames } from "./codec.ts";

const document = {
  double: new Double(1.5),
  string: "é\0x",
  object: { a: [new Int32(1)] },
  array: [1, { b: 2 }],
  binary: new Binary(Buffer.from([0, 1, 2])),
  id: new ObjectId(),
  flag: true,
  date: new Date(5),
  nothing: null,
  regex: new BSONRegExp("a", "i"),
  code: new Code("f()"),
  scoped: new Code("f()", { x: 1 }),
  int: new Int32(-3),
  stamp: new Timestamp({ t: 1, i: 2 }),
  long: Long.MIN_VALUE,
  decimal: Decimal128.fromString("1.1"),
  min: new MinKey(),
  max: new MaxKey(),
  "naïve name": "last",
};
const bytes = serialize(document);
const whole = decodeExact(bytes);

describe("decodeFields", () => {
  it.each(Object.keys(document))("finds %s after all preceding fields", (name) => {
    expect(decodeFields(pack(bytes), packNames([name]))).toEqual({ [name]: whole[name] });
  });
  it("returns several fields in the order of the document, without missing ones", () => {
    const found = decodeFields(pack(bytes), packNames(["naïve name", "nope", "double"]));
    expect(Object.entries(found)).toEqual([
      ["double", whole["double"]],
      ["naïve name", "last"],
    ]);
  });
  it("returns nothing for an empty document", () => {
    expect(decodeFields(pack(serialize({})), packNames(["a"]))).toEqual({});
  });
});
