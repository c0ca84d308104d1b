import type { Attachment } from "@fanfare/contract";
import { useFileUrl } from "../../../data/files.ts";
import { FileAttachment } from "./file-attachment.tsx";

export function AudioAttachment({ channelId, file }: { channelId: string; file: Attachment }) {
  const url = useFileUrl(channelId, file.fileId);
  return (
    <div className="grid max-w-full gap-1">
      <FileAttachment channelId={channelId} file={file} />
      <audio controls preload="none" aria-label={file.name} src={url?.url} className="h-10 w-80 max-w-full" />
    </div>
  );
}
