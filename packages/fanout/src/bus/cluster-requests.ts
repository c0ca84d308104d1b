import type { Namespace, Socket } from "socket.io";
import {
  type Adapter,
  ClusterAdapterWithHeartbeat,
  type ClusterMessage,
  type ClusterResponse,
  MessageType,
} from "socket.io-adapter";
import type { Publisher } from "./publisher.ts";

export interface ClusterRequestsOptions {
  /** In milliseconds, as is `heartbeatTimeout`. */
  readonly heartbeatInterval: number;
  readonly heartbeatTimeout: number;
  /** Called when a request cannot be answered. */
  readonly onError: (error: Error) => void;
}

/** Only needed for connection state recovery, which is not supported. */
const NO_OFFSET = Promise.resolve("");

type Message = ClusterMessage | ClusterResponse;

/**
 * Socket.IO's cluster protocol, used for requests with responses: server count, fetching sockets, serverSideEmit and broadcasts with
 * acknowledgement. Uses the rooms of its adapter.
 */
export class ClusterRequests extends ClusterAdapterWithHeartbeat {
  readonly #publisher: Publisher;
  readonly #onError: (error: Error) => void;

  constructor(
    nsp: Namespace,
    adapter: Adapter,
    publisher: Publisher,
    { onError, ...heartbeat }: ClusterRequestsOptions,
  ) {
    super(nsp, heartbeat);
    this.#onError = onError;
    this.rooms = adapter.rooms;
    this.sids = adapter.sids;
    this.#publisher = publisher;
  }

  /** The id that responses to this server are addressed to. */
  get address(): string {
    return this.uid;
  }

  receive(message: Message): void {
    // The base class fails on a socket whose handshake was released.
    if (message.type === MessageType.FETCH_SOCKETS) this.#describeSockets(message);
    else this.onMessage(message as ClusterMessage);
  }

  /** Throws synchronously if the message cannot be encoded, so the sender gets the error. */
  protected override doPublish(message: ClusterMessage): Promise<string> {
    this.#publisher.cluster(message);
    return NO_OFFSET;
  }

  protected override async doPublishResponse(server: string, response: ClusterResponse): Promise<void> {
    try {
      this.#publisher.cluster(response, server);
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  #describeSockets({ uid, data }: FetchSockets): void {
    const { rooms, except } = data.opts;
    const local = { rooms: new Set(rooms), except: new Set(except), flags: { local: true } };
    const answer = async (): Promise<void> => {
      const sockets = await super.fetchSockets(local);
      const response = {
        type: MessageType.FETCH_SOCKETS_RESPONSE,
        data: { requestId: data.requestId, sockets: sockets.map(describe) },
      };
      this.publishResponse(uid, response as FetchSocketsResponse);
    };
    answer().catch(this.#onError);
  }
}

type FetchSocketsResponse = Extract<ClusterResponse, { type: MessageType.FETCH_SOCKETS_RESPONSE }>;

type FetchSockets = Extract<
  ClusterMessage,
  { data: { requestId: string; opts: unknown; packet?: never } }
> & {
  data: { opts: { rooms: string[]; except: string[] }; requestId: string };
};

/** The data for Socket.IO's RemoteSocket. */
function describe({ id, handshake, rooms, data }: Socket): object {
  // A session store may not be serializable.
  const shown = handshake && { ...handshake, sessionStore: undefined };
  return { id, handshake: shown, rooms: [...rooms], data: sendable(data) };
}

/** Omits application data that can't be serialized, such as circular objects. */
function sendable(data: unknown): unknown {
  try {
    JSON.stringify(data);
    return data;
  } catch {
    return {};
  }
}
