import type {
  ActionName,
  Call,
  ChatImport,
  EventName,
  EventPayload,
  GroupFileLine,
  MessageFileLine,
  OwnUser,
  Params,
  Result,
  SessionTokens,
  StoredFile,
} from "@fanfare/contract";
import { GatewayUrls, callByHttp, unwrap } from "./http.ts";
import { ChannelView } from "./channel-view.ts";
import { Connection, type ConnectionState } from "./connection.ts";
import { EarlyCalls } from "./early-calls.ts";
import { Emitter } from "./emitter.ts";
import { endsSession, FanfareError } from "./errors.ts";
import {
  type ExportGroupOptions,
  groupExport,
  type MessageExport,
  openLines,
  readLines,
  upload,
  type UploadOptions,
} from "./transfers.ts";
import { factsOf, TYPING_INTERVAL_MS, WRITE_TIMEOUT_MS } from "./limits.ts";
import { PresenceWatch } from "./presence-watch.ts";
import { Session } from "./session.ts";
import type { StateEvent } from "./store/reduce.ts";
import { SyncLoop } from "./sync-loop.ts";
import { TypingThrottle } from "./timing.ts";

export interface FanfareClientOptions {
  /** The origin of a gateway, such as `https://chat.example.org`, or several: the next one is used after a failure. */
  url: string | readonly string[];
  /** Timeout of a call. Default: 15,000 ms, longer than the server's own timeout for writes. */
  callTimeoutMs?: number;
  /** How long `channel.send` retries. Default: 60,000 ms. */
  sendGiveUpMs?: number;
  /** A channel is synced once after about this long without an event. Default: 30,000 ms. */
  idleSyncMs?: number;
  /** For clients that share a session, such as browser tabs: makes sure that only one of them renews the tokens. */
  renewTokens?: RenewTokens;
}

/**
 * Returns tokens that replace `old`: either already renewed by another client, or renewed now with `renew`.
 * A refresh token can be used once; a second use ends the session.
 */
export type RenewTokens = (
  old: SessionTokens,
  renew: (tokens: SessionTokens) => Promise<SessionTokens>,
) => Promise<SessionTokens>;

/** The events of the contract, and those of this client. */
export type ClientEvents = { [N in EventName]: EventPayload<N> } & {
  "connection.changed": { state: ConnectionState; error: FanfareError | undefined };
  /** New tokens to store for `useTokens`; null when the session has ended. */
  "tokens.changed": SessionTokens | null;
};

const CALL_TIMEOUT_MS = WRITE_TIMEOUT_MS + 5_000;
const SEND_GIVE_UP_MS = 60_000;
const IDLE_SYNC_MS = 30_000;
/** Spreads the requests of many clients that received the same event. */
const CROWD_SPREAD_MS = 2_000;
const CONNECT_TIMEOUT_MS = 20_000;
const CONNECT_BACKOFF = { baseMs: 1000, maxMs: 15_000 };
const REPEAT_BACKOFF = { baseMs: 500, maxMs: 3_000 };
const SYNC_BACKOFF = { baseMs: 300, maxMs: 2_000 };

function isReplacing(name: ActionName): boolean {
  const { startsSession, endsSession } = factsOf(name);
  return startsSession === true && endsSession === true;
}

/** Wraps a call, which `ask` performs. */
export type CallWrapper = <N extends ActionName>(
  name: N,
  params: Params<N>,
  ask: (params: Params<N>) => Promise<Result<N>>,
) => Promise<Result<N>>;

