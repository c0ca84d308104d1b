import { LIMITS } from "@fanfare/contract/limits";
import {
  ConnectionQuality,
  DisconnectReason,
  type Participant,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Room,
  RoomEvent,
  Track,
} from "livekit-client";
import { onVolumes, useCallSettings, volumeOf } from "./call-settings.ts";
import {
  type CallKey,
  type CallQuality,
  changeCurrentCall,
  type CurrentCall,
  getCall,
  useCallStore,
} from "./call-store.ts";
import { reportRepeatedly, createOwnDevices, type OwnDevices } from "./own-devices.ts";
import { closeOutside } from "./picture-in-picture.ts";

/** Why a call ended without the user having left it. */
export type EndReason = "removed" | "elsewhere" | "ended" | "lost";

export interface CallSession extends Pick<OwnDevices, "setMicrophone" | "setCamera" | "setScreen"> {
  readonly room: Room;
  /** Turns on what the user wants from the beginning. */
  start: (withCamera: boolean) => void;
  /** Also turns the microphone off, and on again if it was on. */
  setDeafened: (isDeafened: boolean) => Promise<void>;
  /** After the browser has blocked it. Needs a click. */
  startSound: () => Promise<void>;
  leave: () => Promise<void>;
}

interface CallOptions {
  url: string;
  token: string;
  key: CallKey;
  onEnd: (reason: EndReason) => void;
  /** For those who are not in the call. Repeated while the user speaks. */
  onSpeaking: (isSpeaking: boolean) => void;
  /** The microphone or camera can't be used. */
  onDeviceError: (error: unknown) => void;
}

/** What is played of the others. */
const SOUNDS: readonly Track.Source[] = [Track.Source.Microphone, Track.Source.ScreenShareAudio];
/** Numbers of LiveKit's protocol. */
const SOURCES = { camera: 1, microphone: 2, screen: 3 } as const;

const QUALITIES: Partial<Record<ConnectionQuality, CallQuality>> = {
  [ConnectionQuality.Excellent]: "good",
  [ConnectionQuality.Good]: "good",
  [ConnectionQuality.Poor]: "poor",
  [ConnectionQuality.Lost]: "lost",
};

const END_REASONS: Partial<Record<DisconnectReason, EndReason>> = {
  [DisconnectReason.PARTICIPANT_REMOVED]: "removed",
  [DisconnectReason.DUPLICATE_IDENTITY]: "elsewhere",
  [DisconnectReason.ROOM_DELETED]: "ended",
  [DisconnectReason.ROOM_CLOSED]: "ended",
};

/**
 * Connects to the media server, and keeps the store current until the call ends.
 * @throws an error of LiveKit if there is no connection
 */
