import { randomBytes } from "node:crypto";
import { createFileStorage, storageKey } from "@fanfare/files";
import { Types } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { SWEEP_BATCH } from "../src/constants.ts";
import { createFileRepository } from "../src/file.repository.ts";
import { Quotas } from "../src/quotas.ts";
import { createRemover, createSweep } from "../src/cleanup.ts";
import { createUsageRepository } from "../src/usage.repository.ts";
import { startFileNode, type FileNode } from "./file-node.ts";

let fileNode: FileNode;
let sweep: ReturnType<typeof createSweep>;
let channelId: string;
let userId: string;
beforeAll(async () => {
  fileNode = await startFileNode({ FILE_QUOTA_USER_BYTES: "1000", FILE_QUOTA_INSTANCE_BYTES: "1000000" });
  const { node } = fileNode;
  const files = createFileRepository(node.database);
  const quotas = new Quotas(files, createUsageRepository(node.database), node.policy);
  const storage = createFileStorage(node.config);
  const remover = createRemover({ files, quotas, storage, services: node.services, logger: node.logger });
  sweep = createSweep({ files, remover, services: node.services, logger: node.logger });
});
afterAll(() => fileNode?.stop());
beforeEach(() => {
  channelId = randomBytes(12).toString("hex");
  userId = randomBytes(12).toString("hex");
});

const documents = () => fileNode.node.database.collection("files");
const byId = (fileId: string) => ({ _id: new Types.ObjectId(fileId) });
const stateOf = async (fileId: string): Promise<unknown> =>
  (await documents().findOne(byId(fileId)))?.["state"];
const isStored = async (fileId: string) => (await fileNode.storage.size(storageKey(fileId, "raw"))) !== null;
const used = async () => (await fileNode.as(userId, "file.getUsage", {})).usedBytes;
const dueNow = (fileId: string) => documents().updateOne(byId(fileId), { $set: { dueAt: new Date(0) } });
const hoursUntilDue = async (fileId: string): Promise<number> => {
  const { dueAt } = (await documents().findOne(byId(fileId))) as unknown as { dueAt: Date };
  return (dueAt.getTime() - Date.now()) / 3_600_000;
};
const claim = (fileId: string, nonce: string) =>
  fileNode.internal("file.claim", { fileIds: [fileId], channelId, userId, nonce });

test("an unattached file is deleted after a day", async () => {
  const fileId = await fileNode.upload(userId, channelId, randomBytes(100));
  expect(await hoursUntilDue(fileId)).toBeCloseTo(24, 1);
  await sweep();
  expect([await stateOf(fileId), await isStored(fileId), await used()]).toEqual(["unclaimed", true, 100]);
  await dueNow(fileId);
  await sweep();
  expect([await stateOf(fileId), await isStored(fileId), await used()]).toEqual([undefined, false, 0]);
});

test("files are swept by a recurring job, in as many batches as needed", async () => {
  const fileIds: string[] = [];
  for (let i = 0; i <= SWEEP_BATCH; i += 1)
    fileIds.push(await fileNode.upload(userId, channelId, randomBytes(1)));
  const all = { _id: { $in: fileIds.map((id) => new Types.ObjectId(id)) } };
  await documents().updateMany(all, { $set: { dueAt: new Date(0) } });
  const jobs = fileNode.node.database.collection("jobs");
  await jobs.updateOne({ kind: "file.sweep" }, { $set: { dueAt: new Date(0) } });
  await vi.waitFor(async () => expect(await documents().countDocuments(all)).toBe(0), 60_000);
});

test("an incomplete upload is deleted after an hour, and its space freed", async () => {
  const params = { channelId, name: "a", bytes: 500 };
  const { fileId } = await fileNode.as(userId, "file.startUpload", params);
  expect(await hoursUntilDue(fileId)).toBeCloseTo(1, 1);
  expect(await used()).toBe(500);
  await dueNow(fileId);
  await sweep();
  expect([await stateOf(fileId), await used()]).toEqual([undefined, 0]);
});

test("an attachment stays with its message, and is deleted even if the event of its deletion is lost", async () => {
  const fileId = await fileNode.upload(userId, channelId, randomBytes(10));
  const nonce = randomBytes(8).toString("hex");
  const { attachments } = await claim(fileId, nonce);
  fileNode.sent.set(nonce, attachments!);
  await dueNow(fileId);
  // While the message service doesn't respond, the file stays.
  fileNode.setMessagesAway(true);
  await sweep();
  expect(await stateOf(fileId)).toBe("attached");
  fileNode.setMessagesAway(false);
  await dueNow(fileId);
  await sweep();
  expect(await stateOf(fileId)).toBe("attached");
  expect(await hoursUntilDue(fileId)).toBeCloseTo(7 * 24, 0);
  fileNode.sent.delete(nonce);
  await dueNow(fileId);
  await sweep();
  expect([await stateOf(fileId), await isStored(fileId)]).toEqual([undefined, false]);
});

