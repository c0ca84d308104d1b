import { useSyncExternalStore } from "react";

/** What a player shows of its sound. */
interface Playback {
  isPlaying: boolean;
  /** The position. */
  ms: number;
  /** Null until the browser knows it. */
  durationMs: number | null;
  hasFailed: boolean;
}

export const SPEEDS = [1, 1.5, 2] as const;

const IDLE: Playback = { isPlaying: false, ms: 0, durationMs: null, hasFailed: false };

/** The one sound that plays. It is not part of a message, so that it continues when the message is scrolled away. */
const audio = new Audio();
let playedId: string | null = null;
let playedUrl = "";
let playback = IDLE;
let speed: number = SPEEDS[0];
let isVoicePlayed = false;
/** The page that it was started on. */
let path = "";
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

function change(changes: Partial<Playback>): void {
  playback = { ...playback, ...changes };
  notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function usePlayback(id: string): Playback {
  return useSyncExternalStore(subscribe, () => (id === playedId ? playback : IDLE));
}

export function useSpeed(): number {
  return useSyncExternalStore(subscribe, () => speed);
}

/** @param id only this sound */
export function pause(id = playedId): void {
  if (id === playedId) audio.pause();
}

export interface Sound {
  id: string;
  /** A new one replaces it when it has expired. */
  url: string;
  /** Voice messages play at the chosen speed. */
  isVoice: boolean;
}

export function togglePlaying(sound: Sound): void {
  const isPlayed = sound.id === playedId;
  if (isPlayed && !audio.paused) audio.pause();
  else if (isPlayed && sound.url === playedUrl && audio.error === null) void play();
  else start(sound, isPlayed ? playback.ms : 0);
}

/** Also starts a sound that isn't the current one. */
export function seek(sound: Sound, ms: number): void {
  if (sound.id !== playedId || audio.error !== null) return start(sound, ms);
  audio.currentTime = ms / 1000;
  change({ ms });
}

export function setSpeed(to: number): void {
  speed = to;
  if (isVoicePlayed) audio.playbackRate = to;
  notify();
}

function start({ id, url, isVoice }: Sound, ms: number): void {
  playedId = id;
  playedUrl = url;
  path = location.pathname;
  isVoicePlayed = isVoice;
  audio.defaultPlaybackRate = isVoice ? speed : 1;
  audio.src = url;
  audio.currentTime = ms / 1000;
  playback = { ...IDLE, ms };
  notify();
  void play();
}

async function play(): Promise<void> {
  // Rejects when it is paused before it began; failures are events.
  await audio.play().catch(() => undefined);
}

/** The pictures of a call and of a camera have no file: they play beside everything else. */
const isLive = (played: EventTarget | null): boolean =>
  played instanceof HTMLMediaElement && played.srcObject !== null;

/** Only one sound or video plays at a time. */
function silenceOthers(played: EventTarget | null): void {
  if (isLive(played)) return;
  if (played !== audio) audio.pause();
  for (const video of document.querySelectorAll("video"))
    if (video !== played && !isLive(video)) video.pause();
}

document.addEventListener("play", ({ target }) => silenceOthers(target), { capture: true });
audio.addEventListener("play", () => {
  silenceOthers(audio);
  change({ isPlaying: true, hasFailed: false });
});
audio.addEventListener("pause", () => change({ isPlaying: false }));
audio.addEventListener("ended", () => change({ isPlaying: false, ms: 0 }));
audio.addEventListener("error", () => change({ isPlaying: false, hasFailed: true }));
audio.addEventListener("timeupdate", () => {
  if (!audio.ended) change({ ms: audio.currentTime * 1000 });
});
audio.addEventListener("durationchange", () => {
  // Recordings of browsers don't have it.
  if (Number.isFinite(audio.duration)) change({ durationMs: audio.duration * 1000 });
});
// Nothing on the new page would stop it. The router dispatches the first two.
for (const name of ["pushState", "replaceState", "popstate"]) {
  addEventListener(name, () => {
    if (location.pathname !== path) audio.pause();
  });
}
