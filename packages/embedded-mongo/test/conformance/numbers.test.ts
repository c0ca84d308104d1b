import { Decimal128, Double, Int32, Long } from "bson";
import type { Collection, Document } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

const int = (value: number) => new Int32(value);
const double = (value: number) => new Double(value);
const long = (value: string | number) => Long.fromString(String(value));
const decimal = (value: string) => Decimal128.fromString(value);

const EXACT = { promoteValues: false } as const;
const MAX_LONG = "9223372036854775807";
const MIN_LONG = "-9223372036854775808";

const results: [name: string, expression: unknown, expected: unknown][] = [
  ["$add of ints is an int", { $add: [int(1), int(2)] }, int(3)],
  ["$add of ints overflows to a long", { $add: [int(2147483647), int(1)] }, long("2147483648")],
  ["$add of int and long is a long", { $add: [int(1), long(2)] }, long(3)],
  ["$add of longs is exact", { $add: [long("9007199254740992"), long(1)] }, long("9007199254740993")],
  ["$add of longs overflows to a double", { $add: [long(MAX_LONG), long(1)] }, double(2 ** 63)],
  ["$add of int and double is a double", { $add: [int(1), double(2)] }, double(3)],
  ["$add of decimals is exact", { $add: [decimal("0.1"), decimal("0.2")] }, decimal("0.3")],
  ["$add of decimal and long is exact", { $add: [decimal("0.5"), long(MAX_LONG)] }, decimal(`${MAX_LONG}.5`)],
  ["$add takes 15 digits of a double", { $add: [decimal("1"), double(0.1)] }, decimal("1.100000000000000")],
  ["$add of a date and a long", { $add: [new Date(5), long(7)] }, new Date(12)],
  ["$add with null is null", { $add: [int(1), null] }, null],
  ["$subtract of ints overflows", { $subtract: [int(-2147483648), int(1)] }, long("-2147483649")],
  ["$subtract of longs overflows", { $subtract: [long(MIN_LONG), long(1)] }, double(-(2 ** 63))],
  ["$subtract of dates is a long", { $subtract: [new Date(12), new Date(5)] }, long(7)],
  ["$multiply of ints overflows", { $multiply: [int(65536), int(65536)] }, long("4294967296")],
  ["$multiply of longs overflows", { $multiply: [long(MAX_LONG), int(2)] }, double(2 ** 64)],
  ["$multiply of decimals", { $multiply: [decimal("1.10"), decimal("3")] }, decimal("3.30")],
  ["$divide of ints is a double", { $divide: [int(6), int(3)] }, double(2)],
  [
    "$divide of decimals has 34 digits",
    { $divide: [decimal("1"), decimal("3")] },
    decimal("0.3333333333333333333333333333333333"),
  ],
  ["$divide of decimals, exact", { $divide: [decimal("1"), decimal("8")] }, decimal("0.125")],
  ["$mod of ints", { $mod: [int(-7), int(3)] }, int(-1)],
  ["$mod of longs is exact", { $mod: [long(MAX_LONG), long(10)] }, long(7)],
  ["$mod of doubles", { $mod: [double(5.5), int(2)] }, double(1.5)],
  ["$mod of decimals", { $mod: [decimal("5.5"), int(2)] }, decimal("1.5")],
  ["$pow of ints", { $pow: [int(2), int(31)] }, long("2147483648")],
  ["$pow with a negative exponent", { $pow: [int(2), int(-1)] }, double(0.5)],
  ["$abs of the least int", { $abs: int(-2147483648) }, long("2147483648")],
  ["$abs of a decimal", { $abs: decimal("-1.50") }, decimal("1.50")],
  ["$ceil of a double is a double", { $ceil: double(1.2) }, double(2)],
  ["$floor of a decimal", { $floor: decimal("-1.2") }, decimal("-2")],
  ["$round is half to even", { $round: double(2.5) }, double(2)],
  ["$round to places", { $round: [double(10.255), int(2)] }, double(10.26)],
  ["$round of an int to tens", { $round: [int(15), int(-1)] }, int(20)],
  ["$round of a decimal", { $round: [decimal("2.345"), int(2)] }, decimal("2.34")],
  ["$trunc of a decimal", { $trunc: [decimal("2.349"), int(2)] }, decimal("2.34")],
  ["$sqrt is a double", { $sqrt: long(16) }, double(4)],
  ["$sum of longs is exact", { $sum: [long("9007199254740993"), int(1)] }, long("9007199254740994")],
  ["$sum of longs overflows to a double", { $sum: [long(MAX_LONG), long(MAX_LONG)] }, double(2 ** 64)],
  ["$sum of doubles loses nothing", { $sum: [double(0.1), double(0.2), double(0.3)] }, double(0.6)],
  ["$sum of decimals", { $sum: [decimal("0.1"), decimal("0.2"), int(1)] }, decimal("1.3")],
  ["$sum of nothing numeric", { $sum: ["a", null] }, int(0)],
  ["$sum of infinities", { $sum: [double(Infinity), double(-Infinity)] }, double(Number.NaN)],
  ["$avg of ints is a double", { $avg: [int(1), int(3)] }, double(2)],
  ["$avg of decimals", { $avg: [decimal("0.1"), decimal("0.2")] }, decimal("0.15")],
  ["$min across types", { $min: [long(2), double(1.5), decimal("1.25")] }, decimal("1.25")],
  ["$max keeps the type", { $max: [long(2), int(1)] }, long(2)],
  ["$min takes NaN as the lowest", { $min: [double(Number.NaN), int(1)] }, double(Number.NaN)],
  ["$eq across types", { $eq: [long(1), double(1)] }, true],
  ["$eq of a decimal and the nearest double", { $eq: [decimal("0.1"), double(0.1)] }, false],
  ["$lt of decimals that are one double", { $lt: [decimal("0.1"), decimal("0.10000000000000000001")] }, true],
  ["$gt of longs that are one double", { $gt: [long("9007199254740993"), long("9007199254740992")] }, true],
  ["$cmp of zeros", { $cmp: [double(-0), int(0)] }, int(0)],
  ["$in across types", { $in: [long(1), [double(1)]] }, true],
  ["$setUnion across types", { $size: { $setUnion: [[int(1)], [long(1), double(1)]] } }, int(1)],
  ["$cond takes a zero of any type as false", { $cond: [long(0), "yes", "no"] }, "no"],
  ["$and takes a zero of any type as false", { $and: [true, decimal("0.0")] }, false],
  ["$type of a double", { $type: double(1) }, "double"],
  ["$type of a decimal", { $type: decimal("1") }, "decimal"],
  ["$toLong", { $toLong: "9223372036854775807" }, long(MAX_LONG)],
  ["$toInt truncates", { $toInt: double(1.9) }, int(1)],
  ["$toDecimal of a double", { $toDecimal: double(2.5) }, decimal("2.50000000000000")],
  ["$toDouble of an int", { $toDouble: int(2) }, double(2)],
  ["$toString of a long", { $toString: long(MAX_LONG) }, MAX_LONG],
  ["$toString of a decimal", { $toString: decimal("1.10") }, "1.10"],
  ["$convert with onError", { $convert: { input: "x", to: "long", onError: int(-1) } }, int(-1)],
  ["$bitAnd of longs", { $bitAnd: [long(MAX_LONG), long(12)] }, long(12)],
  ["$arrayElemAt with a long", { $arrayElemAt: [["a", "b"], long(1)] }, "b"],
];

