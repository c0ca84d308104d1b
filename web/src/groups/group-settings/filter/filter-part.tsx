import type { Group, WordFilter } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useWordFilter } from "../../../data/group-settings.ts";
import { RadioGroup } from "../../../ui/choices.tsx";
import { Pending, SkeletonRows } from "../../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../../ui/form.tsx";
import { wordsOf } from "../../../shared/word-lines.ts";
import { RulesForm } from "./rules-form.tsx";

export function FilterPart({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const filter = useWordFilter(group.id);
  if (filter.data === undefined)
    return (
      <Pending of={filter}>
        <SkeletonRows />
      </Pending>
    );
  return (
    <div className="grid gap-8">
      <p className="text-muted">{t("filter.exempt")}</p>
      <section className="grid gap-3">
        <h2 className="text-lg font-semibold">{t("filter.title")}</h2>
        <FilterForm groupId={group.id} filter={filter.data} />
      </section>
      <section className="grid gap-3">
        <h2 className="text-lg font-semibold">{t("rules.title")}</h2>
        <RulesForm groupId={group.id} rules={filter.data.rules} />
      </section>
    </div>
  );
}

function FilterForm({ groupId, filter }: { groupId: string; filter: WordFilter }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: { words: filter.words.join("\n"), onHit: filter.onHit },
    submit: ({ words, onHit }) => call("group.setWordFilter", { groupId, words: wordsOf(words), onHit }),
    saved: t("saved"),
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
    <Form form={form} action={t("save")} disabled={!form.changed || problem !== null}>
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
        value={form.values.onHit}
        onChange={(onHit) => form.set("onHit", onHit)}
        options={[
          { value: "block", label: t("filter.block"), hint: t("filter.blockHint") },
          { value: "mask", label: t("filter.mask"), hint: t("filter.maskHint") },
        ]}
      />
    </Form>
  );
}
