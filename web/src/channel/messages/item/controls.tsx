import type { Control, Message } from "@fanfare/contract";
import { ChevronDown, ExternalLink as ExternalLinkIcon } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useUser } from "../../../data/people.ts";
import { Button, buttonClass, type ButtonVariant } from "../../../ui/button.tsx";
import { showFailure } from "../../../ui/feedback.tsx";
import { LaterMenu } from "../../../ui/later-popup.tsx";
import { expectModal } from "../bot-modals.tsx";
import { safeUrl } from "../markdown/lex.ts";
import { ExternalLink } from "../markdown/inline.tsx";

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
