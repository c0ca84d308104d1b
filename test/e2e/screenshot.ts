import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";
import sharp, { type Sharp } from "sharp";

const STORED = join(import.meta.dirname, "pictures");
/** For review: the differences, and the accepted screenshot in full size. Not in git. */
const REVIEW = join(STORED, "seen");
const ACCEPT = "pnpm pictures:accept";

/**
 * Page pixels per pixel of a stored image, in each direction: hides the edges of letters, but not panels and
 * buttons.
 */
const SCALE = 4;
const BLUR_SIGMA = 1;
/** Out of 255, in the channel that differs most. */
const MAX_DIFFERENCE = 24;
/** The area of two letters in a headline. */
const MAX_DIFFERING = 20;
const TRIES = 10;
const TRY_EVERY_MS = 300;

/** Blocks are a font with one block for all Chinese, Hebrew and Arabic characters, which look different on each machine. */
const FONTS = {
  Pictures: new URL(import.meta.resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2")),
  Blocks: new URL("blocks.woff2", import.meta.url),
};

/**
 * Removes differences between runs: colors derived from random IDs, animations, measured values in charts, links
 * to copy, emoji, and fonts of other languages.
 */
const STYLE = `
  * { font-family: Pictures, Blocks !important; caret-color: transparent !important; }
  *, ::before, ::after { transition: none !important; animation: none !important; }
  :root { ${Array.from({ length: 12 }, (_, i) => `--avatar-${i + 1}: linear-gradient(#5a55b8, #5a55b8) !important;`).join(" ")} }
  figure svg, [lang]:not(:root) { visibility: hidden; }
  input[readonly], .font-emoji, [role=gridcell], [frimousse-skin-tone-selector] { color: transparent !important; }
  dd > span + span { display: none; }
`;

/** Makes pages look the same on every machine and at any time: one font, one date, one number. */
export async function freezeLooks(context: BrowserContext): Promise<void> {
  const fonts = await Promise.all(
    Object.entries(FONTS).map(async ([name, file]) => [name, (await readFile(file)).toString("base64")]),
  );
  await context.addInitScript(`{
    for (const [name, bytes] of ${JSON.stringify(fonts)}) {
      const face = new FontFace(name, Uint8Array.fromBase64(bytes), { weight: "100 900" });
      document.fonts.add(face);
      void face.load();
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(STYLE)});
    document.adoptedStyleSheets.push(sheet);
    const freeze = ({ prototype }, value) => {
      const { get } = Object.getOwnPropertyDescriptor(prototype, "format");
      Object.defineProperty(prototype, "format", { get() { return () => get.call(this)(value); } });
    };
    const date = new Date(2026, 2, 14, 9, 26);
    freeze(Intl.DateTimeFormat, date);
    freeze(Intl.NumberFormat, 42);
    const { formatToParts } = Intl.DateTimeFormat.prototype;
    Intl.DateTimeFormat.prototype.formatToParts = function () { return formatToParts.call(this, date); };
    Intl.ListFormat.prototype.format = ([first]) => first;
  }`);
}

/** A timezone in which it is about noon, so that no day ends during a test. */
export function noonTimezone(): string {
  const hours = 12 - new Date().getUTCHours();
  // Etc/GMT+5 is five hours behind.
  return `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
}

interface Picture {
  /** In full size. */
  png: Buffer;
  /** The pixels to compare: three channels each. */
  pixels: Buffer;
  width: number;
  height: number;
}

async function take(page: Page): Promise<Picture> {
  await page.evaluate("document.fonts.ready");
  const png = await page.screenshot();
  const image = sharp(png).removeAlpha();
  const { width, height } = await image.metadata();
  const { data, info } = await image
    .resize(Math.round(width / SCALE), Math.round(height / SCALE), { kernel: "linear", fit: "fill" })
    .blur(BLUR_SIGMA)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { png, pixels: data, width: info.width, height: info.height };
}

/** The indexes of the pixels that differ; null if the sizes do. */
async function differing(now: Picture, kept: Buffer): Promise<number[] | null> {
  const { data, info } = await sharp(kept).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (info.width !== now.width || info.height !== now.height) return null;
  const found: number[] = [];
  for (let at = 0; at < data.length; at += 3) {
    const difference = Math.max(
      ...[0, 1, 2].map((channel) => Math.abs(now.pixels[at + channel]! - data[at + channel]!)),
    );
    if (difference > MAX_DIFFERENCE) found.push(at / 3);
  }
  return found;
}

/** Whether a page differs from its stored image right now. */
export async function looksDifferent(page: Page, name: string): Promise<boolean> {
  const found = await differing(await take(page), await readFile(join(STORED, `${name}.png`)));
  return found === null || found.length > MAX_DIFFERING;
}

/**
 * Compares a page with its stored image, which `pnpm pictures:accept` writes. Retries for some seconds while
 * content is loading.
 * @returns what differs, or null
 */
export async function screenshotFault(page: Page, name: string): Promise<string | null> {
  const path = join(STORED, `${name}.png`);
  const seen = join(REVIEW, `${name}.png`);
  await mkdir(REVIEW, { recursive: true });
  if (process.env["ACCEPT_PICTURES"] === "1") {
    const { png, pixels, width, height } = await take(page);
    await writeFile(seen, png);
    await sharp(pixels, { raw: { width, height, channels: 3 } })
      .png({ palette: true, effort: 10 })
      .toFile(path);
    return null;
  }
  const kept = await readFile(path).catch(() => null);
  if (kept === null) return `No stored image ${name} yet. Create it with: ${ACCEPT}`;
  for (let left = TRIES; ; left--) {
    const now = await take(page);
    const found = await differing(now, kept);
    if (found === null)
      return `${name} differs in size from its stored image. Accept the new one with: ${ACCEPT}`;
    if (found.length <= MAX_DIFFERING) {
      await rm(seen, { force: true });
      return null;
    }
    if (left > 0) {
      await setTimeout(TRY_EVERY_MS);
      continue;
    }
    await writeFile(seen, await sideBySide(kept, now, found));
    const columns = found.map((place) => place % now.width);
    const corners = [
      [Math.min(...columns), Math.floor(found[0]! / now.width)],
      [Math.max(...columns) + 1, Math.floor(found.at(-1)! / now.width) + 1],
    ].map((corner) => corner.map((at) => at * SCALE).join(","));
    return (
      `${name} looks different in ${found.length} pixels between ${corners.join(" and ")}: see ${seen}, ` +
      `old on the left, new on the right. If the change is intended: ${ACCEPT}`
    );
  }
}

/** The stored image enlarged, next to the current page with differences in red. */
async function sideBySide(
  kept: Buffer,
  { png, width, height }: Picture,
  found: readonly number[],
): Promise<Buffer> {
  const mask = Buffer.alloc(width * height * 4);
  for (const place of found) mask.set([255, 0, 0, 110], place * 4);
  const enlarge = (image: Sharp) =>
    image
      .resize(width * SCALE, height * SCALE, { fit: "fill", kernel: "nearest" })
      .png()
      .toBuffer();
  const left = width * SCALE + 8;
  const background = "#808080";
  return sharp({ create: { width: left + width * SCALE, height: height * SCALE, channels: 3, background } })
    .composite([
      { input: await enlarge(sharp(kept)), left: 0, top: 0 },
      { input: await enlarge(sharp(png)), left, top: 0 },
      { input: await enlarge(sharp(mask, { raw: { width, height, channels: 4 } })), left, top: 0 },
    ])
    .png()
    .toBuffer();
}
