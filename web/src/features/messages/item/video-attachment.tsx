import type { Attachment } from "@fanfare/contract";
import { useFileUrl } from "../../../data/files.ts";
import { FileAttachment } from "./file-attachment.tsx";

export function VideoAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const url = useFileUrl(channelId, file.fileId);
  if (url === undefined) return <FileAttachment channelId={channelId} file={file} />;
  return (
    // What somebody uploads has no captions.
    <video
      controls
      preload="metadata"
      aria-label={file.name}
      src={url.url}
      className="aspect-video w-110 max-w-full rounded-md bg-code"
    />
  );
}
