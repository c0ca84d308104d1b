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
 * @throws {Error} if none is found
 */
export const freePort = (): Promise<number> => findPort(bindUdp, listenTcp);

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
async function findPort(reserve: Bind, probe: Bind): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    const reserved = await reserve(port);
    if (reserved === null) continue;
    const probed = await probe(port);
    if (probed === null) {
      reserved.close();
      continue;
    }
    await new Promise<void>((resolve) => probed.close(() => resolve()));
    reserved.unref();
    return port;
  }
  throw new Error(`No free port was found between ${LOWEST_PORT} and ${HIGHEST_PORT}.`);
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
