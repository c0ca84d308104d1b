import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  icon?: LucideIcon;
  title: string;
  text?: ReactNode;
  /** The next step: a button or a link. */
  action?: ReactNode;
  /** The main heading of the page, where nothing else is. */
  isPage?: boolean;
}

/** Where there is nothing yet: says why, and what to do. */
export function EmptyState({ icon: Icon, title, text, action, isPage = false }: EmptyStateProps) {
  const Heading = isPage ? "h1" : "p";
  return (
    <div className="m-auto grid max-h-full max-w-sm justify-items-center gap-2 overflow-y-auto p-6 text-center">
      {Icon && (
        <span className="mb-2 flex size-14 items-center justify-center rounded-full bg-accent-soft text-accent-text">
          <Icon size={26} aria-hidden />
        </span>
      )}
      <Heading className="text-lg leading-snug font-semibold">{title}</Heading>
      {text !== undefined && <p className="text-muted">{text}</p>}
      {action !== undefined && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
