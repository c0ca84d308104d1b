import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { ListenOptions } from "./options.ts";

/** `sun_path` is 104 bytes on macOS and 108 on Linux, with the final NUL. */
const MAX_SOCKET_PATH_BYTES = 103;
const URI_OPTIONS = "directConnection=true&retryWrites=false&retryReads=false";

/** Where the server listens, and how to remove what that leaves in the file system. */
export interface Endpoint {
  readonly target: { path: string } | { host: string; port: number };
  cleanUp(): void;
}

/**
 * A private folder whose name follows from the data folder, so that a killed server leaves nothing that the next one does
 * not use; a new one where somebody else holds that name.
 */
function privateFolder(dir: string): string {
  const hash = createHash("sha256").update(fs.realpathSync(dir)).digest("hex").slice(0, 16);
  const folder = path.join(os.tmpdir(), `fanfare-db-${process.getuid?.() ?? 0}-${hash}`);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = fs.lstatSync(folder);
  const isOurs = uid === process.getuid?.() && (mode & 0o777) === 0o700 && fs.lstatSync(folder).isDirectory();
  return isOurs ? folder : fs.mkdtempSync(path.join(os.tmpdir(), "fanfare-db-"));
}

/**
 * @param dir the data folder, whose lock is held
 * @throws RangeError for an address beyond loopback or a socket path that is too long
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
    fs.rmSync(path.join(folder, "mongo.sock"), { force: true });
    return {
      target: { path: path.join(folder, "mongo.sock") },
      cleanUp: () => fs.rmSync(folder, { recursive: true, force: true }),
    };
  }
  if (Buffer.byteLength(given) > MAX_SOCKET_PATH_BYTES) {
    throw new RangeError(`The socket path is longer than ${MAX_SOCKET_PATH_BYTES} bytes: ${given}`);
  }
  // Whoever holds the lock of the data folder may replace the socket that a killed process left; nothing else, though.
  if (fs.lstatSync(given, { throwIfNoEntry: false })?.isSocket()) fs.rmSync(given);
  return { target: { path: given }, cleanUp: () => fs.rmSync(given, { force: true }) };
}

/** The connection string for what `server.address()` gave. */
export const uriOf = (address: { address: string; port: number; family: string } | string): string => {
  if (typeof address === "string") return `mongodb://${encodeURIComponent(address)}/?${URI_OPTIONS}`;
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `mongodb://${host}:${address.port}/?${URI_OPTIONS}`;
};
