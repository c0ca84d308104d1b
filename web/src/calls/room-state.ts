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
