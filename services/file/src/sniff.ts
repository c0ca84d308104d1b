import { fileTypeFromBuffer } from "file-type";

export const UNKNOWN_TYPE = "application/octet-stream";
/** What could run in a browser is never called by its name. */
const ACTIVE = /html|xml|svg|javascript|ecmascript|xsl|wasm/;

/**
 * What a file is, by its bytes alone.
 * @param head its beginning
 */
export async function sniff(head: Buffer): Promise<string> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined || ACTIVE.test(found.mime)) return UNKNOWN_TYPE;
  return found.mime.split(";")[0] ?? UNKNOWN_TYPE;
}
