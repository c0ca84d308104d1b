import type { Message } from "@fanfare/contract";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAuthor } from "../item/use-author.ts";
import { MarkdownPreview } from "../markdown/preview.tsx";

/** More at once nobody listens to. */
const MAX_READ = 3;

interface AnnouncerProps {
  /** The newest messages that are held. */
  messages: readonly Message[];
  ownId: string;
}

/** Reads out what others write while the channel is shown; never what was there before, or is loaded by scrolling. */
export function Announcer({ messages, ownId }: AnnouncerProps) {
  const lastSeq = messages.at(-1)?.seq ?? 0;
  const heardSeq = useRef<number | null>(null);
  const [news, setNews] = useState<readonly Message[]>([]);
  useEffect(() => {
    const heard = heardSeq.current;
    if (lastSeq === 0) return;
    heardSeq.current = lastSeq;
    if (heard === null || lastSeq <= heard) return;
    const fresh = messages.slice(-50).filter(({ seq, authorId }) => seq > heard && authorId !== ownId);
    if (fresh.length > 0) setNews(fresh.slice(-MAX_READ));
  }, [messages, lastSeq, ownId]);
  return (
    <div className="sr-only" aria-live="polite" aria-relevant="additions">
      {news.map((message) => (
        <Announcement key={message.id} message={message} />
      ))}
    </div>
  );
}

function Announcement({ message }: { message: Message }) {
  const { t } = useTranslation("messages");
  const { name } = useAuthor(message);
  return (
    <p>
      {t("announce", { name })} <MarkdownPreview content={message.content} />
    </p>
  );
}
