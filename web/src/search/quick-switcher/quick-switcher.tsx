import { Compass, Hash, Inbox, Search, Settings, Users } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { useMe } from "../../data/me.ts";
import { useUser } from "../../data/people.ts";
import { Avatar, CountBadge, Kbd } from "../../ui/display.tsx";
import { cx } from "../../ui/cx.ts";
import { Palette } from "../../ui/dialog.tsx";
import { useOptions } from "../../ui/hooks.ts";
import { useOpenDirect } from "../../people/directs/use-direct.tsx";
import {
  useDestinations,
  type Destination,
  type Ranked,
  rank,
  urgency,
  type Conversation,
  isConversation,
  MAX_SHOWN,
} from "./use-destinations.ts";
import { HAS_KEYBOARD } from "../../ui/has-keyboard.ts";

const PAGES = { inbox: Inbox, friends: Users, settings: Settings, channels: Hash, directory: Compass };

/** Jumps to a channel, group or user by a few letters of the name. */
export function QuickSwitcher({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("quick-switcher");
  return (
    <Palette open onClose={onClose} label={t("title")}>
      <Content onClose={onClose} />
    </Palette>
  );
}

function Content({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("quick-switcher");
  const [query, setQuery] = useState("");
  const ranked = rank(useDestinations(query), query);
  const [, navigate] = useLocation();
  const openDirect = useOpenDirect();
  const go = (destination: Destination) => {
    onClose();
    if (destination.kind === "person") void openDirect(destination.userId);
    else navigate(destination.path);
  };
  return (
    <DestinationPicker
      label={t("title")}
      placeholder={t("placeholder")}
      query={query}
      onQuery={setQuery}
      ranked={ranked}
      hasHeadings={query === ""}
      hint={
        <span className="touch:hidden">
          <Kbd keys={["Esc"]} />
        </span>
      }
      autoFocus
      onPick={go}
    />
  );
}

interface DestinationPickerProps {
  label: string;
  placeholder: string;
  query: string;
  onQuery: (query: string) => void;
  ranked: readonly Ranked[];
  /** Whether unread and read destinations have headings. */
  hasHeadings?: boolean;
  /** After the field. */
  hint?: ReactNode;
  autoFocus: boolean;
  onPick: (destination: Destination) => void;
}

/** A search field and its results. */
function DestinationPicker(props: DestinationPickerProps) {
  const { label, placeholder, query, onQuery, ranked, hasHeadings = false, hint, autoFocus, onPick } = props;
  const { t } = useTranslation("quick-switcher");
  const { fieldProps, listProps, optionProps, onKey, active } = useOptions({
    count: ranked.length,
    about: query,
    onPick: (index) => {
      const picked = ranked[index];
      if (picked !== undefined) onPick(picked.destination);
    },
  });
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={18} aria-hidden className="shrink-0 text-muted" />
        <input
          {...fieldProps}
          autoFocus={autoFocus}
          type="text"
          aria-label={label}
          placeholder={placeholder}
          value={query}
          onChange={(event) => onQuery(event.target.value)}
          onKeyDown={onKey}
          className="min-h-13 min-w-0 flex-1 bg-transparent text-text outline-none placeholder:text-muted"
        />
        {hint}
      </div>
      <div
        {...listProps}
        aria-label={label}
        className={cx("min-h-0 flex-1 overflow-y-auto p-1.5", ranked.length === 0 && "hidden")}
      >
        {ranked.map((one, index) => (
          <div key={`${one.destination.kind} ${one.destination.key}`} role="presentation">
            <Heading now={one.destination} before={ranked[index - 1]?.destination} isShown={hasHeadings} />
            <div
              {...optionProps(index)}
              className={cx(
                "flex min-h-row cursor-default items-center gap-2.5 rounded-sm px-2.5 py-1",
                index === active && "bg-selected",
              )}
            >
              <DestinationRow ranked={one} />
            </div>
          </div>
        ))}
      </div>
      <p role="status" className={cx("px-4 py-5 text-center text-muted", ranked.length > 0 && "sr-only")}>
        {ranked.length > 0
          ? t("found", { count: ranked.length })
          : query.trim() === ""
            ? t("start")
            : t("none", { query: query.trim() })}
      </p>
    </>
  );
}

/** Above the first unread and the first read destination. */
function Heading({
  now,
  before,
  isShown,
}: {
  now: Destination;
  before: Destination | undefined;
  isShown: boolean;
}) {
  const { t } = useTranslation("quick-switcher");
  const isUnread = urgency(now) > 0;
  if (!isShown || (before !== undefined && urgency(before) > 0 === isUnread)) return null;
  return (
    <p aria-hidden className="px-2.5 pt-2 pb-1 text-xs font-semibold text-muted">
      {isUnread ? t("unreadFirst") : t("recent")}
    </p>
  );
}

/** A result with the matched characters in bold. */
function DestinationRow({ ranked: { destination, at } }: { ranked: Ranked }) {
  const { t } = useTranslation("quick-switcher");
  const { title, detail, unread, kind } = destination;
  const count = kind === "direct" ? unread.messages : unread.mentions;
  return (
    <>
      <Picture destination={destination} />
      <span className={unread.messages > 0 ? "min-w-0 truncate font-semibold" : "min-w-0 truncate"}>
        {Array.from(title, (char, index) =>
          at.includes(index) ? (
            <b key={index} className="font-bold text-accent-text">
              {char}
            </b>
          ) : (
            char
          ),
        )}
      </span>
      <span className="min-w-0 flex-1 truncate text-sm text-muted">{detail}</span>
      {unread.messages > 0 && count === 0 && (
        <span className="size-2 shrink-0 rounded-full bg-text">
          <span className="sr-only">{t("common:unread")}</span>
        </span>
      )}
      <CountBadge count={count} label={t("common:mentions", { count })} />
      <span className="shrink-0 text-xs text-muted">{t(`kind.${kind}`)}</span>
    </>
  );
}

function Picture({ destination }: { destination: Destination }) {
  const { kind, title } = destination;
  if (kind === "direct") return <DirectPicture destination={destination} />;
  if (kind === "person")
    return <Avatar name={title} id={destination.userId} src={destination.avatarUrl} size={24} />;
  if (kind === "group")
    return (
      <Avatar name={title} id={destination.key} src={destination.group.iconUrl} size={24} shape="square" />
    );
  const Icon = kind === "page" ? PAGES[destination.page] : Hash;
  return (
    <span className="flex size-6 shrink-0 items-center justify-center text-muted">
      <Icon size={18} aria-hidden />
    </span>
  );
}

function DirectPicture({
  destination: { channel, title },
}: {
  destination: Extract<Destination, { kind: "direct" }>;
}) {
  const me = useMe();
  const otherId = channel.memberIds.find((id) => id !== me.id) ?? me.id;
  const user = useUser(otherId);
  return <Avatar name={user?.nickname ?? title} id={otherId} src={user?.avatarUrl} size={24} />;
}

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
