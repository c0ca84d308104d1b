import { execFileSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

// Stand-ins for the services of Google and Apple. They refuse what those refuse, and check signatures with another library.

const PAYLOAD_MAX_BYTES = 4096;
const HOUR_SECONDS = 3600;
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";

export interface Refusal {
  status: number;
  reason: string;
  retryAfter?: string;
  /** The answer comes when this resolves. */
  when?: Promise<unknown>;
}
type Json = Record<string, unknown>;
interface Answer {
  status: number;
  json: Json;
  retryAfter?: string | undefined;
}

const pem = { publicKeyEncoding: { type: "spki", format: "pem" } } as const;
const pkcs8 = { type: "pkcs8", format: "pem" } as const;

/** The header and the claims of a token; null: its signature is wrong. */
function openToken(token: string, algorithm: "RS256" | "ES256", publicKey: string) {
  const [header = "", claims = "", signature = ""] = token.split(".");
  const decode = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Json;
  const key = { key: createPublicKey(publicKey), dsaEncoding: "ieee-p1363" as const };
  const isSigned = verify(
    "sha256",
    Buffer.from(`${header}.${claims}`),
    key,
    Buffer.from(signature, "base64url"),
  );
  return isSigned && decode(header)["alg"] === algorithm
    ? { header: decode(header), claims: decode(claims) }
    : null;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const hasOnly = (value: unknown, names: readonly string[]): value is Json =>
  typeof value === "object" && value !== null && Object.keys(value).every((name) => names.includes(name));

/** Google's token server, and Firebase Cloud Messaging. */
export class FcmService {
  readonly received: Json[] = [];
  readonly unregistered = new Set<string>();
  /** For the next requests. */
  readonly refusals: Refusal[] = [];
  readonly accessTokens: string[] = [];
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2048, ...pem, privateKeyEncoding: pkcs8 });
  readonly #server: Server = createServer(async (request, response) => {
    const body = await text(request);
    const { status, json, retryAfter } =
      request.url === "/token" ? this.#grant(request, body) : await this.#send(request, body);
    if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  });

  static async start(): Promise<FcmService> {
    const service = new FcmService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What the JSON file of the service account has. */
  get account(): string {
    return JSON.stringify({
      type: "service_account",
      project_id: "my-project",
      client_email: "push@my-project.example",
      private_key: this.#keys.privateKey,
      token_uri: `${this.url}/token`,
    });
  }

  /** Ends the access tokens before their time. */
  revoke(): void {
    this.accessTokens.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #grant({ method, headers }: IncomingMessage, body: string): Answer {
    const form = new URLSearchParams(body);
    const opened = openToken(form.get("assertion") ?? "", "RS256", this.#keys.publicKey);
    const { iss, aud, scope, iat, exp } = (opened?.claims ?? {}) as Record<string, string & number>;
    const isGranted =
      method === "POST" &&
      headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true &&
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
      iss === "push@my-project.example" &&
      aud === `${this.url}/token` &&
      scope === SCOPE &&
      iat !== undefined &&
      exp !== undefined &&
      exp > nowSeconds() &&
      exp - iat <= HOUR_SECONDS;
    if (!isGranted) return { status: 400, json: { error: "invalid_grant" } };
    const token = randomBytes(16).toString("hex");
    this.accessTokens.push(token);
    return { status: 200, json: { access_token: token, expires_in: 3599, token_type: "Bearer" } };
  }

  async #send({ method, url, headers }: IncomingMessage, body: string): Promise<Answer> {
    const fail = (
      status: number,
      name: string,
      errorCode?: string,
      { message: text = name, retryAfter }: { message?: string; retryAfter?: string | undefined } = {},
    ): Answer => {
      const details =
        errorCode === undefined
          ? []
          : [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }];
      return { status, json: { error: { code: status, message: text, status: name, details } }, retryAfter };
    };
    if (method !== "POST" || url !== "/v1/projects/my-project/messages:send") return fail(404, "NOT_FOUND");
    if (!this.accessTokens.some((token) => headers.authorization === `Bearer ${token}`))
      return fail(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR");
    const refusal = this.refusals.shift();
    await refusal?.when;
    if (refusal !== undefined) return fail(refusal.status, refusal.reason, refusal.reason, refusal);
    const { message, ...others } = JSON.parse(body) as { message: Json };
    if (!isFcmMessage(message) || Object.keys(others).length > 0) return fail(400, "INVALID_ARGUMENT");
    const token = String(message["token"]);
    if (this.unregistered.has(token)) return fail(404, "NOT_FOUND", "UNREGISTERED");
    if (!/^[\w-]+:APA91b[\w-]+$/.test(token)) {
      const message = "The registration token is not a valid FCM registration token";
      return fail(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", { message });
    }
    this.received.push(message);
    return { status: 200, json: { name: "projects/my-project/messages/1" } };
  }
}

function isFcmMessage(message: unknown): boolean {
  if (!hasOnly(message, ["token", "notification", "data", "android"])) return false;
  const { notification, data, android } = message as Record<string, Json>;
  if (!hasOnly(notification, ["title", "body"]) || !hasOnly(android, ["priority", "ttl", "notification"]))
    return false;
  const { priority, ttl } = android as Record<string, string>;
  const seconds = Number(/^(\d+)s$/.exec(ttl ?? "")?.[1]);
  const entries = Object.entries(data ?? {});
  const bytes = Buffer.byteLength(JSON.stringify({ notification, data }));
  return (
    ["HIGH", "NORMAL"].includes(priority ?? "") &&
    seconds <= 2_419_200 &&
    hasOnly(android["notification"], ["tag"]) &&
    entries.every(
      ([name, value]) => !/^(from|message_type|gcm|google)/.test(name) && typeof value === "string",
    ) &&
    bytes <= PAYLOAD_MAX_BYTES
  );
}

/** Apple Push Notification service, over HTTP/2 and TLS. */
export class ApnsService {
  readonly received: { token: string; headers: IncomingHttpHeaders; payload: Json }[] = [];
  readonly unregistered = new Set<string>();
  /** For the next requests. */
  readonly refusals: Refusal[] = [];
  readonly certificate: string;
  connections = 0;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256", ...pem, privateKeyEncoding: pkcs8 });
  readonly #server: Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();
  #provider = { token: "", iat: 0 };

  private constructor() {
    const folder = mkdtempSync(join(tmpdir(), "fanfare-apns-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const subject = ["-subj", "/CN=apns", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync("openssl", ["req", ...kind, "-days", "2", ...subject, "-keyout", key, "-out", cert], {
      stdio: "pipe",
    });
    this.certificate = readFileSync(cert, "utf8");
    this.#server = createSecureServer({ key: readFileSync(key), cert: this.certificate });
    rmSync(folder, { recursive: true });
    this.#server.on("session", (session) => {
      this.connections += 1;
      this.#sessions.add(session);
      session.on("close", () => this.#sessions.delete(session));
    });
    this.#server.on("stream", async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on("error", () => {});
      const refusal = this.#receive(headers, await text(stream));
      await refusal?.when;
      stream.respond({ ":status": refusal?.status ?? 200 });
      stream.end(refusal === null ? "" : JSON.stringify({ reason: refusal.reason }));
    });
  }

  static async start(): Promise<ApnsService> {
    const service = new ApnsService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get privateKey(): string {
    return this.#keys.privateKey;
  }

  /** As Apple does before a restart. */
  closeConnections(): void {
    for (const session of this.#sessions) session.close();
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #receive(headers: IncomingHttpHeaders, body: string): Refusal | null {
    const get = (name: string): string => (headers[name] ?? "").toString();
    const refuse = (status: number, reason: string): Refusal => ({ status, reason });
    if (get(":method") !== "POST") return refuse(405, "MethodNotAllowed");
    const device = /^\/3\/device\/(.*)$/.exec(get(":path"))?.[1];
    if (device === undefined) return refuse(404, "BadPath");
    const faulty = this.#faultOfProvider(get("authorization"));
    if (faulty !== null) return faulty;
    if (get("apns-topic") === "") return refuse(400, "MissingTopic");
    if (get("apns-topic") !== "org.example.chat") return refuse(400, "TopicDisallowed");
    if (get("apns-push-type") !== "alert") return refuse(400, "InvalidPushType");
    if (!/^(?:10|5|1)$/.test(get("apns-priority"))) return refuse(400, "BadPriority");
    if (!/^\d{1,10}$/.test(get("apns-expiration"))) return refuse(400, "BadExpirationDate");
    if (Buffer.byteLength(get("apns-collapse-id")) > 64) return refuse(400, "BadCollapseId");
    if (body === "") return refuse(400, "PayloadEmpty");
    if (Buffer.byteLength(body) > PAYLOAD_MAX_BYTES) return refuse(413, "PayloadTooLarge");
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return refusal;
    if (this.unregistered.has(device)) return refuse(410, "Unregistered");
    if (!/^[0-9a-f]{64}$/.test(device)) return refuse(400, "BadDeviceToken");
    this.received.push({ token: device, headers, payload: JSON.parse(body) as Json });
    return null;
  }

  #faultOfProvider(authorization: string): Refusal | null {
    const token = /^bearer (.+)$/i.exec(authorization)?.[1];
    if (token === undefined) return { status: 403, reason: "MissingProviderToken" };
    const opened = openToken(token, "ES256", this.#keys.publicKey);
    const iat = Number(opened?.claims["iat"]);
    if (opened?.header["kid"] !== "ABC123DEFG" || opened.claims["iss"] !== "DEF123GHIJ" || Number.isNaN(iat))
      return { status: 403, reason: "InvalidProviderToken" };
    if (Math.abs(nowSeconds() - iat) > HOUR_SECONDS) return { status: 403, reason: "ExpiredProviderToken" };
    const isSoon = this.#provider.token !== "" && iat - this.#provider.iat < 20 * 60;
    if (token !== this.#provider.token && isSoon)
      return { status: 429, reason: "TooManyProviderTokenUpdates" };
    this.#provider = { token, iat };
    return null;
  }
}
