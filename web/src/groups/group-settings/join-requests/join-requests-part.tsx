import type { Group, JoinRequest, Result } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Check, ShieldAlert, UserRoundPlus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../../../data/call.ts";
import { useCanInGroup } from "../../../data/groups.ts";
import { useJoinRequests, useLockdown, useRaidLimit } from "../../../data/review-queues.ts";
import { useUser } from "../../../data/people.ts";
import { userName } from "../../../people/members/user-name.tsx";
import { PagedList } from "../../../shared/paged-list.tsx";
import { dayAndTime, formatTime } from "../../../shared/times.ts";
import { useAction } from "../../../shared/use-action.ts";
import { Section } from "../../../ui/settings-layout.tsx";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Avatar } from "../../../ui/display.tsx";
import { EmptyState, ErrorNote, Loaded, SkeletonRows } from "../../../ui/feedback.tsx";
import { Form, useForm } from "../../../ui/form.tsx";
import { NumberSelect } from "../../../ui/select.tsx";

const NO_LIMIT = 0;
const RAID_LIMITS = [NO_LIMIT, 10, 20, 50];

/** Who can join, and those who ask to. */
export function JoinRequestsPart({ group }: { group: Group }) {
  const managesGroup = useCanInGroup(group.id, "manageGroup");
  const approves = useCanInGroup(group.id, "kickMembers");
  return (
    <div className="grid gap-8">
      {managesGroup && <JoinRules group={group} />}
      {approves && <Lockdown group={group} />}
      {approves && <Requests groupId={group.id} />}
    </div>
  );
}

function JoinRules({ group }: { group: Group }) {
  return (
    <Loaded of={useRaidLimit(group.id)} placeholder={<SkeletonRows count={2} />}>
      {(raidLimit) => <JoinRulesForm group={group} raidLimit={raidLimit ?? NO_LIMIT} />}
    </Loaded>
  );
}

function JoinRulesForm({ group, raidLimit }: { group: Group; raidLimit: number }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const form = useForm({
    initial: { needsApproval: group.needsApproval, raidLimit },
    submit: (values) =>
      call("group.update", { groupId: group.id, ...values, raidLimit: values.raidLimit || null }),
    saved: t("common:saved"),
  });
  return (
    <Form form={form} action={t("common:save")} disabled={!form.changed}>
      <Checkbox
        label={t("audit.field.needsApproval")}
        hint={t("joinRequests.needsApprovalHint")}
        checked={form.values.needsApproval}
        onChange={(needsApproval) => form.set("needsApproval", needsApproval)}
      />
      <NumberSelect
        label={t("joinRequests.raidLimit")}
        hint={t("joinRequests.raidLimitHint")}
        choices={RAID_LIMITS}
        textOf={(count) =>
          count === NO_LIMIT ? t("joinRequests.raidOff") : t("joinRequests.raidAfter", { count })
        }
        {...form.field("raidLimit")}
      />
    </Form>
  );
}

function Lockdown({ group }: { group: Group }) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  const lockdownUntil = useLockdown(group);
  const isOn = lockdownUntil !== null;
  return (
    <section className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line p-3">
        <ShieldAlert size={20} aria-hidden className={isOn ? "text-danger-text" : "text-muted"} />
        <div role="status" className="grid min-w-48 flex-1">
          {isOn && (
            <span className="font-medium">
              {t("groups:joinRequests.lockdown", { time: formatTime(lockdownUntil, "dateTime") })}
            </span>
          )}
          <span className="text-sm text-muted">
            {isOn ? t("joinRequests.lockdownText") : t("joinRequests.startLockdownHint")}
          </span>
        </div>
        <Button
          size="sm"
          busy={busy}
          onClick={() =>
            void run(() => call(isOn ? "group.endLockdown" : "group.startLockdown", { groupId: group.id }))
          }
        >
          {isOn ? t("joinRequests.endLockdown") : t("joinRequests.startLockdown")}
        </Button>
      </div>
      <ErrorNote text={error} />
    </section>
  );
}

type Closing = "join.approve" | "join.reject";

interface Failed {
  failures: Result<Closing>["failures"];
  total: number;
}

const NONE_FAILED: Failed = { failures: [], total: 0 };

