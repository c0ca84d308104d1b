import { createSocket, type Socket } from "node:dgram";
import { freeUdpPort } from "./ports.ts";

/** What happens to the packets of each direction. Those that would wait longer than `queueMs` for their turn are lost. */
export interface Network {
  delayMs: number;
  bytesPerSecond: number;
  queueMs: number;
}

/** The slowest connection that is called 2G in https://wicg.github.io/netinfo/#effective-connection-types */
export const SLOW_NETWORK: Network = { delayMs: 700, bytesPerSecond: 70_000 / 8, queueMs: 500 };

type Send = (packet: Buffer) => void;

/** Forwards UDP packets to a port of 127.0.0.1 and back, over a network that can be slowed down. */
export class UdpRelay {
  readonly port: number;
  /** null: packets are forwarded immediately. */
  network: Network | null = null;
  readonly #near = createSocket("udp4");
  /** The sockets to the target, by the port of the client. */
  readonly #far = new Map<number, { socket: Socket; send: Send }>();

  private constructor(port: number, targetPort: number) {
    this.port = port;
    this.#near.on("message", (packet, { port: clientPort }) => {
      let far = this.#far.get(clientPort);
      if (far === undefined) {
        const socket = createSocket("udp4");
        const respond = this.#over((response) => this.#near.send(response, clientPort, "127.0.0.1"));
        socket.on("message", respond);
        far = { socket, send: this.#over((request) => socket.send(request, targetPort, "127.0.0.1")) };
        this.#far.set(clientPort, far);
      }
      far.send(packet);
    });
  }

  /** Listens on a free port. */
  static async start(targetPort: number): Promise<UdpRelay> {
    const relay = new UdpRelay(await freeUdpPort(), targetPort);
    await new Promise<void>((resolve) => relay.#near.bind(relay.port, "127.0.0.1", resolve));
    return relay;
  }

  stop(): void {
    this.network = null;
    for (const socket of [this.#near, ...[...this.#far.values()].map((far) => far.socket)]) {
      socket.removeAllListeners("message");
      socket.close();
    }
    this.#far.clear();
  }

  /** Sends packets over the network, one after the other. */
  #over(send: Send): Send {
    let freeAtMs = 0;
    return (packet) => {
      if (this.network === null) return send(packet);
      const { delayMs, bytesPerSecond, queueMs } = this.network;
      const nowMs = performance.now();
      const startMs = Math.max(nowMs, freeAtMs);
      if (startMs - nowMs > queueMs) return;
      freeAtMs = startMs + (packet.length / bytesPerSecond) * 1000;
      setTimeout(
        () => {
          if (this.#far.size > 0) send(packet);
        },
        freeAtMs + delayMs - nowMs,
      );
    };
  }
}
