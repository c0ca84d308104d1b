import type { Person } from "@fanfare/testing";
import sharp from "sharp";
import { fileOf, uploadPicture } from "../../services/file/test/upload.ts";

/** Uploads a picture for an emoji. @returns its file id */
export async function uploadEmoji(url: string, who: Pick<Person, "accessToken">): Promise<string> {
  return fileOf(await uploadPicture(url, who, await drawSquare("teal"))).fileId;
}

/** A PNG. */
export async function drawSquare(background: string, side = 64): Promise<Buffer> {
  return sharp({ create: { width: side, height: side, channels: 3, background } })
    .png()
    .toBuffer();
}

/** A GIF with two frames. */
export async function drawAnimation(width: number, height: number): Promise<Buffer> {
  const frame = width * height * 3;
  const raw = { width, height: 2 * height, channels: 3, pageHeight: height } as const;
  return sharp(Buffer.alloc(2 * frame, 7).fill(200, 0, frame), { raw })
    .gif({ delay: [100, 100] })
    .toBuffer();
}
