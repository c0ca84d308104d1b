import type { Attachment } from "@fanfare/contract";
import { useState } from "react";
import { AudioAttachment } from "./audio-attachment.tsx";
import { FileAttachment } from "./file-attachment.tsx";
import { ImageAttachment } from "./image-attachment.tsx";
import { Lightbox } from "./lightbox.tsx";
import { VideoAttachment } from "./video-attachment.tsx";

interface AttachmentsProps {
  channelId: string;
  attachments: readonly Attachment[];
}

const isImage = ({ contentType, width, height }: Attachment): boolean =>
  contentType.startsWith("image/") && width !== null && height !== null;

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
