import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import {
  assertFreeSpace,
  countDirects,
  countFiles,
  describeImported,
  describeMatches,
  destinationOf,
  DirectMessages,
  emailsOf,
  ExportSample,
  groupFileText,
  type History,
  IMPORTERS,
  type ImportedAccounts,
  type ImportedFiles,
  importGroup,
  ImportRefusedError,
  ImportRunningError,
  IMPORTS_FOLDER,
  inputsOf,
  MessageFiles,
  openExport,
  peopleOf,
  type Progress,
  removeInterrupted,
  Report,
  type Sinks,
  survey,
  toExportError,
} from "@fanfare/chat-import";
import { type ChatImport, type ImportFailure, LIMITS } from "@fanfare/contract";
import { createFileStorage, storageKey } from "@fanfare/files";
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

/** Over about 20 minutes, so that databases and storages can restart. */
const MAX_TRIES = 8;
const FIRST_WAIT_MS = 10_000;
const MAX_WAIT_MS = 10 * 60 * 1000;
/** Until the next look at whether another import is complete. */
const BUSY_WAIT_MS = 15_000;
/** The key of the job of all imports. */
const ALL = "all";
const PROGRESS_MS = 1000;
const DIRECTS_PER_CALL = 100;
const SWEEP_MS = 60 * 60 * 1000;
/** Exports that no one has imported by then are deleted, since they have private messages. */
const UPLOAD_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;
/** A working import without any sign of life for this long gets its job again. */
const STUCK_MS = 60 * 60 * 1000;
/** S3 takes no more in one request. */
const S3_MAX_BYTES = 5 * 1024 ** 3;
const MATCHES_LISTED = 100;
const SHOWN = 2 * LIMITS.chatImports;

/** Why accounts can't be created. */
const NO_ACCOUNTS: ReadonlySet<string> = new Set(["OIDC_REQUIRED", "LIMIT_REACHED"]);

const WAITING = ["uploading", "checked", "failed"] as const;
const WORKING = ["checking", "importing"] as const;

interface Options {
  node: NodeContext;
  imports: ChatImportRepository;
}

interface Reading {
  history: History;
  report: Report;
  folder: string;
  sinks: Sinks;
  sample: ExportSample;
}

