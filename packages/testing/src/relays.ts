import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort, freeUdpPort } from "./ports.ts";

type State = "open" | "cut" | "held";

/** The two sockets of a proxied connection. */
interface Link {
  near: Socket;
  far: Socket | null;
}

/**
 * A proxy to a port of 127.0.0.1 that simulates network faults between two processes.
 *
 * - cut: connections are closed, and new ones refused.
 * - held: like packet loss. Nothing arrives, but neither side gets an error; new connections are accepted but get no response.
 *   `restore` delivers data sent in the meantime, and closes connections that one side has closed.
 */
export class TcpProxy {
  readonly port: number;
  readonly #targetPort: number;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  #state: State = "open";
  #delayMs = 0;

  private constructor(port: number, targetPort: number) {
    this.port = port;
    this.#targetPort = targetPort;
    this.#server = createServer({ allowHalfOpen: false }, (socket) => this.#accept(socket));
  }

  /** Listens on a free port and forwards to `targetPort`; the target need not be listening yet. */
  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(await freePort(), targetPort);
    await proxy.#listen();
    return proxy;
  }

  /** The number of proxied connections. */
  get connections(): number {
    return this.#links.size;
  }

  async cut(): Promise<void> {
    this.#state = "cut";
    for (const link of this.#links) this.#break(link);
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  hold(): void {
    this.#state = "held";
    for (const link of this.#links) {
      link.near.pause();
      link.far?.pause();
    }
  }

  /** Delays all data in both directions. */
  setDelay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Undoes cut, hold and delay. */
  async restore(): Promise<void> {
    this.#delayMs = 0;
    const wasHeld = this.#state === "held";
    this.#state = "open";
    if (!this.#server.listening) await this.#listen();
    if (!wasHeld) return;
    for (const link of this.#links) this.#reopen(link);
  }

  async stop(): Promise<void> {
    await this.cut();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  #accept(near: Socket): void {
    const link: Link = { near, far: null };
    this.#links.add(link);
    this.#watch(link, near, () => link.far);
    if (this.#state === "held") near.pause();
    else this.#join(link);
  }

  #join(link: Link): void {
    link.far = connect(this.#targetPort, "127.0.0.1");
    this.#watch(link, link.far, () => link.near);
  }

  #reopen(link: Link): void {
    if (link.near.destroyed || link.far?.destroyed === true) return this.#break(link);
    if (link.far === null) this.#join(link);
    link.near.resume();
    link.far?.resume();
  }

  #watch(link: Link, from: Socket, to: () => Socket | null): void {
    from.setNoDelay(true);
    from.on("error", () => undefined);
    let sent = Promise.resolve();
    from.on("data", (data: Buffer) => {
      const dueMs = Date.now() + this.#delayMs;
      // Chained, so that the order is kept if the delay is removed in the meantime.
      if (this.#delayMs > 0) sent = sent.then(() => delay(Math.max(0, dueMs - Date.now())));
      void sent.then(() => this.#forward(from, to(), data));
    });
    // While held, the other side must not notice.
    from.on("close", () => this.#state !== "held" && this.#break(link));
  }

  #forward(from: Socket, to: Socket | null, data: Buffer): void {
    if (to === null || to.destroyed || to.write(data)) return;
    from.pause();
    to.once("drain", () => this.#state !== "held" && from.resume());
  }

  #break(link: Link): void {
    this.#links.delete(link);
    link.near.destroy();
    link.far?.destroy();
  }
}

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
  readonly #far = new Map<number, { socket: UdpSocket; send: Send }>();

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
