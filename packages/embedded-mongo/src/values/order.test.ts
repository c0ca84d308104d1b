import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from "bson";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareValues, encodeKey, invertKey } from "./order.ts";

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Values in MongoDB's order. */
const ladder: unknown[] = [
  new MinKey(),
  null,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  Long.MIN_VALUE,
  new Int32(-1),
  0,
  new Double(0.5),
  Decimal128.fromString("0.75"),
  new Int32(1),
  Long.fromNumber(2),
  2 ** 53,
  Long.fromString("9007199254740993"),
  Long.fromString("9223372036854775806"),
  Long.MAX_VALUE,
  1e300,
  Number.POSITIVE_INFINITY,
  "",
  "\0",
  "A",
  "a",
  "a\0",
  "aa",
  "é",
  "\uffff",
  "😀",
  {},
  { a: 1 },
  { a: 1, b: 1 },
  { b: 0 },
  { a: "x" },
  [],
  [1],
  [1, 2],
  [2],
  new Binary(Buffer.from([9])),
  new Binary(Buffer.from([1, 1])),
  new ObjectId("000000000000000000000001"),
  new ObjectId("100000000000000000000000"),
  false,
  true,
  new Date(-1),
  new Date(0),
  new Date(1),
  new Timestamp({ t: 1, i: 1 }),
  /a/,
  new MaxKey(),
];

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double(),
    fc.string({ unit: "binary" }),
    fc.date({ noInvalidDate: true }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.string({ maxLength: 2 }), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

describe("encodeKey", () => {
  it("follows the order of types and values", () => {
    const keys = ladder.map((value) => encodeKey(value));
    // {b: 0} sorts before {a: "x"}, because types are compared before names.
    expect([...keys].sort(order)).toEqual(keys);
  });
  it("encodes equal numbers of different types the same", () => {
    const keys = [1, new Int32(1), new Double(1), Long.fromNumber(1), Decimal128.fromString("1.0")].map(
      (one) => encodeKey(one),
    );
    expect(new Set(keys).size).toBe(1);
    expect(encodeKey(-0)).toBe(encodeKey(0));
  });
  it("is consistent with compareValues", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(order(encodeKey(a), encodeKey(b))).toBe(Math.sign(compareValues(a, b)) + 0);
      }),
      { numRuns: 2_000 },
    );
  });
  it("is never a prefix of another key, so fields can be joined", () => {
    const ends = ["", "\0", "\x01", "\x02", "\0\0", "\0\x01", "\x01\0", "a", "a\0", "a\x01"];
    for (const a of ends) {
      for (const b of ends) {
        expect(order(encodeKey(a), encodeKey(b))).toBe(Math.sign(compareValues(a, b)) + 0);
        expect(a !== b && encodeKey(b).startsWith(encodeKey(a))).toBe(false);
      }
    }
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [x, y] = [encodeKey(a), encodeKey(b)];
        expect(x !== y && y.startsWith(x)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
  it("has the reverse order when inverted", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(
          order(invertKey(encodeKey(a)), invertKey(encodeKey(b))) + order(encodeKey(a), encodeKey(b)),
        ).toBe(0);
      }),
    );
  });
  it("has one byte per character", () => {
    fc.assert(
      fc.property(value, (a) => {
        expect(Array.from(encodeKey(a)).every((character) => character.codePointAt(0)! < 256)).toBe(true);
      }),
    );
  });
});