describe.each(targets)("numbers in expressions on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let collection: Collection;

  beforeAll(async () => {
    server = await target.open();
  });
  beforeEach(async () => {
    await server.db.dropDatabase();
    collection = server.db.collection("things");
  });
  afterAll(() => server.close());

  const group = async (fields: Document) => {
    const [found] = await collection.aggregate([{ $group: { _id: null, ...fields } }], EXACT).toArray();
    return found;
  };

  it.each(results)("%s", async (_name, expression, expected) => {
    await collection.insertOne({});
    const [found] = await collection
      .aggregate([{ $project: { _id: 0, result: expression } }], EXACT)
      .toArray();
    expect(found).toEqual({ result: expected });
  });

  it("$sum, $avg, $min and $max of a group have MongoDB's types", async () => {
    await collection.insertMany([
      { int: int(2147483647), long: long(MAX_LONG), mixed: int(1), decimal: decimal("0.1"), text: "a" },
      { int: int(1), long: long(0), mixed: double(0.5), decimal: decimal("0.2"), text: null },
    ]);
    expect(
      await group({
        int: { $sum: "$int" },
        long: { $sum: "$long" },
        mixed: { $sum: "$mixed" },
        decimal: { $sum: "$decimal" },
        text: { $sum: "$text" },
        avgInt: { $avg: "$int" },
        avgDecimal: { $avg: "$decimal" },
        avgText: { $avg: "$text" },
        min: { $min: "$long" },
        max: { $max: "$decimal" },
        count: { $sum: 1 },
      }),
    ).toEqual({
      _id: null,
      int: long("2147483648"),
      long: long(MAX_LONG),
      mixed: double(1.5),
      decimal: decimal("0.3"),
      text: int(0),
      avgInt: double(1073741824),
      avgDecimal: decimal("0.15"),
      avgText: null,
      min: long(0),
      max: decimal("0.2"),
      count: int(2),
    });
  });

  it("groups equal numbers of all types, but not different decimals with the same double", async () => {
    const numbers = [int(1), long(1), double(1), decimal("1.0"), decimal("0.1"), double(0.1)];
    await collection.insertMany(numbers.map((n) => ({ n })));
    const found = await collection
      .aggregate([{ $group: { _id: "$n", count: { $sum: 1 } } }, { $sort: { count: -1 } }])
      .toArray();
    expect(found.map(({ count }) => count as number)).toEqual([4, 1, 1]);
  });

  it("$expr compares longs and decimals exactly", async () => {
    await collection.insertMany([
      { _id: 1 as never, a: long("9007199254740993"), b: long("9007199254740992") },
      { _id: 2 as never, a: decimal("0.1"), b: decimal("0.1000000000000000000001") },
      { _id: 3 as never, a: decimal("0.1"), b: double(0.1) },
    ]);
    const ids = async (filter: Document) =>
      (await collection.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id as unknown);
    expect(await ids({ $expr: { $gt: ["$a", "$b"] } })).toEqual([1]);
    expect(await ids({ $expr: { $lt: ["$a", "$b"] } })).toEqual([2, 3]);
    expect(await ids({ $expr: long(0) })).toEqual([]);
  });

  it("keeps the types of fields that a stage doesn't compute", async () => {
    const document = { _id: 1, double: double(5), long: long(5), decimal: decimal("5.0"), zero: double(-0) };
    await collection.insertOne(document as never);
    const stages = [{ $set: { x: 1 } }, { $unset: "x" }];
    expect(await collection.aggregate(stages, EXACT).toArray()).toEqual([{ ...document, _id: int(1) }]);
    await collection.updateOne({}, [{ $set: { sum: { $add: ["$long", int(1)] } } }]);
    expect(await collection.findOne({}, EXACT)).toEqual({ ...document, _id: int(1), sum: long(6) });
  });

  it("accepts any number type in stages", async () => {
    await collection.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const stages = [
      { $set: { m: "$n" } },
      { $sort: { m: double(-1) } },
      { $skip: long(1) },
      { $limit: long(1) },
      { $project: { _id: long(0), n: double(1) } },
    ];
    expect(await collection.aggregate(stages).toArray()).toEqual([{ n: 2 }]);
    expect(
      await collection.aggregate([{ $set: { m: 1 } }, { $sample: { size: long(9) } }]).toArray(),
    ).toHaveLength(3);
  });

  it.each<[string, unknown, RegExp]>([
    ["a division by zero", { $divide: [1, double(0)] }, /can't \$divide by zero/],
    ["a $mod by zero", { $mod: [1, decimal("0")] }, /can't \$mod by zero/],
    ["a text in $add", { $add: [1, "a"] }, /\$add only supports numeric/],
    ["an int that overflows", { $toInt: long("2147483648") }, /Failed to convert|Conversion would overflow/],
  ])("rejects %s", async (_name, expression, message) => {
    await collection.insertOne({ a: 1 });
    const refused = collection.aggregate([{ $project: { x: expression } }]).toArray();
    await expect(refused).rejects.toThrow(message);
  });
});
