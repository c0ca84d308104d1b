import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/**
 * One address in front of several gateways, like a load balancer: a connection goes to the next gateway that
 * accepts it. For clients that know only one address.
 */
export class Balancer {
  readonly url: string;
  readonly #server: Server;
  readonly #targets: readonly URL[];
  readonly #open = new Set<Socket>();
  #next = 0;

  private constructor(server: Server, urls: readonly string[]) {
    this.#server = server;
    this.#targets = urls.map((url) => new URL(url));
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (client) => this.#accept(client));
  }

  static async open(urls: readonly string[]): Promise<Balancer> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Balancer(server, urls);
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    this.#keep(client);
    this.#try(client, this.#next++, this.#targets.length);
  }

  #try(client: Socket, index: number, triesLeft: number): void {
    if (triesLeft === 0) {
      client.destroy();
      return;
    }
    const { hostname, port } = this.#targets[index % this.#targets.length]!;
    const gateway = connect({ host: hostname, port: Number(port) });
    const onRefused = () => this.#try(client, index + 1, triesLeft - 1);
    gateway.once("error", onRefused);
    gateway.once("connect", () => {
      gateway.off("error", onRefused);
      this.#keep(gateway);
      client.pipe(gateway).pipe(client);
      client.once("close", () => gateway.destroy());
      gateway.once("close", () => client.destroy());
    });
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#open.delete(socket));
  }
}
