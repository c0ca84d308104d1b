const SAMPLE_RATE = 8000;
const HEADER_BYTES = 44;

/** A quiet tone as a WAV file, with 8 bits per sample. */
export function toneWav(seconds: number): Buffer<ArrayBuffer> {
  const samples = SAMPLE_RATE * seconds;
  const wav = Buffer.alloc(HEADER_BYTES + samples);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(HEADER_BYTES - 8 + samples, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  // PCM, one channel.
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(SAMPLE_RATE, 24);
  wav.writeUInt32LE(SAMPLE_RATE, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(samples, 40);
  for (let at = 0; at < samples; at++) wav[HEADER_BYTES + at] = 128 + Math.round(20 * Math.sin(at / 4));
  return wav;
}

/** A PDF with a line of text on each page. A locked one can't be opened with any password. */
export function pdfWith(lines: readonly string[], { isLocked = false } = {}): Uint8Array<ArrayBuffer> {
  const pages = lines.map((_, index) => `${4 + 2 * index} 0 R`);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.join(" ")}] /Count ${lines.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...lines.flatMap((line, index) => {
      const text = `BT /F1 36 Tf 60 700 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
      ];
    }),
  ];
  let file = "%PDF-1.7\n";
  const places = objects.map((content, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${content}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const key = `<${"00".repeat(32)}>`;
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [<00> <00>]`;
  const size = objects.length + 1;
  const start = file.length;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}`;
  file += `trailer\n<< /Size ${size} /Root 1 0 R ${isLocked ? lock : ""} >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}
