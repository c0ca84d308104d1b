import type { Emoji } from "@fanfare/contract";
import {
  CalendarClock,
  CaseSensitive,
  ChartBarBig,
  CirclePlus,
  FileText,
  FileUp,
  Mic,
  Puzzle,
  SendHorizontal,
  Smile,
} from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { EmojiPopover } from "../channel/emoji/emoji-popover.tsx";
import { useCall } from "../data/call.ts";
import { type PluginWithPage, usePlugins } from "../plugins/plugins.ts";
import { setPreferences, usePreferences } from "../state/preferences.ts";
import { IconButton } from "../ui/button.tsx";
import { showFailure } from "../ui/feedback.tsx";
import { Menu } from "../ui/menu.tsx";

/*
 * The buttons beside the field. With the same props they aren't rendered again: popups and tooltips would take most of the time of a key.
 */

interface AddMenuProps {
  channelId: string;
  groupId: string | null;
  canAttach: boolean;
  canSchedule: boolean;
  isRecording: boolean;
  onAttach: () => void;
  onRecord: () => void;
  onPoll: () => void;
  onTemplates: () => void;
  onSchedule: () => void;
}

export const AddMenu = memo(function AddMenu(props: AddMenuProps) {
  const { canAttach, canSchedule, isRecording, channelId, groupId } = props;
  const { t } = useTranslation("composer");
  const plugins = usePlugins(({ withPage }) => withPage);
  const call = useCall();
  const run = async (plugin: PluginWithPage, action: string) => {
    const { runComposerAction } = await import("../plugins/background-frames.ts");
    await runComposerAction(plugin, action, { channelId, groupId }, call);
  };
  return (
    <Menu
      trigger={<IconButton icon={CirclePlus} label={t("common:add")} />}
      side="top"
      align="start"
      items={[
        canAttach && { label: t("attach"), icon: FileUp, onSelect: props.onAttach },
        canAttach && {
          label: t("record.start"),
          icon: Mic,
          disabled: isRecording,
          onSelect: props.onRecord,
        },
        { label: t("poll.title"), icon: ChartBarBig, onSelect: props.onPoll },
        { label: t("template.title"), icon: FileText, onSelect: props.onTemplates },
        {
          label: t("schedule.open"),
          icon: CalendarClock,
          disabled: !canSchedule,
          onSelect: props.onSchedule,
        },
        ...plugins.flatMap((plugin) =>
          plugin.page.composerActions.map(({ id, title }) => ({
            label: title,
            icon: Puzzle,
            onSelect: () => void run(plugin, id).catch(showFailure),
          })),
        ),
      ]}
    />
  );
});

export const FormattingToggle = memo(function FormattingToggle() {
  const { t } = useTranslation("composer");
  const isOn = usePreferences(({ showFormatting }) => showFormatting);
  return (
    <IconButton
      icon={CaseSensitive}
      label={t("format.label")}
      pressed={isOn}
      className="max-[22rem]:hidden"
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => setPreferences({ showFormatting: !isOn })}
    />
  );
});

interface EmojiButtonProps {
  groupId: string | null;
  onPick: (emoji: string) => void;
  /** Offers stickers too. */
  onSticker: ((sticker: Emoji) => void) | undefined;
}

export const EmojiButton = memo(function EmojiButton(props: EmojiButtonProps) {
  const { t } = useTranslation("composer");
  const label = t("emoji");
  return (
    <EmojiPopover
      {...props}
      label={label}
      trigger={<IconButton icon={Smile} label={label} />}
      side="top"
      align="end"
    />
  );
});

export const RecordButton = memo(function RecordButton({ onRecord }: { onRecord: () => void }) {
  const { t } = useTranslation("composer");
  return <IconButton icon={Mic} label={t("record.start")} onClick={onRecord} />;
});

interface SendButtonProps {
  canSend: boolean;
  /** Whether it is about to be sent. */
  isWaiting: boolean;
  canSchedule: boolean;
  onSend: () => void;
  onSchedule: () => void;
}

export const SendButton = memo(function SendButton(props: SendButtonProps) {
  const { canSend, isWaiting, canSchedule, onSend, onSchedule } = props;
  const { t } = useTranslation("composer");
  return (
    <IconButton
      icon={SendHorizontal}
      label={t("send")}
      disabled={!canSend || isWaiting}
      className={canSend ? "text-accent-text" : ""}
      // Keeps the phone's keyboard open.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onSend}
      onContextMenu={(event) => {
        if (!canSchedule) return;
        event.preventDefault();
        onSchedule();
      }}
    />
  );
});
