import type { Group, Role } from "@fanfare/contract";
import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import type { FoundMember } from "../../../data/member-search.ts";
import type { useMembers } from "../../../data/members.ts";
import { useRoles } from "../../../data/roles.ts";
import { errorText } from "../../../shared/error-text.ts";
import { ErrorNote } from "../../../ui/error-note.tsx";
import { useAuthority } from "../../group-settings/use-authority.ts";
import { useStatuses } from "../use-statuses.ts";
import { MemberLine } from "./member-line.tsx";
import { type Line, type Section, linesOf, sectionsOf } from "./sections.ts";
import { WHOLE_UP_TO } from "./use-whole-group.ts";

interface MemberListProps {
  group: Group;
  found: readonly FoundMember[];
  pages: ReturnType<typeof useMembers>;
  /** Whether these are all, not those that are loaded so far: only then they are sorted and counted. */
  isWhole: boolean;
}

const NO_ROLES: readonly Role[] = [];
/** The next page is asked for when so many lines are left. */
const AHEAD = 20;
const NOBODY: readonly string[] = [];

/** The members in their sections. Of thousands those in view are on the page, and only of them it is heard how they are. */
export function MemberList({ group, found, pages, isWhole }: MemberListProps) {
  const { i18n } = useTranslation("members");
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { data: roles = NO_ROLES } = useRoles(group.id);
  const authority = useAuthority(group);
  const watched = useWatched(group, pages);
  const known = useStatuses(watched);
  const statuses = known.size === 0 ? null : known;
  const compare = useMemo(() => new Intl.Collator(i18n.language, { numeric: true }).compare, [i18n.language]);
  const lines = linesOf(sectionsOf(found, roles, statuses, isWhole ? compare : null), roles);

  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const loadMore = () => {
    const last = list.current?.findItemIndex(
      (list.current?.scrollOffset ?? 0) + (list.current?.viewportSize ?? 0),
    );
    if (last === undefined || last < lines.length - AHEAD) return;
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  };
  return (
    <div ref={frame} className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
      <Virtualizer ref={list} scrollRef={frame} as="ul" item="li" bufferSize={300} onScroll={loadMore}>
        {lines.map((line) => (
          <ListLine key={line.key} line={line} group={group} authority={authority} isWhole={isWhole} />
        ))}
      </Virtualizer>
      <ErrorNote
        text={isFetchNextPageError ? errorText(pages.error) : null}
        onRetry={() => void fetchNextPage()}
      />
    </div>
  );
}

interface ListLineProps {
  line: Line;
  group: Group;
  authority: ReturnType<typeof useAuthority>;
  isWhole: boolean;
}

function ListLine({ line, group, authority, isWhole }: ListLineProps) {
  if (line.kind === "heading") return <Heading section={line.section} isCounted={isWhole} />;
  return (
    <MemberLine
      group={group}
      member={line.listed.member}
      user={line.listed.user}
      color={line.color}
      authority={authority}
    />
  );
}

function Heading({ section: { key, role, members }, isCounted }: { section: Section; isCounted: boolean }) {
  const { t } = useTranslation("members");
  return (
    <h3 className="flex items-baseline gap-1.5 px-2 pt-4 pb-1 text-xs font-semibold text-muted">
      <span className="truncate">{role === null ? t(`section.${key}`) : role.name}</span>
      {isCounted && <span className="font-normal tabular-nums">{members.length}</span>}
    </h3>
  );
}

/** Everybody, where they are few enough; the same array until they are others. */
function useWatched({ memberCount }: Group, { data }: ReturnType<typeof useMembers>): readonly string[] {
  return useMemo(
    () => (data === undefined || memberCount > WHOLE_UP_TO ? NOBODY : data.map(({ userId }) => userId)),
    [data, memberCount],
  );
}
