import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  AlreadyImportedError,
  countFiles,
  describeImported,
  groupFileText,
  IMPORTERS,
  type ImportedAccounts,
  type ImportedFiles,
  importGroup,
  ImportRefusedError,
  inputsOf,
  MessageFiles,
  openExport,
  peopleOf,
  Report,
  survey,
  toExportError,
} from "@fanfare/chat-import";
import { type ChatImport, LIMITS } from "@fanfare/contract";
import { createFileStorage, storageKey } from "@fanfare/files";
import type { RunningJob } from "@fanfare/jobs";
import {
  assertBelow,
  type Handlers,
  newId,
  type NodeContext,
  orThrow,
  ServiceError,
  serviceError,
} from "@fanfare/kernel";
import type { ChatImportDocument, ChatImportRepository } from "./chat-import.repository.ts";

/** What makes the accounts and files of an import: parts of other services. */
export interface ImportTools {
  createImportedAccounts: (node: NodeContext) => ImportedAccounts;
  createImportedFiles: (node: NodeContext) => ImportedFiles;
}

const MAX_TRIES = 5;
/** The key of the job of all imports. */
const ALL = "all";
const PROGRESS_MS = 1000;
const SWEEP_MS = 60 * 60 * 1000;
/** Exports that no one has imported by then are deleted, since they have private messages. */
const UPLOAD_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** S3 takes no more in one request. */
const S3_MAX_BYTES = 5 * 1024 ** 3;
const SHOWN = 2 * LIMITS.chatImports;

const WAITING = ["uploading", "checked", "failed"] as const;
const WORKING = ["checking", "importing"] as const;

interface Options {
  node: NodeContext;
  imports: ChatImportRepository;
}

