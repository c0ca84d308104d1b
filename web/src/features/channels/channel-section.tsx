import type { ChannelState } from "@fanfare/contract";
import { hasPermission } from "@fanfare/contract/permissions";
import { ArrowDown, ArrowUp, ChevronRight, Ellipsis, Pencil, Plus, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useUnreadChannels } from "../../data/unread.ts";
import { setCollapsed, useIsCollapsed } from "../../state/collapsed-sections.ts";
import { ContextMenu } from "../../ui/context-menu.tsx";
import { cx } from "../../ui/cx.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { MenuItem } from "../../ui/menu-item.ts";
import { ChannelRows, type RowsProps } from "./channel-rows.tsx";
import { DropLine } from "./drop-line.tsx";

interface ChannelSectionProps extends RowsProps {
  section: ChannelState;
  channels: readonly ChannelState[];
}

/** A section of the list. Closed, it still shows the channel that is open, and those in which something is unread. */
export function ChannelSection({ section, channels, ...rows }: ChannelSectionProps) {
  const { t } = useTranslation("channels");
  const isCollapsed = useIsCollapsed(section.id);
  const { data: unread } = useUnreadChannels();
  const { reorder, permissions, activeId, onOpen } = rows;
  const mayManage = hasPermission(permissions, "manageChannels");
  const isUnread = ({ id }: ChannelState): boolean =>
    unread?.some(({ channelId, mentionCount }) => channelId === id && mentionCount > 0) ?? false;
  const shown = isCollapsed
    ? channels.filter((channel) => channel.id === activeId || isUnread(channel))
    : channels;
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
      disabled: !reorder.canStep(section, -1),
      onSelect: () => reorder.step(section, -1),
    },
    {
      label: t("menu.moveDown"),
      icon: ArrowDown,
      shortcut: "Alt ↓",
      disabled: !reorder.canStep(section, 1),
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
      <DropLine edge={reorder.edgeAt(section.id)} />
      <button
        type="button"
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
      {mayManage && (
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
  return (
    <section aria-label={section.name} className="mt-3">
      {mayManage ? <ContextMenu items={items}>{head}</ContextMenu> : head}
      <ChannelRows {...rows} sectionId={section.id} channels={shown} />
    </section>
  );
}
