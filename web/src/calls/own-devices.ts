import {
  type AudioCaptureOptions,
  type LocalTrack,
  type Room,
  Track,
  type VideoCaptureOptions,
} from "livekit-client";
import { useCallSettings } from "./call-settings.ts";

/** What the user sends in a call. Nothing stays open after `close`, even if the browser opens it only then. */
export interface OwnDevices {
  setMicrophone: (isOn: boolean) => Promise<void>;
  setCamera: (isOn: boolean) => Promise<void>;
  setScreen: (isShared: boolean) => Promise<void>;
  close: () => void;
}

export function createOwnDevices(room: Room, onError: (error: unknown) => void): OwnDevices {
  const own = room.localParticipant;
  const tracks = new Set<LocalTrack>();
  let isClosed = false;

  const stop = (some: Iterable<LocalTrack>): void => {
    for (const track of some) track.stop();
  };
  /** Failures after the end don't matter. */
  const unlessClosed = async (run: () => Promise<unknown>): Promise<void> => {
    if (isClosed) return;
    try {
      await run();
    } catch (error) {
      if (!isClosed) throw error;
    } finally {
      if (isClosed) stop(tracks);
    }
  };
  // LiveKit's own functions would go on after the end of the call.
  const publish = async (open: () => Promise<LocalTrack[]>, isStillWanted: () => boolean): Promise<void> => {
    const opened = await open();
    for (const track of opened) tracks.add(track);
    if (isClosed || !isStillWanted()) return stop(opened);
    try {
      await Promise.all(opened.map((track) => own.publishTrack(track)));
    } catch (error) {
      stop(opened);
      throw error;
    }
  };
  const unpublish = async (...sources: Track.Source[]): Promise<void> => {
    for (const source of sources) {
      const track = own.getTrackPublication(source)?.track;
      if (track === undefined) continue;
      await own.unpublishTrack(track);
      track.stop();
      tracks.delete(track);
    }
  };

  const setMicrophone = followWish((isOn, isStillWanted) =>
    unlessClosed(async () => {
      const publication = own.getTrackPublication(Track.Source.Microphone);
      // It stays open while it is off, so that the first word isn't lost.
      if (publication !== undefined) await (isOn ? publication.unmute() : publication.mute());
      else if (isOn) await publish(() => own.createTracks({ audio: microphoneOptions() }), isStillWanted);
    }),
  );
  const setCamera = followWish((isOn, isStillWanted) =>
    unlessClosed(async () => {
      if (!isOn) await unpublish(Track.Source.Camera);
      else if (!own.isCameraEnabled)
        await publish(() => own.createTracks({ video: cameraOptions() }), isStillWanted);
    }),
  );
  const setScreen = followWish((isShared, isStillWanted) =>
    unlessClosed(async () => {
      if (!isShared) await unpublish(Track.Source.ScreenShare, Track.Source.ScreenShareAudio);
      else if (!own.isScreenShareEnabled)
        await publish(() => own.createScreenTracks({ audio: true }), isStillWanted);
    }),
  );

  const end = useCallSettings.subscribe((now, before) => {
    const isOther = (...names: (keyof typeof now)[]): boolean =>
      names.some((name) => now[name] !== before[name]);
    const apply = async (): Promise<void> => {
      if (isOther("speakerId")) await room.switchActiveDevice("audiooutput", now.speakerId || "default");
      if (isOther("cameraId"))
        await own.getTrackPublication(Track.Source.Camera)?.videoTrack?.restartTrack(cameraOptions());
      if (isOther("microphoneId", "echoCancellation", "noiseSuppression", "autoGainControl"))
        await own.getTrackPublication(Track.Source.Microphone)?.audioTrack?.restartTrack(microphoneOptions());
      if (isOther("pushToTalk") && now.pushToTalk) await setMicrophone(false);
    };
    void unlessClosed(apply).catch(onError);
  });

  return {
    setMicrophone,
    setCamera,
    setScreen,
    close() {
      isClosed = true;
      end();
      stop(tracks);
    },
  };
}

function microphoneOptions(): AudioCaptureOptions {
  const { microphoneId, echoCancellation, noiseSuppression, autoGainControl } = useCallSettings.getState();
  return {
    echoCancellation,
    noiseSuppression,
    autoGainControl,
    ...(microphoneId !== "" && { deviceId: microphoneId }),
  };
}

function cameraOptions(): VideoCaptureOptions {
  const { cameraId } = useCallSettings.getState();
  return cameraId === "" ? {} : { deviceId: cameraId };
}

/**
 * Runs what turns something on and off, one at a time, until the last wish is fulfilled. What was started for an older wish can ask whether
 * it is still wanted.
 */
export function followWish(
  turn: (isOn: boolean, isStillWanted: () => boolean) => Promise<void>,
): (isOn: boolean) => Promise<void> {
  let wish = false;
  let running: Promise<void> | null = null;
  const follow = async (): Promise<void> => {
    try {
      let done: boolean;
      do {
        done = wish;
        await turn(done, () => wish === done);
      } while (wish !== done);
    } finally {
      running = null;
    }
  };
  return (isOn) => {
    wish = isOn;
    running ??= follow();
    return running;
  };
}

/**
 * Reports a state that changes often: at most once per interval, and again in each interval while it is on.
 * @returns a function for each change, and one that ends the reports
 */
export function reportRepeatedly(intervalMs: number, send: (isOn: boolean) => void) {
  let isOn = false;
  let wasSent = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = (): void => {
    timer = undefined;
    if (!isOn && !wasSent) return;
    send(isOn);
    wasSent = isOn;
    timer = setTimeout(report, intervalMs);
  };
  return {
    change(next: boolean): void {
      isOn = next;
      if (timer === undefined) report();
    },
    end: () => clearTimeout(timer),
  };
}
