import { Search } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "wouter";
import { cx } from "../../ui/cx.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { Palette } from "../../ui/palette.tsx";
import { useOptions } from "../../ui/use-options.ts";
import { useOpenDirect } from "../directs/use-open-direct.ts";
import type { Destination } from "./destination.ts";
import { DestinationRow } from "./destination-row.tsx";
import { rank, urgency } from "./rank.ts";
import { useDestinations } from "./use-destinations.ts";

/** Goes anywhere by a few letters of its name. */
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
  const { fieldProps, listProps, optionProps, onKey, active } = useOptions({
    count: ranked.length,
    about: query,
    onPick: (index) => {
      const picked = ranked[index];
      if (picked === undefined) return;
      onClose();
      const { destination } = picked;
      if (destination.kind === "person") void openDirect(destination.userId);
      else navigate(destination.path);
    },
  });
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={18} aria-hidden className="shrink-0 text-muted" />
        <input
          {...fieldProps}
          type="text"
          aria-label={t("title")}
          placeholder={t("placeholder")}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onKey}
          className="min-h-13 min-w-0 flex-1 bg-transparent text-text outline-none placeholder:text-muted"
        />
        <span className="touch:hidden">
          <Kbd keys={["Esc"]} />
        </span>
      </div>
      <div
        {...listProps}
        aria-label={t("title")}
        className={cx("min-h-0 flex-1 overflow-y-auto p-1.5", ranked.length === 0 && "hidden")}
      >
        {ranked.map((one, index) => (
          <div key={`${one.destination.kind} ${one.destination.key}`} role="presentation">
            <Heading now={one.destination} before={ranked[index - 1]?.destination} isShown={query === ""} />
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

/** Above the first that is unread, and the first that is not. */
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
