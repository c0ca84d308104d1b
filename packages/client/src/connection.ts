import type { EventName, EventPayload } from "@fanfare/contract";
import { type Backoff, backoffMs } from "@fanfare/contract/backoff";
import { io, type Socket } from "socket.io-client";
import type { GatewayUrls } from "./http.ts";
import {
  endsSession,
  FanfareError,
  isWireError,
  localError,
  needsSecondFactor,
  retryAfterMsOf,
} from "./errors.ts";
import { isEventName, OWN_PROTOCOL_VERSION } from "./limits.ts";
import { inOutage, retryMs, sleep, sleepUntilOnline } from "./timing.ts";

/**
 * - `offline`: not connected and not retrying: `connect` was not called or failed, or the server requires a second factor first.
 * - `connecting`: connecting for the first time.
 * - `online`: connected, and receiving all events.
 * - `reconnecting`: the connection was lost; retrying.
 * - `closed`: closed permanently, by `close` or because the session ended.
 */
export type ConnectionState = "offline" | "connecting" | "online" | "reconnecting" | "closed";

export interface ConnectionOptions {
  gatewayUrls: GatewayUrls;
  /** Delays between connection attempts; shorter in the first minute of an outage: see `inOutage`. */
  backoff: Backoff;
  /** Runs a function with a valid access token, and again with a new one if the server rejects the first. */
  withToken<T>(work: (accessToken: string) => Promise<T>): Promise<T>;
  /** Whether this session is one of the given ones (null: all sessions of the user). */
  isOwnSession(sessionIds: readonly string[] | null): boolean;
  onEvent<N extends EventName>(name: N, payload: EventPayload<N>): void;
  onState(state: ConnectionState, error: FanfareError | undefined): void;
}

/** From the first packet to `ready`. */
const READY_TIMEOUT_MS = 15_000;
/** How long a replaced connection waits for the results of its pending calls. */
const DRAIN_TIMEOUT_MS = 2_000;
/** After a connection of this duration, the retry delay starts low again. */
const STABLE_AFTER_MS = 5_000;

