import type { Group, WordFilter, MessageRuleName, MessageRules } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import type { ReactNode } from "react";
import { useCall } from "../../../data/call.ts";
import { useWordFilter } from "../../../data/group-settings.ts";
import { Section } from "../../../ui/settings-layout.tsx";
import { RadioGroup, Switch } from "../../../ui/choices.tsx";
import { Loaded, SkeletonRows } from "../../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../../ui/form.tsx";
import { useFormats, wordsOf } from "../../../shared/formats.ts";
import { NumberSelect, Select } from "../../../ui/select.tsx";

export function FilterPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  return (
    <Loaded of={useWordFilter(group.id)} placeholder={<SkeletonRows />}>
      {(filter) => (
        <div className="grid gap-8">
          <p className="text-muted">{t("filter.exempt")}</p>
          <Section title={t("filter.title")}>
            <FilterForm groupId={group.id} filter={filter} />
          </Section>
          <Section title={t("rules.title")}>
            <RulesForm groupId={group.id} rules={filter.rules} />
          </Section>
        </div>
      )}
    </Loaded>
  );
}

function FilterForm({ groupId, filter }: { groupId: string; filter: WordFilter }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: { words: filter.words.join("\n"), onHit: filter.onHit },
    submit: ({ words, onHit }) => call("group.setWordFilter", { groupId, words: wordsOf(words), onHit }),
    saved: t("common:saved"),
  });
  const words = wordsOf(form.values.words);
  const tooLong = words.find((word) => word.length > LIMITS.filteredWordMaxChars);
  const tooMany = words.length > LIMITS.wordsPerFilter;
  const problem = tooMany
    ? t("filter.tooMany", { count: words.length, max: LIMITS.wordsPerFilter })
    : tooLong === undefined
      ? null
      : t("filter.tooLong", { word: tooLong, max: LIMITS.filteredWordMaxChars });
  return (
    <Form form={form} action={t("common:save")} disabled={!form.changed || problem !== null}>
      <TextArea
        label={t("filter.words")}
        hint={t("filter.hint", { count: words.length })}
        className="min-h-40!"
        spellCheck={false}
        {...form.field("words")}
        error={problem ?? form.field("words").error}
      />
      <RadioGroup
        label={t("filter.onHit")}
        {...form.field("onHit")}
        options={[
          { value: "block", label: t("filter.block"), hint: t("filter.blockHint") },
          { value: "mask", label: t("filter.mask"), hint: t("filter.maskHint") },
        ]}
      />
    </Form>
  );
}

type Rule<N extends MessageRuleName> = NonNullable<MessageRules[N]>;

const HOUR_MS = 60 * 60 * 1000;
const MENTIONS = [1, 3, 5, 10, 20];
const REPEATS = [1, 2, 3, 5, LIMITS.repeatsMax];
const HOURS = [1, 24, 3 * 24, 7 * 24, LIMITS.newAccountMaxHours];

/** Those of a rule that is turned on. */
const DEFAULTS: { [N in MessageRuleName]: Rule<N> } = {
  links: { onHit: "block", allowedHosts: [] },
  mentions: { onHit: "block", max: 5 },
  repeats: { onHit: "block", max: 3 },
  newAccounts: { onHit: "report", hours: 24 },
};

function RulesForm({ groupId, rules }: { groupId: string; rules: MessageRules }) {
  const { t } = useTranslation("group-settings");
  const { duration } = useFormats();
  const call = useCall();
  const form = useForm({
    initial: { ...rules, hosts: rules.links?.allowedHosts.join("\n") ?? "" },
    submit: ({ hosts, links, ...others }) => {
      const allowedHosts = hostsOf(hosts).filter((host) => host !== null);
      return call("group.setWordFilter", {
        groupId,
        rules: { ...others, links: links && { ...links, allowedHosts } },
      });
    },
    saved: t("common:saved"),
  });
  const { links, mentions, repeats, newAccounts, hosts } = form.values;
  const found = hostsOf(hosts);
  const problem = found.includes(null)
    ? t("rules.badHost")
    : found.length > LIMITS.hostsPerRule
      ? t("rules.tooManyHosts", { max: LIMITS.hostsPerRule })
      : null;
  const change =
    <N extends MessageRuleName>(name: N) =>
    (rule: MessageRules[N]): void =>
      form.set(name, rule as (typeof form.values)[N]);
  return (
    <Form
      form={form}
      action={t("rules.save")}
      disabled={!form.changed || (links !== null && problem !== null)}
    >
      <RuleFields name="links" rule={links} onChange={change("links")}>
        <TextArea
          label={t("rules.links.hosts")}
          hint={t("rules.links.hostsHint")}
          spellCheck={false}
          {...form.field("hosts")}
          error={problem}
        />
      </RuleFields>
      <RuleFields name="mentions" rule={mentions} onChange={change("mentions")}>
        <NumberSelect
          label={t("rules.mentions.max")}
          value={mentions?.max ?? DEFAULTS.mentions.max}
          choices={MENTIONS}
          textOf={String}
          onChange={(max) => change("mentions")({ ...mentions!, max })}
        />
      </RuleFields>
      <RuleFields name="repeats" rule={repeats} onChange={change("repeats")}>
        <NumberSelect
          label={t("rules.repeats.max")}
          value={repeats?.max ?? DEFAULTS.repeats.max}
          choices={REPEATS}
          textOf={String}
          onChange={(max) => change("repeats")({ ...repeats!, max })}
        />
      </RuleFields>
      <RuleFields name="newAccounts" rule={newAccounts} onChange={change("newAccounts")}>
        <NumberSelect
          label={t("rules.newAccounts.hours")}
          value={newAccounts?.hours ?? DEFAULTS.newAccounts.hours}
          choices={HOURS}
          textOf={(hours) => duration(hours * HOUR_MS)}
          onChange={(hours) => change("newAccounts")({ ...newAccounts!, hours })}
        />
      </RuleFields>
    </Form>
  );
}

interface RuleFieldsProps<N extends MessageRuleName> {
  name: N;
  rule: MessageRules[N];
  onChange: (rule: MessageRules[N]) => void;
  /** What else can be set while the rule is on. */
  children: ReactNode;
}

function RuleFields<N extends MessageRuleName>({ name, rule, onChange, children }: RuleFieldsProps<N>) {
  const { t } = useTranslation("group-settings");
  const key: MessageRuleName = name;
  return (
    <div
      role="group"
      aria-label={t(`rules.${key}.title`)}
      className="grid gap-4 rounded-lg border border-line p-3"
    >
      <Switch
        label={t(`rules.${key}.title`)}
        hint={t(`rules.${key}.text`)}
        checked={rule !== null}
        onChange={(isOn) => onChange(isOn ? DEFAULTS[name] : null)}
      />
      {rule !== null && (
        <>
          {children}
          <Select
            label={t("rules.onHit")}
            value={rule.onHit}
            onChange={(onHit) => onChange({ ...rule, onHit })}
            options={[
              { value: "block", label: t("filter.block") },
              { value: "report", label: t("rules.report") },
            ]}
          />
        </>
      )}
    </div>
  );
}

/** The hosts in a list of hosts or addresses, one per line; null for one that is neither. */
export function hostsOf(text: string): (string | null)[] {
  const hosts = wordsOf(text).map((line) => {
    const host = URL.parse(/^https?:\/\//i.test(line) ? line : `https://${line}`)?.hostname;
    return host?.includes(".") === true ? host : null;
  });
  return [...new Set(hosts)];
}