test("files claimed for a message that was never sent are deleted; a repeated claim extends the time", async () => {
  const fileId = await fileNode.upload(userId, channelId, randomBytes(10));
  await claim(fileId, "one");
  await dueNow(fileId);
  expect((await claim(fileId, "one")).attachments).toHaveLength(1);
  expect(await hoursUntilDue(fileId)).toBeCloseTo(1, 1);
  expect(await claim(fileId, "two")).toEqual({ attachments: null });
  await dueNow(fileId);
  await sweep();
  expect(await stateOf(fileId)).toBeUndefined();
});

test("of two messages that claim the same files concurrently, one gets them", async () => {
  const fileIds = [
    await fileNode.upload(userId, channelId, randomBytes(10)),
    await fileNode.upload(userId, channelId, randomBytes(10)),
  ];
  const answers = await Promise.all(
    ["a", "b", "c"].map((nonce) => fileNode.internal("file.claim", { fileIds, channelId, userId, nonce })),
  );
  expect(answers.filter(({ attachments }) => attachments !== null)).toHaveLength(1);
});

test("an interrupted deletion is completed", async () => {
  const fileId = await fileNode.upload(userId, channelId, randomBytes(10));
  await documents().updateOne(byId(fileId), { $set: { state: "deleting", dueAt: new Date(0) } });
  await sweep();
  expect([await stateOf(fileId), await isStored(fileId), await used()]).toEqual([undefined, false, 0]);
});

test("concurrent sweeps handle each file once", async () => {
  const fileId = await fileNode.upload(userId, channelId, randomBytes(10));
  await dueNow(fileId);
  await Promise.all([sweep(), sweep(), sweep()]);
  expect([await stateOf(fileId), await used()]).toEqual([undefined, 0]);
});

test("a full quota is recounted in case the counter is wrong", async () => {
  await fileNode.upload(userId, channelId, randomBytes(100));
  const usage = fileNode.node.database.collection("fileUsage");
  const ofUser = { _id: `user:${userId}` as never };
  const isOld = { takenAt: new Date(0) };
  await usage.updateOne(ofUser, { $set: { bytes: 990, ...isOld } });
  await fileNode.upload(userId, channelId, randomBytes(100));
  expect(await used()).toBe(200);
  // Not every time: a user with a full quota must not cause constant recounts.
  await usage.updateOne(ofUser, { $set: { bytes: 990, ...isOld } });
  await expect(fileNode.upload(userId, channelId, randomBytes(100))).rejects.toMatchObject({
    type: "LIMIT_REACHED",
  });
});

test("concurrent uploads can't exceed the quota", async () => {
  const uploads = Array.from({ length: 8 }, () => fileNode.upload(userId, channelId, randomBytes(300)));
  const results = await Promise.allSettled(uploads);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  expect(await used()).toBe(900);
});

test("a legal hold keeps deleted attachments, hidden, until it ends", async () => {
  const fileId = await fileNode.upload(userId, channelId, randomBytes(10));
  await claim(fileId, randomBytes(8).toString("hex"));
  fileNode.held.add(userId);
  await fileNode.internal("file.release", { channelId, fileIds: [fileId] });
  await dueNow(fileId);
  await sweep();
  await expect(fileNode.as(userId, "file.get", { fileId })).rejects.toMatchObject({ type: "FILE_NOT_FOUND" });
  expect([await stateOf(fileId), await isStored(fileId)]).toEqual(["deleting", true]);
  const { links } = await fileNode.internal("file.linkExported", { fileIds: [fileId] });
  expect(links).toEqual([{ fileId, path: expect.stringContaining(`/files/${fileId}/`) }]);
  fileNode.held.delete(userId);
  await dueNow(fileId);
  await sweep();
  expect([await stateOf(fileId), await isStored(fileId)]).toEqual([undefined, false]);
});

test("uploads that a user's quota refuses don't use up the quota of the instance", async () => {
  const refused = () => fileNode.as(userId, "file.startUpload", { channelId, name: "a", bytes: 600_000 });
  // The usage of the instance is not read again in between.
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    for (let i = 0; i < 2; i += 1)
      await expect(refused()).rejects.toMatchObject({ data: { limit: "fileQuotaUserBytes" } });
  } finally {
    vi.useRealTimers();
  }
});