/** One socket, reopened after every loss until it is closed or the session ends. */
export class Connection {
  readonly #options: ConnectionOptions;
  #state: ConnectionState = "offline";
  #socket: Socket | null = null;
  #stop = new AbortController();
  /** Timer of the move after `server.draining`. */
  #reconnectAtMs: number | null = null;
  #closedBy: FanfareError | undefined;
  /** Pending calls. */
  readonly #pendingCalls = new Set<Promise<unknown>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** @throws {FanfareError} CLOSED or the error that ended the session, if the connection is closed */
  assertOpen(): void {
    if (this.#state === "closed") throw this.#closedError();
  }

  /**
   * Connects and stays connected. Resolves when first online.
   * @throws {FanfareError} if the server rejects the session or requires a second factor first, if it is not online within `timeoutMs` (0: no limit; the
   * error is that of the last attempt), or CLOSED
   */
  open(timeoutMs: number): Promise<void> {
    if (this.#state === "closed") return Promise.reject(this.#closedError());
    if (this.#state !== "offline") {
      return Promise.reject(new Error("Call connect only once: it reconnects."));
    }
    this.#stop = new AbortController();
    return new Promise((resolve, reject) => {
      void this.#keepConnected(timeoutMs === 0 ? Infinity : Date.now() + timeoutMs, resolve, reject);
    });
  }

  /** @throws {FanfareError} TIMEOUT, CONNECTION_LOST or CLOSED: the call may have been executed */
  async request(name: string, params: unknown, timeoutMs: number): Promise<unknown> {
    const socket = this.#socket;
    if (socket === null) throw this.#connectionLostError();
    const answered = socket.timeout(timeoutMs).emitWithAck(name, params) as Promise<unknown>;
    this.#pendingCalls.add(answered);
    try {
      return await answered;
    } catch (error) {
      if (!socket.connected) throw this.#connectionLostError(error);
      throw localError("TIMEOUT", `${name} got no response within ${timeoutMs} ms.`, error);
    } finally {
      this.#pendingCalls.delete(answered);
    }
  }

  close(error?: FanfareError): void {
    if (this.#state === "closed") return;
    this.#closedBy = error;
    this.#setState("closed", error);
    this.#stop.abort();
  }

  async #keepConnected(
    deadlineMs: number,
    onFirst: () => void,
    onFailure: (error: unknown) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    let failures = 0;
    let outageSinceMs = Date.now();
    let wasOnline = false;
    this.#setState("connecting");
    while (!signal.aborted) {
      try {
        const socket = await this.#options.withToken((token) => this.#openSocket(token, deadlineMs));
        wasOnline = true;
        const onlineSinceMs = Date.now();
        onFirst();
        deadlineMs = Infinity;
        await this.#waitForDisconnect(socket);
        failures += 1;
        if (Date.now() - onlineSinceMs > STABLE_AFTER_MS) {
          failures = 0;
          outageSinceMs = Date.now();
        }
        // A drain has already chosen the next address.
        if (this.#reconnectAtMs === null) this.#options.gatewayUrls.next();
        if (!signal.aborted) this.#setState("reconnecting");
        await sleepUntilOnline(this.#reconnectDelayMs(failures, outageSinceMs), signal);
      } catch (error) {
        if (signal.aborted) break;
        if (endsSession(error)) {
          this.close(error as FanfareError);
          onFailure(error);
          return;
        }
        if (Date.now() >= deadlineMs || needsSecondFactor(error)) {
          this.#setState("offline", error as FanfareError);
          onFailure(error);
          return;
        }
        this.#setState(wasOnline ? "reconnecting" : "connecting", error as FanfareError);
        this.#options.gatewayUrls.next();
        const backoff = inOutage(Date.now() - outageSinceMs, this.#options.backoff);
        const waitMs = retryMs(failures++, backoff, retryAfterMsOf(error));
        await sleepUntilOnline(Math.min(waitMs, deadlineMs - Date.now()), signal);
      }
    }
    onFailure(this.#closedError());
  }

  #openSocket(token: string, deadlineMs: number): Promise<Socket> {
    const { signal } = this.#stop;
    const socket = io(this.#options.gatewayUrls.current, {
      transports: ["websocket"],
      forceNew: true,
      reconnection: false,
      auth: { token },
    });
    return new Promise<Socket>((resolve, reject) => {
      const fail = (error: FanfareError) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", abort);
        socket.removeAllListeners().offAny();
        socket.disconnect();
        reject(error);
      };
      const abort = () => fail(this.#closedError());
      const timeoutMs = Math.max(0, Math.min(READY_TIMEOUT_MS, deadlineMs - Date.now()));
      const timer = setTimeout(() => fail(localError("TIMEOUT", "The server did not get ready.")), timeoutMs);
      signal.addEventListener("abort", abort);
      socket.on("connect_error", (error) => fail(connectError(error)));
      socket.on("disconnect", () => fail(this.#connectionLostError()));
      socket.onAny((name: string, payload: unknown) => {
        if (name === "ready") {
          if (!this.#checkProtocol(payload as EventPayload<"ready">)) return;
          clearTimeout(timer);
          signal.removeEventListener("abort", abort);
          socket.off("disconnect").off("connect_error");
          this.#socket = socket;
          this.#setState("online");
          resolve(socket);
        }
        this.#receive(socket, name, payload);
      });
      if (signal.aborted) abort();
    });
  }

  /** Whether the protocol version matches; if not, retrying would not help. */
  #checkProtocol({ protocolVersion }: EventPayload<"ready">): boolean {
    if (protocolVersion === OWN_PROTOCOL_VERSION) return true;
    const versions = `version ${protocolVersion} of the protocol, this client version ${OWN_PROTOCOL_VERSION}`;
    this.close(localError("PROTOCOL_MISMATCH", `The server speaks ${versions}: update the client.`));
    return false;
  }

  #waitForDisconnect(socket: Socket): Promise<void> {
    const { signal } = this.#stop;
    return new Promise<void>((resolve) => {
      const lost = () => {
        signal.removeEventListener("abort", leave);
        socket.removeAllListeners().offAny();
        if (this.#socket === socket) this.#socket = null;
        resolve();
      };
      const leave = () => socket.disconnect();
      socket.on("disconnect", lost);
      signal.addEventListener("abort", leave);
      if (!socket.connected) lost();
      else if (signal.aborted) leave();
    });
  }

  #receive(socket: Socket, name: string, payload: unknown): void {
    if (!isEventName(name)) return;
    this.#options.onEvent(name, payload as EventPayload<typeof name>);
    if (name === "session.revoked") {
      const { sessionIds } = payload as EventPayload<"session.revoked">;
      if (this.#options.isOwnSession(sessionIds)) this.close(revokedError());
    }
    if (name === "server.draining") {
      const { reconnectWithinMs } = payload as EventPayload<"server.draining">;
      const waitMs = Math.random() * reconnectWithinMs;
      this.#reconnectAtMs = Date.now() + waitMs;
      this.#options.gatewayUrls.next();
      void sleep(waitMs, this.#stop.signal).then(() => this.#drain(socket));
    }
  }

  /** New calls use HTTP until the new connection is online, so the pending calls are the last ones. */
  async #drain(socket: Socket): Promise<void> {
    if (this.#socket !== socket) return;
    this.#setState("reconnecting");
    await Promise.race([Promise.allSettled(this.#pendingCalls), sleep(DRAIN_TIMEOUT_MS, this.#stop.signal)]);
    socket.disconnect();
  }

  #reconnectDelayMs(failures: number, outageSinceMs: number): number {
    const moveAtMs = this.#reconnectAtMs;
    this.#reconnectAtMs = null;
    // The moment of the move is already random.
    if (moveAtMs !== null) return Math.max(0, moveAtMs - Date.now());
    return backoffMs(failures, inOutage(Date.now() - outageSinceMs, this.#options.backoff));
  }

  #connectionLostError(cause?: unknown): FanfareError {
    if (this.#state === "closed") return this.#closedError();
    return localError("CONNECTION_LOST", "The connection to the server was lost.", cause);
  }

  #closedError(): FanfareError {
    return this.#closedBy ?? localError("CLOSED", "This client was closed.");
  }

  #setState(state: ConnectionState, error?: FanfareError): void {
    if (this.#state === "closed" || (this.#state === state && error === undefined)) return;
    this.#state = state;
    this.#options.onState(state, error);
  }
}

function revokedError(): FanfareError {
  const message = "This session has ended: log in again.";
  return new FanfareError({ type: "SESSION_REVOKED", message, retryable: false, requestId: "" });
}

/** The gateway's error for a rejected socket, or a network error. */
function connectError(error: Error & { data?: unknown }): FanfareError {
  if (isWireError(error.data)) return new FanfareError(error.data);
  return localError("CONNECTION_LOST", `The server cannot be reached: ${error.message}.`, error);
}
