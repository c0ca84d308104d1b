import { createHash, randomBytes } from "node:crypto";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const MAX_RESPONSE_BYTES = 8 * 1024;

/** The request that opens a WebSocket (RFC 6455 section 4.1), and the expected answer. */
export interface Handshake {
  request: Buffer;
  accept: string;
}

export function createHandshake(url: URL, path: string, headers: Record<string, string> = {}): Handshake {
  const key = randomBytes(16).toString("base64");
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${url.host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return {
    request: Buffer.from(`${lines.join("\r\n")}\r\n\r\n`),
    accept: createHash("sha1")
      .update(key + GUID)
      .digest("base64"),
  };
}

/** Incomplete: undefined. Accepted: the number of bytes before the frames. Otherwise: the error. */
export type HandshakeAnswer = undefined | { headBytes: number } | { error: string };

export function readHandshakeAnswer(bytes: Buffer, accept: string): HandshakeAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return bytes.length > MAX_RESPONSE_BYTES ? { error: "HTTP_HEADERS_TOO_LONG" } : undefined;
  const [status = "", ...headers] = bytes.toString("latin1", 0, end).split("\r\n");
  const code = /^HTTP\/1\.1 (\d{3})/.exec(status)?.[1];
  if (code !== "101") return { error: code ? `HTTP_${code}` : "NOT_HTTP" };
  const accepted = headers.some((line) => {
    const colon = line.indexOf(":");
    return (
      line.slice(0, colon).toLowerCase() === "sec-websocket-accept" && line.slice(colon + 1).trim() === accept
    );
  });
  return accepted ? { headBytes: end + 4 } : { error: "BAD_WEBSOCKET_ACCEPT" };
}
