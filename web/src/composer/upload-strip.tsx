import { File as FileIcon, RotateCw, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type RefObject, Suspense, useEffect, useRef, useState } from "react";
import { errorText } from "../shared/use-action.ts";
import { useFormats } from "../shared/formats.ts";
import { IconButton } from "../ui/button.tsx";
import { maxBytesOf, type Upload } from "./uploads.ts";
import { lazy } from "../shared/later.tsx";

const PlayButton = lazy(async () => (await import("../channel/messages/item/sound-player.tsx")).PlayButton);

interface UploadStripProps {
  uploads: readonly Upload[];
  onRemove: (uploadId: string) => void;
  onRetry: (uploadId: string) => void;
}

export function UploadStrip({ uploads, onRemove, onRetry }: UploadStripProps) {
  const { t } = useTranslation("composer");
  if (uploads.length === 0) return null;
  return (
    <ul aria-label={t("upload.list")} className="flex max-h-44 gap-2 overflow-auto p-2 pb-1 md:flex-wrap">
      {uploads.map((upload) => (
        <UploadItem
          key={upload.id}
          upload={upload}
          onRemove={() => onRemove(upload.id)}
          onRetry={() => onRetry(upload.id)}
        />
      ))}
    </ul>
  );
}

/** Files that were lost when the page reloaded, because browsers can't keep them. */
export function LostFiles({ names, onDismiss }: { names: readonly string[]; onDismiss: () => void }) {
  const { t } = useTranslation("composer");
  const { list } = useFormats();
  if (names.length === 0) return null;
  return (
    <div
      role="status"
      className="flex items-center gap-1.5 rounded-t-lg bg-warn-soft py-1 pe-1.5 ps-3 text-sm text-warn-text"
    >
      <p className="line-clamp-3 min-w-0 flex-1 wrap-anywhere">{t("upload.lost", { names: list(names) })}</p>
      <IconButton icon={X} size="sm" label={t("upload.dismissLost")} onClick={onDismiss} />
    </div>
  );
}

interface UploadItemProps {
  upload: Upload;
  onRemove: () => void;
  onRetry: () => void;
}

function UploadItem({ upload, onRemove, onRetry }: UploadItemProps) {
  const { t } = useTranslation("composer");
  const { file, previewUrl, state } = upload;
  const isFailed = state === "failed";
  const isOver = isFailed || state === "done";
  return (
    <li
      className={`relative flex w-64 max-w-full shrink-0 items-center gap-2.5 overflow-hidden rounded-md border bg-raised p-1.5 pe-1 ${isFailed ? "border-danger" : "border-line"}`}
    >
      {upload.recording !== undefined && previewUrl !== null ? (
        <Suspense fallback={<span className="size-11" />}>
          <PlayButton id={upload.id} url={previewUrl} name={file.name} />
        </Suspense>
      ) : previewUrl === null ? (
        <span className="flex size-11 shrink-0 items-center justify-center rounded-sm bg-hover text-muted">
          <FileIcon size={20} aria-hidden />
        </span>
      ) : (
        <img src={previewUrl} alt="" className="size-11 shrink-0 rounded-sm object-cover" />
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium" title={file.name}>
          {file.name}
        </p>
        <Line upload={upload} />
      </div>
      {isFailed && maxBytesOf(upload.error) === null && (
        <IconButton
          icon={RotateCw}
          size="sm"
          label={t("upload.retry", { name: file.name })}
          onClick={onRetry}
        />
      )}
      <IconButton
        icon={X}
        size="sm"
        label={isOver ? t("upload.remove", { name: file.name }) : t("upload.abort", { name: file.name })}
        onClick={onRemove}
      />
      {state === "sending" && <Progress upload={upload} />}
    </li>
  );
}

function Line({ upload: { file, state, error } }: { upload: Upload }) {
  const { t } = useTranslation("composer");
  const { bytes } = useFormats();
  const maxBytes = maxBytesOf(error);
  if (state === "failed") {
    const text = maxBytes === null ? errorText(error) : t("upload.tooLarge", { max: bytes(maxBytes) });
    return (
      <p role="alert" className="text-xs text-danger-text">
        {text}
      </p>
    );
  }
  const size = bytes(file.size);
  return <p className="truncate text-xs text-muted">{state === "waiting" ? t("upload.waiting") : size}</p>;
}

function Progress({ upload: { file, sentBytes } }: { upload: Upload }) {
  const { t } = useTranslation("composer");
  const { count } = useFormats();
  const percent = Math.min(100, Math.round((sentBytes / file.size) * 100));
  return (
    <div
      role="progressbar"
      aria-label={t("upload.progress", { name: file.name })}
      aria-valuenow={percent}
      aria-valuetext={`${count(percent)} %`}
      className="absolute inset-x-0 bottom-0 h-1 bg-hover"
    >
      <div className="h-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
    </div>
  );
}

/** Drag and drop onto the whole area around a field. */
interface FileDrop {
  /** The area while files are dragged over it; otherwise null. */
  over: DOMRect | null;
}

/** Accepts files dropped anywhere in the area that contains `anchor`. */
export function useFileDrop(
  anchor: RefObject<HTMLElement | null>,
  onFiles: ((files: File[]) => void) | null,
): FileDrop {
  const [over, setOver] = useState<DOMRect | null>(null);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  const isEnabled = onFiles !== null;
  useEffect(() => {
    const place = anchor.current?.parentElement;
    if (!isEnabled || !place) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const hear = (name: "dragenter" | "dragover" | "dragleave" | "drop", work: (event: DragEvent) => void) =>
      place.addEventListener(name, (event) => hasFiles(event) && work(event), { signal });
    const enter = (event: DragEvent) => {
      event.preventDefault();
      setOver((now) => now ?? place.getBoundingClientRect());
    };
    hear("dragenter", enter);
    hear("dragover", enter);
    hear("dragleave", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) setOver(null);
    });
    hear("drop", (event) => {
      event.preventDefault();
      setOver(null);
      latest.current?.(filesOf(event.dataTransfer));
    });
    return () => stop.abort();
  }, [anchor, isEnabled]);
  return { over };
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** The dropped or pasted files, without folders. */
export function filesOf(data: DataTransfer | null): File[] {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === "file");
  return items.flatMap((item) =>
    item.webkitGetAsEntry()?.isDirectory === true ? [] : (item.getAsFile() ?? []),
  );
}
