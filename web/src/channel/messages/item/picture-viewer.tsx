import type { Attachment, Message } from "@fanfare/contract";
import { Check, Link } from "lucide-react";
import { useContext, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFileUrl } from "../../../data/files.ts";
import { useBlocked } from "../../../data/me.ts";
import { useMessagePlace } from "../../../inbox/use-message-place.ts";
import { useCopy } from "../../../shared/copy.ts";
import { MessageContext } from "../list/use-rows.ts";
import { isImage } from "./attachments.tsx";
import { Tool, Viewer } from "./viewer.tsx";

interface Picture {
  message: Message;
  image: Attachment;
}

interface PictureViewerProps extends Picture {
  onClose: () => void;
}

/** A picture in full size, among those of its message and of the loaded messages of its channel. */
export function PictureViewer({ message, image: first, onClose }: PictureViewerProps) {
  const { t } = useTranslation("messages");
  const pictures = usePictures(message);
  const [index, setIndex] = useState(() => pictures.findIndex(({ image }) => image.fileId === first.fileId));
  const shown = pictures[index]!;
  const { image } = shown;
  const url = useFileUrl(shown.message.channelId, image.fileId);
  const { path } = useMessagePlace(shown.message);
  const link = location.origin + (path ?? "");
  const { isCopied, copy } = useCopy(link, link);
  return (
    <Viewer<HTMLImageElement>
      name={image.name}
      url={url?.url}
      index={index}
      total={pictures.length}
      labels={{ previous: t("attachment.previous"), next: t("attachment.next") }}
      onTurn={setIndex}
      note={isCopied ? t("shared:copied") : undefined}
      tools={
        <Tool
          icon={isCopied ? Check : Link}
          label={t("common:copyLink")}
          onClick={() => path !== null && copy()}
        />
      }
      onClose={onClose}
    >
      {(zoomed) =>
        url !== undefined && (
          <img
            key={image.fileId}
            src={url.url}
            alt={image.name}
            width={image.width ?? undefined}
            height={image.height ?? undefined}
            draggable={false}
            {...zoomed}
          />
        )
      }
    </Viewer>
  );
}

/** The pictures to go through, as they are when the viewer opens. */
function usePictures(opened: Message): readonly Picture[] {
  const loaded = useContext(MessageContext)?.view.messages ?? [];
  const { data: blocked = [] } = useBlocked();
  const [pictures] = useState(() => {
    const isHere = loaded.some(({ id }) => id === opened.id);
    const isBlocked = (message: Message) => blocked.some(({ id }) => id === message.authorId);
    const messages = isHere
      ? loaded.filter((message) => message.id === opened.id || !isBlocked(message))
      : [opened];
    return messages.flatMap((message) =>
      (message.attachments ?? []).filter(isImage).map((image): Picture => ({ message, image })),
    );
  });
  return pictures;
}
