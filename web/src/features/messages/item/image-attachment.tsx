import type { Attachment } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { fit } from "./fit.ts";

interface ImageAttachmentProps {
  channelId: string;
  image: Attachment;
  isOneOfMany: boolean;
  onOpen: () => void;
}

const ALONE = { width: 440, height: 340 };
const BESIDE_OTHERS = { width: 220, height: 220 };

/** A picture in the room that it will need, so that nothing moves when it comes. */
export function ImageAttachment({ channelId, image, isOneOfMany, onOpen }: ImageAttachmentProps) {
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
