import type { Reach } from "@fanfare/contract";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useReach } from "../../../data/friends.ts";
import { errorText } from "../../../shared/error-text.ts";
import { useAction } from "../../../shared/use-action.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { Select } from "../../../ui/select.tsx";
import { SkeletonRows } from "../../../ui/skeleton.tsx";
import { Section } from "../section.tsx";

const REQUESTS: readonly Reach["requestsFrom"][] = ["everyone", "groupMates", "nobody"];
const DIRECT: readonly Reach["directFrom"][] = ["everyone", "groupMates", "friends"];

/** Each choice holds at once. */
export function ReachForm() {
  const { t } = useTranslation("user-settings");
  const { data: reach, error: loadError, refetch } = useReach();
  const call = useCall();
  const { error, run } = useAction();
  const change = (changes: Partial<Reach>) => void run(() => call("friend.setReach", changes));
  return (
    <Section title={t("reach.title")} text={t("reach.text")}>
      {reach === undefined ? (
        loadError === null ? (
          <SkeletonRows count={2} />
        ) : (
          <ErrorNote text={errorText(loadError)} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <Select
            label={t("reach.directFrom")}
            value={reach.directFrom}
            options={DIRECT.map((value) => ({ value, label: t(`reach.${value}`) }))}
            onChange={(directFrom) => change({ directFrom })}
          />
          <Select
            label={t("reach.requestsFrom")}
            value={reach.requestsFrom}
            options={REQUESTS.map((value) => ({ value, label: t(`reach.${value}`) }))}
            onChange={(requestsFrom) => change({ requestsFrom })}
          />
        </>
      )}
      <ErrorNote text={error} />
    </Section>
  );
}
