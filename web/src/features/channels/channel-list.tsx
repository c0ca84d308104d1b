import type { Group } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { Hash, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { channelTree } from "../../data/channel-order.ts";
import { useChannels } from "../../data/channels.ts";
import { useMyPermissions } from "../../data/permissions.ts";
import { errorText } from "../../shared/error-text.ts";
import { walkByArrows } from "../../shared/walk-keys.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import type { OpenDialog } from "../groups/group-dialog.ts";
import { ChannelRows } from "./channel-rows.tsx";
import { ChannelSection } from "./channel-section.tsx";
import { useReorder } from "./use-reorder.ts";

interface ChannelListProps {
  group: Group;
  channelId: string | undefined;
  onOpen: OpenDialog;
}

/** The channels of a group in their sections. Who manages channels moves them by dragging, or with Alt and the arrow keys. */
export function ChannelList({ group, channelId, onOpen }: ChannelListProps) {
  const { t } = useTranslation("channels");
  const { data: channels, error, refetch } = useChannels(group.id);
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const mayManage = hasPermission(permissions, "manageChannels");
  const { reorder, edgeAt, announcement } = useReorder(group.id, channels ?? [], mayManage);
  if (channels === undefined) {
    return (
      <div className="p-3">
        {error === null ? (
          <SkeletonRows />
        ) : (
          <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />
        )}
      </div>
    );
  }
  const { top, sections } = channelTree(channels);
  const rows = { activeId: channelId, reorder, edgeAt, onOpen };
  return (
    <nav
      aria-label={t("list.label")}
      onKeyDown={walkByArrows}
      className="min-h-0 flex-1 overflow-y-auto px-2 py-3"
    >
      <ChannelRows {...rows} sectionId={null} channels={top} />
      {sections.map(({ section, channels: inside }) => (
        <ChannelSection key={section.id} {...rows} section={section} channels={inside} />
      ))}
      {channels.length === 0 && (
        <EmptyState
          icon={Hash}
          title={t("list.empty")}
          text={mayManage ? t("list.emptyManage") : t("list.emptyMember")}
          action={
            mayManage && (
              <Button
                icon={<Plus size={16} aria-hidden />}
                onClick={() => onOpen({ kind: "createChannel", sectionId: null })}
              >
                {t("create.title")}
              </Button>
            )
          }
        />
      )}
      <p role="status" className="sr-only">
        {announcement}
      </p>
    </nav>
  );
}
