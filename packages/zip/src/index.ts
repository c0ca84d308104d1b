const END_RECORD = 0x06054b50;
const LONG_END_LOCATOR = 0x07064b50;
const LONG_END_RECORD = 0x06064b50;
const ENTRY_RECORD = 0x02014b50;
const LOCAL_RECORD = 0x04034b50;
const END_BYTES = 22;
const LONG_END_LOCATOR_BYTES = 20;
const LONG_END_BYTES = 56;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT_BYTES = 0xffff;
const MAX_DIRECTORY_BYTES = 1024 * 1024;
const [STORED, DEFLATED] = [0, 8];
const ENCRYPTED_FLAG = 1;
/** Of the field that has the sizes of large archives. */
const LONG_FIELD = 1;
/** Instead of a number that has more than 32 bits. */
const LONG = 0xffff_ffff;

export interface ZipEntry {
  path: string;
  /** As the archive says. */
  bytes: number;
  /** @throws {Error} when it is damaged, encrypted or has more than `maxBytes` */
  read: (maxBytes: number) => Promise<Blob>;
  /** The content in parts. It fails when there is more of it than the archive says. */
  stream: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

/**
 * The files of a ZIP archive, without its folders. Reads only their list, so that its size doesn't matter.
 * @throws {Error} when it isn't a ZIP archive, or the list is longer than `maxDirectoryBytes`
 */
export async function listZip(zip: Blob, maxDirectoryBytes = MAX_DIRECTORY_BYTES): Promise<ZipEntry[]> {
  const { start, bytes: directoryBytes } = await findDirectory(zip);
  if (directoryBytes > maxDirectoryBytes) throw new Error("The archive has too many files.");
  const directory = await viewOf(zip, start, start + directoryBytes);
  if (directory.byteLength < directoryBytes) throw new Error("The list of files is damaged.");
  const entries: ZipEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.byteLength;) {
    const short = (field: number) => directory.getUint16(at + field, true);
    const long = (field: number) => directory.getUint32(at + field, true);
    if (long(0) !== ENTRY_RECORD) throw new Error("The list of files is damaged.");
    const [flags, method, nameBytes, extraBytes] = [short(8), short(10), short(28), short(30)];
    const next = at + ENTRY_BYTES + nameBytes + extraBytes + short(32);
    if (next > directory.byteLength) throw new Error("The list of files is damaged.");
    const name = new Uint8Array(directory.buffer, directory.byteOffset + at + ENTRY_BYTES, nameBytes);
    const path = new TextDecoder().decode(name);
    const extra = new DataView(
      directory.buffer,
      directory.byteOffset + next - short(32) - extraBytes,
      extraBytes,
    );
    const [bytes, packedBytes, offset] = longValues([long(24), long(20), long(42)], extra);
    const stream = () => {
      if ((flags & ENCRYPTED_FLAG) !== 0) throw new Error("The file is encrypted.");
      return unpack(zip, { offset, method, packedBytes });
    };
    if (!path.endsWith("/"))
      entries.push({
        path,
        bytes,
        read: async (maxBytes) => collect(limited(await stream(), maxBytes)),
        stream: async () => limited(await stream(), bytes),
      });
    at = next;
  }
  return entries;
}

/** @throws {Error} when it isn't a ZIP archive */
async function findDirectory(zip: Blob): Promise<{ start: number; bytes: number }> {
  const tail = await viewOf(zip, Math.max(0, zip.size - END_BYTES - MAX_COMMENT_BYTES), zip.size);
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && tail.getUint32(end, true) !== END_RECORD) end -= 1;
  if (end < 0) throw new Error("This is not a ZIP archive.");
  const [bytes, start] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  const locator = end - LONG_END_LOCATOR_BYTES;
  if (locator < 0 || tail.getUint32(locator, true) !== LONG_END_LOCATOR) return { start, bytes };
  const longEnd = Number(tail.getBigUint64(locator + 8, true));
  const record = await viewOf(zip, longEnd, longEnd + LONG_END_BYTES);
  if (record.byteLength < LONG_END_BYTES || record.getUint32(0, true) !== LONG_END_RECORD)
    throw new Error("The list of files is damaged.");
  return { start: Number(record.getBigUint64(48, true)), bytes: Number(record.getBigUint64(40, true)) };
}

/** Numbers that don't fit into 32 bits are in a field of their own, in the same order. */
function longValues(
  values: [number, number, number],
  extra: DataView<ArrayBuffer>,
): [number, number, number] {
  for (let at = 0; at + 4 <= extra.byteLength;) {
    const [field, bytes] = [extra.getUint16(at, true), extra.getUint16(at + 2, true)];
    let from = at + 4;
    at = from + bytes;
    if (field !== LONG_FIELD || at > extra.byteLength) continue;
    return values.map((value) => {
      if (value !== LONG || from + 8 > at) return value;
      from += 8;
      return Number(extra.getBigUint64(from - 8, true));
    }) as [number, number, number];
  }
  return values;
}

interface Packed {
  offset: number;
  method: number;
  packedBytes: number;
}

async function unpack(
  zip: Blob,
  { offset, method, packedBytes }: Packed,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const local = await viewOf(zip, offset, offset + LOCAL_BYTES);
  if (local.byteLength < LOCAL_BYTES || local.getUint32(0, true) !== LOCAL_RECORD)
    throw new Error("The file is damaged.");
  const start = offset + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
  const packed = zip.slice(start, start + packedBytes);
  if (method !== STORED && method !== DEFLATED) throw new Error("The compression is not supported.");
  const stream = packed.stream();
  return method === STORED ? stream : stream.pipeThrough(new DecompressionStream("deflate-raw"));
}

/** Stops early, because a small archive can unpack to anything. */
function limited(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        bytes += part.byteLength;
        if (bytes > maxBytes) throw new Error("The file is larger than the archive says.");
        controller.enqueue(part);
      },
    }),
  );
}

async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
  }
}

async function viewOf(zip: Blob, from: number, to: number): Promise<DataView<ArrayBuffer>> {
  return new DataView(await zip.slice(from, to).arrayBuffer());
}
