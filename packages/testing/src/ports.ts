import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Between the well-known ports and the ephemeral range. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;
const TRIES = 100;

const handedOut = new Set<number>();

/**
 * Returns an unused port of 127.0.0.1, never the same twice in one process. It is outside the ephemeral range, so that a server can
 * be restarted on it.
 * @throws {Error} if none is found
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error(`No free port was found between ${LOWEST_PORT} and ${HIGHEST_PORT}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
