import { connectError } from "../../cli/exit.ts";
import { ApiError } from "./api.ts";

const ADVICE: Record<string, string | undefined> = {
  GUESTS_DISABLED: " Start it with GUESTS=on for a test: the members of a run are guests.",
  INVITE_REQUIRED: " Start it with REGISTRATION=open for a test.",
  REGISTRATION_CLOSED: " Start it with REGISTRATION=open for a test.",
  RATE_LIMITED: " The server limits the rate: start it with RATE_LIMIT_FACTOR=1000 for a test.",
  ECONNREFUSED: ". Connection refused: start the server first, or omit --url.",
};

/**
 * For calls without which nothing can be measured.
 * @throws {ExitError} instead of an ApiError, with what to do about it
 */
export function explain(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  throw connectError(`${error.message}${ADVICE[error.code] ?? ""}`);
}
