import type { Recording } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";

/** A finished recording, for the upload. */
interface Recorded {
  sound: Blob;
  recording: Recording;
}

export interface ActiveRecording {
  /** The loudness of each moment so far, from 0 to 1. */
  readonly levels: readonly number[];
  elapsedMs: () => number;
  /** @returns null if nothing was recorded */
  stop: () => Promise<Recorded | null>;
  /** Calls back when it ends by itself: at the longest duration, or because the microphone was unplugged. */
  onEnd: (listener: () => void) => void;
}

/** Opus is small and sounds good; Safari records AAC. */
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];
const BITS_PER_SECOND = 48_000;
const LEVEL_INTERVAL_MS = 50;
const HIGHEST_DIGIT = 31;
/** The loudest moment is shown at full height, unless it is quieter than this: then there is only noise. */
const QUIET = 0.05;

/**
 * Records the microphone until it is stopped.
 * @param signal ends it before the browser has asked the user
 * @throws {DOMException} NotAllowedError, NotFoundError and others of `getUserMedia`
 */
export async function startRecording(signal: AbortSignal): Promise<ActiveRecording> {
  // Browsers only have this on pages with HTTPS.
  if (!("mediaDevices" in navigator)) throw new DOMException("", "SecurityError");
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const close = () => stream.getTracks().forEach((track) => track.stop());
  try {
    signal.throwIfAborted();
    return record(stream, close);
  } catch (error) {
    close();
    throw error;
  }
}

function record(stream: MediaStream, close: () => void): ActiveRecording {
  const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(stream, {
    audioBitsPerSecond: BITS_PER_SECOND,
    ...(mimeType !== undefined && { mimeType }),
  });
  const meter = new LevelMeter(stream);
  const parts: Blob[] = [];
  const startedMs = performance.now();
  let durationMs: number | null = null;
  let ended: () => void = () => undefined;
  const elapsedMs = () => durationMs ?? Math.min(performance.now() - startedMs, LIMITS.recordingMaxMs);
  const timer = setInterval(() => {
    meter.measure();
    if (elapsedMs() >= LIMITS.recordingMaxMs && recorder.state === "recording") recorder.stop();
  }, LEVEL_INTERVAL_MS);
  const stopped = new Promise<void>((resolve) => {
    recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
    recorder.addEventListener("stop", () => {
      durationMs = elapsedMs();
      clearInterval(timer);
      meter.close();
      close();
      resolve();
      ended();
    });
  });
  recorder.start();
  return {
    levels: meter.levels,
    elapsedMs,
    onEnd: (listener) => {
      ended = listener;
    },
    async stop() {
      ended = () => undefined;
      if (recorder.state !== "inactive") recorder.stop();
      await stopped;
      const sound = new Blob(parts, { type: recorder.mimeType });
      const recording = {
        durationMs: Math.max(1, Math.round(elapsedMs())),
        peaks: peaksOf(meter.levels),
      };
      return sound.size === 0 ? null : { sound, recording };
    },
  };
}

class LevelMeter {
  readonly levels: number[] = [];
  readonly #audio = new AudioContext();
  readonly #analyser = this.#audio.createAnalyser();
  readonly #samples = new Float32Array(this.#analyser.fftSize);

  constructor(stream: MediaStream) {
    this.#audio.createMediaStreamSource(stream).connect(this.#analyser);
  }

  measure(): void {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    const loudest = this.#samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    this.levels.push(Math.min(1, loudest));
  }

  close(): void {
    void this.#audio.close();
  }
}

/** The loudest level of each part, as a digit of base 32. */
export function peaksOf(levels: readonly number[]): string {
  const count = Math.min(LIMITS.recordingPeaks, Math.max(1, levels.length));
  const at = (part: number) => Math.floor((part * levels.length) / count);
  const loudest = levels.reduce((most, level) => Math.max(most, level), QUIET);
  return Array.from({ length: count }, (_, part) => {
    const peak = levels.slice(at(part), at(part + 1)).reduce((most, level) => Math.max(most, level), 0);
    return Math.round((peak / loudest) * HIGHEST_DIGIT).toString(32);
  }).join("");
}
