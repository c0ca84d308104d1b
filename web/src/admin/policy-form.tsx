import type { InstancePolicy, PolicyName, Result } from "@fanfare/contract";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { errorText } from "../shared/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";
import { RadioGroup, Switch } from "../ui/choices.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showToast } from "../ui/toast.tsx";
import { useForm } from "../ui/use-form.ts";

/** The values of each part of the policy that is one of a few. */
const CHOICES = {
  registration: ["open", "invite", "closed"],
  requireSecondFactor: ["off", "admins", "accounts"],
  groupCreation: ["everyone", "accounts", "admins"],
  directMessages: ["everyone", "groupMates", "friends"],
} as const satisfies { [N in PolicyName]?: readonly InstancePolicy[N][] };

/** Each choice takes effect at once. Values that the environment sets are read-only. */
export function PolicyForm({ policy, fixed }: Result<"admin.getPolicy">) {
  const { t } = useTranslation("admin");
  const call = useCall();
  const [error, setError] = useState<string | null>(null);
  // Not `useAction`: a change that is made while another one is under way must not be dropped.
  const change = (changes: Partial<InstancePolicy>) => {
    setError(null);
    call("admin.setPolicy", changes).catch((failure: unknown) => setError(errorText(failure)));
  };
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
      <MailDomains
        key={policy.mailDomains.join()}
        domains={policy.mailDomains}
        isFixed={isFixed("mailDomains")}
      />
      <Switch
        label={t("policy.oidcOnly")}
        hint={hint("oidcOnly", t("policy.oidcOnlyHint"))}
        checked={policy.oidcOnly}
        disabled={isFixed("oidcOnly")}
        onChange={(oidcOnly) => change({ oidcOnly })}
      />
      {choice("requireSecondFactor")}
      {choice("groupCreation")}
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
      const items = mailDomains.split(/[\s,;，；]+/).filter((domain) => domain !== "");
      await call("admin.setPolicy", { mailDomains: items });
      showToast({ text: t("policy.saved"), tone: "good" });
    },
  });
  const text = t("policy.mailDomainsHint");
  return (
    <form onSubmit={form.onSubmit} className="grid gap-2">
      <TextField
        label={t("policy.mailDomains")}
        hint={isFixed ? `${text} ${t("policy.fixed")}` : text}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        readOnly={isFixed}
        {...form.field("mailDomains")}
        after={
          <Button type="submit" busy={form.busy} disabled={isFixed || !form.changed}>
            {t("policy.save")}
          </Button>
        }
      />
      <ErrorNote text={form.error} />
    </form>
  );
}
