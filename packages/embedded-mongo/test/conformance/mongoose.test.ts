import mongoose, { Schema, type Types } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { targets } from "../targets.ts";

const userSchema = new Schema(
  {
    username: { type: String, required: true, unique: true },
    email: { type: String, index: { unique: true, sparse: true } },
    age: Number,
    settings: { type: Map, of: String },
  },
  { timestamps: true },
);
const messageSchema = new Schema({
  channelId: { type: Schema.Types.ObjectId, required: true },
  author: { type: Schema.Types.ObjectId, ref: "User" },
  seq: { type: Number, required: true },
  content: { type: String, maxlength: 100 },
  reactions: [{ emoji: String, users: [Schema.Types.ObjectId] }],
});
messageSchema.index({ channelId: 1, seq: 1 }, { unique: true });

describe.each(targets)("mongoose on $name", (target) => {
  let server: Awaited<ReturnType<typeof target.open>>;
  let connection: mongoose.Connection;
  const models = () => ({
    User: connection.model("User", userSchema),
    Message: connection.model("Message", messageSchema),
  });

  beforeAll(async () => {
    server = await target.open();
    connection = await mongoose.createConnection(server.uri, { dbName: server.db.databaseName }).asPromise();
    const { User, Message } = models();
    await Promise.all([User.init(), Message.init()]);
  });
  afterAll(async () => {
    await connection.close();
    await server.close();
  });

  it("creates the indexes of the schemas", async () => {
    const { User, Message } = models();
    expect((await Message.listIndexes()).map(({ name }: { name: string }) => name)).toEqual([
      "_id_",
      "channelId_1_seq_1",
    ]);
    expect(await User.diffIndexes()).toEqual({ toDrop: [], toCreate: [] });
    expect(await User.syncIndexes()).toEqual([]);
  });

  it("creates, changes and saves with timestamps", async () => {
    const { User } = models();
    const user = await User.create({ username: "ann", settings: { theme: "dark" } });
    user.age = 30;
    user.settings!.set("lang", "de");
    await user.save();
    const found = await User.findById(user._id).orFail();
    expect(found.age).toBe(30);
    expect(found.settings!.get("lang")).toBe("de");
    expect(found.updatedAt.getTime()).toBeGreaterThanOrEqual(found.createdAt.getTime());
  });

  it("reports duplicates by code and index", async () => {
    const { User } = models();
    await User.create({ username: "dup" });
    await expect(User.create({ username: "dup" })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { username: 1 },
      keyValue: { username: "dup" },
    });
    await User.create([{ username: "no-mail-1" }, { username: "no-mail-2" }]);
  });

  it("populates", async () => {
    const { User, Message } = models();
    const author = await User.create({ username: "author" });
    await Message.create({
      channelId: new mongoose.Types.ObjectId(),
      author: author._id,
      seq: 1,
      content: "hi",
    });
    const message = await Message.findOne({ author: author._id })
      .populate<{ author: { username: string } }>("author")
      .orFail();
    expect(message.author.username).toBe("author");
  });

  it("increments counters like the message service", async () => {
    const { Message } = models();
    const counters = connection.collection<{ _id: Types.ObjectId; seq: number; rev: number }>("counters");
    const channelId = new mongoose.Types.ObjectId();
    const batches = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const head = await counters.findOneAndUpdate(
          { _id: channelId },
          { $inc: { seq: 5, rev: 5 } },
          { upsert: true, returnDocument: "after" },
        );
        const last = head!.seq;
        await Message.insertMany(
          Array.from({ length: 5 }, (_, i) => ({
            channelId,
            seq: last - 4 + i,
            content: `m${last - 4 + i}`,
          })),
          { w: "majority", j: true } as object,
        );
        return last;
      }),
    );
    expect(new Set(batches).size).toBe(20);
    const newest = await Message.find({ channelId }).sort({ seq: -1 }).limit(50).lean();
    expect(newest.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => 100 - i));
  });

  it("changes arrays of sub-documents", async () => {
    const { Message } = models();
    const message = await Message.create({
      channelId: new mongoose.Types.ObjectId(),
      seq: 1,
      reactions: [{ emoji: "+1", users: [] }],
    });
    const user = new mongoose.Types.ObjectId();
    await Message.updateOne(
      { _id: message._id, "reactions.emoji": "+1" },
      { $addToSet: { "reactions.$.users": user } },
    );
    await Message.updateOne(
      { _id: message._id, "reactions.emoji": "+1" },
      { $addToSet: { "reactions.$.users": user } },
    );
    const found = await Message.findById(message._id).lean().orFail();
    expect(found.reactions[0]!.users.map(String)).toEqual([String(user)]);
  });

  it("iterates with a cursor, deletes, aggregates, bulk-saves", async () => {
    const { Message } = models();
    const channelId = new mongoose.Types.ObjectId();
    await Message.insertMany(Array.from({ length: 30 }, (_, seq) => ({ channelId, seq })));
    let n = 0;
    for await (const _message of Message.find({ channelId }).cursor({ batchSize: 7 })) n++;
    expect(n).toBe(30);
    const documents = await Message.find({ channelId }).limit(2);
    for (const document of documents) document.content = "edited";
    await Message.bulkSave(documents);
    expect(await Message.countDocuments({ channelId, content: "edited" })).toBe(2);
    const [sum] = await Message.aggregate<{ n: number }>([
      { $match: { channelId } },
      { $group: { _id: "$channelId", n: { $sum: "$seq" } } },
    ]);
    expect(sum!.n).toBe(435);
    expect(await Message.exists({ channelId, seq: 3 })).not.toBeNull();
    expect(await Message.deleteMany({ channelId })).toMatchObject({ deletedCount: 30 });
  });

  it("keeps email addresses unique regardless of case", async () => {
    const collation = { locale: "en", strength: 2 };
    const schema = new Schema({ email: String });
    schema.index({ email: 1 }, { unique: true, collation });
    const Account = connection.model("Account", schema);
    await Account.init();
    await Account.create({ email: "Ada@example.com" });
    await expect(Account.create({ email: "ada@EXAMPLE.com" })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
    });
    expect(await Account.findOne({ email: "ADA@example.com" }).collation(collation)).not.toBeNull();
    expect(await Account.findOne({ email: "ADA@example.com" })).toBeNull();
    expect(await Account.syncIndexes()).toEqual([]);
  });

  it("inherits the collation of a schema", async () => {
    const schema = new Schema({ name: String }, { collation: { locale: "en", strength: 1 } }).index({
      name: 1,
    });
    const Place = connection.model("Place", schema);
    await Place.init();
    await Place.create({ name: "Zürich" });
    expect(await Place.countDocuments({ name: "ZURICH" })).toBe(1);
    expect(await Place.listIndexes()).toMatchObject([
      { name: "_id_", collation: { locale: "en", strength: 1 } },
      { name: "name_1", collation: { locale: "en", strength: 1 } },
    ]);
  });

  it("casts and validates", async () => {
    const { Message } = models();
    await expect(Message.create({ seq: 1 })).rejects.toThrow(/channelId/);
    expect(await Message.find({ seq: "1200" as unknown as number }).lean()).toEqual([]);
  });
});
