import type { ReactNode } from "react";

/** A labeled value within a <dl>. */
export function Figure({ name, children, note }: { name: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-0.5 rounded-lg border border-line bg-raised px-4 py-3">
      <dt className="text-sm text-balance text-muted wrap-break-word">{name}</dt>
      <dd className="grid gap-0.5">
        <span className="flex min-h-8 items-center gap-2 text-lg font-semibold wrap-anywhere tabular-nums">
          {children}
        </span>
        {note !== undefined && <span className="text-sm text-muted">{note}</span>}
      </dd>
    </div>
  );
}
