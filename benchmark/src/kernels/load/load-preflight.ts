import { usageError } from "../../cli/exit.ts";
import { checkLimits, type Needs } from "../../cli/preflight.ts";

/** The tester's memory for each request, and for up to eight deliveries that share a byte. */
const BYTES_PER_REQUEST = 24;
/** The embedded database keeps stored messages in memory, with their indexes. */
const BYTES_PER_STORED_MESSAGE = 1024;

export interface LoadNeeds extends Pick<Needs, "isLocalServer" | "canSpreadAddresses"> {
  /** Simultaneously open connections. */
  connections: number;
  requests: number;
  deliveries: number;
  /** 0: nothing is stored. */
  payloadBytes: number;
  /** The server is started for the run. */
  isThrowaway: boolean;
  availableBytes: number;
}

/** @throws {ExitError} that says what to do if the run would fail halfway */
export function checkLoadLimits(needs: LoadNeeds): void {
  const { connections, requests, deliveries, payloadBytes, isThrowaway, availableBytes } = needs;
  checkLimits({ ...needs, users: connections, messages: 0, kind: "light" });
  const stored = isThrowaway && payloadBytes > 0 ? requests * (BYTES_PER_STORED_MESSAGE + payloadBytes) : 0;
  const bytes = requests * BYTES_PER_REQUEST + deliveries / 8 + stored;
  if (bytes <= availableBytes) return;
  const mebibytes = (amount: number) => Math.ceil(amount / 1024 / 1024);
  throw usageError(
    `${requests} requests need about ${mebibytes(bytes)} MiB of memory, mostly for the server's embedded database, but only ` +
      `${mebibytes(availableBytes)} MiB are available. Use fewer (--scale where it exists), or a server with its ` +
      "own database (--url).",
  );
}
