import { must } from "@fanfare/testing";
import mongoose from "mongoose";
import { expect, test, vi } from "vitest";
import { startNewDatabase } from "../../../test/support/new-database.ts";
import { startNode } from "../../../test/support/node-process.ts";
import { newGroup } from "./new-group.ts";

const PAST = new Date(0);
/** The killed process can have held the lease of the job, for half a minute. */
const LEASE_ENDS_WITHIN_MS = 90_000;

test(
  "after kill -9, scheduled messages that became due meanwhile are sent, each once",
  { tags: "long" },
  async () => {
    const database = await startNewDatabase();
    const { process: server, url } = await startNode({ env: { MONGO_URL: database.url } });
    const connection = await mongoose.createConnection(database.url, { dbName: "fanfare" }).asPromise();
    try {
      const { me, channelId } = await newGroup(url);
      const schedule = async (content: string): Promise<string> => {
        const params = { channelId, content, sendAt: new Date(Date.now() + 3_600_000).toISOString() };
        return (await must(url, "scheduled.add", params, me.accessToken)).scheduled.id;
      };
      const expectScheduled = (contents: string[]) =>
        vi.waitFor(async () => {
          const { scheduled } = await must(url, "scheduled.list", {}, me.accessToken);
          expect(scheduled.map(({ content }) => content)).toEqual(contents);
        }, LEASE_ENDS_WITHIN_MS);
      const documents = connection.collection("scheduledMessages");
      const scheduledId = await schedule("sent before");
      const sentBefore = await documents.findOne({ content: "sent before" });
      await must(url, "scheduled.change", { scheduledId, sendAt: PAST.toISOString() }, me.accessToken);
      await expectScheduled([]);
      await schedule("due while away");

      await server.kill();
      // As after a kill between the sending and the removal.
      await documents.insertOne(sentBefore!);
      // Instead of waiting for its time: the kill must come before it, however slow the machine is.
      await documents.updateMany({}, { $set: { sendAt: PAST, dueAt: PAST } });
      await connection
        .collection("jobs")
        .updateOne({ kind: "inbox.sendScheduled" }, { $set: { dueAt: PAST } });
      await server.start();

      await expectScheduled([]);
      const { messages } = await must(url, "message.list", { channelId }, me.accessToken);
      expect(messages.map(({ content }) => content)).toEqual(["sent before", "due while away"]);
    } finally {
      await connection.close();
      await server.stop();
      await database.stop();
    }
  },
);
