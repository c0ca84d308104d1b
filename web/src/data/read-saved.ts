import type { SavedChannel } from "@fanfare/client";
import type { ClientState } from "@fanfare/client/store";
import type { DehydratedState } from "@tanstack/react-query";
import { SAVED_DATA, loadTokens } from "../session/session-lock.ts";

/*
 * Reads what `data-provider.tsx` stored. A separate module, so that reading begins while the application is still loading.
 */

/** Data of another version is dropped. Increase it with each change of what is stored. */
const VERSION = 3;
export const STORE = "data";
export const SESSION = "session";

export interface SavedSession {
  userId: string;
  state: ClientState;
  queries: DehydratedState;
}

export interface SavedData {
  session: SavedSession | undefined;
  channels: SavedChannel[];
}

let started: Promise<SavedData> | null = null;
let read: SavedData | null = null;

export function startReadingSaved(): void {
  if (!isStored()) return;
  started = readSaved();
  started.then(
    (saved) => (read = saved),
    () => undefined,
  );
}

/** Whether this browser has stored data of an earlier visit. */
export async function hasSaved(): Promise<boolean> {
  const saved = await started?.catch(() => null);
  return saved?.session !== undefined;
}

/**
 * What is stored; a promise while it is being read.
 * @throws {Error} if the browser refuses
 */
export function takeSaved(): SavedData | Promise<SavedData> {
  const taken = read ?? started ?? readSaved();
  started = null;
  read = null;
  return taken;
}

/** A session that ends with its tab stores nothing. */
export function isStored(): boolean {
  return loadTokens()?.isShared === true && "indexedDB" in globalThis;
}

async function readSaved(): Promise<SavedData> {
  const database = await openSaved();
  try {
    const data = database.transaction(STORE).objectStore(STORE);
    const [session, channels] = (await Promise.all([
      resultOf(data.get(SESSION)),
      resultOf(data.getAll(allChannels())),
    ])) as [SavedSession | undefined, SavedChannel[]];
    return { session, channels };
  } finally {
    database.close();
  }
}

export const allChannels = (): IDBKeyRange => IDBKeyRange.bound("channel:", "channel;");

export function openSaved(): Promise<IDBDatabase> {
  const request = indexedDB.open(SAVED_DATA, VERSION);
  request.addEventListener("upgradeneeded", () => {
    const { result: database } = request;
    for (const name of database.objectStoreNames) database.deleteObjectStore(name);
    database.createObjectStore(STORE);
  });
  return resultOf(request);
}

export function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed.")));
  });
}
