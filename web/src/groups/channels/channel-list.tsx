import type { ChannelState, Group } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { ArrowDown, ArrowUp, ChevronRight, Ellipsis, Hash, Pencil, Plus, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { memo } from "react";
import { channelTree, useChannels, useMyPermissions } from "../../data/groups.ts";
import { useThreadsAwaited } from "../../data/channel-messages.ts";
import { useUnreadChannels } from "../../data/inbox.ts";
import { moveFocusByArrows } from "../../shared/hooks.ts";
import { setCollapsed, useIsCollapsed } from "../../state/collapsed-sections.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { EmptyState, SkeletonRows, Pending } from "../../ui/feedback.tsx";
import type { OpenDialog } from "../group-dialog.ts";
import { ContextMenu, Menu, type MenuItem } from "../../ui/menu.tsx";
import { cx } from "../../ui/cx.ts";
import { ChannelRow } from "./channel-row.tsx";
import { type Edge, type Reorder, useReorder, DropLine } from "./reorder.tsx";

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

/** The channels of a group by section. With "Manage channels" they can be moved by dragging or with Alt and the arrow keys. */
export function ChannelList({ group, channelId, onOpen }: ChannelListProps) {
  const { t } = useTranslation("channels");
  const query = useChannels(group.id);
  const { data: channels } = query;
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const canManage = hasPermission(permissions, "manageChannels");
  const { reorder, edgeAt, announcement } = useReorder(group.id, channels ?? [], canManage);
  const isWaiting = useThreadsAwaited(channelId, channels !== undefined);
  if (channels === undefined || isWaiting) {
    return (
      <div className="p-3">
        <Pending of={{ ...query, data: undefined }}>
          <SkeletonRows />
        </Pending>
      </div>
    );
  }
  const { top, sections } = channelTree(channels);
  const rows = { activeId: channelId, reorder, edgeAt, onOpen };
  return (
    <nav
      aria-label={t("list.label")}
      onKeyDown={moveFocusByArrows}
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
          text={canManage ? t("list.emptyManage") : t("list.emptyMember")}
          action={
            canManage && (
              <Button icon={Plus} onClick={() => onOpen({ kind: "createChannel", sectionId: null })}>
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

/** A collapsed section still shows the open channel and channels with mentions. */
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

interface SectionHeadProps {
  section: ChannelState;
  isCollapsed: boolean;
  edge: Edge | null;
  reorder: Reorder;
  onOpen: OpenDialog;
}

const SectionHead = memo(function SectionHead(props: SectionHeadProps) {
  const { t } = useTranslation("channels");
  const { section, isCollapsed, edge, reorder, onOpen } = props;
  const items: MenuItem[] = [
    {
      label: t("menu.createHere"),
      icon: Plus,
      onSelect: () => onOpen({ kind: "createChannel", sectionId: section.id }),
    },
    {
      label: t("menu.rename"),
      icon: Pencil,
      onSelect: () => onOpen({ kind: "renameSection", channel: section }),
    },
    "separator",
    {
      label: t("menu.moveUp"),
      icon: ArrowUp,
      shortcut: "Alt ↑",
      onSelect: () => reorder.step(section, -1),
    },
    {
      label: t("menu.moveDown"),
      icon: ArrowDown,
      shortcut: "Alt ↓",
      onSelect: () => reorder.step(section, 1),
    },
    "separator",
    {
      label: t("menu.deleteSection"),
      icon: Trash2,
      danger: true,
      onSelect: () => onOpen({ kind: "deleteChannel", channel: section }),
    },
  ];
  const head = (
    <div
      {...reorder.handlers(section, null)}
      className="group relative flex min-h-row items-center gap-0.5 rounded-md"
    >
      <DropLine edge={edge} />
      <button
        type="button"
        data-walk
        aria-expanded={!isCollapsed}
        onClick={() => setCollapsed(section.id, !isCollapsed)}
        className="flex min-h-row min-w-0 flex-1 items-center gap-1 rounded-md px-1 text-left text-xs font-semibold text-muted -outline-offset-2 hover:text-text"
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={cx("shrink-0 transition-transform", !isCollapsed && "rotate-90")}
        />
        <span className="truncate">{section.name}</span>
      </button>
      {reorder.canMove && (
        <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 touch:opacity-100">
          <IconButton
            icon={Plus}
            size="sm"
            label={t("menu.createIn", { section: section.name })}
            onClick={() => onOpen({ kind: "createChannel", sectionId: section.id })}
          />
          <Menu
            items={items}
            trigger={
              <IconButton icon={Ellipsis} size="sm" label={t("menu.more", { channel: section.name })} />
            }
          />
        </span>
      )}
    </div>
  );
  return reorder.canMove ? <ContextMenu items={items}>{head}</ContextMenu> : head;
});
