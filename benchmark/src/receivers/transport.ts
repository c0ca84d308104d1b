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
