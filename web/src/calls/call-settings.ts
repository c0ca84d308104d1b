import { create } from "zustand";
import { isApple } from "../app/shortcuts/shortcuts.ts";
import { followStored, loadStored, saveStored } from "../state/stored.ts";

/** How calls use the devices of this browser. Empty IDs mean the system's default. */
interface CallSettings {
  microphoneId: string;
  cameraId: string;
  speakerId: string;
  echoCancellation: boolean;
  noiseSuppression: boolean;
  autoGainControl: boolean;
  /** The microphone is only on while the key is held. */
  pushToTalk: boolean;
  /** `KeyboardEvent.code`. */
  pushToTalkKey: string;
  /** Whether the user has chosen devices before their first call. */
  hasChosen: boolean;
  layout: CallLayout;
}

type CallLayout = "grid" | "speaker";

const SETTINGS_KEY = "fanfare.calls";
const VOLUMES_KEY = "fanfare.callVolumes";
/** The volumes of those that were changed last. */
const MAX_VOLUMES = 200;
const FULL_VOLUME = 1;

const defaults = (): CallSettings => ({
  microphoneId: "",
  cameraId: "",
  speakerId: "",
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  pushToTalk: false,
  // A modifier doesn't type anything, so that it also works in text fields.
  pushToTalkKey: isApple() ? "AltRight" : "ControlRight",
  hasChosen: false,
  layout: "grid",
});

/** `useCallSettings((settings) => settings.layout)`. */
export const useCallSettings = create<CallSettings>(() => parseSettings(loadStored(SETTINGS_KEY)));

export function setCallSettings(changes: Partial<CallSettings>): void {
  useCallSettings.setState(changes);
  saveStored(SETTINGS_KEY, useCallSettings.getState());
}

/** Values of another type than the default are ignored. */
function parseSettings(stored: unknown): CallSettings {
  const initial = defaults();
  const known = Object.entries((stored ?? {}) as Record<string, unknown>).filter(
    ([name, value]) =>
      Object.hasOwn(initial, name) && typeof value === typeof initial[name as keyof CallSettings],
  );
  const settings = { ...initial, ...Object.fromEntries(known) };
  return settings.layout === "speaker" ? settings : { ...settings, layout: "grid" };
}

/** The loudness of people in calls, from 0 to 1, by user. Those with full volume are absent. */
type Volumes = Readonly<Record<string, number>>;

const useVolumes = create<{ volumes: Volumes }>(() => ({ volumes: parseVolumes(loadStored(VOLUMES_KEY)) }));

export function useVolume(userId: string): number {
  return useVolumes(({ volumes }) => volumes[userId] ?? FULL_VOLUME);
}

export function volumeOf(userId: string): number {
  return useVolumes.getState().volumes[userId] ?? FULL_VOLUME;
}

export function setVolume(userId: string, volume: number): void {
  const { [userId]: _, ...others } = useVolumes.getState().volumes;
  const all = volume === FULL_VOLUME ? others : { ...others, [userId]: volume };
  const volumes = Object.fromEntries(Object.entries(all).slice(-MAX_VOLUMES));
  useVolumes.setState({ volumes });
  saveStored(VOLUMES_KEY, volumes);
}

/** Calls back after each change of a volume. */
export function onVolumes(listener: () => void): () => void {
  return useVolumes.subscribe(listener);
}

function parseVolumes(stored: unknown): Volumes {
  const entries = Object.entries((stored ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => {
      const [, volume] = entry;
      return typeof volume === "number" && volume >= 0 && volume <= FULL_VOLUME;
    }),
  );
}

followStored(SETTINGS_KEY, () => useCallSettings.setState(parseSettings(loadStored(SETTINGS_KEY))));
followStored(VOLUMES_KEY, () => useVolumes.setState({ volumes: parseVolumes(loadStored(VOLUMES_KEY)) }));
