import type { ComponentProps, ReactNode } from "react";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { PagedRows } from "../shared/paged-list.tsx";
import { SkeletonRows } from "../ui/feedback.tsx";
import { TextField } from "../ui/form.tsx";

/** A section of the page that is one list, below what it is about. */
export function AdminList<T>({ hint, ...list }: ComponentProps<typeof PagedRows<T>> & { hint?: string }) {
  return (
    <>
      {hint !== undefined && <p className="text-muted">{hint}</p>}
      <PagedRows
        placeholder={<SkeletonRows count={6} withAvatar />}
        className="grid divide-y divide-line rounded-lg border border-line *:px-1 *:py-1"
        {...list}
      />
    </>
  );
}

interface ReasonFieldProps {
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  required?: boolean;
}

export function ReasonField({ required = false, ...field }: ReasonFieldProps) {
  const { t } = useTranslation("admin");
  return (
    <TextField
      label={required ? t("group-settings:moderate.reason") : t("reason")}
      hint={t("reasonHint")}
      required={required}
      maxLength={LIMITS.reasonMaxChars}
      {...field}
    />
  );
}

/** A labeled value within a <dl>. */
export function Figure({ name, children, note }: { name: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-0.5 rounded-lg border border-line bg-raised px-4 py-3">
      <dt className="text-sm text-balance text-muted wrap-break-word">{name}</dt>
      <dd className="grid gap-0.5">
        <span className="flex min-h-8 items-center gap-2 text-xl font-semibold wrap-anywhere tabular-nums">
          {children}
        </span>
        {note !== undefined && <span className="text-sm text-muted">{note}</span>}
      </dd>
    </div>
  );
}

type Column<T> = readonly [name: string, textOf: (row: T) => string];

interface DataTableProps<T> {
  label: string;
  /** The first one has the names of the rows. */
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}

/** Numbers with column headings that stay in view. */
export function DataTable<T>({ label, columns, rows, keyOf }: DataTableProps<T>) {
  return (
    // Scrollable, so it must be focusable by keyboard.
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-[70dvh] overflow-auto rounded-lg border border-line"
    >
      <table className="w-full text-end text-sm tabular-nums">
        <thead className="sticky top-0 bg-raised">
          <tr className="border-b border-line">
            {columns.map(([name]) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium first:text-start">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line whitespace-nowrap last:border-0">
              {columns.map(([name, textOf], index) =>
                index === 0 ? (
                  <th key={name} scope="row" className="px-3 py-1.5 text-start font-normal text-muted">
                    {textOf(row)}
                  </th>
                ) : (
                  <td key={name} className="px-3 py-1.5">
                    {textOf(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