/** Imports of the exports of other chat servers: uploaded, checked and run in the background. */
export function createChatImports({ node, imports }: Options, tools: ImportTools) {
  const storage = createFileStorage(node.config);

  const removeUpload = async (importId: string): Promise<void> =>
    (await storage).delete(storageKey(importId, "raw"));

  /** Not the folder for temporary files if there is another, because containers often hold that in memory. */
  const root =
    node.config.s3 === undefined
      ? join(node.config.filesDir, IMPORTS_FOLDER)
      : join(tmpdir(), "fanfare-imports");

  /** An empty folder, also after a try that was killed. */
  const makeFolder = async (importId: string): Promise<string> => {
    const place = join(root, importId);
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true, mode: 0o700 });
    // A try that was suspended doesn't find the files of the next one.
    return mkdtemp(join(place, "try-"));
  };

  /** Those of tries that were killed. */
  const removeOldFolders = async (): Promise<void> => {
    const names = await readdir(root).catch(() => []);
    if (names.length === 0) return;
    const working = await imports.listIn(WORKING, LIMITS.chatImports);
    for (const name of names)
      if (!working.some(({ _id }) => _id === name))
        await rm(join(root, name), { recursive: true, force: true });
  };

  /** For the export, what it unpacks to, and the group file. */
  const neededBytes = ({ origin, bytes }: ChatImportDocument): number =>
    bytes * (origin === "slack" || origin === "mattermost" ? 2 : 3);

  /**
   * @param work on the export, with a folder for temporary files
   * @returns when to try again, in milliseconds, or null
   */
  const attempt = async (
    { _id: importId }: ChatImportDocument,
    state: (typeof WORKING)[number],
    signal: AbortSignal,
    work: (found: ChatImportDocument, folder: string, signal: AbortSignal) => Promise<void>,
  ): Promise<number | null> => {
    const found = await imports.countTry(importId, [state], 1);
    if (found === null) return null;
    const { tries = 1 } = found;
    const fail = async (error: string, failure: ImportFailure = { code: "serverFailed" }): Promise<null> => {
      await imports.change(importId, [state], { state: "failed", error, failure });
      return null;
    };
    // The process was killed each time, for example because it ran out of memory.
    if (tries > MAX_TRIES) return fail("The server stopped each time it worked on it. Its log says why.");
    try {
      const folder = await makeFolder(importId);
      try {
        await assertFreeSpace(root, neededBytes(found));
        await work(found, folder, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
        // It isn't empty if another process has taken over.
        await rmdir(dirname(folder)).catch(() => undefined);
      }
      return null;
    } catch (error) {
      // Another process can have continued it by now.
      if (signal.aborted) {
        await imports.countTry(importId, [state], -1);
        throw error;
      }
      if (error instanceof ImportRunningError) {
        await imports.countTry(importId, [state], -1);
        return BUSY_WAIT_MS;
      }
      const failure = failureOf(error);
      node.logger.warn({ err: error, importId, tries }, "import failed");
      if (failure !== null) return fail((error as Error).message, failure);
      if (tries >= MAX_TRIES) return fail("The server could not import it. Its log says why.");
      return Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS);
    }
  };

  const againIn = (waitMs: number | null): { againAt: Date } | void => {
    if (waitMs !== null) return { againAt: new Date(Date.now() + waitMs) };
  };

  const checks = node.jobs.define("admin.checkExport", {
    maxTries: 2 * MAX_TRIES,
    async run({ key, signal }) {
      const found = await imports.find(key);
      if (found?.state === "checking") return againIn(await attempt(found, "checking", signal, check));
    },
  });

  /** One job for all, because only one import can run at a time. */
  const runs = node.jobs.define("admin.importChats", {
    maxTries: 20 * MAX_TRIES,
    async run({ signal }) {
      const waits: number[] = [];
      for (const found of await imports.listIn(["importing"], LIMITS.chatImports)) {
        const waitMs = await attempt(found, "importing", signal, run);
        if (waitMs !== null) waits.push(waitMs);
      }
      return againIn(waits.length === 0 ? null : Math.min(...waits));
    },
  });

  const targetOf = (storing: ImportedFiles) => ({
    db: node.database.db!,
    imported: tools.createImportedAccounts(node),
    storing,
    policy: node.policy,
  });

  /** Removes what failed imports left: messages, files and accounts that no one can see. */
  const cleanups = node.jobs.define("admin.cleanUpImports", {
    async run({ signal }) {
      // The next import removes them too, unless it continues one.
      if ((await imports.listIn(["importing"], 1)).length > 0) return;
      const storing = tools.createImportedFiles(node);
      try {
        await removeInterrupted(targetOf(storing), signal);
      } catch (error) {
        if (!(error instanceof ImportRunningError)) throw error;
        return againIn(BUSY_WAIT_MS);
      } finally {
        await storing.close();
      }
    },
  });

  /** The bytes first, so that none stay behind without a record. @returns false when it isn't in one of the states */
  const remove = async (importId: string, states: readonly ChatImport["state"][]): Promise<boolean> => {
    const found = await imports.find(importId);
    if (found === null || !states.includes(found.state)) return false;
    await removeUpload(importId);
    if (!(await imports.delete(importId, states))) return false;
    if (found.state === "failed" && found.run !== undefined) await cleanups.enqueue(ALL, null);
    return true;
  };

  node.jobs.define("admin.removeOldExports", {
    everyMs: SWEEP_MS,
    async run() {
      const isOlder = ({ changedAt }: ChatImportDocument, ms: number) =>
        Date.now() - changedAt.getTime() > ms;
      for (const found of await imports.listIn(WAITING, LIMITS.chatImports))
        if (isOlder(found, UPLOAD_LIFETIME_MS)) await remove(found._id, WAITING);
      for (const { _id } of await imports.listWithUpload(LIMITS.chatImports)) await removeDone(_id);
      // The process was killed before it enqueued the job.
      for (const found of await imports.listIn(WORKING, LIMITS.chatImports))
        if (isOlder(found, STUCK_MS))
          await (found.state === "checking" ? checks.enqueue(found._id, null) : runs.enqueue(ALL, null));
      await removeOldFolders();
    },
  });

  /** Deletes the export of a completed import. */
  const removeDone = async (importId: string): Promise<void> => {
    await removeUpload(importId);
    await imports.change(importId, ["done"], { isUploadRemoved: true });
  };

  /** Downloads the export and opens it. */
  const open = async (
    { _id, origin, fileName, team }: ChatImportDocument,
    folder: string,
    report: Report,
    signal: AbortSignal,
  ) => {
    const stored = await (await storage).read(storageKey(_id, "raw"));
    if (stored === null)
      throw new ImportRefusedError("The uploaded file is missing. Upload it again.", {
        code: "uploadMissing",
      });
    const unpacked = join(folder, "unpacked");
    await mkdir(unpacked);
    const uploaded = join(folder, "uploaded");
    await mkdir(uploaded);
    // The name can be that of the group.
    const name = basename(fileName);
    const file = join(uploaded, /^\.{0,2}$/.test(name) ? "export" : name);
    await pipeline(stored.stream, createWriteStream(file, { flags: "wx", mode: 0o600 }), { signal });
    const files = await inputsOf(origin, file, unpacked).catch((error: unknown) => {
      throw toExportError(error);
    });
    return openExport(IMPORTERS[origin], files, { name: undefined, team, media: undefined, folder }, report);
  };

  /** Stores the progress of a step about every second, and at its start. */
  const progressOf = (importId: string, step: NonNullable<ChatImport["step"]>, signal: AbortSignal) => {
    let storedAtMs = 0;
    const store = (progress: Progress): void => {
      signal.throwIfAborted();
      if (Date.now() - storedAtMs < PROGRESS_MS) return;
      storedAtMs = Date.now();
      imports
        .setProgress(importId, { step, ...progress })
        .catch((error: unknown) => node.logger.warn({ err: error, importId }, "progress not stored"));
    };
    store({ messages: 0, files: 0 });
    return store;
  };

  /** The lines of the group file. The messages read so far are the progress. */
  const read = (
    { _id }: ChatImportDocument,
    { history, report, folder, sinks, sample }: Reading,
    signal: AbortSignal,
  ): AsyncGenerator<string> => {
    const onProgress = progressOf(_id, "reading", signal);
    async function* counted() {
      let messages = 0;
      for await (const message of history.messages()) {
        messages += 1;
        onProgress({ messages, files: 0 });
        yield message;
      }
    }
    return groupFileText({ ...history, messages: counted }, report, folder, sinks, sample);
  };

  const check = async (found: ChatImportDocument, folder: string, signal: AbortSignal): Promise<void> => {
    const report = new Report();
    const history = await open(found, folder, report, signal);
    const sinks = { files: countFiles(report, node.config.fileMaxBytes), directs: countDirects(report) };
    const sample = new ExportSample();
    for await (const _line of read(found, { history, report, folder, sinks, sample }, signal)) continue;
    const source = { ...sourceOf(found, history, sample), options: [] };
    report.destination = await destinationOf(node.database.db!, source);
    await describeMatches(node.database.db!, source, history.users, report);
    const accounts = peopleOf(history.users).size;
    await imports.change(found._id, ["checking"], {
      state: "checked",
      report: report.present(MATCHES_LISTED),
      accounts,
    });
  };

  const run = async (found: ChatImportDocument, folder: string, signal: AbortSignal): Promise<void> => {
    const { _id: importId, byUserId } = found;
    const { owner, matchUsernames, createAccounts, directMessages = true } = found.run!;
    const report = new Report();
    const history = await open(found, folder, report, signal);
    const files = new MessageFiles(folder, node.config.fileMaxBytes);
    const file = join(folder, "group.jsonl");
    const directs = directMessages ? new DirectMessages(folder) : null;
    const sample = new ExportSample();
    const lines = read(found, { history, report, folder, sinks: { files, directs }, sample }, signal);
    await pipeline(lines, createWriteStream(file, { flags: "wx", mode: 0o600 }), { signal });
    const people = createAccounts ? peopleOf(history.users) : new Map();
    const storing = tools.createImportedFiles(node);
    const source = {
      ...sourceOf(found, history, sample),
      options: [owner, matchUsernames, createAccounts, false],
    };
    const imported = await importGroup(
      targetOf(storing),
      await survey(file, files),
      { owner, matchUsernames, emails: emailsOf(history.users), people },
      {
        files: { bytes: files.bytes, of: await files.read(), open: (key) => history.files.open(key) },
        directs,
        source,
        onProgress: progressOf(importId, "storing", signal),
        signal,
      },
    ).finally(() => storing.close());
    describeImported(imported, report);
    const { groupId } = imported;
    await announce(groupId, byUserId);
    await announceDirects(imported.directs.channelIds);
    const done = { state: "done" as const, report: report.present(MATCHES_LISTED), groupId };
    await imports.change(importId, ["importing"], done);
    await removeDone(importId);
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

  const announceDirects = async (channelIds: readonly string[]): Promise<void> => {
    for (let at = 0; at < channelIds.length; at += DIRECTS_PER_CALL)
      await node.services.channel.announceDirects({
        channelIds: channelIds.slice(at, at + DIRECTS_PER_CALL),
      });
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
        await imports.change(importId, ["uploading"], { state: "checking", tries: 0 }),
        "IMPORT_NOT_FOUND",
      );
      await checks.enqueue(importId, null);
      return { import: presentImport(found) };
    },

    "admin.cancelExportUpload": async ({ params: { importId } }) => {
      // An admin can have deleted it during the upload.
      if (!(await remove(importId, ["uploading"])) && (await imports.find(importId)) === null)
        await removeUpload(importId);
      return {};
    },

    "admin.listChatImports": async () => ({ imports: (await imports.list(SHOWN)).map(presentImport) }),

    "admin.runChatImport": async ({ params: { importId, ownerId, ...options }, actor, services }) => {
      const { user } = await services.user.get({ userId: ownerId ?? actor.userId });
      if (user.username === null) throw serviceError("USER_NOT_FOUND");
      const run = { owner: user.username, ...options, startedAt: new Date() };
      const begun = {
        state: "importing" as const,
        step: "opening" as const,
        messages: 0,
        files: 0,
        tries: 0,
        run,
      };
      const changed =
        (await imports.change(importId, ["checked"], begun)) ?? (await imports.beginAgain(importId, begun));
      if (changed === null) throw await missing(importId);
      await runs.enqueue(ALL, null);
      return { import: presentImport(changed) };
    },

    "admin.deleteChatImport": async ({ params: { importId } }) => {
      if (!(await remove(importId, [...WAITING, "done"]))) throw await missing(importId);
      return {};
    },
  };

  const missing = async (importId: string): Promise<ServiceError> =>
    serviceError((await imports.find(importId)) === null ? "IMPORT_NOT_FOUND" : "IMPORT_NOT_READY");

  return { actions, close: async () => (await storage).close() };
}

