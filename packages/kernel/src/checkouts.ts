import { refuseLate } from "./deadline.ts";
import { serviceError } from "./errors.ts";
import { currentScope } from "./request-scope.ts";

/** Commands that wait for a connection to one server of the database; further ones are refused. */
const MAX_COMMANDS_WAITING = 2000;
const RETRY_AFTER_MS = 1000;

/** What this uses of the driver: its typings leave it out. */
interface Pool {
  readonly waitQueueSize: number;
  checkOut(options: unknown): Promise<unknown>;
  checkIn(connection: unknown): void;
}
interface Topology {
  selectServer(selector: unknown, options: unknown): Promise<{ pool: Pool }>;
}

/**
 * Refuses commands whose caller has stopped waiting, before they wait for a connection and when they get one, and bounds how
 * many wait. Every command of the driver takes this way; without it those of callers that have gone are carried out first.
 * @param client is connected
 * @throws {Error} when the driver has changed, so that commands would not be checked
 */
export function guardCheckouts(client: object): void {
  const { topology } = client as { topology?: Topology };
  if (typeof topology?.selectServer !== "function")
    throw new Error("This version of the MongoDB driver has no topology.selectServer to check deadlines at.");
  const selectServer = topology.selectServer.bind(topology);
  const guarded = new WeakSet<Pool>();
  topology.selectServer = async (selector, options) => {
    const server = await selectServer(selector, options);
    if (!guarded.has(server.pool)) {
      guarded.add(server.pool);
      guardPool(server.pool);
    }
    return server;
  };
}

function guardPool(pool: Pool): void {
  const checkOut = pool.checkOut.bind(pool);
  pool.checkOut = async (options) => {
    const deadline = currentScope()?.deadline;
    refuseLate(deadline);
    if (pool.waitQueueSize >= MAX_COMMANDS_WAITING)
      throw serviceError("OVERLOADED", { retryAfterMs: RETRY_AFTER_MS });
    const connection = await checkOut(options);
    try {
      refuseLate(deadline);
    } catch (late) {
      pool.checkIn(connection);
      throw late;
    }
    return connection;
  };
}
