import mongoose, { Schema } from "mongoose";

/** The result that a client process reports to its parent. */
export interface ClientReport {
  /** The ids of acknowledged documents. */
  readonly acknowledged: string[];
  /** The names of errors after which a retry succeeded. */
  readonly errors: string[];
}

const WRITERS = 4;
const DUPLICATE_KEY = 11000;
const PAUSE_MS = 20;

const [uri = "", name = ""] = process.argv.slice(2);
const connection = await mongoose.createConnection(uri, { dbName: "clients" }).asPromise();
const noteSchema = new Schema({ _id: String, n: Number }, { writeConcern: { w: "majority", j: true } });
const Note = connection.model("Note", noteSchema);

const acknowledged: string[] = [];
const errors = new Set<string>();
const stopping = new AbortController();

/** Retries a write with the same id until it is acknowledged or known to have succeeded before. */
async function write(_id: string, n: number): Promise<void> {
  for (;;) {
    try {
      await new Note({ _id, n }).save();
      return;
    } catch (error) {
      const { name: kind, code } = error as Error & { code?: number };
      if (code === DUPLICATE_KEY) return;
      errors.add(kind);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const writers = Array.from({ length: WRITERS }, async (_, writer) => {
  for (let n = 0; !stopping.signal.aborted; n++) {
    const id = `${name}-${writer}-${n}`;
    await write(id, n);
    acknowledged.push(id);
  }
});

process.on("message", (message) => {
  if (message === "count") process.send!(acknowledged.length);
  else stopping.abort();
});
process.once("disconnect", () => process.exit(1));
await Promise.all(writers);
await connection.close();
process.send!({ acknowledged, errors: [...errors] } satisfies ClientReport, () => process.exit(0));
