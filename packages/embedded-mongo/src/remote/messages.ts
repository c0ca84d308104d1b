import { DataFolderInUseError, DataFolderMismatchError } from "../errors.ts";

/** Messages from a server in a worker or child process to its owner: progress, then the outcome of the start. The owner sends "close". */
export type FromServer =
  | { type: "progress"; message: string }
  | { type: "ready"; uri: string }
  | { type: "failed"; name: string; message: string; dir?: string; pid?: number; uri?: string };

export function describeFailure(error: unknown): FromServer {
  const { name, message, dir, pid, uri } = error as Error & { dir?: string; pid?: number; uri?: string };
  return {
    type: "failed",
    name,
    message,
    ...(dir !== undefined && { dir }),
    ...(pid !== undefined && { pid }),
    ...(uri !== undefined && { uri }),
  };
}

/** Restores the server's error, with its original class if it is public. */
export function reviveFailure({
  name,
  message,
  dir,
  pid,
  uri,
}: Extract<FromServer, { type: "failed" }>): Error {
  if (name === "DataFolderInUseError") return new DataFolderInUseError(dir ?? "", pid, uri);
  if (name === "DataFolderMismatchError") return new DataFolderMismatchError(dir ?? "", message);
  const error = new Error(message);
  error.name = name;
  return error;
}
