import type { Attachment, Channel, Message } from "@fanfare/contract";
import { ArrowUpLeft, Files } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { SidePanel } from "../../../app/shell/side-panel.tsx";
import { useFileUrl } from "../../../data/files.ts";
import { useLive } from "../../../data/frames.ts";
import { useChannelView } from "../../../data/open-channels.ts";
import { useSearch } from "../../../data/search.ts";
import { useMessagePlace } from "../../../inbox/use-message-place.ts";
import { useFormats } from "../../../shared/formats.ts";
import { PagedList } from "../../../shared/paged-list.tsx";
import { dayAndTime, formatTime } from "../../../shared/times.ts";
import { openPanel } from "../../../state/panels.ts";
import { IconButton } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/feedback.tsx";
import { useIsPhone } from "../../../ui/hooks.ts";
import { Select } from "../../../ui/select.tsx";
import { DownloadLink, FileIcon } from "../item/attachments.tsx";
import { useAuthor } from "../item/use-author.ts";
import { lazy } from "../../../shared/later.tsx";

const PictureViewer = lazy(async () => (await import("../item/picture-viewer.tsx")).PictureViewer);

/** The kinds that the server can search for, and which of a message's files are of the kind. */
const KINDS = {
  attachment: /^/,
  image: /^image\//,
  media: /^(?:audio|video)\//,
  document: /^(?!image\/|audio\/|video\/)/,
} as const;
type Kind = keyof typeof KINDS;

interface FoundFile {
  message: Message;
  file: Attachment;
}

/** The files of a channel and its threads, newest first. */
export function FilesPanel({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("messages");
  const [kind, setKind] = useState<Kind>("attachment");
  const [shown, setShown] = useState<FoundFile | null>(null);
  const pages = useSearch({ channelId: channel.id, has: [kind] });
  const { refetch } = pages;
  const newestId = useNewestId(channel.id);
  const shownFor = useRef("");
  useEffect(() => {
    const now = `${kind} ${newestId}`;
    if (shownFor.current !== now) void refetch({ cancelRefetch: false });
    shownFor.current = now;
  }, [refetch, newestId, kind]);
  const files = (pages.data?.messages ?? []).flatMap((message) =>
    (message.attachments ?? [])
      .filter(({ contentType }) => KINDS[kind].test(contentType))
      .map((file): FoundFile => ({ message, file })),
  );
  return (
    <SidePanel title={t("files.title")} onClose={onClose}>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
        <Select
          label={t("files.kind")}
          hideLabel
          value={kind}
          onChange={setKind}
          options={[
            { value: "attachment", label: t("files.all") },
            { value: "image", label: t("files.images") },
            { value: "media", label: t("files.media") },
            { value: "document", label: t("files.documents") },
          ]}
        />
        {pages.data?.isComplete === false && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-text">{t("search:incomplete")}</p>
        )}
        <PagedList
          pages={pages}
          items={files}
          empty={<EmptyState icon={Files} title={t("files.empty")} text={t("files.emptyText")} />}
          endless
        >
          {(found) => (
            <ul aria-label={t("files.title")} className="grid gap-1">
              {found.map((each) => (
                <FileRow key={each.file.fileId} found={each} onShow={() => setShown(each)} />
              ))}
            </ul>
          )}
        </PagedList>
      </div>
      {shown !== null && (
        <Suspense>
          <PictureViewer message={shown.message} image={shown.file} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </SidePanel>
  );
}

/** Of the messages with files. */
function useNewestId(channelId: string): string | undefined {
  const view = useChannelView(channelId);
  return useLive(view, () => view.messages.findLast(({ attachments }) => attachments !== undefined)?.id);
}

function FileRow({ found: { message, file }, onShow }: { found: FoundFile; onShow: () => void }) {
  const { t } = useTranslation("messages");
  const { bytes } = useFormats();
  const [, navigate] = useLocation();
  const isPhone = useIsPhone();
  const { name } = useAuthor(message);
  const { path } = useMessagePlace(message);
  const url = useFileUrl(message.channelId, file.fileId);
  const jump = () => {
    if (path === null) return;
    // The panel would cover the message.
    if (isPhone) openPanel(null);
    navigate(path);
  };
  return (
    <li className="flex items-center gap-2.5 rounded-md p-1.5 hover:bg-hover">
      {url?.thumbnailUrl == null ? (
        <span className="flex size-11 shrink-0 items-center justify-center rounded-sm bg-hover">
          <FileIcon file={file} size={20} />
        </span>
      ) : (
        <button
          type="button"
          aria-label={t("attachment.show", { name: file.name })}
          className="size-11 shrink-0 overflow-hidden rounded-sm bg-hover"
          onClick={onShow}
        >
          <img src={url.thumbnailUrl} alt="" loading="lazy" className="size-full object-cover" />
        </button>
      )}
      <div className="min-w-0 flex-1 text-xs text-muted">
        <p className="truncate text-sm font-medium text-text" title={file.name}>
          {file.name}
        </p>
        <p className="truncate">
          {name} · {bytes(file.bytes)}
        </p>
        <time
          dateTime={message.createdAt}
          title={formatTime(message.createdAt, "full")}
          className="block truncate"
        >
          {dayAndTime(message.createdAt)}
        </time>
      </div>
      <IconButton icon={ArrowUpLeft} size="sm" label={t("pins.jump")} onClick={jump} />
      {url !== undefined && <DownloadLink url={url.url} name={file.name} />}
    </li>
  );
}
