import type { Group, ChannelState } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { Hash, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { channelTree } from "../../data/channel-order.ts";
import { useChannels } from "../../data/channels.ts";
import { useMyPermissions } from "../../data/permissions.ts";
import { useUnreadChannels } from "../../data/unread.ts";
import { errorText } from "../../shared/error-text.ts";
import { walkByArrows } from "../../shared/walk-keys.ts";
import { useIsCollapsed } from "../../state/collapsed-sections.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import type { OpenDialog } from "../groups/group-dialog.ts";
import { ChannelRow } from "./channel-row.tsx";
import type { Edge } from "./reorder.ts";
import { SectionHead } from "./section-head.tsx";
import { useReorder, type Reorder } from "./use-reorder.ts";

interface RowsProps {
  activeId: string | undefined;
  reorder: Reorder;
  edgeAt: (id: string) => Edge | null;
  onOpen: OpenDialog;
}

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

interface ChannelSectionProps extends RowsProps {
  section: ChannelState;
  channels: readonly ChannelState[];
}

/** A section of the list. Closed, it still shows the channel that is open, and those in which the user is mentioned. */
function ChannelSection({ section, channels, ...rows }: ChannelSectionProps) {
  const isCollapsed = useIsCollapsed(section.id);
  const { data: unread } = useUnreadChannels();
  const { reorder, edgeAt, activeId, onOpen } = rows;
  const hasMention = ({ id }: ChannelState): boolean =>
    unread?.some(({ channelId, mentionCount }) => channelId === id && mentionCount > 0) ?? false;
  const shown = isCollapsed
    ? channels.filter((channel) => channel.id === activeId || hasMention(channel))
    : channels;
  return (
    <section aria-label={section.name} className="mt-3">
      <SectionHead
        section={section}
        isCollapsed={isCollapsed}
        edge={edgeAt(section.id)}
        reorder={reorder}
        onOpen={onOpen}
      />
      <ChannelRows {...rows} sectionId={section.id} channels={shown} />
    </section>
  );
}

interface ChannelRowsProps extends RowsProps {
  sectionId: string | null;
  channels: readonly ChannelState[];
}

/** The channels of a section, or those in none. */
function ChannelRows({ sectionId, channels, activeId, reorder, edgeAt, onOpen }: ChannelRowsProps) {
  if (channels.length === 0) return null;
  return (
    <ul className="grid gap-px">
      {channels.map((channel) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          sectionId={sectionId}
          isActive={channel.id === activeId}
          edge={edgeAt(channel.id)}
          reorder={reorder}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}