/** One user's connection to Fanfare, in Node and in the browser. */
export class FanfareClient {
  readonly #gatewayUrls: GatewayUrls;
  readonly #options: Required<Omit<FanfareClientOptions, "url" | "renewTokens">>;
  readonly #emitter = new Emitter<ClientEvents>();
  readonly #views = new Map<string, ChannelView>();
  readonly #early = new EarlyCalls();
  readonly #session: Session;
  readonly #connection: Connection;
  readonly #sync: SyncLoop;
  /** The presence of watched users, updated while this client is connected. */
  readonly presence: PresenceWatch;
  readonly #typing = new TypingThrottle(TYPING_INTERVAL_MS, (channelId) => {
    // Best effort: a lost typing indicator doesn't matter.
    this.call("channel.typing", { channelId }).catch(() => undefined);
  });
  #around: CallWrapper = (_name, params, ask) => ask(params);
  #syncLater: ReturnType<typeof setTimeout> | null = null;
  /** Pending while the session is being replaced by another one. */
  #replacing: Promise<void> | null = null;

  /** @throws {TypeError} if `url` is not a valid URL */
  constructor({
    url,
    callTimeoutMs = CALL_TIMEOUT_MS,
    sendGiveUpMs = SEND_GIVE_UP_MS,
    idleSyncMs = IDLE_SYNC_MS,
    renewTokens = (old, renew) => renew(old),
  }: FanfareClientOptions) {
    this.#gatewayUrls = new GatewayUrls(url);
    this.#options = { callTimeoutMs, sendGiveUpMs, idleSyncMs };
    this.#session = new Session({
      renew: (old) =>
        renewTokens(
          old,
          async ({ refreshToken }) => (await this.#byHttp("user.refresh", { refreshToken })) as SessionTokens,
        ),
      onChange: (tokens) => this.#emitter.emit("tokens.changed", tokens),
    });
    this.#connection = new Connection({
      gatewayUrls: this.#gatewayUrls,
      backoff: CONNECT_BACKOFF,
      withToken: async (work) => {
        await this.#replacing;
        return this.#session.withToken(work);
      },
      isOwnSession: (ids) =>
        ids === null || (this.#replacing === null && ids.includes(this.#session.tokens?.sessionId ?? "")),
      onEvent: (name, payload) => this.#receive(name, payload),
      onState: (state, error) => this.#connectionChanged(state, error),
    });
    this.#sync = new SyncLoop({
      call: this.call,
      targets: () => this.#views.values(),
      isOnline: () => this.state === "online",
      backoff: SYNC_BACKOFF,
    });
    this.presence = new PresenceWatch({
      call: this.call,
      isOnline: () => this.state === "online",
      backoff: REPEAT_BACKOFF,
      spreadMs: CROWD_SPREAD_MS,
    });
  }

  /** The origin of the current gateway. */
  get url(): string {
    return this.#gatewayUrls.current;
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** To be stored for `useTokens`; null when not logged in. */
  get tokens(): SessionTokens | null {
    return this.#session.tokens;
  }

  /** The logged-in user; null when not logged in. */
  get user(): OwnUser | null {
    return this.#session.tokens?.user ?? null;
  }

  register(params: Params<"user.register">): Promise<SessionTokens> {
    return this.call("user.register", params);
  }

  login(params: Params<"user.login">): Promise<SessionTokens> {
    return this.call("user.login", params);
  }

  createGuest(params: Params<"user.createGuest"> = {}): Promise<SessionTokens> {
    return this.call("user.createGuest", params);
  }

  /** Resumes a session with the tokens of an earlier login. */
  useTokens(tokens: SessionTokens): void {
    this.#session.use(tokens);
  }

  /** Authenticates as a bot, with the token that `bot.create` returned. */
  useBotToken(token: string): void {
    this.#session.useBotToken(token);
  }

  /** Ends the session on the server if it can be reached, and closes this client. */
  async logout(): Promise<void> {
    try {
      await this.#session.withToken((token) => this.#byHttp("user.logout", {}, token));
    } finally {
      this.#session.use(null);
      this.close();
    }
  }

  /**
   * Connects, and reconnects whenever the connection is lost. Resolves when the socket receives all events (`ready`).
   * @param options.timeoutMs how long to try, 20,000 by default; 0: no limit
   * @throws {FanfareError} if the server rejects the session or can't be reached in time
   */
  connect({ timeoutMs = CONNECT_TIMEOUT_MS }: { timeoutMs?: number } = {}): Promise<void> {
    return this.#connection.open(timeoutMs);
  }

  /**
   * Calls an action: by socket when connected, otherwise by HTTP. Stores the tokens of calls that log in.
   * @throws {FanfareError} handle it by its `type`; retry the same call only if it is `retryable`
   */
  readonly call: Call = async (name, params) =>
    this.#around(name, params, (asked) => this.#call(name, asked));

  /** @internal Makes a call ahead. The next equal one takes its result, unless an event arrives before that. */
  callEarly<N extends ActionName>(name: N, params: Params<N>): void {
    this.#early.add(name, params, this.#call(name, params));
  }

  /** @internal Wraps every call, so that a store sees the results. Returns a function that calls without the wrapper. */
  wrapCalls(around: CallWrapper): Call {
    this.#around = around;
    return this.#call;
  }

  /** Adds an event listener. Returns a function that removes it. */
  on<N extends keyof ClientEvents>(name: N, listener: (payload: ClientEvents[N]) => void): () => void {
    return this.#emitter.on(name, listener);
  }

  /** An exact copy of a channel; repeated calls return the same object until it is closed. Call its `load` first. */
  channel(channelId: string): ChannelView {
    const existing = this.#views.get(channelId);
    if (existing !== undefined) return existing;
    const view = new ChannelView(channelId, {
      call: this.call,
      backoff: REPEAT_BACKOFF,
      sendGiveUpMs: this.#options.sendGiveUpMs,
      idleSyncMs: this.#options.idleSyncMs,
      onGap: () => this.#sync.start("soon"),
      onClose: () => {
        if (this.#views.get(channelId) === view) this.#views.delete(channelId);
      },
    });
    this.#views.set(channelId, view);
    return view;
  }

  /** Notifies the channel that the user is typing. Can be called on every key press: it sends at most once every 3 s. */
  typing(channelId: string): void {
    if (this.state === "online") this.#typing.trigger(channelId);
  }

  /**
   * Uploads a file for a message in a channel: `channel.send("…", { attachmentIds: [file.fileId] })` within a day. The upload restarts
   * once if the access token has expired.
   * @param file in Node, `await fs.openAsBlob(path)` streams it from disk
   * @throws {FanfareError} handle it by its `type`; or the abort reason of `signal`
   */
  upload(channelId: string, name: string, file: Blob, options: UploadOptions = {}): Promise<StoredFile> {
    const { durationMs, peaks } = options.recording ?? {};
    const query = new URLSearchParams({ channelId, name });
    if (durationMs !== undefined && peaks !== undefined) {
      query.set("durationMs", String(durationMs));
      query.set("peaks", peaks);
    }
    return this.#uploadFile(`/api/file.upload?${query.toString()}`, file, options);
  }

  /** Uploads a picture for `user.setAvatar` or `group.setIcon`. */
  uploadPicture(picture: Blob, options: UploadOptions = {}): Promise<StoredFile> {
    return this.#uploadFile("/api/file.uploadPicture", picture, options);
  }

  /** Uploads an export of another chat server, which the server then checks; requires an admin. */
  async uploadExport(
    file: Blob,
    wanted: { origin: ChatImport["origin"]; fileName: string; team?: string },
    options: Pick<UploadOptions, "signal" | "onProgress"> = {},
  ): Promise<ChatImport> {
    const path = `/api/admin.uploadExport?${new URLSearchParams(wanted).toString()}`;
    const data = await this.#upload(path, file, options);
    return (data as { import: ChatImport }).import;
  }

  /**
   * Exports a group line by line; requires its owner, or an admin with `asAdmin`. Ending the loop early cancels the download.
   * @throws {FanfareError} CONNECTION_LOST if the export was interrupted; or the abort reason of `signal`
   */
  async *exportGroup(groupId: string, options: ExportGroupOptions = {}): AsyncGenerator<GroupFileLine> {
    this.#connection.assertOpen();
    const request = groupExport(groupId, options);
    const body = await this.#session.withToken((token) => openLines(this.url, request, token));
    yield* readLines<GroupFileLine>(body, options.signal);
  }

  /**
   * Exports the messages of a user line by line; requires an admin. Recorded in the audit log. Ending the loop early cancels the
   * download.
   * @throws {FanfareError} CONNECTION_LOST if the export was interrupted; or the abort reason of `signal`
   */
  async *exportMessages(
    wanted: MessageExport,
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<MessageFileLine> {
    this.#connection.assertOpen();
    const request = { path: "/api/admin.exportMessages", body: wanted, signal };
    const body = await this.#session.withToken((token) => openLines(this.url, request, token));
    yield* readLines<MessageFileLine>(body, signal);
  }

  /** Closes the client; the session can be resumed with `useTokens`. */
  close(): void {
    this.#connection.close();
  }

  readonly #call: Call = async (name, params) => {
    this.#connection.assertOpen();
    const answered = this.#early.take(name, params) ?? this.#answer(name, params);
    // The call ends this session and starts another, which the connection uses from then on.
    if (isReplacing(name)) this.#replacing = this.#untilReplaced(answered);
    return answered as Promise<Result<typeof name>>;
  };

  async #answer(name: ActionName, params: unknown): Promise<unknown> {
    const data = await this.#send(name, params);
    if (factsOf(name).startsSession) this.#session.use(data as SessionTokens);
    return data;
  }

  async #uploadFile(path: string, body: Blob, options: UploadOptions): Promise<StoredFile> {
    return ((await this.#upload(path, body, options)) as { file: StoredFile }).file;
  }

  async #upload(path: string, body: Blob, options: UploadOptions): Promise<unknown> {
    this.#connection.assertOpen();
    return this.#session.withToken((accessToken) =>
      upload({ url: this.url, path, accessToken, body, ...options }),
    );
  }

  async #untilReplaced(answered: Promise<unknown>): Promise<void> {
    await Promise.allSettled([answered]);
    this.#replacing = null;
  }

  async #send(name: ActionName, params: unknown): Promise<unknown> {
    if (factsOf(name).isPublic) return this.#byHttp(name, params);
    if (this.state !== "online" || factsOf(name).httpOnly) {
      return this.#session.withToken((token) => this.#byHttp(name, params, token));
    }
    return unwrap(await this.#connection.request(name, params, this.#options.callTimeoutMs), "socket");
  }

  async #byHttp(name: ActionName, params: unknown, accessToken?: string): Promise<unknown> {
    const { url } = this;
    try {
      return await callByHttp(url, name, params, accessToken, this.#options.callTimeoutMs);
    } catch (error) {
      const isLost = error instanceof FanfareError && error.type === "CONNECTION_LOST";
      // While connecting or connected, the connection chooses the address.
      if (isLost && this.state === "offline" && this.url === url) this.#gatewayUrls.next();
      throw error;
    }
  }

  #connectionChanged(state: ConnectionState, error: FanfareError | undefined): void {
    this.#early.clear();
    if (state === "online") {
      this.#syncAll();
      this.presence.refetch();
    }
    if (state === "closed") {
      this.#cancelSyncLater();
      this.#sync.close();
      this.presence.close();
      for (const view of this.#views.values()) view.close();
      if (endsSession(error)) this.#session.use(null);
    }
    this.#emitter.emit("connection.changed", { state, error });
  }

  /** Events may have been lost in every channel. */
  #syncAll(): void {
    this.#cancelSyncLater();
    for (const view of this.#views.values()) {
      view.apply({ type: "invalidate" });
      view.onOnline();
    }
    this.#sync.start("now");
  }

  /** The same after a random delay: all other clients received the same event. */
  #syncAllLater(): void {
    this.#syncLater ??= setTimeout(() => this.#syncAll(), Math.random() * CROWD_SPREAD_MS);
  }

  #cancelSyncLater(): void {
    if (this.#syncLater !== null) clearTimeout(this.#syncLater);
    this.#syncLater = null;
  }

  #receive<N extends EventName>(name: N, payload: EventPayload<N>): void {
    const event = { name, payload } as StateEvent;
    this.#early.clear();
    switch (event.name) {
      case "message.created":
        this.#views.get(event.payload.channelId)?.receive(event.payload.messages);
        break;
      case "message.changed":
      case "message.deleted":
        this.#views.get(event.payload.message.channelId)?.receive([event.payload.message]);
        break;
      case "reaction.changed":
        this.#views.get(event.payload.channelId)?.receiveReactions(event.payload);
        break;
      case "channel.deleted":
        this.#views.get(event.payload.channelId)?.apply({ type: "gone" });
        // Its threads are deleted too, without separate events.
        this.#syncAllLater();
        break;
      case "readMarker.updated":
        this.#views.get(event.payload.channelId)?.receiveReadMarker(event.payload.lastReadSeq);
        break;
      case "readMarker.lowered":
        this.#views.get(event.payload.channelId)?.receiveMarkerBack(event.payload.lastReadSeq);
        break;
      case "presence.changed":
        this.presence.receive(event.payload.presences);
        break;
      case "member.joined":
        this.presence.refetchLater(event.payload.members.map(({ userId }) => userId));
        break;
      case "friend.added":
        this.presence.refetchLater([event.payload.friend.userId]);
        break;
      case "friend.removed":
        this.presence.refetchLater([event.payload.userId]);
        break;
      case "member.left":
        this.presence.refetchLater(event.payload.userIds);
        break;
      // Channels can be deleted without an event, and users can become invisible.
      case "group.left":
        this.#syncAll();
        this.presence.refetch();
        break;
      case "group.deleted":
      case "resync":
        this.#syncAllLater();
        this.presence.refetchLater();
        break;
    }
    this.#emitter.emit(name, payload as ClientEvents[N]);
  }
}