function Requests({ groupId }: { groupId: string }) {
  const { t } = useTranslation("group-settings");
  const pages = useJoinRequests(groupId);
  const requests = pages.data ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Some may be withdrawn or closed by another moderator meanwhile.
  const selected = requests.flatMap(({ userId }) => (chosen.has(userId) ? [userId] : []));
  const { busy, failure, close } = useClosing(groupId);
  const isAll = selected.length === requests.length;
  return (
    <Section title={t("groups:section.joinRequests")}>
      <PagedList
        pages={pages}
        items={requests}
        empty={
          <EmptyState icon={UserRoundPlus} title={t("joinRequests.none")} text={t("joinRequests.noneText")} />
        }
      >
        {(shown) => (
          <>
            <div className="flex min-h-control flex-wrap items-center gap-x-4 gap-y-2">
              <Checkbox
                label={t("joinRequests.selectAll")}
                checked={isAll}
                indeterminate={selected.length > 0 && !isAll}
                onChange={() => setChosen(new Set(isAll ? [] : requests.map(({ userId }) => userId)))}
              />
              {selected.length > 0 && (
                <div className="flex flex-wrap gap-2 md:ms-auto">
                  <Button size="sm" icon={Check} busy={busy} onClick={() => close("join.approve", selected)}>
                    {t("joinRequests.approveSelected", { count: selected.length })}
                  </Button>
                  <Button size="sm" icon={X} busy={busy} onClick={() => close("join.reject", selected)}>
                    {t("joinRequests.rejectSelected", { count: selected.length })}
                  </Button>
                </div>
              )}
            </div>
            {failure}
            <ul aria-label={t("groups:section.joinRequests")} className="grid gap-2">
              {shown.map((request) => (
                <RequestRow
                  key={request.userId}
                  request={request}
                  isSelected={chosen.has(request.userId)}
                  onSelect={(isSelected) => {
                    const next = new Set(chosen);
                    if (isSelected) next.add(request.userId);
                    else next.delete(request.userId);
                    setChosen(next);
                  }}
                />
              ))}
            </ul>
          </>
        )}
      </PagedList>
    </Section>
  );
}

interface RequestRowProps {
  request: JoinRequest;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

function RequestRow({ request, isSelected, onSelect }: RequestRowProps) {
  const { t } = useTranslation("group-settings");
  const { groupId, userId, message, createdAt } = request;
  const user = useUser(userId);
  const name = userName(user);
  const { busy, failure, close } = useClosing(groupId);
  return (
    <li className="grid gap-2 rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-3">
        <Checkbox
          label={<span className="sr-only">{t("joinRequests.select", { name })}</span>}
          checked={isSelected}
          onChange={onSelect}
        />
        <Avatar id={userId} name={name} src={user?.avatarUrl} />
        <div className="grid min-w-32 flex-1">
          <span className="truncate font-medium">{name}</span>
          <span className="truncate text-sm text-muted">
            {user?.username != null && `@${user.username} · `}
            <time dateTime={createdAt}>{dayAndTime(createdAt)}</time>
          </span>
        </div>
        <div className="flex gap-2">
          <Button
            size="sm"
            icon={Check}
            busy={busy}
            aria-label={t("joinRequests.approveNamed", { name })}
            onClick={() => close("join.approve", [userId])}
          >
            {t("joinRequests.approve")}
          </Button>
          <Button
            size="sm"
            icon={X}
            busy={busy}
            aria-label={t("joinRequests.rejectNamed", { name })}
            onClick={() => close("join.reject", [userId])}
          >
            {t("joinRequests.reject")}
          </Button>
        </div>
      </div>
      {message !== "" && <p className="text-sm whitespace-pre-wrap wrap-anywhere">{message}</p>}
      {failure}
    </li>
  );
}

/** Closes requests, and says how many fail and why the first one does. */
function useClosing(groupId: string) {
  const { t } = useTranslation("group-settings");
  const call = useCall();
  const { busy, error, run } = useAction();
  const [{ failures, total }, setFailed] = useState<Failed>(NONE_FAILED);
  const [first] = failures;
  const name = userName(useUser(first?.userId ?? null));
  const close = (action: Closing, userIds: readonly string[]) =>
    void run(async () => {
      setFailed(NONE_FAILED);
      for (let from = 0; from < userIds.length; from += LIMITS.joinRequestsPerCall) {
        const some = userIds.slice(from, from + LIMITS.joinRequestsPerCall);
        const closed = await call(action, { groupId, userIds: some });
        setFailed((before) => ({
          failures: [...before.failures, ...closed.failures],
          total: userIds.length,
        }));
      }
    });
  const reason = first === undefined ? null : t(`joinRequests.failure.${first.error}`, { name });
  const text =
    failures.length > 1
      ? t("joinRequests.failed", { failed: failures.length, total, reason })
      : (reason ?? error);
  return { busy, close, failure: <ErrorNote text={text} /> };
}
