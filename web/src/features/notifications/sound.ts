/** Two notes of a fanfare: hertz, and when they begin. */
const NOTES = [
  { hertz: 659, atS: 0 },
  { hertz: 880, atS: 0.11 },
];
const NOTE_S = 0.22;
const LOUDNESS = 0.08;

let audio: AudioContext | null = null;

/** Plays a short sound; nothing where the browser lets the page make none yet. */
export function playSound(): void {
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  for (const { hertz, atS } of NOTES) {
    const note = audio.createOscillator();
    const loudness = audio.createGain();
    const startS = audio.currentTime + atS;
    note.frequency.value = hertz;
    loudness.gain.setValueAtTime(LOUDNESS, startS);
    loudness.gain.exponentialRampToValueAtTime(0.0001, startS + NOTE_S);
    note.connect(loudness).connect(audio.destination);
    note.start(startS);
    note.stop(startS + NOTE_S);
  }
}
