import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { createServer, type Server } from "node:net";

/** Between the well-known ports and the ephemeral range. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;
const TRIES = 100;

/**
 * Returns an unused TCP port of 127.0.0.1 that no other call returns while this process lives. It is outside the
 * ephemeral range, so that a server can be restarted on it.
 * @param above the same holds for the ports that are these numbers above it
 * @throws {Error} if none is found
 */
export const freePort = (...above: readonly number[]): Promise<number> => findPort(bindUdp, listenTcp, above);

/**
 * Returns an unused UDP port of 127.0.0.1, as `freePort` does for TCP.
 * @throws {Error} if none is found
 */
export const freeUdpPort = (): Promise<number> => findPort(listenTcp, bindUdp);

type Bind = (port: number) => Promise<Socket | Server | null>;

/**
 * @param reserve binds the port of the same number of the other protocol until this process ends: other processes see that it is taken
 * @param probe binds the port itself for a moment
 */
async function findPort(reserve: Bind, probe: Bind, above: readonly number[] = []): Promise<number> {
  const highest = HIGHEST_PORT - Math.max(0, ...above);
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, highest + 1);
    const reserved = await Promise.all(
      [0, ...above].map((distance) => take(port + distance, reserve, probe)),
    );
    if (reserved.every((one) => one !== null)) return port;
    for (const one of reserved) one?.close();
  }
  throw new Error(`No free port was found between ${LOWEST_PORT} and ${HIGHEST_PORT}.`);
}

/** Reserves the port; null if it is in use. */
async function take(port: number, reserve: Bind, probe: Bind): Promise<Socket | Server | null> {
  const reserved = await reserve(port);
  if (reserved === null) return null;
  const probed = await probe(port);
  if (probed === null) {
    reserved.close();
    return null;
  }
  await new Promise<void>((resolve) => probed.close(() => resolve()));
  reserved.unref();
  return reserved;
}

function bindUdp(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => resolve(null));
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => resolve(socket));
  });
}

function listenTcp(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}
