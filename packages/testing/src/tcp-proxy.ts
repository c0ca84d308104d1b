import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./ports.ts";

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
