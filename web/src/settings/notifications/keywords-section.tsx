import { LIMITS } from "@fanfare/contract/limits";
import { useTranslation } from "react-i18next";
import { useCall } from "../../data/call.ts";
import { useNotificationPreferences } from "../../data/inbox.ts";
import { wordsOf } from "../../shared/word-lines.ts";
import { Pending, SkeletonRows } from "../../ui/feedback.tsx";
import { Form, TextArea, useForm } from "../../ui/form.tsx";
import { Section } from "../section.tsx";

export function KeywordsSection() {
  const { t } = useTranslation("settings");
  const preferences = useNotificationPreferences();
  const keywords = preferences.data?.keywords.join("\n");
  return (
    <Section title={t("keywords.title")} text={t("keywords.text")}>
      {keywords === undefined ? (
        <Pending of={preferences}>
          <SkeletonRows count={2} />
        </Pending>
      ) : (
        <KeywordsForm keywords={keywords} />
      )}
    </Section>
  );
}

function KeywordsForm({ keywords }: { keywords: string }) {
  const { t } = useTranslation("settings");
  const call = useCall();
  const form = useForm({
    initial: { keywords },
    submit: ({ keywords: text }) => call("notification.setPreferences", { keywords: wordsOf(text) }),
    saved: t("saved"),
  });
  const words = wordsOf(form.values.keywords);
  const wrong = words.find(
    ({ length }) => length < LIMITS.keywordMinChars || length > LIMITS.keywordMaxChars,
  );
  const problem =
    words.length > LIMITS.keywordsPerUser
      ? t("keywords.tooMany", { count: words.length, max: LIMITS.keywordsPerUser })
      : wrong !== undefined &&
        t("keywords.wrongLength", { word: wrong, min: LIMITS.keywordMinChars, max: LIMITS.keywordMaxChars });
  return (
    <Form form={form} action={t("save")} disabled={!form.changed || problem !== false}>
      <TextArea
        label={t("keywords.label")}
        hint={t("keywords.hint", { max: LIMITS.keywordsPerUser })}
        spellCheck={false}
        {...form.field("keywords")}
        error={problem === false ? form.field("keywords").error : problem}
      />
    </Form>
  );
}
