/** The frequency and start of a note. */
export interface Note {
  hertz: number;
  atS: number;
}

const NOTE_S = 0.22;
const VOLUME = 0.08;

let audio: AudioContext | null = null;

export function playNotes(notes: readonly Note[]): void {
  audio ??= new AudioContext();
  if (audio.state === "suspended") void audio.resume();
  for (const { hertz, atS } of notes) {
    const note = audio.createOscillator();
    const loudness = audio.createGain();
    const startS = audio.currentTime + atS;
    note.frequency.value = hertz;
    loudness.gain.setValueAtTime(VOLUME, startS);
    loudness.gain.exponentialRampToValueAtTime(0.0001, startS + NOTE_S);
    note.connect(loudness).connect(audio.destination);
    note.start(startS);
    note.stop(startS + NOTE_S);
  }
}
