// Enqueues and runs jobs, and reports each step on stdout, until it is killed.
import { writeSync } from "node:fs";
import { connect, jobsOn } from "./database.ts";

const [uri = "", name = ""] = process.argv.slice(2);
const connection = await connect(uri);
const effects = connection.collection<{ _id: string; key: string }>("effects");
const totals = connection.collection<{ _id: string; total: number; fence: string[] }>("totals");
const jobs = jobsOn(connection, { leaseMs: 1000 });
const kind = jobs.define<{ by: string }>("test", {
  concurrency: 4,
  maxTries: 1000,
  async run({ id, key }) {
    await connection.collection("runs").insertOne({ key });
    writeSync(1, `begun ${key}\n`);
    // Two ways to guard an effect by the job's id: as a unique key, and in a set that is updated together with the effect.
    await effects.updateOne({ _id: id }, { $setOnInsert: { key } }, { upsert: true });
    writeSync(1, `inserted ${key}\n`);
    const total = `total-${id.at(-1)}`;
    await totals.updateOne({ _id: total }, { $setOnInsert: { total: 0, fence: [] } }, { upsert: true });
    await totals.updateOne({ _id: total, fence: { $ne: id } }, { $inc: { total: 1 }, $push: { fence: id } });
    writeSync(1, `added ${key}\n`);
  },
});
await jobs.start();
const isLast = name === "last";
for (let i = 0; i < (isLast ? 0 : Infinity); i += 1) {
  const key = `${name}-${i}`;
  await kind.enqueue(key, { by: name });
  writeSync(1, `enqueued ${key}\n`);
}
