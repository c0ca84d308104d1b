import { LIMITS } from "@fanfare/contract";
import { type NodeContext, serviceError, unavailable } from "@fanfare/kernel";
import {
  AccessToken,
  type ParticipantInfo,
  RoomServiceClient,
  ServerError,
  TrackSource,
  TrackType,
  WebhookReceiver,
} from "livekit-server-sdk";
import { callOfRoom, roomOf } from "./call.policy.ts";
import { EMPTY_ROOM_TIMEOUT_S, LIVEKIT_TIMEOUT_S, TOKEN_TTL_S } from "./constants.ts";

const RETRY_AFTER_MS = 2000;
const { MICROPHONE, CAMERA, SCREEN_SHARE } = TrackSource;

/** A user whom LiveKit lists in a call. */
export interface Connected {
  userId: string;
  /** Of the token that they connected with. */
  grantId: string;
  isMicrophoneOn: boolean;
  isCameraOn: boolean;
  isScreenShared: boolean;
  /** What they can publish; null: LiveKit doesn't say. */
  sources: TrackSource[] | null;
  /** Whether they publish sound as a picture: LiveKit doesn't check that, and they may not be allowed to speak. */
  isSoundHidden: boolean;
}

/** An event of LiveKit that concerns a call. */
export interface WebhookEvent {
  event: string;
  callId: string;
  /** Whom it is about, if it is about one user. */
  connected: Connected | null;
}

export type LiveKit = ReturnType<typeof createLiveKit>;

/** The requests to LiveKit. They throw UNAVAILABLE if LiveKit doesn't respond or refuses; what is gone already is no error. */
export function createLiveKit(config: NonNullable<NodeContext["config"]["livekit"]>) {
  const { url, serverUrl, key, secret } = config;
  const rooms = new RoomServiceClient(serverUrl, key, secret, {
    requestTimeout: LIVEKIT_TIMEOUT_S,
    failover: false,
  });
  const receiver = new WebhookReceiver(key, secret);

  async function request<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ServerError && error.code === "not_found") return null;
      const failure = unavailable(RETRY_AFTER_MS);
      failure.cause = error;
      throw failure;
    }
  }

  return {
    url,

    /** Does nothing if it exists. */
    createRoom: (callId: string) =>
      request(() =>
        rooms.createRoom({
          name: roomOf(callId),
          emptyTimeout: EMPTY_ROOM_TIMEOUT_S,
          departureTimeout: EMPTY_ROOM_TIMEOUT_S,
          maxParticipants: LIMITS.callParticipants,
        }),
      ),

    deleteRoom: (callId: string) => request(() => rooms.deleteRoom(roomOf(callId))),

    async listConnected(callId: string): Promise<Connected[]> {
      const found = (await request(() => rooms.listParticipants(roomOf(callId)))) ?? [];
      return found.map(presentConnected);
    },

    remove: (callId: string, userId: string) =>
      request(() => rooms.removeParticipant(roomOf(callId), userId)),

    setSources: (callId: string, userId: string, sources: TrackSource[]) =>
      request(() =>
        rooms.updateParticipant(roomOf(callId), userId, {
          permission: {
            canSubscribe: true,
            // An empty list would allow every source.
            canPublish: sources.length > 0,
            canPublishSources: sources,
            canPublishData: false,
          },
        }),
      ),

    /** For one user and call, with the least rights. @param grantId tells it from earlier ones of this user */
    async createToken(
      callId: string,
      { userId, grantId }: { userId: string; grantId: string },
      sources: TrackSource[],
    ): Promise<string> {
      const token = new AccessToken(key, secret, { identity: userId, metadata: grantId, ttl: TOKEN_TTL_S });
      token.addGrant({
        roomJoin: true,
        room: roomOf(callId),
        canSubscribe: true,
        canPublish: sources.length > 0,
        ...(sources.length > 0 && { canPublishSources: sources }),
        canPublishData: false,
        canUpdateOwnMetadata: false,
      });
      return token.toJwt();
    },

    /**
     * @returns null for what doesn't concern a call
     * @throws {ServiceError} UNAUTHENTICATED if the signature is missing, expired or for another body
     */
    async readWebhook(body: string, authorization: string): Promise<WebhookEvent | null> {
      let received;
      try {
        received = await receiver.receive(body, authorization);
      } catch {
        throw serviceError("UNAUTHENTICATED");
      }
      const { event, room, participant } = received;
      const callId = callOfRoom(room?.name ?? "");
      const connected = participant === undefined ? null : presentConnected(participant);
      return callId === null ? null : { event, callId, connected };
    },
  };
}

function presentConnected({ identity, metadata, tracks, permission }: ParticipantInfo): Connected {
  const isOn = (source: TrackSource): boolean =>
    tracks.some((track) => track.source === source && !track.muted);
  const sources =
    permission === undefined ? null : permission.canPublish ? [...permission.canPublishSources] : [];
  return {
    userId: identity,
    grantId: metadata,
    isMicrophoneOn: isOn(MICROPHONE),
    isCameraOn: isOn(CAMERA),
    isScreenShared: isOn(SCREEN_SHARE),
    sources,
    isSoundHidden: tracks.some(
      ({ type, source }) => type === TrackType.AUDIO && (source === CAMERA || source === SCREEN_SHARE),
    ),
  };
}
