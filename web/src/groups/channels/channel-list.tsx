import type { Channel, Group } from "@fanfare/contract";
import { hasPermission, NO_PERMISSIONS } from "@fanfare/contract/permissions";
import { Hash, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import {
  createContext,
  type RefObject,
  use,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import { type CustomItemComponentProps, Virtualizer, type VirtualizerHandle } from "virtua";
import { useMyPermissions, usePlainChannels } from "../../data/groups.ts";
import { useThreadsAwaited } from "../../data/channel-messages.ts";
import { useMarkedIds, useMentioningIds } from "../../data/inbox.ts";
import { moveFocusByArrows } from "../../shared/hooks.ts";
import { useCollapsedSections, CollapseButton, SectionHead } from "./section-head.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState, SkeletonRows, Pending } from "../../ui/feedback.tsx";
import { openGroupDialog } from "../open-group-dialog.tsx";
import { cx } from "../../ui/cx.ts";
import { ChannelRow } from "./channel-row.tsx";
import { FAVORITES, type Line, linesOf } from "./lines.ts";
import { useReorder } from "./reorder.tsx";

/** The channels of a group by section. With "Manage channels" they can be moved by dragging or with Alt and the arrow keys. */
export function ChannelList({ group, channelId }: { group: Group; channelId: string | undefined }) {
  const { t } = useTranslation("channels");
  const query = usePlainChannels(group.id);
  const { data: channels } = query;
  const permissions = useMyPermissions(group.id).data?.permissions ?? NO_PERMISSIONS;
  const canManage = hasPermission(permissions, "manageChannels");
  const { reorder, edgeAt, draggedId, announcement } = useReorder(group.id, channels ?? [], canManage);
  const isWaiting = useThreadsAwaited(channelId, channels !== undefined);
  const lines = useLines(channels ?? NO_CHANNELS, channelId);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const isListed = channels !== undefined && !isWaiting;
  const list = useShownLine(lines, channelId, isListed);
  if (!isListed) {
    return (
      <div className="p-3">
        <Pending of={{ ...query, data: undefined }}>
          <SkeletonRows />
        </Pending>
      </div>
    );
  }
  return (
    <nav
      aria-label={t("list.label")}
      onKeyDown={moveFocusByArrows}
      onFocus={({ target }) => {
        const line = target.closest<HTMLElement>("[data-line]");
        if (line !== null) setFocusedId(line.dataset["line"]!);
      }}
      className="virtual-frame min-h-0 flex-1 overflow-y-auto px-2"
    >
      <LineCount value={lines.length}>
        <Virtualizer
          ref={list}
          as="ul"
          item={ListItem}
          data={lines}
          bufferSize={BUFFER_PX}
          keepMounted={keptLines(lines, focusedId, draggedId)}
        >
          {(line, index) => (
            <div key={line.key} data-line={line.key} className={spaceOf(line, index, lines.length)}>
              {line.kind === "favorites" ? (
                <CollapseButton id={FAVORITES} name={t("favorites.title")} isCollapsed={line.isCollapsed} />
              ) : line.kind === "section" ? (
                <SectionHead
                  section={line.section}
                  isCollapsed={line.isCollapsed}
                  edge={edgeAt(line.key)}
                  reorder={reorder}
                />
              ) : (
                <ChannelRow
                  channel={line.channel}
                  isFavorite={line.isFavorite}
                  sectionId={line.sectionId}
                  isActive={line.key === channelId}
                  edge={edgeAt(line.key)}
                  reorder={reorder}
                />
              )}
            </div>
          )}
        </Virtualizer>
      </LineCount>
      {channels.length === 0 && (
        <EmptyState
          icon={Hash}
          title={t("list.empty")}
          text={canManage ? t("list.emptyManage") : t("list.emptyMember")}
          action={
            canManage && (
              <Button
                icon={Plus}
                onClick={() => openGroupDialog(group.id, { kind: "createChannel", sectionId: null })}
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

const NO_CHANNELS: readonly Channel[] = [];
const BUFFER_PX = 200;

/** The list's length, since only the visible lines are rendered. */
const LineCount = createContext(0);

function ListItem({ index, children, style, ...rest }: CustomItemComponentProps) {
  return (
    // Virtua hides rows that it hasn't measured, and hidden rows can't take the focus.
    <li
      {...rest}
      style={{ ...style, visibility: undefined }}
      aria-posinset={index + 1}
      aria-setsize={use(LineCount)}
    >
      {children}
    </li>
  );
}

function spaceOf(line: Line, index: number, count: number): string {
  const isHead = line.kind !== "channel";
  const isTop = line.kind === "channel" && line.isFirst && line.sectionId === null && !line.isFavorite;
  return cx(
    index === 0 ? (line.kind === "section" ? "pt-6" : "pt-3") : isHead ? "pt-3" : !line.isFirst && "pt-px",
    index > 0 && isTop && "mt-2 border-t border-line pt-2",
    index === count - 1 && "pb-3",
  );
}

/**
 * The indexes of lines that are rendered wherever the list is scrolled to: the focused one and those that the arrow keys or Tab lead to,
 * and the dragged one, since its `dragend` event would be lost.
 */
function keptLines(lines: readonly Line[], focusedId: string | null, draggedId: string | null): number[] {
  const focused = lines.findIndex(({ key }) => key === focusedId);
  const dragged = lines.findIndex(({ key }) => key === draggedId);
  const around = focused < 0 ? [] : [focused - 1, focused, focused + 1];
  return [0, lines.length - 1, dragged, ...around].filter((index) => index >= 0 && index < lines.length);
}

/** Scrolls to a line when it changes, unless a part of it is in view. */
function useShownLine(
  lines: readonly Line[],
  shownKey: string | undefined,
  isListed: boolean,
): RefObject<VirtualizerHandle | null> {
  const list = useRef<VirtualizerHandle>(null);
  const show = useEffectEvent((shown: string | undefined) => {
    const index = lines.findIndex(({ key }) => key === shown);
    const { current } = list;
    if (index < 0 || current === null) return;
    const fromTop = current.getItemOffset(index) - current.scrollOffset;
    if (fromTop <= -current.getItemSize(index) || fromTop >= current.viewportSize)
      current.scrollToIndex(index, { align: "nearest" });
  });
  useEffect(() => {
    if (!isListed) return undefined;
    // The list is measured in its first frame.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => show(shownKey));
    });
    return () => cancelAnimationFrame(frame);
  }, [isListed, shownKey]);
  return list;
}

function useLines(channels: readonly Channel[], activeId: string | undefined): readonly Line[] {
  const collapsedIds = useCollapsedSections();
  const favoriteIds = useMarkedIds("favorite");
  const hiddenIds = useMarkedIds("hidden");
  const shown = `${activeId ?? ""} ${useMentioningIds()}`;
  return useMemo(
    () => linesOf(channels, { collapsedIds, favoriteIds, hiddenIds, shownIds: shown.split(" ") }),
    [channels, collapsedIds, favoriteIds, hiddenIds, shown],
  );
}
