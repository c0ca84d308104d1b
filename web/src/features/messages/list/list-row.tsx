import { memo } from "react";
import { MessageItem } from "../item/message-item.tsx";
import { PendingItem } from "../item/pending-item.tsx";
import { UnsentItem } from "../item/unsent-item.tsx";
import { BlockedFold } from "./blocked-fold.tsx";
import { DayDivider } from "./day-divider.tsx";
import type { Row } from "./rows.ts";
import { UnreadDivider } from "./unread-divider.tsx";

interface ListRowProps {
  row: Row;
  /** Of the message: has it what the name says? */
  isActive: boolean;
  isEditing: boolean;
  isHighlighted: boolean;
  isReacting: boolean;
  isUnfolded: boolean;
  onUnfold: (firstId: string) => void;
  onDate: (day: Date) => void;
}

/** One line of the list. */
export const ListRow = memo(function ListRow({
  row,
  isActive,
  isEditing,
  isHighlighted,
  isReacting,
  isUnfolded,
  onUnfold,
  onDate,
}: ListRowProps) {
  switch (row.kind) {
    case "day":
      return <DayDivider time={row.time} onDate={onDate} />;
    case "unread":
      return <UnreadDivider />;
    case "blocked":
      return <BlockedFold count={row.count} isOpen={isUnfolded} onOpen={() => onUnfold(row.firstId)} />;
    case "pending":
      return <PendingItem message={row.message} startsGroup={row.startsGroup} />;
    case "unsent":
      return <UnsentItem failed={row.failed} />;
    case "message":
      return (
        <MessageItem
          row={row}
          isActive={isActive}
          isEditing={isEditing}
          isHighlighted={isHighlighted}
          isReacting={isReacting}
        />
      );
  }
});