/** @returns why an import isn't possible, or null if it can be tried again */
function failureOf(error: unknown): ImportFailure | null {
  if (error instanceof ImportRefusedError) return error.failure;
  if (!(error instanceof ServiceError) || error.retryable) return null;
  return { code: NO_ACCOUNTS.has(error.type) ? "accountsRefused" : "serverFailed" };
}

/** Only the group that the report of the check shows is added to. */
const sourceOf = (
  { _id, origin, run, report }: ChatImportDocument,
  { source }: History,
  sample: ExportSample,
) =>
  run?.again === true
    ? { key: `${origin} ${source} ${_id}`, sample: null, into: null }
    : { key: `${origin} ${source}`, sample, into: report?.destination?.groupId ?? null };

const presentImport = (found: ChatImportDocument): ChatImport => ({
  id: found._id,
  byUserId: found.byUserId,
  origin: found.origin,
  fileName: found.fileName,
  bytes: found.bytes,
  state: found.state,
  step: WORKING.some((state) => state === found.state) ? (found.step ?? "opening") : null,
  messages: found.messages,
  files: found.files ?? 0,
  report: found.report ?? null,
  accounts: found.accounts,
  error: found.error ?? null,
  failure: found.failure ?? null,
  groupId: found.groupId ?? null,
  createdAt: found.createdAt.toISOString(),
});
