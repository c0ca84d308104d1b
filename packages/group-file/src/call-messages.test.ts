import { GroupFileLineSchema, type GroupFileLineOf } from "@fanfare/contract";
import { mongo } from "mongoose";
import { expect, test } from "vitest";
import { createNewIds, messageDocument } from "./documents.ts";
import { messageLine } from "./lines-of.ts";
import { newSalt } from "./new-salt.ts";

const [id, channelId, ada, bob] = ["1", "c", "a", "b"].map((digit) => digit.repeat(24)) as [
  string,
  string,
  string,
  string,
];

test("a message about a call is exported, and imported with the new ids of its users", () => {
  const call = { durationSeconds: 65, participantUserIds: [ada, bob], missed: false };
  const now = new Date();
  const stored = { _id: id, channelId, authorId: ada, content: "", createdAt: now, call };
  const written = messageLine({ ...stored, replyTo: null, editedAt: null, deletedAt: null });
  const line = GroupFileLineSchema.parse(written) as GroupFileLineOf<"message">;
  expect(line.call).toEqual(call);
  const newId = createNewIds(newSalt());
  const imported = messageDocument(line, 7, { groupId: new mongo.ObjectId(), newId, userId: newId });
  expect(imported["call"]).toEqual({ ...call, participantUserIds: [String(newId(ada)), String(newId(bob))] });
});
