// Generates the app icons from public/favicon.svg: `pnpm --filter @fanfare/web icons`. The results are committed.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

const publicDir = join(import.meta.dirname, "../public");
const iconsDir = join(publicDir, "icons");
const ACCENT = "#c8401b";

const icon = await readFile(join(publicDir, "favicon.svg"));
/** The icon without its background: white on transparent. */
const sign = Buffer.from(icon.toString().replace(/<rect[^>]*>/, ""));

const small = { palette: true, compressionLevel: 9 };
const render = (svg: Buffer, size: number) => sharp(svg, { density: (72 * size) / 32 }).resize(size, size);

/** Launchers crop these to any shape, so the icon stays within the inner 80 %. */
async function full(size: number): Promise<Buffer> {
  const ground = { width: size, height: size, channels: 4 as const, background: ACCENT };
  const input = await render(sign, size).png().toBuffer();
  return sharp({ create: ground }).composite([{ input }]).png(small).toBuffer();
}

await mkdir(iconsDir, { recursive: true });
await Promise.all([
  writeFile(join(iconsDir, "icon-192.png"), await render(icon, 192).png(small).toBuffer()),
  writeFile(join(iconsDir, "icon-512.png"), await render(icon, 512).png(small).toBuffer()),
  writeFile(join(iconsDir, "maskable-512.png"), await full(512)),
  writeFile(join(iconsDir, "apple-touch-icon.png"), await full(180)),
  writeFile(join(iconsDir, "badge-96.png"), await render(sign, 96).png(small).toBuffer()),
]);
