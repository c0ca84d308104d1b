import type { Attachment } from "@fanfare/contract";
import { Download, File, FileArchive, FileText, FileVideo, type LucideIcon, Music } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { formatBytes } from "./format-bytes.ts";

const ICONS: readonly (readonly [pattern: RegExp, icon: LucideIcon])[] = [
  [/^audio\//, Music],
  [/^video\//, FileVideo],
  [/zip|compressed|tar|7z/, FileArchive],
  [/^text\/|pdf|json/, FileText],
];

/** A file by name and size, to be downloaded. */
export function FileAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const { t, i18n } = useTranslation("messages");
  const url = useFileUrl(channelId, file.fileId);
  const Icon = ICONS.find(([pattern]) => pattern.test(file.contentType))?.[1] ?? File;
  return (
    <div className="flex w-80 max-w-full items-center gap-3 rounded-md border border-line bg-raised px-3 py-2">
      <Icon size={28} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={file.name}>
          {file.name}
        </p>
        <p className="text-xs text-muted">{formatBytes(file.bytes, i18n.language)}</p>
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
