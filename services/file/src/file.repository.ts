import { Types, type Connection, type Model } from "mongoose";
import { MARK_BATCH, SUM_PAGE, SWEEP_LEASE_MS } from "./bounds.ts";
import { fileModel, type FileDocument, type FileState } from "./file.model.ts";

type Set = Partial<Omit<FileDocument, "_id">>;
type Which =
  | { ownerId: string; state: FileState }
  | { channelId: string; state: FileState }
  | { pictureOf: string };

/** Every query of the files. */
export class FileRepository {
  readonly #model: Model<FileDocument>;

  constructor(database: Connection) {
    this.#model = fileModel(database);
  }

  async insert(file: FileDocument): Promise<void> {
    await this.#model.create(file);
  }

  async find(fileId: string): Promise<FileDocument | null> {
    return this.#model.findById(fileId).lean();
  }

  async findMany(fileIds: readonly string[]): Promise<FileDocument[]> {
    return this.#model.find({ _id: { $in: fileIds.map((id) => new Types.ObjectId(id)) } }).lean();
  }

  /** Those of a user, newest first. */
  async page(ownerId: string, before: string | undefined, limit: number): Promise<FileDocument[]> {
    const older = before === undefined ? {} : { _id: { $lt: new Types.ObjectId(before) } };
    return this.#model
      .find({ ownerId: new Types.ObjectId(ownerId), ...older })
      .sort({ _id: -1 })
      .limit(limit)
      .lean();
  }

  /** How many of a user are in a state, counted up to `limit`. */
  async count(ownerId: string, state: FileState, limit: number): Promise<number> {
    return this.#model.countDocuments({ ownerId: new Types.ObjectId(ownerId), state }).limit(limit);
  }

  /** Adds up what is counted, page by page. */
  async sumBytes(field: "ownerId" | "groupId", id: string): Promise<number> {
    let total = 0;
    let after: object = {};
    for (;;) {
      const page = await this.#model
        .find({ [field]: new Types.ObjectId(id), ...after }, { bytes: 1 })
        .sort({ _id: -1 })
        .limit(SUM_PAGE)
        .lean();
      for (const { bytes } of page) total += bytes;
      const last = page.at(-1);
      if (last === undefined || page.length < SUM_PAGE) return total;
      after = { _id: { $lt: last._id } };
    }
  }

  /** Changes a file that is in one of these states; null where it is not. */
  async change(
    fileId: string,
    states: readonly FileState[],
    set: Set,
    unset: readonly (keyof FileDocument)[] = [],
  ): Promise<FileDocument | null> {
    const gone = Object.fromEntries(unset.map((field) => [field, 1 as const]));
    return this.#model
      .findOneAndUpdate(
        { _id: fileId, state: { $in: [...states] } },
        { $set: set, ...(unset.length > 0 && { $unset: gone }) },
        { returnDocument: "after" },
      )
      .lean();
  }

  /** Makes those that nobody has claimed, or the same message has, parts of the message with this nonce. */
  async claim(fileIds: readonly string[], { nonce, dueAt }: { nonce: string; dueAt: Date }): Promise<void> {
    const _id = { $in: fileIds.map((id) => new Types.ObjectId(id)) };
    await this.#model.updateMany({ _id, state: "attached", nonce }, { $set: { dueAt } });
    await this.#model.updateMany({ _id, state: "unclaimed" }, { $set: { state: "attached", nonce, dueAt } });
  }

  /** Marks files to be deleted, batch by batch; resolves to how many. */
  async markDeleting(which: Which, dueAt: Date, exceptId?: string): Promise<number> {
    let total = 0;
    for (;;) {
      const found = await this.#model
        .find({ ...filterOf(which), ...("pictureOf" in which && { state: "picture" }) }, { _id: 1 })
        .limit(MARK_BATCH)
        .lean();
      const ids = found.map(({ _id }) => _id).filter((id) => id.toHexString() !== exceptId);
      if (ids.length > 0)
        await this.#model.updateMany({ _id: { $in: ids } }, { $set: { state: "deleting", dueAt } });
      total += ids.length;
      if (found.length < MARK_BATCH) return total;
    }
  }

  /** Takes up the file that has been due for longest, so that no other worker does; null where none is. */
  async takeDue(now: Date): Promise<FileDocument | null> {
    return this.#model
      .findOneAndUpdate(
        { dueAt: { $lte: now } },
        { $set: { dueAt: new Date(now.getTime() + SWEEP_LEASE_MS) } },
        { sort: { dueAt: 1 }, returnDocument: "after" },
      )
      .lean();
  }

  /** The file that was deleted, to whoever deleted it. */
  async delete(fileId: string): Promise<FileDocument | null> {
    return this.#model.findByIdAndDelete(fileId).lean();
  }
}

function filterOf(which: Which) {
  if ("pictureOf" in which) return which;
  if ("ownerId" in which) return { ownerId: new Types.ObjectId(which.ownerId), state: which.state };
  return { channelId: new Types.ObjectId(which.channelId), state: which.state };
}
