import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "@fanfare/contract";
import { startEmbeddedMongo } from "@fanfare/embedded-mongo";
import mongoose, { Schema, Types, type mongo } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { defineRepository, DURABLE, ID, newId, REQUIRED_ID, nullIfDuplicate } from "../src/repository.ts";

interface Book {
  _id: string;
  ownerId: string;
  readerIds?: string[];
  lent?: { to?: string; days: number }[];
  title: string;
  count?: number;
}

const schema = new Schema<Book>(
  {
    ownerId: REQUIRED_ID,
    readerIds: { type: [ID], default: undefined },
    lent: { type: [new Schema({ to: ID, days: Number }, { _id: false })], default: undefined },
    title: { type: String, required: true },
    count: Number,
  },
  { collection: "books" },
).index({ ownerId: 1, title: 1 }, { unique: true });

const createBooks = defineRepository({ name: "Book", schema }, (books) => books);
const loose = new Schema<Book>({ ownerId: REQUIRED_ID, title: String }, { collection: "looseBooks" });
const createLoose = defineRepository({ name: "LooseBook", schema: loose, durable: false }, (books) => books);

let dir: string;
let engine: Awaited<ReturnType<typeof startEmbeddedMongo>>;
let connection: mongoose.Connection;
let commands: mongo.Document[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "fanfare-repository-"));
  engine = await startEmbeddedMongo({ dir });
  const options = { dbName: "books", autoIndex: false, autoCreate: false, monitorCommands: true };
  connection = await mongoose.createConnection(engine.uri, options).asPromise();
  connection.getClient().on("commandStarted", ({ command }) => commands.push(command));
  createBooks(connection);
  await connection.syncIndexes();
});
afterAll(async () => {
  await connection.close();
  await engine.close();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(async () => {
  await connection.collection("books").deleteMany({});
  commands = [];
});

const book = (about: Partial<Book> = {}): Book => ({ _id: newId(), ownerId: newId(), title: "a", ...about });

test("ids are strings for callers and ObjectIds in the database", async () => {
  const { model, insert, insertMany, native, fromNative } = createBooks(connection);
  const readerIds = [newId(), newId()];
  const inserted = await insert(book({ readerIds, lent: [{ to: newId(), days: 1 }, { days: 2 }] }));
  const { _id, ownerId, lent } = inserted;
  const stored = await native.findOne({ _id: new Types.ObjectId(_id) });
  expect(stored).toEqual({
    _id: new Types.ObjectId(_id),
    ownerId: new Types.ObjectId(ownerId),
    readerIds: readerIds.map((id) => new Types.ObjectId(id)),
    lent: [{ to: new Types.ObjectId(lent![0]!.to), days: 1 }, { days: 2 }],
    title: "a",
  });
  const readerId = newId();
  const change = { $push: { readerIds: readerId } };
  expect(await model.findOne({ ownerId, readerIds: readerIds[0]! }).lean()).toEqual(inserted);
  expect(await model.findByIdAndUpdate(_id, change, { returnDocument: "after" }).lean()).toEqual({
    ...inserted,
    readerIds: [...readerIds, readerId],
  });
  const other = book({ ownerId, title: "b" });
  await insertMany([other]);
  expect(await model.find({ ownerId, _id: { $gt: _id } }).lean()).toEqual([other]);
  expect(fromNative(await native.find({ title: "b" }).toArray())).toEqual([other]);
  expect(await model.findOneAndDelete({ _id: other._id }).lean()).toEqual(other);
});

test("concurrent inserts share a command, and only those that break a unique index are refused", async () => {
  const { insert, model } = createBooks(connection);
  const taken = await insert(book());
  commands = [];
  const [one, same, other, last] = [book(), book({ ownerId: taken.ownerId }), book({ title: "b" }), book()];
  const results = await Promise.all([one, same, other, last].map((each) => nullIfDuplicate(insert(each))));
  expect(results).toEqual([one, null, other, last]);
  expect(commands).toMatchObject([{ writeConcern: DURABLE }]);
  expect(commands[0]!["documents"]).toHaveLength(4);
  expect(await model.countDocuments()).toBe(4);
  await expect(Promise.all([insert(book({ ownerId: "not an id" })), insert(book())])).rejects.toThrow(
    "24 character hex string",
  );
  await expect.poll(() => model.countDocuments()).toBe(5);
});

test("writes by a filter return whether a document matched, or the new document", async () => {
  const { insert, update, updateAll, change, remove, removeAll, removeSome, listIds } =
    createBooks(connection);
  const [one, other] = [await insert(book()), await insert(book())];
  const { _id } = one;
  expect(await update({ _id, title: "b" }, { $set: { count: 1 } })).toBe(false);
  expect(await update({ _id }, { $set: { count: 1 } })).toBe(true);
  expect(await change({ _id }, { $inc: { count: 1 } })).toEqual({ ...one, count: 2 });
  expect(await change({ _id, title: "b" }, { $inc: { count: 1 } })).toBeNull();
  await updateAll({}, { $set: { title: "b" } });
  expect(await listIds({ title: "b" })).toEqual([_id, other._id]);
  expect(await listIds({ title: "b" }, 1)).toEqual([_id]);
  expect([await remove({ _id }), await remove({ _id })]).toEqual([true, false]);
  expect([await removeSome({}, 5), await removeSome({}, 5)]).toEqual([1, 0]);
  await insert(book());
  await removeAll({});
  expect(await listIds({})).toEqual([]);
});

test("every command has a time limit, and every write is durable", async () => {
  const { model, insert, insertMany } = createBooks(connection);
  const { _id } = await insert(book());
  await insertMany([book()]);
  await model.updateOne({ _id }, { $set: { count: 1 } });
  await model.updateMany({}, { $inc: { count: 1 } });
  await model.findOneAndUpdate({ _id }, { $set: { count: 3 } });
  await model.find({ _id }).lean();
  await model.countDocuments({});
  await model.deleteOne({ _id });
  await model.deleteMany({});
  const writes = new Set(["insert", "update", "delete", "findAndModify"]);
  expect(commands).toHaveLength(9);
  for (const command of commands) {
    const [name] = Object.keys(command);
    const concern = writes.has(name!) ? { w: "majority", j: true } : undefined;
    expect([name, command["maxTimeMS"], command["writeConcern"]]).toEqual([
      name,
      LIMITS.writeTimeoutMs,
      concern,
    ]);
  }
});

test("non-durable writes use the write concern of the database", async () => {
  const { model, insert } = createLoose(connection);
  const { _id } = await insert(book());
  await model.updateOne({ _id }, { $set: { title: "b" } });
  expect(commands.map((command) => command["writeConcern"])).toEqual([undefined, undefined]);
  expect(commands.map((command) => command["maxTimeMS"])).toEqual(Array(2).fill(LIMITS.writeTimeoutMs));
});

test("ignores expected duplicates", async () => {
  const { insert } = createBooks(connection);
  const first = book();
  expect(await nullIfDuplicate(insert(first))).toEqual(first);
  expect(await nullIfDuplicate(insert({ ...first, _id: newId() }))).toBeNull();
  await expect(nullIfDuplicate(Promise.reject(new Error("lost")))).rejects.toThrow("lost");
});

test("concurrent upserts of a unique key all succeed", async () => {
  const { model } = createBooks(connection);
  const key = { ownerId: newId(), title: "The same" };
  await Promise.all(
    Array.from({ length: 50 }, () => model.updateOne(key, { $inc: { count: 1 } }, { upsert: true })),
  );
  expect(await model.find(key).lean()).toMatchObject([{ count: 50 }]);
});
