import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Above the well-known ports and below those that the operating system gives to outgoing connections. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;
const TRIES = 100;

const handedOut = new Set<number>();

/**
 * An unused port of 127.0.0.1 outside the range of outgoing connections, so a server can be restarted on it. Never the same twice in one process.
 * @throws {Error} when none is found
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
