import type { Channel } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";

/** Asks before a channel goes with its messages, or a section, whose channels stay. */
export function DeleteChannelDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const call = useCall();
  const isSection = channel.kind === "section";
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      danger
      title={
        isSection
          ? t("delete.sectionTitle", { name: channel.name })
          : t("delete.title", { name: channel.name })
      }
      action={isSection ? t("delete.sectionAction") : t("delete.action")}
      onConfirm={() => call("channel.delete", { channelId: channel.id })}
    >
      {isSection ? t("delete.sectionText") : t("delete.text")}
    </ConfirmDialog>
  );
}
