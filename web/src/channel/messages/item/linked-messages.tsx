import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { useChannelState } from "../../../data/groups.ts";
import { useMessage } from "../../../data/channel-messages.ts";
import { dayAndTime } from "../../../shared/times.ts";
import { Avatar } from "../../../ui/display.tsx";
import { type MessageLink, messageLinks } from "./message-links.ts";
import { MessagePreview } from "./message-preview.tsx";
import { useAuthor } from "./use-author.ts";

/** Previews of the messages that a text links to, for those who can see them. */
export function LinkedMessages({ content }: { content: string }) {
  const links = messageLinks(content, location.origin);
  if (links.length === 0) return null;
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {links.map((link) => (
        <LinkedMessage key={link.messageId} link={link} />
      ))}
    </div>
  );
}

/** Its height is fixed, so that nothing moves when the message is loaded. */
function LinkedMessage({ link: { channelId, messageId, path } }: { link: MessageLink }) {
  const { t } = useTranslation("messages");
  const { data: message, isError } = useMessage(channelId, messageId);
  const isGone = isError || (message !== undefined && message.deletedAt !== null);
  return (
    <Link
      href={path}
      className="grid h-20 w-full max-w-110 content-start gap-1 overflow-hidden rounded-md border border-line border-s-4 border-s-line-strong bg-raised px-3 py-2 text-sm hover:bg-hover"
    >
      {isGone && <span className="text-muted">{t("linkedUnavailable")}</span>}
      {message !== undefined && !isGone && <LinkedContent message={message} />}
    </Link>
  );
}

function LinkedContent({ message }: { message: NonNullable<ReturnType<typeof useMessage>["data"]> }) {
  const author = useAuthor(message);
  const { data: channel } = useChannelState(message.channelId);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <Avatar name={author.name} id={message.authorId} src={author.avatarUrl} size={20} />
        <span className="truncate font-semibold">{author.name}</span>
        <span className="min-w-0 shrink-[2] truncate text-xs text-muted">
          {channel !== undefined && channel.name !== "" && `#${channel.name} · `}
          {dayAndTime(message.createdAt)}
        </span>
      </span>
      <span className="line-clamp-2 wrap-anywhere">
        <MessagePreview message={message} />
      </span>
    </>
  );
}
