import type { Attachment } from "@fanfare/contract";
import { ChevronLeft, ChevronRight, Download, X } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";

interface LightboxProps {
  channelId: string;
  images: readonly Attachment[];
  /** Which one is shown first. */
  start: number;
  onClose: () => void;
}

const BUTTON =
  "flex size-11 items-center justify-center rounded-full bg-overlay text-white hover:bg-black/80";

/** Pictures as large as there is room, one at a time: the arrow keys lead to the others, Esc closes. */
export function Lightbox({ channelId, images, start, onClose }: LightboxProps) {
  const { t } = useTranslation("messages");
  const [index, setIndex] = useState(start);
  const dialog = useRef<HTMLDialogElement>(null);
  const image = images[index]!;
  const url = useFileUrl(channelId, image.fileId);
  // A dialog of the browser's own: it is in front of everything, keeps the focus, and gives it back.
  useEffect(() => dialog.current?.showModal(), []);
  const turn = (by: number) => setIndex((now) => (now + by + images.length) % images.length);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "ArrowRight") turn(1);
    if (event.key === "ArrowLeft") turn(-1);
  };
  const closeBeside = (event: MouseEvent) => {
    if (event.target === event.currentTarget) dialog.current?.close();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={image.name}
      className="m-auto h-dvh max-h-none w-screen max-w-none bg-transparent p-0 backdrop:bg-black/85"
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <div className="flex size-full items-center justify-center p-4 md:p-12" onClick={closeBeside}>
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
