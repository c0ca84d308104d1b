import { setTimeout as delay } from "node:timers/promises";
import { startDatabase } from "@fanfare/testing";
import { startNode } from "../support/node-process.ts";
import mongoose from "mongoose";
import { expect, test } from "vitest";

/** Between the well-known ports and the ephemeral range. */
const OPS_PORT = 20_000 + (process.pid % 10_000);

const statusOf = async (path: string): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${OPS_PORT}${path}`).catch(() => null);
  return answer === null ? "away" : `${answer.status} ${(await answer.text()).trim()}`;
};

test(
  "while another process migrates the database, a process is alive but not ready, and takes over if the other dies",
  { tags: "long" },
  async () => {
    const database = await startDatabase();
    try {
      const connection = await mongoose.createConnection(database.url, { dbName: "fanfare" }).asPromise();
      const lease = { _id: "lease", fence: 1, beat: 5, holder: "dead:1" };
      await connection.collection<{ _id: string }>("migrationLease").insertOne(lease);
      const starting = startNode({ env: { MONGO_URL: database.url }, opsPort: OPS_PORT });
      let reason = "";
      while (!reason.includes("another process")) {
        await delay(50);
        reason = await statusOf("/readyz");
      }
      expect(reason).toBe("503 another process is migrating the database: 0001-message-revs");
      expect(await statusOf("/livez")).toBe("200 ok");
      const node = await starting;
      expect(await statusOf("/readyz")).toBe("200 ok");
      const records = await connection.collection("migrations").find().toArray();
      expect(new Set(records.map(({ state, fence }) => `${state} ${fence}`))).toEqual(new Set(["done 2"]));
      await node.process.stop();
      await connection.close();
    } finally {
      await database.stop();
    }
  },
);
