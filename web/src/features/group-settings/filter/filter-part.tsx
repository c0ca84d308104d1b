import type { Group, WordFilter } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useWordFilter } from "../../../data/moderation.ts";
import { errorText } from "../../../shared/error-text.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Form } from "../../../ui/form.tsx";
import { RadioGroup } from "../../../ui/radio-group.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { useForm } from "../../../ui/use-form.ts";

/** Words that are not to be written in the group. */
export function FilterPart({ group }: { group: Group }) {
  const { data, error, refetch } = useWordFilter(group.id);
  if (data !== undefined) return <FilterForm groupId={group.id} filter={data} />;
  if (error === null) return <SkeletonRows />;
  return <ErrorNote text={errorText(error)} onRetry={() => void refetch()} />;
}

function FilterForm({ groupId, filter }: { groupId: string; filter: WordFilter }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: { words: filter.words.join("\n"), onHit: filter.onHit },
    async submit({ words, onHit }) {
      await call("group.setWordFilter", { groupId, words: wordsOf(words), onHit });
      showToast({ text: t("saved"), tone: "good" });
    },
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
    <div className="max-w-xl">
      <Form form={form} action={t("save")} disabled={!form.changed || problem !== null}>
        <p className="text-muted">{t("filter.text")}</p>
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
    </div>
  );
}

/** Words and phrases, one on each line, without what is empty or there twice. */
function wordsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set(lines)].filter((word) => word !== "");
}
