import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** Between the well-known ports and the ephemeral range. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;
const TRIES = 100;

/**
 * Returns an unused TCP port of 127.0.0.1 that no other call returns while this process lives. It is outside the
 * ephemeral range, so that a server can be restarted on it.
 * @throws {Error} if none is found
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`No free port was found between ${LOWEST_PORT} and ${HIGHEST_PORT}.`);
}

/** Keeps the UDP port of the same number until this process ends: other processes see that it is taken. */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4").unref();
    socket.once("error", () => resolve(false));
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
