import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
// oxlint-disable-next-line import/default -- Vite makes it an address
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";
import files from "virtual:pdf-files";

GlobalWorkerOptions.workerSrc = workerUrl;

export const PDF_MAX_BYTES = 25_000_000;
const MAX_IMAGE_PIXELS = 50_000_000;
/** Pixels of a page on its longer side: for a zoom of two on most screens. */
const MAX_SIDE_PX = 4096;
const SHARPNESS = 2;

export type Pdf = PDFDocumentProxy;
export type PdfProblem = "tooLarge" | "locked" | "broken";

/** Opens a file without its scripts and forms. */
export function openPdf(url: string): { opened: Promise<Pdf>; close: () => void } {
  const task = getDocument({
    url,
    cMapUrl: files,
    standardFontDataUrl: files,
    wasmUrl: files,
    // The content security policy forbids WebAssembly.
    useWasm: false,
    enableXfa: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: 0,
  });
  return { opened: task.promise, close: () => void task.destroy() };
}

export function problemOf(error: unknown): PdfProblem {
  return error instanceof Error && error.name === "PasswordException" ? "locked" : "broken";
}

/**
 * Draws a page so that it fills the space, and is still sharp when it is zoomed.
 * @returns its text, for screen readers
 */
export async function drawPage(
  pdf: Pdf,
  number: number,
  canvas: HTMLCanvasElement,
  space: { width: number; height: number },
  signal: AbortSignal,
): Promise<string> {
  const page = await pdf.getPage(number);
  signal.throwIfAborted();
  const { width, height } = page.getViewport({ scale: 1 });
  const fitting = Math.min(space.width / width, space.height / height);
  const scale = Math.min(fitting * devicePixelRatio * SHARPNESS, MAX_SIDE_PX / Math.max(width, height));
  const viewport = page.getViewport({ scale });
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  const task = page.render({ canvas, viewport });
  const stop = () => task.cancel();
  signal.addEventListener("abort", stop);
  await task.promise;
  const { items } = await page.getTextContent();
  return items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
}
