import type { Attachment } from "@fanfare/contract";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { useFormats } from "../../../shared/formats.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { Spinner } from "../../../ui/feedback.tsx";
import { Viewer, type Zoomed } from "./viewer.tsx";
import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
// oxlint-disable-next-line import/default -- Vite makes it an address
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";
import files from "virtual:pdf-files";

interface PdfViewerProps {
  channelId: string;
  file: Attachment;
  onClose: () => void;
}

/** The pages of a PDF, one at a time. */
export function PdfViewer({ channelId, file, onClose }: PdfViewerProps) {
  const { t } = useTranslation("messages");
  const { bytes } = useFormats();
  const url = useFileUrl(channelId, file.fileId)?.url;
  const { pdf, problem, fail } = usePdf(url, file.bytes);
  const [index, setIndex] = useState(0);
  return (
    <Viewer<HTMLCanvasElement>
      name={file.name}
      url={url}
      index={index}
      total={pdf?.numPages ?? 0}
      labels={{ previous: t("pdf.previous"), next: t("pdf.next") }}
      onTurn={setIndex}
      onClose={onClose}
    >
      {(zoomed) => {
        if (problem !== null)
          return (
            <div
              // A click beside the page closes the viewer.
              onPointerDown={(event) => event.stopPropagation()}
              className="grid max-w-md justify-items-center gap-4 rounded-lg bg-raised p-6 text-center"
            >
              <p role="alert">{t(`pdf.${problem}`, { max: bytes(PDF_MAX_BYTES) })}</p>
              <a className={buttonClass({ variant: "primary" })} href={url} download={file.name}>
                {t("pdf.download")}
              </a>
            </div>
          );
        if (pdf === null) return <Spinner />;
        return <Page key={index} pdf={pdf} number={index + 1} zoomed={zoomed} onFailed={fail} />;
      }}
    </Viewer>
  );
}

function usePdf(url: string | undefined, bytes: number) {
  const [pdf, setPdf] = useState<Pdf | null>(null);
  const [problem, setProblem] = useState<PdfProblem | null>(bytes > PDF_MAX_BYTES ? "tooLarge" : null);
  /** URLs are renewed, but the file stays open. */
  const [first, setFirst] = useState(url);
  if (first === undefined && url !== undefined) setFirst(url);
  useEffect(() => {
    if (first === undefined || bytes > PDF_MAX_BYTES) return undefined;
    const { opened, close } = openPdf(first);
    let isOpen = true;
    opened.then(setPdf, (error: unknown) => isOpen && setProblem(problemOf(error)));
    return () => {
      isOpen = false;
      close();
    };
  }, [first, bytes]);
  return { pdf, problem, fail: () => setProblem("broken") };
}

interface PageProps {
  pdf: Pdf;
  number: number;
  zoomed: Zoomed<HTMLCanvasElement>;
  onFailed: () => void;
}

function Page({ pdf, number, zoomed: { ref, className, style }, onFailed }: PageProps) {
  const [text, setText] = useState<string>();
  const canvas = ref as RefObject<HTMLCanvasElement | null>;
  const failed = useRef(onFailed);
  useEffect(() => {
    const { current } = canvas;
    const stage = current?.parentElement;
    if (current === null || stage == null) return undefined;
    const abort = new AbortController();
    const { paddingInline, paddingBlock } = getComputedStyle(stage);
    const space = {
      width: stage.clientWidth - 2 * Number.parseFloat(paddingInline),
      height: stage.clientHeight - 2 * Number.parseFloat(paddingBlock),
    };
    drawPage(pdf, number, current, space, abort.signal).then(setText, () => {
      if (!abort.signal.aborted) failed.current();
    });
    return () => abort.abort();
  }, [pdf, number, canvas]);
  return (
    <>
      <canvas ref={ref} className={className} style={style} aria-hidden />
      <p className="sr-only whitespace-pre-line">{text}</p>
    </>
  );
}

GlobalWorkerOptions.workerSrc = workerUrl;

const PDF_MAX_BYTES = 25_000_000;
const MAX_IMAGE_PIXELS = 50_000_000;
/** Pixels of a page on its longer side: for a zoom of two on most screens. */
const MAX_SIDE_PX = 4096;
const SHARPNESS = 2;

type Pdf = PDFDocumentProxy;
type PdfProblem = "tooLarge" | "locked" | "broken";

/** Opens a file without its scripts and forms. */
function openPdf(url: string): { opened: Promise<Pdf>; close: () => void } {
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

function problemOf(error: unknown): PdfProblem {
  return error instanceof Error && error.name === "PasswordException" ? "locked" : "broken";
}

/**
 * Draws a page so that it fills the space, and is still sharp when it is zoomed.
 * @returns its text, for screen readers
 */
async function drawPage(
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
