import type { Card, Message } from "@fanfare/contract";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { colorText } from "../../../shared/formats.ts";
import { dayAndTime } from "../../../shared/times.ts";
import { safeUrl } from "../markdown/lex.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { ExternalLink } from "../markdown/inline.tsx";
import { Attachments, isImage } from "./attachments.tsx";

interface CardsProps {
  /** Whose attachments the cards can show. */
  message?: Message;
  cards: readonly Card[];
}

export function Cards({ message, cards }: CardsProps) {
  return (
    <div className="mt-1 grid grid-cols-1 justify-items-start gap-1.5">
      {cards.map((card, index) => (
        <CardBox key={index} message={message} card={card} />
      ))}
    </div>
  );
}

function CardBox({ message, card }: { message: Message | undefined; card: Card }) {
  const { t } = useTranslation("messages");
  const { title, url, text, color, author, fields = [], footer, time, imageFileId, imageUrl } = card;
  const image = message?.attachments?.find((file) => file.fileId === imageFileId && isImage(file));
  const foot = [footer, time === undefined ? undefined : dayAndTime(time)].filter(
    (part) => part !== undefined,
  );
  return (
    <div
      className="grid w-fit min-w-40 max-w-120 gap-1.5 rounded-md border border-line border-s-4 border-s-line-strong bg-raised px-3 py-2 wrap-anywhere max-md:max-w-full"
      style={color === undefined ? undefined : { borderInlineStartColor: colorText(color) }}
    >
      {author !== undefined && (
        <p className="text-xs font-medium text-muted">
          <CardLink url={author.url}>{author.name}</CardLink>
        </p>
      )}
      {title !== undefined && (
        <p className="leading-snug font-semibold" dir="auto">
          <CardLink url={url}>{title}</CardLink>
        </p>
      )}
      {text !== undefined && (
        <div className="text-sm">
          <Markdown content={text} />
        </div>
      )}
      {fields.length > 0 && (
        <dl className="grid grid-cols-[repeat(auto-fit,minmax(7.5rem,1fr))] gap-x-4 gap-y-1.5 text-sm">
          {fields.map(({ name, value, short }, index) => (
            <div key={index} className={short === true ? "min-w-0" : "col-span-full min-w-0"}>
              {name !== "" && <dt className="font-semibold">{name}</dt>}
              <dd>
                <Markdown content={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {message !== undefined && image !== undefined && (
        <Attachments message={{ ...message, cards: [], attachments: [image] }} />
      )}
      {imageUrl !== undefined && (
        // Not loaded, since that would tell the other site who reads the message.
        <p className="text-sm">
          <CardLink url={imageUrl}>{t("card.image")}</CardLink>
        </p>
      )}
      {foot.length > 0 && <p className="text-xs text-muted">{foot.join(" · ")}</p>}
    </div>
  );
}

function CardLink({ url, children }: { url: string | undefined; children: ReactNode }) {
  const target = url === undefined ? null : safeUrl(url);
  if (target === null) return children;
  return (
    <ExternalLink url={target} className="text-accent-text hover:underline">
      {children}
    </ExternalLink>
  );
}
