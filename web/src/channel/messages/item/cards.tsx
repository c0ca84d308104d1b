import type { Card, Message, Control } from "@fanfare/contract";
import { type ReactNode, type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { ChevronDown, ExternalLink as ExternalLinkIcon } from "lucide-react";
import { colorText } from "../../../shared/formats.ts";
import { dayAndTime } from "../../../shared/times.ts";
import { safeUrl } from "../markdown/lex.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { ExternalLink } from "../markdown/inline.tsx";
import { Attachments, isImage } from "./attachments.tsx";
import { useCall } from "../../../data/call.ts";
import { useUser } from "../../../data/people.ts";
import { Button, buttonClass, type ButtonVariant } from "../../../ui/button.tsx";
import { showFailure } from "../../../ui/feedback.tsx";
import { LaterMenu } from "../../../ui/later-popup.tsx";
import { expectModal } from "../bot-modals.tsx";

interface CardsProps {
  /** Whose attachments the cards can show. */
  message?: Message;
  cards: readonly Card[];
}

/** The cards of a bot under the text of a message. */
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

const VARIANTS: Record<string, ButtonVariant> = { primary: "primary", danger: "danger" };

interface ControlsProps {
  message: Pick<Message, "authorId" | "channelId" | "id">;
  controls: readonly Control[];
}

/** The buttons, selects and links under a message. */
export function Controls({ message, controls }: ControlsProps) {
  const { t } = useTranslation("messages");
  return (
    <div role="group" aria-label={t("control.label")} className="mt-1.5 flex flex-wrap gap-1.5">
      {controls.map((control, index) =>
        control.kind === "link" ? (
          <LinkControl key={`link-${index}`} label={control.label} url={control.url} />
        ) : (
          <BotControl key={control.id} message={message} control={control} />
        ),
      )}
    </div>
  );
}

type BotControlProps = {
  message: ControlsProps["message"];
  control: Exclude<Control, { kind: "link" }>;
};

/** Waits until the bot has acknowledged it. */
function BotControl({ message: { authorId, channelId, id: messageId }, control }: BotControlProps) {
  const { t } = useTranslation("messages");
  const call = useCall();
  const bot = useUser(authorId);
  const [busy, setBusy] = useState(false);
  // Not a bot: the message was imported with its group.
  const isGone = bot !== undefined && (bot.deleted === true || bot.kind !== "bot");
  const press = async (value?: string) => {
    setBusy(true);
    const params = { channelId, messageId, controlId: control.id, ...(value !== undefined && { value }) };
    await call("interaction.create", params).then(
      ({ interactionId }) => expectModal(interactionId),
      showFailure,
    );
    setBusy(false);
  };
  const state = { busy, disabled: isGone, ...(isGone && { title: t("control.botGone") }) };
  if (control.kind === "button") {
    const variant = VARIANTS[control.style ?? ""];
    return (
      <ControlButton
        {...state}
        {...(variant && { variant })}
        label={control.label}
        onClick={() => void press()}
      />
    );
  }
  return (
    <LaterMenu
      align="start"
      trigger={<ControlButton {...state} label={control.label} isSelect />}
      items={control.options.map(({ label, value }) => ({ label, onSelect: () => void press(value) }))}
    />
  );
}

type ControlButtonProps = ComponentProps<typeof Button> & { label: string; isSelect?: boolean };

/** Long labels are wrapped. */
function ControlButton({ label, isSelect = false, ...rest }: ControlButtonProps) {
  return (
    <Button size="sm" className="max-w-full py-1" {...rest}>
      <span dir="auto" className="min-w-0 whitespace-normal wrap-anywhere">
        {label}
      </span>
      {isSelect && <ChevronDown size={14} aria-hidden className="shrink-0" />}
    </Button>
  );
}

function LinkControl({ label, url }: { label: string; url: string }) {
  const target = safeUrl(url);
  if (target === null) return null;
  return (
    <ExternalLink url={target} className={`${buttonClass({ size: "sm" })} max-w-full py-1`}>
      <span dir="auto" className="min-w-0 whitespace-normal wrap-anywhere">
        {label}
      </span>
      <ExternalLinkIcon size={14} aria-hidden className="shrink-0" />
    </ExternalLink>
  );
}
