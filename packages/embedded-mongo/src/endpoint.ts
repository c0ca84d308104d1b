import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ListenOptions } from "./options.ts";

/** `sun_path` is 104 bytes on macOS and 108 on Linux, including the final NUL. */
const MAX_SOCKET_PATH_BYTES = 103;
const URI_OPTIONS = "directConnection=true&retryWrites=false&retryReads=false";

/** Where the server listens, and how to remove its files afterwards. */
export interface Endpoint {
  readonly target: { path: string } | { host: string; port: number };
  cleanUp(): void;
}

const SOCKET = "mongo.sock";

function folderOf(dir: string, uid: number): string {
  const hash = createHash("sha256").update(fs.realpathSync(dir)).digest("hex").slice(0, 16);
  return path.join(os.tmpdir(), `fanfare-db-${uid}-${hash}`);
}

/** Whether only the user can write to the folder. */
function isPrivate(folder: string, user: number | undefined): boolean {
  const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.uid === user && (stats.mode & 0o777) === 0o700 && stats.isDirectory();
}

/**
 * A private folder with a name derived from the data folder, so that the next server reuses the folder of a killed one. If another
 * user owns that name, a new folder.
 */
function privateFolder(dir: string): string {
  const folder = folderOf(dir, process.getuid?.() ?? 0);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return isPrivate(folder, process.getuid?.())
    ? folder
    : fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-db-"));
}

/**
 * The default address of a running server of the data folder, for its owner and root. undefined if it listens elsewhere, has
 * another temporary folder, or belongs to another user.
 */
export function defaultUri(dir: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const { uid } = fs.statSync(dir);
  const folder = folderOf(dir, uid);
  const socket = path.join(folder, SOCKET);
  const isThere =
    isPrivate(folder, uid) && fs.lstatSync(socket, { throwIfNoEntry: false })?.isSocket() === true;
  return isThere ? uriOf(socket) : undefined;
}

/**
 * @param dir the data folder, whose lock must be held
 * @throws RangeError if the address is not loopback or the socket path is too long
 */
export function openEndpoint(listen: ListenOptions | undefined, dir: string): Endpoint {
  if (listen && "port" in listen) {
    const host = listen.host ?? "127.0.0.1";
    if (!/^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)) {
      throw new RangeError(
        `The embedded database has no authentication and listens on loopback only, not on ${host}`,
      );
    }
    return { target: { host, port: listen.port }, cleanUp: () => {} };
  }
  if (process.platform === "win32") return { target: { host: "127.0.0.1", port: 0 }, cleanUp: () => {} };
  const given = listen?.socketPath;
  if (given === undefined) {
    const folder = privateFolder(dir);
    fs.rmSync(path.join(folder, SOCKET), { force: true });
    return {
      target: { path: path.join(folder, SOCKET) },
      cleanUp: () => fs.rmSync(folder, { recursive: true, force: true }),
    };
  }
  if (Buffer.byteLength(given) > MAX_SOCKET_PATH_BYTES) {
    throw new RangeError(`The socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${given}`);
  }
  // The holder of the lock can replace the socket of a killed process, but no other file.
  if (fs.lstatSync(given, { throwIfNoEntry: false })?.isSocket()) fs.rmSync(given);
  return { target: { path: given }, cleanUp: () => fs.rmSync(given, { force: true }) };
}

/** The connection string for a result of `server.address()`. */
export const uriOf = (address: { address: string; port: number; family: string } | string): string => {
  if (typeof address === "string") return `mongodb://${encodeURIComponent(address)}/?${URI_OPTIONS}`;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `mongodb://${host}:${address.port}/?${URI_OPTIONS}`;
};
