import type { Attachment, Message } from "@fanfare/contract";
import { Download, File, FileArchive, FileText, FileVideo, type LucideIcon, Music } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { useFormats } from "../../../shared/formats.ts";
import { lazy } from "../../../shared/later.tsx";

const PictureViewer = lazy(async () => (await import("./picture-viewer.tsx")).PictureViewer);
const PdfViewer = lazy(async () => (await import("./pdf-viewer.tsx")).PdfViewer);
const AudioAttachment = lazy(async () => (await import("./sound-player.tsx")).AudioAttachment);
const Video = lazy(async () => (await import("./video-player.tsx")).Video);

const ALONE = { width: 440, height: 340 };
/** From this many pictures on, a line of the grid has three. */
const MANY_IMAGES = 5;

const ICONS: readonly (readonly [pattern: RegExp, icon: LucideIcon])[] = [
  [/^audio\//, Music],
  [/^video\//, FileVideo],
  [/zip|compressed|tar|7z/, FileArchive],
  [/^text\/|pdf|json/, FileText],
];

export const isImage = ({ contentType, width, height }: Attachment): boolean =>
  contentType.startsWith("image/") && width !== null && height !== null;

/** Of a player, so that nothing moves when it is loaded. */
export const soundHeight = ({ recording }: Attachment): string =>
  recording === undefined ? "min-h-18" : "min-h-15";

export function Attachments({ message }: { message: Message }) {
  const { channelId, attachments = [], cards = [] } = message;
  const [shown, setShown] = useState<Attachment | null>(null);
  const isInCard = ({ fileId }: Attachment): boolean => cards.some((card) => card.imageFileId === fileId);
  const images = attachments.filter((file) => isImage(file) && !isInCard(file));
  const others = attachments.filter((attachment) => !isImage(attachment));
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {images.length > 0 && (
        <div
          className={
            images.length === 1
              ? "max-w-full"
              : `grid w-110 max-w-full gap-1 ${images.length < MANY_IMAGES ? "grid-cols-2" : "grid-cols-3"}`
          }
        >
          {images.map((image) => (
            <ImageAttachment
              key={image.fileId}
              channelId={channelId}
              image={image}
              isInGrid={images.length > 1}
              onOpen={() => setShown(image)}
            />
          ))}
        </div>
      )}
      {others.map((file) => {
        if (file.contentType.startsWith("video/")) {
          return <VideoAttachment key={file.fileId} channelId={channelId} file={file} />;
        }
        if (file.contentType.startsWith("audio/")) {
          return (
            <Suspense key={file.fileId} fallback={<div className={soundHeight(file)} />}>
              <AudioAttachment channelId={channelId} file={file} />
            </Suspense>
          );
        }
        return <FileAttachment key={file.fileId} channelId={channelId} file={file} />;
      })}
      {shown !== null && (
        <Suspense>
          <PictureViewer message={message} image={shown} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </div>
  );
}

/** Its space is reserved, so that nothing moves when the video loads. */
function VideoAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const url = useFileUrl(channelId, file.fileId);
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <FileAttachment channelId={channelId} file={file} />;
  return (
    <div className="aspect-video w-110 max-w-full overflow-hidden rounded-md bg-code">
      {url !== undefined && (
        <Suspense>
          <Video fileId={file.fileId} name={file.name} url={url.url} onError={() => setFailed(true)} />
        </Suspense>
      )}
    </div>
  );
}

export function FileIcon({ file: { contentType }, size }: { file: Attachment; size: number }) {
  const Icon = ICONS.find(([pattern]) => pattern.test(contentType))?.[1] ?? File;
  return <Icon size={size} aria-hidden className="shrink-0 text-muted" />;
}

function FileAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const { t } = useTranslation("messages");
  const { bytes } = useFormats();
  const url = useFileUrl(channelId, file.fileId);
  const [isShown, setShown] = useState(false);
  const name = "block max-w-full truncate font-medium";
  return (
    <div className="flex w-80 max-w-full items-center gap-3 rounded-md border border-line bg-raised px-3 py-2">
      <FileIcon file={file} size={28} />
      <div className="min-w-0 flex-1">
        {file.contentType === "application/pdf" ? (
          <button
            type="button"
            className={`${name} hover:underline`}
            title={file.name}
            aria-label={t("attachment.show", { name: file.name })}
            onClick={() => setShown(true)}
          >
            {file.name}
          </button>
        ) : (
          <p className={name} title={file.name}>
            {file.name}
          </p>
        )}
        <p className="text-xs text-muted">{bytes(file.bytes)}</p>
      </div>
      {url !== undefined && <DownloadLink url={url.url} name={file.name} />}
      {isShown && (
        <Suspense>
          <PdfViewer channelId={channelId} file={file} onClose={() => setShown(false)} />
        </Suspense>
      )}
    </div>
  );
}

export function DownloadLink({ url, name }: { url: string; name: string }) {
  const { t } = useTranslation("messages");
  return (
    <a
      href={url}
      download={name}
      aria-label={t("attachment.download", { name })}
      className="flex size-control-sm shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
    >
      <Download size={18} aria-hidden />
    </a>
  );
}

interface ImageAttachmentProps {
  channelId: string;
  image: Attachment;
  /** Square, beside others. */
  isInGrid: boolean;
  onOpen: () => void;
}

/** Reserves the image's space, so that nothing moves when it loads. */
function ImageAttachment({ channelId, image, isInGrid, onOpen }: ImageAttachmentProps) {
  const { t } = useTranslation("messages");
  const url = useFileUrl(channelId, image.fileId);
  const { width, height } = fit(image.width ?? 1, image.height ?? 1, ALONE);
  return (
    <button
      type="button"
      className={`block max-w-full overflow-hidden rounded-md bg-hover ${isInGrid ? "aspect-square" : ""}`}
      style={isInGrid ? undefined : { width, aspectRatio: `${width} / ${height}` }}
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
