import type { ComponentProps, ReactNode } from "react";
import { PagedRows } from "../shared/paged-list.tsx";
import { SkeletonRows } from "../ui/feedback.tsx";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
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