/** Imports of the exports of other chat servers: uploaded, checked and run in the background. */
export function createChatImports({ node, imports }: Options, tools: ImportTools) {
  const storage = createFileStorage(node.config);

  const removeUpload = async (importId: string): Promise<void> =>
    (await storage).delete(storageKey(importId, "raw"));

  /** @param work on the export, with a folder for temporary files */
  const attempt = async (
    found: ChatImportDocument,
    { tries, signal }: Pick<RunningJob<null>, "tries" | "signal">,
    work: (found: ChatImportDocument, folder: string, signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), "fanfare-import-"));
    try {
      await work(found, folder, signal);
    } catch (error) {
      const refused = refusalOf(error);
      if (refused === null && (tries < MAX_TRIES || signal.aborted)) throw error;
      node.logger.warn({ err: error, importId: found._id }, "import failed");
      const text = refused ?? "The server could not import it. Its log says why.";
      await imports.change(found._id, WORKING, { state: "failed", error: text });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  const checks = node.jobs.define("admin.checkExport", {
    maxTries: 2 * MAX_TRIES,
    async run(job) {
      const found = await imports.find(job.key);
      if (found?.state === "checking") await attempt(found, job, check);
    },
  });

  /** One job for all, because imports that run at the same time would remove each other's parts as interrupted. */
  const runs = node.jobs.define("admin.importChats", {
    maxTries: 20 * MAX_TRIES,
    async run(job) {
      for (const found of await imports.listIn(["importing"], LIMITS.chatImports))
        await attempt(found, job, run);
    },
  });

  node.jobs.define("admin.removeOldExports", {
    everyMs: SWEEP_MS,
    async run() {
      for (const { _id, changedAt } of await imports.listIn(WAITING, LIMITS.chatImports)) {
        if (Date.now() - changedAt.getTime() < UPLOAD_LIFETIME_MS) continue;
        if (await imports.delete(_id, WAITING)) await removeUpload(_id);
      }
    },
  });

  /** Downloads the export and opens it. */
  const open = async (
    { _id, origin, fileName, team }: ChatImportDocument,
    folder: string,
    report: Report,
  ) => {
    const stored = await (await storage).read(storageKey(_id, "raw"));
    if (stored === null) throw new ImportRefusedError("The uploaded file is missing. Upload it again.");
    const unpacked = join(folder, "unpacked");
    await mkdir(unpacked);
    // The name can be that of the group.
    const file = join(folder, basename(fileName));
    await pipeline(stored.stream, createWriteStream(file, { flags: "wx", mode: 0o600 }));
    const files = await inputsOf(origin, file, unpacked).catch((error: unknown) => {
      throw toExportError(error);
    });
    return openExport(IMPORTERS[origin], files, { name: undefined, team, media: undefined }, report);
  };

  /** Stores the number of messages about every second. */
  const progressOf = (importId: string, signal: AbortSignal) => {
    let messages = 0;
    let storedAtMs = Date.now();
    return () => {
      signal.throwIfAborted();
      messages += 1;
      if (Date.now() - storedAtMs < PROGRESS_MS) return;
      storedAtMs = Date.now();
      imports
        .setProgress(importId, messages)
        .catch((error: unknown) => node.logger.warn({ err: error, importId }, "progress not stored"));
    };
  };

  const check = async (found: ChatImportDocument, folder: string, signal: AbortSignal): Promise<void> => {
    const report = new Report();
    const history = await open(found, folder, report);
    const onMessage = progressOf(found._id, signal);
    for await (const line of groupFileText(
      history,
      report,
      folder,
      countFiles(report, node.config.fileMaxBytes),
    ))
      if (line.startsWith('{"type":"message"')) onMessage();
    const accounts = peopleOf(history.users).size;
    await imports.change(found._id, ["checking"], {
      state: "checked",
      report: presentReport(report),
      accounts,
    });
  };

  const run = async (found: ChatImportDocument, folder: string, signal: AbortSignal): Promise<void> => {
    const { _id: importId, byUserId, origin } = found;
    const { owner, matchUsernames, createAccounts, again, startedAt } = found.run!;
    const report = new Report();
    const history = await open(found, folder, report);
    const files = new MessageFiles(folder, node.config.fileMaxBytes);
    const file = join(folder, "group.jsonl");
    await pipeline(groupFileText(history, report, folder, files), createWriteStream(file, { mode: 0o600 }));
    const people = createAccounts ? peopleOf(history.users) : new Map();
    const storing = tools.createImportedFiles(node);
    const target = { db: node.database.db!, imported: tools.createImportedAccounts(node), storing };
    let groupId: string;
    try {
      const source = {
        key: `${origin} ${history.source}${again ? ` ${importId}` : ""}`,
        options: [owner, matchUsernames, createAccounts, false],
      };
      const imported = await importGroup(
        target,
        await survey(file),
        { owner, matchUsernames, people },
        {
          files: { of: await files.read(), open: (key) => history.files.open(key) },
          source,
          onMessage: progressOf(importId, signal),
        },
      );
      ({ groupId } = imported);
      describeImported(imported, report);
    } catch (error) {
      // The process died after the group was complete.
      if (!(error instanceof AlreadyImportedError && error.startedAt >= startedAt)) throw error;
      ({ groupId } = error);
    } finally {
      await storing.close();
    }
    await announce(groupId, byUserId);
    const done = { state: "done" as const, report: presentReport(report), groupId };
    await imports.change(importId, ["importing"], done);
    await removeUpload(importId);
  };

  const announce = async (groupId: string, byUserId: string): Promise<void> => {
    let afterUserId: string | null = null;
    do {
      const page: { next: string | null } = await node.services.group.announceImport({
        groupId,
        byUserId,
        afterUserId,
      });
      afterUserId = page.next;
    } while (afterUserId !== null);
  };

  const actions: Handlers = {
    "admin.startExportUpload": async ({ params: { origin, fileName, bytes, team }, actor }) => {
      const maxBytes = node.config.s3 === undefined ? LIMITS.exportMaxBytes : S3_MAX_BYTES;
      if (bytes > maxBytes) throw serviceError("FILE_TOO_LARGE", { maxBytes });
      const open = await imports.listIn([...WAITING, ...WORKING], LIMITS.chatImports);
      assertBelow("chatImports", open.length);
      const now = new Date();
      const made = { byUserId: actor.userId, origin, fileName, bytes, ...(team !== undefined && { team }) };
      const counts = {
        state: "uploading" as const,
        messages: 0,
        accounts: 0,
        createdAt: now,
        changedAt: now,
      };
      return { importId: (await imports.insert({ _id: newId(), ...made, ...counts }))._id };
    },

    "admin.finishExportUpload": async ({ params: { importId } }) => {
      const found = orThrow(
        await imports.change(importId, ["uploading"], { state: "checking" }),
        "IMPORT_NOT_FOUND",
      );
      await checks.enqueue(importId, null);
      return { import: presentImport(found) };
    },

    "admin.cancelExportUpload": async ({ params: { importId } }) => {
      if (await imports.delete(importId, ["uploading"])) await removeUpload(importId);
      return {};
    },

    "admin.listChatImports": async () => ({ imports: (await imports.list(SHOWN)).map(presentImport) }),

    "admin.runChatImport": async ({ params: { importId, ownerId, ...options }, actor, services }) => {
      const { user } = await services.user.get({ userId: ownerId ?? actor.userId });
      if (user.username === null) throw serviceError("USER_NOT_FOUND");
      const run = { owner: user.username, ...options, startedAt: new Date() };
      const changed = await imports.change(importId, ["checked"], { state: "importing", messages: 0, run });
      if (changed === null) throw await missing(importId);
      await runs.enqueue(ALL, null);
      return { import: presentImport(changed) };
    },

    "admin.deleteChatImport": async ({ params: { importId } }) => {
      if (!(await imports.delete(importId, [...WAITING, "done"]))) throw await missing(importId);
      await removeUpload(importId);
      return {};
    },
  };

  const missing = async (importId: string): Promise<ServiceError> =>
    serviceError((await imports.find(importId)) === null ? "IMPORT_NOT_FOUND" : "IMPORT_NOT_READY");

  return { actions, close: async () => (await storage).close() };
}

/** @returns why an import isn't possible, or null if it can be tried again */
function refusalOf(error: unknown): string | null {
  if (error instanceof ImportRefusedError) return error.message;
  return error instanceof ServiceError && !error.retryable ? error.message : null;
}

function presentReport(report: Report): NonNullable<ChatImport["report"]> {
  const { imported, notes } = report.toJSON();
  return { imported: Object.entries(imported).map(([what, count]) => ({ what, count })), notes };
}

const presentImport = (found: ChatImportDocument): ChatImport => ({
  id: found._id,
  byUserId: found.byUserId,
  origin: found.origin,
  fileName: found.fileName,
  bytes: found.bytes,
  state: found.state,
  messages: found.messages,
  report: found.report ?? null,
  accounts: found.accounts,
  error: found.error ?? null,
  groupId: found.groupId ?? null,
  createdAt: found.createdAt.toISOString(),
});
