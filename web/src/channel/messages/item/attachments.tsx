import type { Attachment } from "@fanfare/contract";
import {
  ChevronLeft,
  ChevronRight,
  Download,
  File,
  FileArchive,
  FileText,
  FileVideo,
  type LucideIcon,
  Music,
  X,
} from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { useFormats } from "../../../shared/formats.ts";

const ALONE = { width: 440, height: 340 };
const BESIDE_OTHERS = { width: 220, height: 220 };

const ICONS: readonly (readonly [pattern: RegExp, icon: LucideIcon])[] = [
  [/^audio\//, Music],
  [/^video\//, FileVideo],
  [/zip|compressed|tar|7z/, FileArchive],
  [/^text\/|pdf|json/, FileText],
];

const isImage = ({ contentType, width, height }: Attachment): boolean =>
  contentType.startsWith("image/") && width !== null && height !== null;

interface AttachmentsProps {
  channelId: string;
  attachments: readonly Attachment[];
}

export function Attachments({ channelId, attachments }: AttachmentsProps) {
  const [shown, setShown] = useState<number | null>(null);
  const images = attachments.filter(isImage);
  const others = attachments.filter((attachment) => !isImage(attachment));
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {images.length > 0 && (
        <div className="flex max-w-full flex-wrap gap-1.5">
          {images.map((image, index) => (
            <ImageAttachment
              key={image.fileId}
              channelId={channelId}
              image={image}
              isOneOfMany={images.length > 1}
              onOpen={() => setShown(index)}
            />
          ))}
        </div>
      )}
      {others.map((file) => {
        if (file.contentType.startsWith("video/")) {
          return <VideoAttachment key={file.fileId} channelId={channelId} file={file} />;
        }
        if (file.contentType.startsWith("audio/")) {
          return <AudioAttachment key={file.fileId} channelId={channelId} file={file} />;
        }
        return <FileAttachment key={file.fileId} channelId={channelId} file={file} />;
      })}
      {shown !== null && (
        <Lightbox channelId={channelId} images={images} start={shown} onClose={() => setShown(null)} />
      )}
    </div>
  );
}

function AudioAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const url = useFileUrl(channelId, file.fileId);
  return (
    <div className="grid max-w-full gap-1">
      <FileAttachment channelId={channelId} file={file} />
      <audio controls preload="none" aria-label={file.name} src={url?.url} className="h-10 w-80 max-w-full" />
    </div>
  );
}

function VideoAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const url = useFileUrl(channelId, file.fileId);
  if (url === undefined) return <FileAttachment channelId={channelId} file={file} />;
  return (
    // Uploaded videos have no captions.
    <video
      controls
      preload="metadata"
      aria-label={file.name}
      src={url.url}
      className="aspect-video w-110 max-w-full rounded-md bg-code"
    />
  );
}

function FileAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const { t } = useTranslation("messages");
  const { bytes } = useFormats();
  const url = useFileUrl(channelId, file.fileId);
  const Icon = ICONS.find(([pattern]) => pattern.test(file.contentType))?.[1] ?? File;
  return (
    <div className="flex w-80 max-w-full items-center gap-3 rounded-md border border-line bg-raised px-3 py-2">
      <Icon size={28} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={file.name}>
          {file.name}
        </p>
        <p className="text-xs text-muted">{bytes(file.bytes)}</p>
      </div>
      {url !== undefined && (
        <a
          href={url.url}
          download={file.name}
          aria-label={t("attachment.download", { name: file.name })}
          className="flex size-control-sm shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
        >
          <Download size={18} aria-hidden />
        </a>
      )}
    </div>
  );
}

interface ImageAttachmentProps {
  channelId: string;
  image: Attachment;
  isOneOfMany: boolean;
  onOpen: () => void;
}

/** Reserves the image's space, so that nothing moves when it loads. */
function ImageAttachment({ channelId, image, isOneOfMany, onOpen }: ImageAttachmentProps) {
  const { t } = useTranslation("messages");
  const url = useFileUrl(channelId, image.fileId);
  const { width, height } = fit(image.width ?? 1, image.height ?? 1, isOneOfMany ? BESIDE_OTHERS : ALONE);
  return (
    <button
      type="button"
      className="block max-w-full overflow-hidden rounded-md bg-hover"
      style={{ width, aspectRatio: `${width} / ${height}` }}
      aria-label={t("attachment.show", { name: image.name })}
      onClick={onOpen}
    >
      {url !== undefined && (
        <img
          src={url.thumbnailUrl ?? url.url}
          alt={image.name}
          width={width}
          height={height}
          loading="lazy"
          decoding="async"
          className="size-full object-cover"
        />
      )}
    </button>
  );
}

/** The size that fits into the box. Images are never enlarged. */
export function fit(
  width: number,
  height: number,
  box: { width: number; height: number },
): { width: number; height: number } {
  const scale = Math.min(1, box.width / width, box.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

interface LightboxProps {
  channelId: string;
  images: readonly Attachment[];
  start: number;
  onClose: () => void;
}

const BUTTON =
  "flex size-11 items-center justify-center rounded-full bg-viewer/60 text-on-viewer hover:bg-viewer";

/** A full-size viewer. The arrow keys switch images, Esc closes. */
function Lightbox({ channelId, images, start, onClose }: LightboxProps) {
  const { t } = useTranslation("messages");
  const [index, setIndex] = useState(start);
  const dialog = useRef<HTMLDialogElement>(null);
  const image = images[index]!;
  const url = useFileUrl(channelId, image.fileId);
  // A native modal dialog traps the focus and restores it.
  useEffect(() => dialog.current?.showModal(), []);
  const turn = (by: number) => setIndex((now) => (now + by + images.length) % images.length);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "ArrowRight") turn(1);
    if (event.key === "ArrowLeft") turn(-1);
  };
  const closeOnBackdrop = (event: MouseEvent) => {
    if (event.target === event.currentTarget) dialog.current?.close();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={image.name}
      className="m-auto h-dvh max-h-none w-screen max-w-none bg-transparent p-0 backdrop:bg-viewer/85"
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <div className="flex size-full items-center justify-center p-4 md:p-12" onClick={closeOnBackdrop}>
        {url !== undefined && (
          <img
            key={image.fileId}
            src={url.url}
            alt={image.name}
            width={image.width ?? undefined}
            height={image.height ?? undefined}
            className="max-h-full w-auto max-w-full rounded-sm object-contain"
          />
        )}
        <div className="absolute top-3 right-3 flex gap-2">
          {url !== undefined && (
            <a
              className={BUTTON}
              href={url.url}
              download={image.name}
              aria-label={t("attachment.download", { name: image.name })}
            >
              <Download size={20} aria-hidden />
            </a>
          )}
          <button
            type="button"
            className={BUTTON}
            aria-label={t("ui:close")}
            onClick={() => dialog.current?.close()}
          >
            <X size={22} aria-hidden />
          </button>
        </div>
        {images.length > 1 && (
          <>
            <button
              type="button"
              className={`${BUTTON} absolute left-3`}
              aria-label={t("attachment.previous")}
              onClick={() => turn(-1)}
            >
              <ChevronLeft size={24} aria-hidden />
            </button>
            <button
              type="button"
              className={`${BUTTON} absolute right-3`}
              aria-label={t("attachment.next")}
              onClick={() => turn(1)}
            >
              <ChevronRight size={24} aria-hidden />
            </button>
          </>
        )}
      </div>
    </dialog>
  );
}
