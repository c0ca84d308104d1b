import {
  ConnectionQuality,
  type Participant,
  type Room,
  RoomEvent,
  Track,
  type TrackPublication,
} from "livekit-client";
import { useEffect, useReducer } from "react";

const EVENTS = [
  RoomEvent.ParticipantConnected,
  RoomEvent.ParticipantDisconnected,
  RoomEvent.TrackSubscribed,
  RoomEvent.TrackUnsubscribed,
  RoomEvent.TrackMuted,
  RoomEvent.TrackUnmuted,
  RoomEvent.LocalTrackPublished,
  RoomEvent.LocalTrackUnpublished,
  RoomEvent.ActiveSpeakersChanged,
  RoomEvent.ConnectionQualityChanged,
  RoomEvent.Reconnected,
] as const;

const POOR: readonly ConnectionQuality[] = [ConnectionQuality.Poor, ConnectionQuality.Lost];

/** A picture of the call: a person, or the screen of one. */
export interface Tile {
  key: string;
  userId: string;
  isOwn: boolean;
  isScreen: boolean;
  isSpeaking: boolean;
  isMicrophoneOn: boolean;
  hasPoorConnection: boolean;
  /** Undefined while there is no picture to show. */
  publication: TrackPublication | undefined;
}

/** The tiles of a call, kept current: screens first, then the others in the order in which they came, then the user. */
export function useTiles(room: Room): readonly Tile[] {
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    for (const event of EVENTS) room.on(event, update);
    return () => {
      for (const event of EVENTS) room.off(event, update);
    };
  }, [room]);
  return tilesOf(room);
}

function tilesOf({ localParticipant, remoteParticipants }: Room): Tile[] {
  const others = [...remoteParticipants.values()].toSorted(
    (a, b) => (a.joinedAt?.getTime() ?? 0) - (b.joinedAt?.getTime() ?? 0),
  );
  const everyone: Participant[] = [...others, localParticipant];
  return [
    ...everyone.filter(({ isScreenShareEnabled }) => isScreenShareEnabled).map((one) => tileOf(one, true)),
    ...everyone.map((one) => tileOf(one, false)),
  ];
}

function tileOf(participant: Participant, isScreen: boolean): Tile {
  const { identity, isLocal, isSpeaking, isMicrophoneEnabled, connectionQuality } = participant;
  const publication = participant.getTrackPublication(
    isScreen ? Track.Source.ScreenShare : Track.Source.Camera,
  );
  const isShown = publication?.track !== undefined && !publication.isMuted;
  return {
    key: `${identity} ${isScreen ? "screen" : "person"}`,
    userId: identity,
    isOwn: isLocal,
    isScreen,
    isSpeaking: isSpeaking && !isScreen,
    isMicrophoneOn: isMicrophoneEnabled,
    hasPoorConnection: !isLocal && POOR.includes(connectionQuality),
    publication: isShown ? publication : undefined,
  };
}

/** What the choice of the large picture depends on. */
export interface Choosable {
  key: string;
  isOwn: boolean;
  isScreen: boolean;
  isSpeaking: boolean;
}

/**
 * The tile that the speaker layout shows large: the pinned one, a shared screen, who speaks, who spoke last, or anyone but the user.
 * @param lastKey the one that was large before
 */
export function largeTile<T extends Choosable>(
  tiles: readonly T[],
  pinnedKey: string | null,
  lastKey: string | null,
): T | undefined {
  const others = tiles.filter(({ isOwn }) => !isOwn);
  return (
    tiles.find(({ key }) => key === pinnedKey) ??
    others.find(({ isScreen }) => isScreen) ??
    tiles.find(({ isScreen }) => isScreen) ??
    others.find(({ key, isSpeaking }) => isSpeaking && key === lastKey) ??
    others.find(({ isSpeaking }) => isSpeaking) ??
    others.find(({ key }) => key === lastKey) ??
    others[0] ??
    tiles[0]
  );
}

/** The shape of a picture, width to height. */
const SHAPE = 16 / 9;

/** How many columns make the pictures of a grid the largest. */
export function gridColumns(count: number, width: number, height: number): number {
  let best = 1;
  let bestWidth = 0;
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const tileWidth = Math.min(width / columns, (height / rows) * SHAPE);
    if (tileWidth > bestWidth + 1) [best, bestWidth] = [columns, tileWidth];
  }
  return best;
}
