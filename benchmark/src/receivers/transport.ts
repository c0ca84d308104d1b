import { connect, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";

export interface Place {
  /** An IP address. */
  host: string;
  port: number;
  /** The host name that its certificate must have; undefined: no TLS. */
  tlsName?: string;
}

/** @param address the IP address of the server: looked up once, not once per connection */
export function placeOf(url: URL, address: string): Place {
  if (url.protocol !== "https:") return { host: address, port: Number(url.port) || 80 };
  return { host: address, port: Number(url.port) || 443, tlsName: url.hostname };
}

/**
 * Opens a socket that reads into a shared buffer. Over TLS, Node decrypts into it.
 * @param onOpen called when data can be written
 */
export function openTransport(
  { host, port, tlsName }: Place,
  localAddress: string | undefined,
  onread: OnReadOpts,
  onOpen: () => void,
): Socket {
  const options = {
    host,
    port,
    noDelay: true,
    onread,
    ...(localAddress === undefined ? {} : { localAddress }),
  };
  if (tlsName === undefined) return connect(options, onOpen);
  // An IP address is no valid server name; the certificate is then compared with `host`.
  const servername = isIP(tlsName) === 0 ? { servername: tlsName } : {};
  return connectTls({ ...options, ...servername }, onOpen);
}

/** Leaves no TIME_WAIT behind, so that the next run finds its ports free; Node can't do that with TLS. */
export function resetTransport(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

const HEAD_END = Buffer.from("\r\n\r\n");
const MOST_HEAD_BYTES = 16 * 1024;

/**
 * The bytes of an HTTP/1.1 request.
 * @param target path and query
 */
export function encodeRequest(
  method: "GET" | "POST",
  target: string,
  host: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Buffer {
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** The head of the answer, and its length. undefined: incomplete; a code: malformed. */
export function readHead(
  bytes: Buffer,
): { status: number; text: string; length: number } | string | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return bytes.length > MOST_HEAD_BYTES ? "HTTP_HEAD_TOO_LONG" : undefined;
  const text = bytes.toString("latin1", 0, end);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  return status === undefined ? "NOT_HTTP" : { status: Number(status), text, length: end + HEAD_END.length };
}
