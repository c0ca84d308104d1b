import type { Namespace, Socket } from "socket.io";
import {
  type Adapter,
  ClusterAdapterWithHeartbeat,
  type ClusterMessage,
  type ClusterResponse,
  MessageType,
} from "socket.io-adapter";
import type { Publisher } from "./publisher.ts";

/** Milliseconds. */
export interface HeartbeatOptions {
  readonly heartbeatInterval: number;
  readonly heartbeatTimeout: number;
}

type Message = ClusterMessage | ClusterResponse;

/**
 * Socket.IO's own protocol between servers, for what has answers: how many servers there are, their sockets, events
 * between servers, broadcasts with acknowledgement. It looks at the rooms of the adapter it belongs to.
 */
export class ClusterRequests extends ClusterAdapterWithHeartbeat {
  readonly #publisher: Publisher;

  constructor(nsp: Namespace, adapter: Adapter, publisher: Publisher, heartbeat: HeartbeatOptions) {
    super(nsp, heartbeat);
    this.rooms = adapter.rooms;
    this.sids = adapter.sids;
    this.#publisher = publisher;
  }

  /** Where answers to this server go. */
  get address(): string {
    return this.uid;
  }

  receive(message: Message): void {
    // The base class would fail on a socket whose handshake has been let go of.
    if (message.type === MessageType.FETCH_SOCKETS) void this.#describeSockets(message);
    else this.onMessage(message as ClusterMessage);
  }

  protected override async doPublish(message: ClusterMessage): Promise<string> {
    this.#publisher.cluster(message);
    return "";
  }

  protected override async doPublishResponse(server: string, response: ClusterResponse): Promise<void> {
    this.#publisher.cluster(response, server);
  }

  async #describeSockets({ uid, data }: FetchSockets): Promise<void> {
    const { rooms, except } = data.opts;
    const sockets = await super.fetchSockets({
      rooms: new Set(rooms),
      except: new Set(except),
      flags: { local: true },
    });
    const response = {
      type: MessageType.FETCH_SOCKETS_RESPONSE,
      data: { requestId: data.requestId, sockets: sockets.map(describe) },
    };
    this.publishResponse(uid, response as FetchSocketsResponse);
  }
}

type FetchSocketsResponse = Extract<ClusterResponse, { type: MessageType.FETCH_SOCKETS_RESPONSE }>;

type FetchSockets = Extract<
  ClusterMessage,
  { data: { requestId: string; opts: unknown; packet?: never } }
> & {
  data: { opts: { rooms: string[]; except: string[] }; requestId: string };
};

/** What Socket.IO's RemoteSocket is made from. */
function describe({ id, handshake, rooms, data }: Socket): object {
  // A session store may be anything.
  const shown = handshake && { ...handshake, sessionStore: undefined };
  return { id, handshake: shown, rooms: [...rooms], data: sendable(data) };
}

/** What an application keeps with its sockets may be circular, or be no data at all: it stays at home then. */
function sendable(data: unknown): unknown {
  try {
    JSON.stringify(data);
    return data;
  } catch {
    return {};
  }
}
