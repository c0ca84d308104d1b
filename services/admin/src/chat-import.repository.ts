import type { ChatImport, ImportFailure } from "@fanfare/contract";
import { defineRepository, REQUIRED_ID } from "@fanfare/kernel";
import { Schema } from "mongoose";

type State = ChatImport["state"];

export interface ChatImportDocument {
  /** Also of the uploaded bytes in the storage. */
  _id: string;
  byUserId: string;
  origin: ChatImport["origin"];
  fileName: string;
  bytes: number;
  team?: string;
  state: State;
  /** The step of a check or an import; absent: the first. */
  step?: NonNullable<ChatImport["step"]>;
  messages: number;
  files?: number;
  accounts: number;
  report?: ChatImport["report"];
  error?: string;
  failure?: ImportFailure;
  groupId?: string;
  /** Tries of the check or the import, without those that a stop of the server interrupted. */
  tries?: number;
  /** Whether the export of a completed import is deleted. */
  isUploadRemoved?: boolean;
  /** Of the import, when it was started. */
  run?: {
    owner: string;
    matchUsernames: boolean;
    createAccounts: boolean;
    /** Absent in documents of earlier versions: true. */
    directMessages?: boolean;
    again: boolean;
    startedAt: Date;
  };
  createdAt: Date;
  changedAt: Date;
}

const schema = new Schema<ChatImportDocument>(
  {
    byUserId: REQUIRED_ID,
    origin: { type: String, required: true },
    fileName: { type: String, required: true },
    bytes: { type: Number, required: true },
    team: String,
    state: { type: String, required: true },
    step: String,
    messages: { type: Number, required: true },
    files: Number,
    accounts: { type: Number, required: true },
    report: Schema.Types.Mixed,
    error: String,
    failure: Schema.Types.Mixed,
    groupId: String,
    tries: Number,
    isUploadRemoved: Boolean,
    run: Schema.Types.Mixed,
    createdAt: { type: Date, required: true },
    changedAt: { type: Date, required: true },
  },
  { collection: "chatImports" },
).index({ state: 1, _id: 1 });

export type ChatImportRepository = ReturnType<typeof createChatImportRepository>;

/** Queries of the collection chatImports. */
export const createChatImportRepository = defineRepository(
  { name: "ChatImport", schema },
  ({ model: imports, insert, update, change }) => ({
    insert,

    find: (importId: string) => imports.findById(importId).lean(),

    /** Newest first. */
    list: (limit: number) => imports.find().sort({ _id: -1 }).limit(limit).lean(),

    /** Oldest first. */
    listIn: (states: readonly State[], limit: number) =>
      imports
        .find({ state: { $in: states } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean(),

    /** @returns null when it isn't in one of the states */
    change: (importId: string, states: readonly State[], set: Partial<ChatImportDocument>) =>
      change({ _id: importId, state: { $in: states } }, { $set: { ...set, changedAt: new Date() } }),

    /** Starts a failed import again. @returns null when its check has failed */
    beginAgain: (importId: string, set: Partial<ChatImportDocument>) =>
      change(
        { _id: importId, state: "failed", report: { $exists: true } },
        { $set: { ...set, changedAt: new Date() }, $unset: { error: 1, failure: 1 } },
      ),

    /** @returns null when it isn't in one of the states */
    countTry: (importId: string, states: readonly State[], tries: 1 | -1) =>
      change({ _id: importId, state: { $in: states } }, { $inc: { tries }, $set: { changedAt: new Date() } }),

    /** Completed imports whose exports are still stored. */
    listWithUpload: (limit: number) =>
      imports
        .find({ state: "done", isUploadRemoved: { $exists: false } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean(),

    setProgress: (importId: string, progress: Pick<ChatImportDocument, "step" | "messages" | "files">) =>
      update({ _id: importId }, { $set: { ...progress, changedAt: new Date() } }),

    async delete(importId: string, states: readonly State[]): Promise<boolean> {
      return (await imports.findOneAndDelete({ _id: importId, state: { $in: states } })) !== null;
    },
  }),
);