export async function connectCall(options: CallOptions): Promise<CallSession> {
  const { url, token, key, onEnd, onSpeaking, onDeviceError } = options;
  const { speakerId } = useCallSettings.getState();
  const room = new Room({
    // Only the pictures that are in view are received, in the size in which they are shown.
    adaptiveStream: true,
    dynacast: true,
    // It would also leave when the user opens an e-mail address, or stays after the browser asked.
    disconnectOnPageLeave: false,
    // LiveKit 1.8 doesn't have the newer mode: each call would begin with a request that fails. From version 2.18 on, this library doesn't
    // work with LiveKit 1.8.
    singlePeerConnection: false,
    ...(speakerId !== "" && { audioOutput: { deviceId: speakerId } }),
  });
  const change = (changes: Partial<CurrentCall>) => changeCurrentCall(key, changes);
  const update = () => change(stateOf(room));
  const isDeafened = () => getCall(key)?.isDeafened === true;
  const devices = createOwnDevices(room, onDeviceError);
  const speaking = reportRepeatedly(LIMITS.speakingIntervalMs, onSpeaking);
  let isConnected = false;
  let isOver = false;
  /** Whether the microphone is turned on again when the user hears the others again. */
  let wasMicrophoneOn = false;

  const play = (
    track: RemoteTrack,
    publication: RemoteTrackPublication,
    participant: RemoteParticipant,
  ): void => {
    if (!SOUNDS.includes(track.source)) return;
    // It plays outside of the page's elements, so that the user can go to other pages.
    track.attach();
    publication.setEnabled(!isDeafened());
    applyVolume(participant);
  };
  const setMicrophone = async (isOn: boolean): Promise<void> => {
    change({ isMicrophoneWanted: isOn });
    await devices.setMicrophone(isOn);
    update();
  };
  const setCamera = async (isOn: boolean): Promise<void> => {
    await devices.setCamera(isOn);
    update();
  };

  const disconnect = (): void => void room.disconnect();
  addEventListener("pagehide", disconnect);
  const ends = [
    () => removeEventListener("pagehide", disconnect),
    onVolumes(() => {
      for (const participant of room.remoteParticipants.values()) applyVolume(participant);
    }),
    () => speaking.end(),
    () => devices.close(),
    () => closeOutside(),
  ];
  const finish = (): void => {
    isOver = true;
    for (const end of ends.splice(0)) end();
  };

  room
    .on(RoomEvent.TrackSubscribed, play)
    .on(RoomEvent.TrackUnsubscribed, (track) => {
      closeOutside(track);
      track.detach();
    })
    .on(RoomEvent.Reconnecting, () => change({ status: "reconnecting" }))
    .on(RoomEvent.Reconnected, () => change({ status: "connected" }))
    .on(RoomEvent.ActiveSpeakersChanged, (speakers) => {
      change({ speakerIds: speakers.map(({ identity }) => identity) });
      speaking.change(speakers.includes(room.localParticipant));
    })
    .on(RoomEvent.AudioPlaybackStatusChanged, () => change({ isSoundBlocked: !room.canPlaybackAudio }))
    .on(RoomEvent.ParticipantPermissionsChanged, (_, participant) => {
      if (participant !== room.localParticipant || canPublish(participant, SOURCES.microphone)) return;
      // It stays off when the user may speak again.
      wasMicrophoneOn = false;
      void setMicrophone(false).catch(onDeviceError);
    })
    .on(RoomEvent.Disconnected, (reason) => {
      const isUnexpected = isConnected && !isOver;
      finish();
      if (isUnexpected) onEnd(END_REASONS[reason ?? DisconnectReason.UNKNOWN_REASON] ?? "lost");
    });
  for (const event of [
    RoomEvent.LocalTrackPublished,
    RoomEvent.LocalTrackUnpublished,
    RoomEvent.TrackMuted,
    RoomEvent.TrackUnmuted,
    RoomEvent.ConnectionQualityChanged,
    RoomEvent.ParticipantPermissionsChanged,
  ] as const)
    room.on(event, update);

  const stopWatching = useCallStore.subscribe(() => {
    if (getCall(key) === null) disconnect();
  });
  try {
    await room.connect(url, token);
  } catch (error) {
    finish();
    throw error;
  } finally {
    stopWatching();
  }
  isConnected = true;
  change({ ...stateOf(room), status: "connected" });

  return {
    room,
    start(withCamera) {
      const { canSpeak, canShowVideo } = stateOf(room);
      const isWanted = getCall(key)?.isMicrophoneWanted === true && !useCallSettings.getState().pushToTalk;
      // In the background: the browser may ask the user first.
      if (canSpeak && isWanted) void setMicrophone(true).catch(onDeviceError);
      if (canShowVideo && withCamera) void setCamera(true).catch(onDeviceError);
    },
    setMicrophone,
    setCamera,
    async setScreen(isShared) {
      await devices.setScreen(isShared);
      update();
    },
    async setDeafened(deafened) {
      const { pushToTalk } = useCallSettings.getState();
      const isOn = getCall(key)?.isMicrophoneWanted === true;
      change({ isDeafened: deafened });
      // Muted elements would be turned on again by LiveKit, as soon as a microphone is opened.
      for (const participant of room.remoteParticipants.values())
        for (const publication of participant.audioTrackPublications.values())
          publication.setEnabled(!deafened);
      const isTurnedOn = !deafened && wasMicrophoneOn && !pushToTalk;
      wasMicrophoneOn = deafened && isOn && !pushToTalk;
      if (deafened || isTurnedOn) await setMicrophone(!deafened);
    },
    async startSound() {
      await room.startAudio();
      update();
    },
    async leave() {
      finish();
      await room.disconnect();
    },
  };
}

function applyVolume(participant: RemoteParticipant): void {
  const volume = volumeOf(participant.identity);
  participant.setVolume(volume);
  participant.setVolume(volume, Track.Source.ScreenShareAudio);
}

function stateOf(room: Room) {
  const { localParticipant: own, canPlaybackAudio } = room;
  return {
    isMicrophoneOn: own.isMicrophoneEnabled,
    isCameraOn: own.isCameraEnabled,
    isScreenShared: own.isScreenShareEnabled,
    canSpeak: canPublish(own, SOURCES.microphone),
    canShowVideo: canPublish(own, SOURCES.camera),
    canShareScreen: canPublish(own, SOURCES.screen),
    quality: QUALITIES[own.connectionQuality] ?? "unknown",
    isSoundBlocked: !canPlaybackAudio,
  };
}

function canPublish({ permissions }: Participant, source: number): boolean {
  if (permissions === undefined) return true;
  const { canPublish: can, canPublishSources: sources } = permissions;
  return can && (sources.length === 0 || sources.map(Number).includes(source));
}
