import type { Attachment } from "@fanfare/contract";
import { type RefObject, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { useFormats } from "../../../shared/formats.ts";
import { buttonClass } from "../../../ui/button.tsx";
import { Spinner } from "../../../ui/feedback.tsx";
import { drawPage, openPdf, type Pdf, PDF_MAX_BYTES, type PdfProblem, problemOf } from "./pdf.ts";
import { Viewer, type Zoomed } from "./viewer.tsx";

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
