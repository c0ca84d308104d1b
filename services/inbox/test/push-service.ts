import { createECDH, randomBytes, type ECDH } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import ece from "http_ece";

export interface Received {
  payload: unknown;
  headers: IncomingHttpHeaders;
  path: string;
}

/** Acts as a browser and its push service: receives pushes by HTTP and decrypts them. */
export class PushService {
  readonly received: Received[] = [];
  /** The status of further responses. */
  status = 201;
  readonly #server: Server;
  readonly #ecdh: ECDH = createECDH("prime256v1");
  readonly #auth = randomBytes(16);

  private constructor() {
    this.#ecdh.generateKeys();
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const options = {
          version: "aes128gcm",
          privateKey: this.#ecdh,
          authSecret: this.#auth.toString("base64url"),
        };
        const payload = JSON.parse(ece.decrypt(Buffer.concat(chunks), options).toString()) as unknown;
        this.received.push({ payload, headers: request.headers, path: request.url ?? "" });
        response.writeHead(this.status).end();
      });
    });
  }

  static async start(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  /** The subscription that a browser returns to a page. */
  subscription(name: string) {
    const { port } = this.#server.address() as AddressInfo;
    return {
      endpoint: `http://127.0.0.1:${port}/${name}`,
      keys: {
        p256dh: this.#ecdh.getPublicKey("base64url"),
        auth: this.#auth.toString("base64url"),
      },
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
