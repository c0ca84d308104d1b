// Sends in an endless loop and prints each acknowledged message to stdout, until it is killed.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedMongoProcess } from "@fanfare/embedded-mongo";
import { startMessageNode } from "./message-node.ts";

const [dir = "", channelId = "", run = ""] = process.argv.slice(2);
// As an instance does it: the database ends after the process that is killed.
const database = await startEmbeddedMongoProcess({ dir: join(dir, "db") });
const node = await startMessageNode({ DATA_DIR: dir, MONGO_URL: database.uri });
const send = async (sender: number): Promise<void> => {
  for (let i = 0; ; i++) {
    const nonce = `${run}/${sender}/${i}`;
    const { message } = await node.as("a".repeat(24), "message.send", { channelId, content: nonce, nonce });
    writeSync(1, `${message.id} ${message.seq} ${nonce}\n`);
  }
};
await Promise.all(Array.from({ length: 16 }, (_, i) => send(i)));
