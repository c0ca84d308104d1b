import { createHash } from "node:crypto";

/** Characters that NATS takes in one token of a subject and that mean nothing to it. */
const PLAIN = /^[\w:@/-]{1,128}$/;
/** Base64 of a longer name would come near the longest line that a nats-server reads (4,096 bytes). */
const MAX_ENCODED_BYTES = 512;
/** The ids Socket.IO gives its sockets: 15 random bytes as base64url. */
const SOCKET_ID = /^[\w-]{20}$/;

/** A name as one token of a subject: itself where it can be, different names always differ. */
export function encodeToken(name: string): string {
  if (PLAIN.test(name)) return name;
  const bytes = Buffer.from(name, "utf8");
  if (bytes.length <= MAX_ENCODED_BYTES) return `=${bytes.toString("base64url")}`;
  return `+${createHash("sha256").update(bytes).digest("base64url")}`;
}

/** The subjects of one namespace. Publishers and servers find each other where `prefix` and namespace are the same. */
export class Subjects {
  /** Messages for sockets of any server: all sockets of the namespace, or a socket by its id. */
  readonly all: string;
  /** Messages for every server, even without sockets: requests, heartbeats, resync. */
  readonly servers: string;
  readonly #base: string;

  constructor(prefix: string, namespace: string) {
    this.#base = namespace === "/" ? prefix : `${prefix}.nsp.${encodeToken(namespace)}`;
    this.all = `${this.#base}.all`;
    this.servers = `${this.#base}.servers`;
  }

  /**
   * Every socket is alone in the room of its own id; a subscription for each would double their number. So these rooms have
   * no subject of their own. A room of another kind whose name looks like an id is only less well aimed.
   */
  room(room: string): string {
    return SOCKET_ID.test(room) ? this.all : `${this.#base}.room.${encodeToken(room)}`;
  }

  /** Responses to the requests of one server. */
  server(uid: string): string {
    return `${this.#base}.server.${uid}`;
  }
}

/** @throws RangeError for a prefix that cannot begin a subject. */
export function checkedPrefix(prefix: string): string {
  if (/^[\w-]+(\.[\w-]+)*$/.test(prefix)) return prefix;
  throw new RangeError(`prefix must be words of letters, digits, "_" or "-" joined by ".", got "${prefix}".`);
}
