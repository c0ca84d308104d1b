// Generates the app icons from public/favicon.svg: `pnpm --filter @fanfare/web icons`. The results are committed.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

const publicDir = join(import.meta.dirname, "../public");
const iconsDir = join(publicDir, "icons");
const desktopDir = join(import.meta.dirname, "../shells/desktop/icons");
const ACCENT = "#c8401b";

const icon = await readFile(join(publicDir, "favicon.svg"));
/** The icon without its background: white on transparent. */
const sign = Buffer.from(icon.toString().replace(/<rect[^>]*>/, ""));

/** Shapes of Lucide for the shortcuts of the installed app, 24 pixels wide. */
const SHORTCUTS = {
  "new-message":
    '<path d="M12 3H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2v-7"/><path d="M18.375 2.625a1 1 0 0 1 3 3l-9.013 9.014a2 2 0 0 1-.853.505l-2.873.84a.5.5 0 0 1-.62-.62l.84-2.873a2 2 0 0 1 .506-.852z"/>',
  inbox:
    '<path d="M22 12h-6l-2 3h-4l-2-3H2"/><path d="M5.45 5.11 2 12v6a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2v-6l-3.45-6.89A2 2 0 0 0 16.76 4H7.24a2 2 0 0 0-1.79 1.11z"/>',
};

const small = { palette: true, compressionLevel: 9 };
const render = (svg: Buffer, size: number) => sharp(svg, { density: (72 * size) / 32 }).resize(size, size);

/** Launchers crop these to any shape, so the icon stays within the inner 80 %. */
async function full(size: number): Promise<Buffer> {
  const ground = { width: size, height: size, channels: 4 as const, background: ACCENT };
  const input = await render(sign, size).png().toBuffer();
  return sharp({ create: ground }).composite([{ input }]).png(small).toBuffer();
}

function shortcut(shapes: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48" viewBox="-12 -12 48 48" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><circle cx="12" cy="12" r="24" fill="${ACCENT}" stroke="none"/>${shapes}</svg>`;
  return sharp(Buffer.from(svg), { density: 144 }).resize(96, 96).png(small).toBuffer();
}

/** The desktop app refuses palettes. */
const renderDesktop = (svg: Buffer, size: number) =>
  render(svg, size).ensureAlpha().png({ compressionLevel: 9 }).toBuffer();

/** The icon with a dot for unread messages. */
const unread = Buffer.from(
  icon
    .toString()
    .replace(
      "</svg>",
      '<circle cx="24" cy="8" r="8" fill="#fff"/><circle cx="24" cy="8" r="6" fill="#d4213d"/></svg>',
    ),
);

/** Windows: a header, an entry, and a PNG. */
function ico(png: Buffer): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // one image, of 256 × 256, which is written as 0
  header.writeUInt16LE(1, 10); // color planes
  header.writeUInt16LE(32, 12); // bits per pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

/** macOS: PNGs by type, each after its length. */
function icns(pngs: Record<string, Buffer>): Buffer {
  const chunk = (type: string, content: Buffer): Buffer => {
    const header = Buffer.alloc(8);
    header.write(type, "latin1");
    header.writeUInt32BE(header.length + content.length, 4);
    return Buffer.concat([header, content]);
  };
  return chunk("icns", Buffer.concat(Object.entries(pngs).map(([type, png]) => chunk(type, png))));
}

await mkdir(desktopDir, { recursive: true });
const [small256, large512] = [await renderDesktop(icon, 256), await renderDesktop(icon, 512)];
await Promise.all([
  writeFile(join(desktopDir, "32x32.png"), await renderDesktop(icon, 32)),
  writeFile(join(desktopDir, "128x128.png"), await renderDesktop(icon, 128)),
  writeFile(join(desktopDir, "icon.png"), large512),
  writeFile(join(desktopDir, "icon.ico"), ico(small256)),
  writeFile(join(desktopDir, "icon.icns"), icns({ ic08: small256, ic09: large512 })),
  writeFile(join(desktopDir, "tray.png"), await renderDesktop(icon, 32)),
  writeFile(join(desktopDir, "tray-unread.png"), await renderDesktop(unread, 32)),
]);

await mkdir(iconsDir, { recursive: true });
await Promise.all([
  writeFile(join(iconsDir, "icon-192.png"), await render(icon, 192).png(small).toBuffer()),
  writeFile(join(iconsDir, "icon-512.png"), await render(icon, 512).png(small).toBuffer()),
  writeFile(join(iconsDir, "maskable-512.png"), await full(512)),
  writeFile(join(iconsDir, "apple-touch-icon.png"), await full(180)),
  ...Object.entries(SHORTCUTS).map(async ([name, shapes]) =>
    writeFile(join(iconsDir, `${name}-96.png`), await shortcut(shapes)),
  ),
  writeFile(join(iconsDir, "badge-96.png"), await render(sign, 96).png(small).toBuffer()),
]);
