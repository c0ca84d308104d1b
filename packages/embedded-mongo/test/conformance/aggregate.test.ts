import { ObjectId } from "bson";
import type { CollationOptions, Collection, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

const orders = [
  { _id: 1, who: "a", item: "x", qty: 2, tags: ["p", "q"], at: new Date("2026-01-01T10:00:00Z") },
  { _id: 2, who: "b", item: "y", qty: 1, tags: ["q"], at: new Date("2026-01-01T12:00:00Z") },
  { _id: 3, who: "a", item: "y", qty: 5, tags: [], at: new Date("2026-01-02T10:00:00Z") },
  { _id: 4, who: "c", item: "z", qty: 3, at: new Date("2026-02-01T10:00:00Z") },
];
const people = [
  { _id: "a", name: "Ann", friends: ["b", "c"] },
  { _id: "b", name: "Bob", friends: [] },
];

const cases: [name: string, pipeline: Document[], expected: unknown][] = [
  [
    "$match $sort $limit",
    [{ $match: { qty: { $gt: 1 } } }, { $sort: { qty: -1 } }, { $limit: 2 }, { $project: { qty: 1 } }],
    [
      { _id: 3, qty: 5 },
      { _id: 4, qty: 3 },
    ],
  ],
  [
    "$group $sum",
    [{ $group: { _id: "$who", total: { $sum: "$qty" } } }, { $sort: { _id: 1 } }],
    [
      { _id: "a", total: 7 },
      { _id: "b", total: 1 },
      { _id: "c", total: 3 },
    ],
  ],
  [
    "$group of all",
    [
      {
        $group: {
          _id: null,
          n: { $sum: 1 },
          avg: { $avg: "$qty" },
          min: { $min: "$qty" },
          max: { $max: "$qty" },
        },
      },
    ],
    [{ _id: null, n: 4, avg: 2.75, min: 1, max: 5 }],
  ],
  [
    "$group by two",
    [{ $group: { _id: { w: "$who", i: "$item" }, n: { $sum: 1 } } }, { $count: "groups" }],
    [{ groups: 4 }],
  ],
  [
    "$group $push $first $last",
    [
      { $sort: { _id: 1 } },
      {
        $group: {
          _id: "$who",
          items: { $push: "$item" },
          first: { $first: "$qty" },
          last: { $last: "$qty" },
        },
      },
      { $match: { _id: "a" } },
    ],
    [{ _id: "a", items: ["x", "y"], first: 2, last: 5 }],
  ],
  [
    "$group $addToSet",
    [{ $group: { _id: null, who: { $addToSet: "$who" } } }, { $project: { _id: 0, n: { $size: "$who" } } }],
    [{ n: 3 }],
  ],
  [
    "$unwind",
    [{ $unwind: "$tags" }, { $group: { _id: "$tags", n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
    [
      { _id: "p", n: 1 },
      { _id: "q", n: 2 },
    ],
  ],
  [
    "$unwind preserving",
    [{ $unwind: { path: "$tags", preserveNullAndEmptyArrays: true } }, { $count: "n" }],
    [{ n: 5 }],
  ],
  [
    "$lookup",
    [
      { $match: { _id: 1 } },
      { $lookup: { from: "people", localField: "who", foreignField: "_id", as: "person" } },
      { $project: { name: { $first: "$person.name" } } },
    ],
    [{ _id: 1, name: "Ann" }],
  ],
  [
    "$lookup without a match",
    [
      { $match: { _id: 4 } },
      { $lookup: { from: "people", localField: "who", foreignField: "_id", as: "person" } },
      { $project: { person: 1 } },
    ],
    [{ _id: 4, person: [] }],
  ],
  [
    "$lookup and $unwind",
    [
      { $lookup: { from: "people", localField: "who", foreignField: "_id", as: "p" } },
      { $unwind: "$p" },
      { $sort: { _id: 1 } },
      { $project: { n: "$p.name" } },
    ],
    [
      { _id: 1, n: "Ann" },
      { _id: 2, n: "Bob" },
      { _id: 3, n: "Ann" },
    ],
  ],
  [
    "$lookup with a pipeline",
    [
      { $match: { _id: 1 } },
      {
        $lookup: {
          from: "people",
          let: { w: "$who" },
          pipeline: [{ $match: { $expr: { $eq: ["$_id", "$$w"] } } }, { $project: { _id: 0, name: 1 } }],
          as: "p",
        },
      },
      { $project: { p: 1 } },
    ],
    [{ _id: 1, p: [{ name: "Ann" }] }],
  ],
  [
    "$lookup with fields and a pipeline",
    [
      { $match: { _id: 1 } },
      {
        $lookup: {
          from: "people",
          localField: "who",
          foreignField: "_id",
          pipeline: [{ $project: { _id: 0, name: 1 } }],
          as: "p",
        },
      },
      { $project: { p: 1 } },
    ],
    [{ _id: 1, p: [{ name: "Ann" }] }],
  ],
  [
    "$facet",
    [
      {
        $facet: {
          count: [{ $count: "n" }],
          top: [{ $sort: { qty: -1 } }, { $limit: 1 }, { $project: { qty: 1 } }],
        },
      },
    ],
    [{ count: [{ n: 4 }], top: [{ _id: 3, qty: 5 }] }],
  ],
  [
    "$addFields and $set",
    [
      { $match: { _id: 2 } },
      { $addFields: { double: { $multiply: ["$qty", 2] } } },
      { $set: { half: { $divide: ["$double", 4] } } },
      { $project: { double: 1, half: 1 } },
    ],
    [{ _id: 2, double: 2, half: 0.5 }],
  ],
  [
    "$project with conditions",
    [
      { $sort: { _id: 1 } },
      { $project: { size: { $cond: [{ $gte: ["$qty", 3] }, "big", "small"] } } },
      { $limit: 3 },
    ],
    [
      { _id: 1, size: "small" },
      { _id: 2, size: "small" },
      { _id: 3, size: "big" },
    ],
  ],
  ["$unset", [{ $match: { _id: 4 } }, { $unset: ["at", "who", "item"] }], [{ _id: 4, qty: 3 }]],
  ["$replaceRoot", [{ $match: { _id: 4 } }, { $replaceRoot: { newRoot: { who: "$who" } } }], [{ who: "c" }]],
  ["$sortByCount", [{ $sortByCount: "$who" }, { $limit: 1 }], [{ _id: "a", count: 2 }]],
  [
    "$bucket",
    [{ $bucket: { groupBy: "$qty", boundaries: [0, 2, 4], default: "more", output: { n: { $sum: 1 } } } }],
    [
      { _id: 0, n: 1 },
      { _id: 2, n: 2 },
      { _id: "more", n: 1 },
    ],
  ],
  [
    "$dateToString",
    [{ $match: { _id: 1 } }, { $project: { day: { $dateToString: { date: "$at", format: "%Y-%m-%d" } } } }],
    [{ _id: 1, day: "2026-01-01" }],
  ],
  [
    "$group by day",
    [
      { $group: { _id: { $dateToString: { date: "$at", format: "%Y-%m" } }, n: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ],
    [
      { _id: "2026-01", n: 3 },
      { _id: "2026-02", n: 1 },
    ],
  ],
  [
    "strings",
    [
      { $match: { _id: 1 } },
      { $project: { s: { $concat: [{ $toUpper: "$who" }, "-", "$item"] }, n: { $strLenCP: "$item" } } },
    ],
    [{ _id: 1, s: "A-x", n: 1 }],
  ],
  [
    "$filter and $map",
    [
      { $match: { _id: 1 } },
      {
        $project: {
          f: { $filter: { input: "$tags", as: "t", cond: { $eq: ["$$t", "q"] } } },
          m: { $map: { input: "$tags", as: "t", in: { $concat: ["$$t", "!"] } } },
        },
      },
    ],
    [{ _id: 1, f: ["q"], m: ["p!", "q!"] }],
  ],
  [
    "$in and $ifNull",
    [
      { $sort: { _id: -1 } },
      { $limit: 1 },
      { $project: { has: { $in: ["q", { $ifNull: ["$tags", []] }] } } },
    ],
    [{ _id: 4, has: false }],
  ],
  [
    "$unionWith",
    [
      { $project: { _id: 1 } },
      { $unionWith: { coll: "people", pipeline: [{ $project: { _id: 1 } }] } },
      { $count: "n" },
    ],
    [{ n: 6 }],
  ],
  ["$skip", [{ $sort: { _id: 1 } }, { $skip: 3 }, { $project: { _id: 1 } }], [{ _id: 4 }]],
  [
    "$match after $group",
    [{ $group: { _id: "$who", n: { $sum: 1 } } }, { $match: { n: { $gt: 1 } } }],
    [{ _id: "a", n: 2 }],
  ],
  ["$count of nothing", [{ $match: { qty: 99 } }, { $count: "n" }], []],
  ["$sample", [{ $sample: { size: 2 } }, { $count: "n" }], [{ n: 2 }]],
  [
    "$setWindowFields",
    [
      {
        $setWindowFields: {
          sortBy: { _id: 1 },
          output: { sum: { $sum: "$qty", window: { documents: ["unbounded", "current"] } } },
        },
      },
      { $match: { _id: 3 } },
      { $project: { sum: 1 } },
    ],
    [{ _id: 3, sum: 8 }],
  ],
  [
    "$push and $addToSet of missing fields",
    [
      { $match: { _id: { $gt: 2 } } },
      { $group: { _id: null, all: { $push: "$tags" }, set: { $addToSet: "$tags" } } },
    ],
    [{ _id: null, all: [[]], set: [[]] }],
  ],
  [
    "operands in an array of one",
    [
      { $match: { _id: 1 } },
      { $project: { n: { $size: [["p", "q"]] }, r: { $reverseArray: [["p", "q"]] }, u: { $toUpper: "àb" } } },
    ],
    [{ _id: 1, n: 2, r: ["q", "p"], u: "àB" }],
  ],
  [
    "parts of missing dates",
    [{ $match: { _id: 1 } }, { $project: { y: { $year: "$nothing" }, h: { $hour: "$at" } } }],
    [{ _id: 1, y: null, h: 10 }],
  ],
  [
    "$expr in $match",
    [{ $match: { $expr: { $eq: [{ $mod: ["$qty", 2] }, 0] } } }, { $project: { qty: 1 } }],
    [{ _id: 1, qty: 2 }],
  ],
];

const pipelineErrors: [name: string, stage: Document, code: number][] = [
  ["$unwind without $", { $unwind: "tags" }, 28_818],
  ["$skip of a negative number", { $skip: -1 }, 5_107_200],
  ["$sample of a negative number", { $sample: { size: -1 } }, 28_747],
  ["$sort by nothing", { $sort: {} }, 15_976],
  ["$count without a name", { $count: "" }, 40_156],
  ["$size of nothing", { $project: { n: { $size: "$nothing" } } }, 17_124],
];

describe.each(targets)("aggregation on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let collection: Collection<Document & { _id: unknown }>;

  beforeAll(async () => {
    server = await target.open();
    collection = server.db.collection("orders");
    await collection.insertMany(orders);
    await server.db.collection<{ _id: string }>("people").insertMany(people);
  });
  afterAll(() => server.close());

  it.each(cases)("%s", async (_name, pipeline, expected) => {
    expect(await collection.aggregate(pipeline).toArray()).toEqual(expected);
  });

  it.each(pipelineErrors)("rejects %s", async (_name, stage, code) => {
    await expect(collection.aggregate([stage]).toArray()).rejects.toMatchObject({ code });
  });

  describe("$graphLookup", () => {
    const graph = {
      from: "nodes",
      startWith: "$to",
      connectFromField: "to",
      connectToField: "name",
      as: "found",
    };
    const search = async (match: Document, options: Document, collation?: CollationOptions) => {
      const stages = [
        { $match: match },
        { $graphLookup: { ...graph, ...options } },
        { $unwind: "$found" },
        { $sort: { "found._id": 1 } },
        { $replaceRoot: { newRoot: "$found" } },
      ];
      return server.db
        .collection("nodes")
        .aggregate(stages, { ...(collation && { collation }) })
        .toArray();
    };
    const ids = (documents: Document[]) => documents.map(({ _id }) => _id as number);

    beforeAll(async () => {
      await server.db.collection<Document & { _id: number }>("nodes").insertMany([
        { _id: 1, name: "a", to: "b" },
        { _id: 2, name: "b", to: ["c", "d"], isHidden: false },
        { _id: 3, name: "c", to: "a" },
        { _id: 4, name: "d", to: "E", isHidden: true },
        { _id: 5, name: "e" },
        { _id: 6, name: ["x", "y"], to: null },
        { _id: 7, to: "y" },
      ]);
    });
    afterAll(() => server.db.dropCollection("nodes"));

    it.each<[name: string, match: Document, options: Document, ids: number[]]>([
      ["goes in circles once", { _id: 1 }, {}, [1, 2, 3, 4]],
      ["starts with each element of an array", { _id: 2 }, {}, [1, 2, 3, 4]],
      ["starts with an expression", { _id: 5 }, { startWith: { $concat: ["", "d"] } }, [4]],
      ["ends at a depth", { _id: 1 }, { maxDepth: 1 }, [2, 3, 4]],
      [
        "omits documents that don't match",
        { _id: 1 },
        { restrictSearchWithMatch: { isHidden: { $ne: true } } },
        [1, 2, 3],
      ],
      ["finds elements of arrays and missing fields", { _id: 7 }, {}, [6, 7]],
      ["finds nothing without a start", { _id: 5 }, {}, []],
      ["finds nothing in a missing collection", { _id: 1 }, { from: "missing" }, []],
    ])("%s", async (_name, match, options, expected) => {
      expect(ids(await search(match, options))).toEqual(expected);
    });

    it("returns the depth and compares with the collation", async () => {
      const found = await search({ _id: 2 }, { depthField: "steps" }, { locale: "en", strength: 2 });
      expect(found.map(({ _id, steps }) => [_id, steps])).toEqual([
        [1, 1],
        [2, 2],
        [3, 0],
        [4, 0],
        [5, 1],
      ]);
    });

    it.each([
      ["without from", { from: undefined }],
      ["with a negative depth", { maxDepth: -1 }],
      ["with an unknown field", { depth: 1 }],
    ])("is rejected %s", async (_name, options) => {
      await expect(search({}, options)).rejects.toMatchObject({ code: expect.any(Number) as number });
    });
  });

  it("groups by ObjectId", async () => {
    const [one, two] = [new ObjectId(), new ObjectId()];
    const things = server.db.collection("things");
    await things.insertMany([{ c: one }, { c: two }, { c: one }]);
    const found = await things
      .aggregate([{ $group: { _id: "$c", n: { $sum: 1 } } }, { $sort: { n: -1 } }])
      .toArray();
    expect(found).toEqual([
      { _id: one, n: 2 },
      { _id: two, n: 1 },
    ]);
  });

  it("$out replaces a collection and keeps its indexes", async () => {
    const out = server.db.collection("out");
    await out.createIndex({ qty: 1 });
    await out.insertOne({ old: true });
    await collection.aggregate([{ $match: { who: "a" } }, { $out: "out" }]).toArray();
    expect(await out.countDocuments()).toBe(2);
    expect((await out.indexes()).map(({ name }) => name)).toEqual(["_id_", "qty_1"]);
  });

  it("$merge inserts and merges", async () => {
    const merged = server.db.collection("merged");
    await merged.insertOne({ _id: "a" as unknown as ObjectId, kept: 1 });
    await collection
      .aggregate([{ $group: { _id: "$who", n: { $sum: 1 } } }, { $merge: { into: "merged" } }])
      .toArray();
    expect(await merged.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: "a", kept: 1, n: 2 },
      { _id: "b", n: 1 },
      { _id: "c", n: 1 },
    ]);
  });

  it("$merge reports existing or missing documents", async () => {
    await server.db.collection<{ _id: number }>("exists").insertOne({ _id: 1 });
    const merge = (rules: Document) =>
      collection.aggregate([{ $project: { _id: { $literal: 1 } } }, { $merge: rules }]).toArray();
    await expect(merge({ into: "exists", whenMatched: "fail" })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
      keyValue: { _id: 1 },
    });
    await expect(merge({ into: "none", whenNotMatched: "fail" })).rejects.toMatchObject({ code: 13113 });
    await expect(merge({ into: "exists", on: "other" })).rejects.toMatchObject({ code: 51183 });
  });

  it.each<[name: string, pipeline: Document[], code: number]>([
    ["an unknown stage", [{ $frobnicate: {} }], 40324],
    ["a script", [{ $match: { $where: "true" } }], 2],
    ["a stage with two operators", [{ $match: {}, $sort: { a: 1 } }], 40323],
    ["$out in the middle", [{ $out: "x" }, { $match: {} }], 40601],
  ])("rejects %s", async (_name, pipeline, code) => {
    const refused = collection.aggregate(pipeline).toArray();
    await expect(refused).rejects.toMatchObject({ code });
  });
});
