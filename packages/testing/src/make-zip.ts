import { crc32, deflateRawSync } from "node:zlib";

interface ZipFile {
  name: string;
  content: Buffer;
  /** Stored as it is. */
  stored?: boolean;
  /** The size that the archive states, if not the true one. */
  statedBytes?: number;
  encrypted?: boolean;
}

/** A ZIP archive. */
export function makeZip(files: readonly ZipFile[], comment = ""): Buffer {
  const contents: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored = false, statedBytes = content.length, encrypted = false } of files) {
    const packed = stored ? content : deflateRawSync(content);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | Number(encrypted), 2);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(statedBytes, 18);
    common.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00"), common, rest, path);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, path, packed]);
    contents.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...contents, listed, end, Buffer.from(comment)]);
}
