import type { InstancePolicy, PolicyName, Result } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { Form } from "../ui/form.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast.tsx";
import { useForm } from "../ui/use-form.ts";

const MEBIBYTE = 1024 * 1024;
/** Shown in MiB. */
const SIZES = [
  "fileQuotaUserBytes",
  "fileQuotaGuestBytes",
  "fileQuotaGroupBytes",
  "fileQuotaInstanceBytes",
] as const satisfies readonly PolicyName[];
const COUNTS = [
  "usersPerInstance",
  "groupsOwnedPerUser",
  "membersPerGroup",
  "channelsPerGroup",
] as const satisfies readonly PolicyName[];
type LimitName = (typeof SIZES | typeof COUNTS)[number];
const LIMIT_NAMES: readonly LimitName[] = [...SIZES, ...COUNTS];

const unitOf = (name: LimitName): number => ((SIZES as readonly string[]).includes(name) ? MEBIBYTE : 1);

function textOf(name: LimitName, value: number | null): string {
  return value === null ? "" : String(value / unitOf(name));
}

/** An empty field is no limit. What is no number goes to the server as it is, which says so at the field. */
function valueOf(name: LimitName, text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? Math.round(number * unitOf(name)) : (trimmed as unknown as number);
}

/** Quotas for files, and how many there can be of what. */
export function LimitsForm(props: Result<"admin.getPolicy">) {
  return <Limits key={LIMIT_NAMES.map((name) => props.policy[name]).join()} {...props} />;
}

function Limits({ policy, fixed }: Result<"admin.getPolicy">) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const initial = Object.fromEntries(LIMIT_NAMES.map((name) => [name, textOf(name, policy[name])]));
  const form = useForm<Record<LimitName, string>>({
    initial: initial as Record<LimitName, string>,
    async submit(values) {
      const changed = LIMIT_NAMES.filter((name) => values[name] !== initial[name]);
      const changes = Object.fromEntries(changed.map((name) => [name, valueOf(name, values[name])]));
      await call("admin.setPolicy", changes as Partial<InstancePolicy>);
      showToast({ text: t("policy.saved"), tone: "good" });
    },
  });
  const field = (name: LimitName) => (
    <TextField
      key={name}
      label={t(`limits.${name}`)}
      hint={fixed.includes(name) ? t("policy.fixed") : undefined}
      inputMode="decimal"
      autoComplete="off"
      placeholder={t("limits.none")}
      readOnly={fixed.includes(name)}
      {...form.field(name)}
    />
  );
  return (
    <section aria-label={t("limits.title")} className="grid gap-4 border-t border-line pt-6">
      <header className="grid gap-1">
        <h2 className="font-semibold">{t("limits.title")}</h2>
        <p className="text-sm text-muted">{t("limits.text")}</p>
      </header>
      <Form form={form} action={t("policy.save")}>
        <div className="grid gap-4 sm:grid-cols-2">{LIMIT_NAMES.map(field)}</div>
      </Form>
    </section>
  );
}
