import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/**
 * One address in front of several gateways, like a load balancer: a connection goes to the next gateway that
 * accepts it. For clients that know only one address.
 */
export async function openBalancer(urls: readonly string[]) {
  const targets = urls.map((url) => new URL(url));
  const open = new Set<Socket>();
  let next = 0;

  function keep(socket: Socket): void {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
  }

  function pass(client: Socket, index: number, triesLeft: number): void {
    if (triesLeft === 0) {
      client.destroy();
      return;
    }
    const { hostname, port } = targets[index % targets.length]!;
    const gateway = connect({ host: hostname, port: Number(port) });
    const onRefused = () => pass(client, index + 1, triesLeft - 1);
    gateway.once("error", onRefused);
    gateway.once("connect", () => {
      gateway.off("error", onRefused);
      keep(gateway);
      client.pipe(gateway).pipe(client);
      client.once("close", () => gateway.destroy());
      gateway.once("close", () => client.destroy());
    });
  }

  const server = createServer({ pauseOnConnect: true }, (client) => {
    keep(client);
    pass(client, next++, targets.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, "close");
    },
  };
}
