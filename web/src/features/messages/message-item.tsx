import type { ChannelView } from "@fanfare/client";
import type { Message } from "@fanfare/contract";
import { memo, useState } from "react";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../shared/use-action.ts";
import { useUserName } from "../users/user-directory.ts";
import { EditForm } from "./edit-form.tsx";
import { shortTime } from "./message-blocks.ts";

interface MessageItemProps {
  view: ChannelView;
  message: Message;
  isOwn: boolean;
  startsBlock: boolean;
}

export const MessageItem = memo(function MessageItem({
  view,
  message,
  isOwn,
  startsBlock,
}: MessageItemProps) {
  const [editing, setEditing] = useState(false);
  const { id, content, createdAt, editedAt, deletedAt } = message;
  if (deletedAt !== null) {
    return (
      <li className="message" data-starts-block={startsBlock}>
        {startsBlock && <Heading message={message} />}
        <p className="message-text deleted">This message was deleted.</p>
      </li>
    );
  }
  return (
    <li className="message" data-starts-block={startsBlock}>
      {startsBlock && <Heading message={message} />}
      {editing ? (
        <EditForm view={view} message={message} onDone={() => setEditing(false)} />
      ) : (
        <p className="message-text" title={startsBlock ? undefined : shortTime(createdAt)}>
          {content}
          {editedAt !== null && <span className="edited"> (edited)</span>}
        </p>
      )}
      {isOwn && !editing && <OwnActions onEdit={() => setEditing(true)} onDelete={() => view.delete(id)} />}
    </li>
  );
});

function Heading({ message: { authorId, createdAt } }: { message: Message }) {
  const name = useUserName(authorId);
  return (
    <p className="message-head">
      <strong>{name}</strong> <time dateTime={createdAt}>{shortTime(createdAt)}</time>
    </p>
  );
}

interface OwnActionsProps {
  onEdit: () => void;
  onDelete: () => Promise<void>;
}

function OwnActions({ onEdit, onDelete }: OwnActionsProps) {
  const [asking, setAsking] = useState(false);
  const { busy, error, run } = useAction();
  if (!asking) {
    return (
      <div className="message-actions">
        <button type="button" onClick={onEdit}>
          Edit
        </button>
        <button type="button" onClick={() => setAsking(true)}>
          Delete
        </button>
      </div>
    );
  }
  return (
    <div className="message-actions asking" role="group" aria-label="Delete this message?">
      <button className="danger" type="button" autoFocus disabled={busy} onClick={() => void run(onDelete)}>
        Delete for everybody
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        Keep
      </button>
      <ErrorNote text={error} />
    </div>
  );
}
