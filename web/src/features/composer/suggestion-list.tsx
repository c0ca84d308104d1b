import { Hash } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "../../ui/avatar.tsx";
import { cx } from "../../ui/cx.ts";
import type { Suggestion } from "./suggestion.ts";

interface SuggestionListProps {
  /** Of the list; those of its options begin so. */
  id: string;
  suggestions: readonly Suggestion[];
  activeIndex: number;
  onActivate: (index: number) => void;
  onPick: (suggestion: Suggestion) => void;
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

/** What could be meant, above the field. The focus stays in the field, which says which one is active. */
export function SuggestionList({ id, suggestions, activeIndex, onActivate, onPick }: SuggestionListProps) {
  const { t } = useTranslation("composer");
  useEffect(() => {
    document.getElementById(optionId(id, activeIndex))?.scrollIntoView({ block: "nearest" });
  }, [id, activeIndex]);
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t("suggest.label")}
      className="absolute inset-x-0 bottom-full z-10 mb-1.5 max-h-[40dvh] overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised"
    >
      {suggestions.map((suggestion, index) => (
        <div
          key={suggestion.key}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === activeIndex}
          className={cx(
            "flex min-h-row cursor-default items-center gap-2.5 rounded-sm px-2 py-1",
            index === activeIndex && "bg-selected",
          )}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onPointerMove={() => onActivate(index)}
          onClick={() => onPick(suggestion)}
        >
          <Picture suggestion={suggestion} />
          <span className="shrink-0 font-medium">{suggestion.label}</span>
          {suggestion.detail !== undefined && (
            <span className="truncate text-sm text-muted">{suggestion.detail}</span>
          )}
        </div>
      ))}
    </div>
  );
}

function Picture({ suggestion: { picture, label } }: { suggestion: Suggestion }) {
  switch (picture.kind) {
    case "user":
      return <Avatar name={label} id={picture.id} src={picture.avatarUrl} size={24} />;
    case "channel":
      return (
        <span className="flex size-6 shrink-0 items-center justify-center text-muted">
          <Hash size={18} aria-hidden />
        </span>
      );
    case "sign": {
      const style = picture.color === undefined ? {} : { color: cssColor(picture.color) };
      return (
        <span aria-hidden className="flex size-6 shrink-0 items-center justify-center text-lg" style={style}>
          {picture.sign}
        </span>
      );
    }
  }
}

const cssColor = (rgb: number): string => `#${rgb.toString(16).padStart(6, "0")}`;
