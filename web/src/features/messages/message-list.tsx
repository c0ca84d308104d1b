import type { ChannelSnapshot, ChannelView } from "@fanfare/client";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../shared/use-action.ts";
import { useOwnUser } from "../session/client-context.ts";
import { MessageItem } from "./message-item.tsx";
import { startsBlock } from "./message-blocks.ts";
import { useScroll } from "./use-scroll.ts";

/** Nearer than this to the top, older messages are loaded. */
const LOAD_WITHIN_PX = 200;

export function MessageList({ view, snapshot }: { view: ChannelView; snapshot: ChannelSnapshot }) {
  const { status, messages, pending, hasOlder } = snapshot;
  const user = useOwnUser();
  const { busy, error, run } = useAction();
  // Otherwise what is being sent would stand under somebody else's name.
  const endsWithOwn = messages.at(-1)?.authorId === user?.id;
  const { frame, rememberPlace } = useScroll(messages[0]?.seq ?? 0);
  const loadOlder = () => void run(() => view.loadBefore());
  const onScroll = () => {
    rememberPlace();
    if (hasOlder && !busy && error === null && frame.current!.scrollTop < LOAD_WITHIN_PX) loadOlder();
  };
  return (
    <div
      className="messages"
      ref={frame}
      onScroll={onScroll}
      tabIndex={0}
      aria-label="Messages"
      role="region"
    >
      {hasOlder && (
        <button className="quiet" type="button" disabled={busy} onClick={loadOlder}>
          {busy ? "Loading …" : "Load older messages"}
        </button>
      )}
      <ErrorNote text={error} />
      {status === "loading" && <p className="hint">Loading …</p>}
      {status === "gone" && <p className="hint">This channel is not there any more.</p>}
      {status === "ready" && !hasOlder && (
        <p className="hint">
          {messages.length === 0 ? "Nothing here yet: say hello." : "This is the beginning."}
        </p>
      )}
      <ol role="log" aria-live="polite" aria-relevant="additions" aria-label="Messages of the channel">
        {messages.map((message, index) => (
          <MessageItem
            key={message.id}
            view={view}
            message={message}
            isOwn={message.authorId === user?.id}
            startsBlock={startsBlock(messages[index - 1], message)}
          />
        ))}
        {pending.map(({ nonce, content }, index) => (
          <li key={nonce} className="message pending" data-starts-block={index === 0 && !endsWithOwn}>
            {index === 0 && !endsWithOwn && (
              <p className="message-head">
                <strong>{user?.nickname}</strong>
              </p>
            )}
            <p className="message-text">{content}</p>
            <p className="hint">Sending …</p>
          </li>
        ))}
      </ol>
    </div>
  );
}
