import { useState } from "react";
import { HAS_KEYBOARD } from "../../ui/has-keyboard.ts";
import { DestinationPicker, MAX_SHOWN, rank, type Ranked } from "./quick-switcher.tsx";
import { useDestinations, type Conversation, isConversation } from "./use-destinations.ts";

interface ConversationPickerProps {
  label: string;
  placeholder: string;
  onPick: (conversation: Conversation) => void;
}

/** Finds a place to write to. */
export function ConversationPicker({ label, placeholder, onPick }: ConversationPickerProps) {
  const [query, setQuery] = useState("");
  const conversations = useDestinations(query).filter(isConversation);
  return (
    <div className="flex min-h-40 flex-col rounded-lg border border-line">
      <DestinationPicker
        label={label}
        placeholder={placeholder}
        query={query}
        onQuery={setQuery}
        ranked={query.trim() === "" ? listRecent(conversations) : rank(conversations, query)}
        // On phones, the keyboard would cover most of the list.
        autoFocus={HAS_KEYBOARD}
        onPick={(destination) => isConversation(destination) && onPick(destination)}
      />
    </div>
  );
}

/** Recently visited ones first. */
function listRecent(conversations: readonly Conversation[]): Ranked[] {
  return conversations
    .toSorted((a, b) => b.recency - a.recency)
    .slice(0, MAX_SHOWN)
    .map((destination) => ({ destination, at: [] }));
}
