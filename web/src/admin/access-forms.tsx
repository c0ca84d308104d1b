import type { InstancePolicy, PolicyName, Result } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useSave } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { RadioGroup, Switch } from "../ui/choices.tsx";
import { TextField, useForm, Form } from "../ui/form.tsx";

const CHOICES = {
  registration: ["open", "invite", "closed"],
  requireSecondFactor: ["off", "admins", "accounts"],
  groupCreation: ["everyone", "accounts", "admins"],
  directMessages: ["everyone", "groupMates", "friends"],
} as const satisfies { [N in PolicyName]?: readonly InstancePolicy[N][] };

/** Applies each choice at once. Values set by the environment are read-only. */
export function PolicyForm({ policy, fixed }: Result<"admin.getPolicy">) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const { error, save } = useSave();
  const change = (changes: Partial<InstancePolicy>) => save(() => call("admin.setPolicy", changes));
  const isFixed = (name: PolicyName) => fixed.includes(name);
  const hint = (name: PolicyName, text: string) => (isFixed(name) ? `${text} ${t("policy.fixed")}` : text);
  const choice = (name: keyof typeof CHOICES) => (
    <div className="grid gap-1.5">
      <RadioGroup<string>
        label={t(`policy.${name}.label`)}
        value={policy[name]}
        onChange={(value) => change({ [name]: value })}
        options={CHOICES[name].map((value) => ({
          value,
          label: t(`policy.${name}.${value}`),
          hint: t(`policy.${name}.${value}Hint`),
          disabled: isFixed(name),
        }))}
      />
      {isFixed(name) && <p className="text-sm text-muted">{t("policy.fixed")}</p>}
    </div>
  );
  return (
    <div className="grid gap-6">
      <ErrorNote text={error} />
      {choice("registration")}
      <Switch
        label={t("policy.guests")}
        hint={hint("guests", t("policy.guestsHint"))}
        checked={policy.guests}
        disabled={isFixed("guests")}
        onChange={(guests) => change({ guests })}
      />
      <MailDomains domains={policy.mailDomains} isFixed={isFixed("mailDomains")} />
      <Switch
        label={t("policy.oidcOnly")}
        hint={hint("oidcOnly", t("policy.oidcOnlyHint"))}
        checked={policy.oidcOnly}
        disabled={isFixed("oidcOnly")}
        onChange={(oidcOnly) => change({ oidcOnly })}
      />
      {choice("requireSecondFactor")}
      {choice("groupCreation")}
      <Switch
        label={t("policy.directory")}
        hint={hint("directory", t("policy.directoryHint"))}
        checked={policy.directory}
        disabled={isFixed("directory")}
        onChange={(directory) => change({ directory })}
      />
      {choice("directMessages")}
    </div>
  );
}

function MailDomains({ domains, isFixed }: { domains: readonly string[]; isFixed: boolean }) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const form = useForm({
    initial: { mailDomains: domains.join(", ") },
    async submit({ mailDomains }) {
      const items = mailDomains.split(/[\s,;،，；]+/).filter((domain) => domain !== "");
      await call("admin.setPolicy", { mailDomains: items });
    },
    saved: t("policy.saved"),
  });
  const text = t("policy.mailDomainsHint");
  return (
    <form onSubmit={form.onSubmit} className="grid gap-2">
      <TextField
        label={t("policy.mailDomains")}
        hint={isFixed ? `${text} ${t("policy.fixed")}` : text}
        autoCapitalize="none"
        spellCheck={false}
        readOnly={isFixed}
        {...form.field("mailDomains")}
        after={
          <Button type="submit" busy={form.busy} disabled={isFixed || !form.changed}>
            {t("common:save")}
          </Button>
        }
      />
      <ErrorNote text={form.error} />
    </form>
  );
}

const MEBIBYTE = 1024 * 1024;
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
const SESSIONS = ["sessionMaxHours", "sessionIdleMinutes"] as const satisfies readonly PolicyName[];
type LimitName = (typeof SIZES | typeof COUNTS | typeof SESSIONS)[number];

interface LimitsProps extends Result<"admin.getPolicy"> {
  title: string;
  text: string;
  names: readonly LimitName[];
}

const unitOf = (name: LimitName): number => ((SIZES as readonly string[]).includes(name) ? MEBIBYTE : 1);

function textOf(name: LimitName, value: number | null): string {
  return value === null ? "" : String(value / unitOf(name));
}

/** An empty field means no limit. Text that isn't a number is sent as is, so that the server reports the error on the field. */
function valueOf(name: LimitName, text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const number = Number(trimmed);
  return Number.isFinite(number) ? Math.round(number * unitOf(name)) : (trimmed as unknown as number);
}

export function SessionsForm(props: Result<"admin.getPolicy">) {
  const { t } = useTranslation("admin");
  return <Limits {...props} names={SESSIONS} title={t("sessions.title")} text={t("sessions.text")} />;
}

export function LimitsForm(props: Result<"admin.getPolicy">) {
  const { t } = useTranslation("admin");
  const names = [...SIZES, ...COUNTS];
  return <Limits {...props} names={names} title={t("limits.title")} text={t("limits.text")} />;
}

function Limits({ policy, fixed, names, title, text }: LimitsProps) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const initial = Object.fromEntries(names.map((name) => [name, textOf(name, policy[name])]));
  const form = useForm<Record<LimitName, string>>({
    initial: initial as Record<LimitName, string>,
    async submit(values) {
      const changed = names.filter((name) => values[name] !== initial[name]);
      const changes = Object.fromEntries(changed.map((name) => [name, valueOf(name, values[name])]));
      await call("admin.setPolicy", changes as Partial<InstancePolicy>);
    },
    saved: t("policy.saved"),
  });
  const field = (name: LimitName) => (
    <TextField
      key={name}
      label={t(`limits.${name}`)}
      hint={fixed.includes(name) ? t("policy.fixed") : undefined}
      inputMode="decimal"
      placeholder={t("limits.none")}
      readOnly={fixed.includes(name)}
      {...form.field(name)}
    />
  );
  return (
    <section aria-label={title} className="grid gap-4 border-t border-line pt-6">
      <header className="grid gap-1">
        <h2 className="font-semibold">{title}</h2>
        <p className="text-sm text-muted">{text}</p>
      </header>
      <Form form={form} action={t("common:save")}>
        <div className="grid gap-4 sm:grid-cols-2">{names.map(field)}</div>
      </Form>
    </section>
  );
}
