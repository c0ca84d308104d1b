import type { Emoji } from "@fanfare/contract";
import { type KeyboardEvent, type ReactNode, type RefObject, useState } from "react";

const STEPS: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

interface PictureGridProps {
  gridRef: RefObject<HTMLDivElement | null>;
  label: string;
  pictures: readonly Emoji[];
  columns: number;
  /** The columns as a class. */
  className: string;
  buttonClassName: string;
  onPick: (picture: Emoji) => void;
  children: (picture: Emoji) => ReactNode;
}

/** A group's own emoji, stickers or GIFs. The arrow keys move between them, so that they are one stop for Tab. */
export function PictureGrid(props: PictureGridProps) {
  const { gridRef, label, pictures, columns, className, buttonClassName, onPick, children } = props;
  const [current, setCurrent] = useState(0);
  const reachable = Math.min(current, pictures.length - 1);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ...STEPS, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const next = step === undefined ? -1 : reachable + step;
    if (next < 0 || next >= pictures.length) return;
    event.preventDefault();
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    <div
      ref={gridRef}
      role="group"
      aria-label={label}
      className={`mt-1 grid min-h-0 flex-1 content-start overflow-y-auto ${className}`}
      onKeyDown={onKeyDown}
    >
      {pictures.map((one, at) => (
        <button
          key={one.id}
          type="button"
          tabIndex={at === reachable ? 0 : -1}
          className={`flex items-center justify-center rounded-md -outline-offset-2 hover:bg-hover focus-visible:bg-selected ${buttonClassName}`}
          onFocus={() => setCurrent(at)}
          onClick={() => onPick(one)}
        >
          {children(one)}
        </button>
      ))}
    </div>
  );
}
