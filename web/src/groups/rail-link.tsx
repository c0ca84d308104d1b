import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "wouter";
import { CountBadge } from "../ui/badge.tsx";
import { cx } from "../ui/cx.ts";
import { Tooltip } from "../ui/icon-button.tsx";

interface RailLinkProps {
  href: string;
  name: string;
  isActive: boolean;
  unread: boolean;
  /** A number to show, and what it says. */
  count: number;
  countLabel: string;
  children: ReactNode;
}

/** A place in the rail: a bar at its left when it is shown, a dot when something is unread, a number for what needs the user. */
export function RailLink({ href, name, isActive, unread, count, countLabel, children }: RailLinkProps) {
  const { t } = useTranslation("groups");
  const label = [name, count > 0 && countLabel, count === 0 && unread && t("rail.unread")].filter(
    (part) => part !== false,
  );
  return (
    <Tooltip text={name} side="right">
      <Link
        href={href}
        data-walk
        aria-current={isActive ? "page" : undefined}
        className="group relative flex w-16 justify-center rounded-lg -outline-offset-2"
      >
        <span
          aria-hidden
          className={cx(
            "absolute top-1/2 left-0 w-1 -translate-y-1/2 rounded-r-sm bg-text transition-[height]",
            isActive ? "h-8" : unread ? "h-2 group-hover:h-5" : "h-0 group-hover:h-5",
          )}
        />
        {children}
        <span className="sr-only">{label.join(", ")}</span>
        <span aria-hidden className="absolute right-1 -bottom-1 rounded-full ring-2 ring-rail">
          <CountBadge count={count} label="" />
        </span>
      </Link>
    </Tooltip>
  );
}
