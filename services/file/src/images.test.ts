import { LIMITS } from "@fanfare/contract";
import sharp from "sharp";
import { expect, test } from "vitest";
import { drawImage, drawPicture } from "./images.ts";

const SECRET = "51.5007 N, 0.1246 W";
const draw = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } });
const exif = { IFD0: { Copyright: SECRET }, IFD3: { GPSLatitudeRef: "N" } };

test.each(["jpeg", "png", "webp", "avif"] as const)("a %s is stored without its metadata", async (format) => {
  const original = await draw(900, 300).withExif(exif).toFormat(format).toBuffer();
  expect(original.includes(SECRET)).toBe(true);
  const { image, thumb, contentType, width, height } = await drawImage(original);
  expect([width, height]).toEqual([900, 300]);
  expect(contentType).toBe(format === "avif" ? "image/webp" : `image/${format}`);
  for (const drawn of [image, thumb]) {
    expect(drawn.includes(SECRET)).toBe(false);
    expect((await sharp(drawn).metadata()).exif).toBeUndefined();
  }
  expect(await sharp(thumb).metadata()).toMatchObject({
    format: "webp",
    width: LIMITS.thumbnailMaxPixels,
  });
});

test("rotates an image according to its EXIF orientation, which is removed", async () => {
  const sideways = await draw(400, 100).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await drawImage(sideways)).toMatchObject({ width: 100, height: 400 });
});

test("animations stay animated", async () => {
  const frames = Buffer.alloc(40 * 40 * 3 * 3, 7).fill(200, 0, 4800);
  const raw = { width: 40, height: 120, channels: 3, pageHeight: 40 } as const;
  const gif = await sharp(frames, { raw })
    .gif({ delay: [100, 100, 100] })
    .toBuffer();
  const before = await sharp(gif).metadata();
  const { image, contentType, width, height } = await drawImage(gif);
  expect([contentType, width, height]).toEqual(["image/gif", 40, 40]);
  expect((await sharp(image).metadata()).pages).toBe(before.pages);
});

test("a small file with too many pixels is rejected before it is decoded", async () => {
  const bomb = await sharp({
    create: { width: 8000, height: 8000, channels: 3, background: "black" },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  expect(bomb.length).toBeLessThan(LIMITS.pictureMaxBytes);
  await expect(drawImage(bomb)).rejects.toMatchObject({ type: "IMAGE_REFUSED" });
  await expect(drawPicture(bomb)).rejects.toMatchObject({ type: "IMAGE_REFUSED" });
});

test("frames count as pixels", async () => {
  const pages = 60;
  const [width, pageHeight] = [1000, 1000];
  const raw = { width, height: pageHeight * pages, channels: 3, pageHeight } as const;
  const frames = Buffer.alloc(width * pageHeight * pages * 3);
  for (let page = 0; page < pages; page++)
    frames.fill((page % 2) * 255, page * 3_000_000, (page + 1) * 3_000_000);
  const gif = await sharp(frames, { raw, limitInputPixels: false })
    .gif({ effort: 1, colours: 2, dither: 0 })
    .toBuffer();
  expect((await sharp(gif).metadata()).pages).toBe(pages);
  await expect(drawImage(gif)).rejects.toMatchObject({ type: "IMAGE_REFUSED" });
});

test("rejects damaged files and those that aren't images", async () => {
  const png = await draw(100, 100).png().toBuffer();
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  for (const bad of [png.subarray(0, png.length / 2), Buffer.from("\x89PNG\r\n\x1a\nnothing"), svg])
    await expect(drawImage(bad)).rejects.toMatchObject({ type: "IMAGE_REFUSED" });
});

test("a profile picture is a small square", async () => {
  const { data: picture } = await drawPicture(await draw(900, 300).jpeg().withExif(exif).toBuffer());
  const side = LIMITS.pictureSidePixels;
  expect(await sharp(picture).metadata()).toMatchObject({ format: "webp", width: side, height: side });
  expect(picture.includes(SECRET)).toBe(false);
});
