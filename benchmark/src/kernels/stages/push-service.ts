import { createECDH, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Takes the place of the push services of browsers: accepts all pushes, and counts them. */
export class PushService {
  received = 0;
  readonly #server = createServer((request, response) => {
    request.resume().on("end", () => {
      this.received++;
      response.writeHead(201).end();
    });
  });

  static async start(): Promise<PushService> {
    const service = new PushService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  /** A subscription like that of a browser, with keys of its own (RFC 8291). */
  subscription(name: string) {
    const { port } = this.#server.address() as AddressInfo;
    const keys = {
      p256dh: createECDH("prime256v1").generateKeys("base64url"),
      auth: randomBytes(16).toString("base64url"),
    };
    return { endpoint: `http://127.0.0.1:${port}/${name}`, keys };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
