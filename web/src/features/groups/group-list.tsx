import type { Group } from "@fanfare/contract";
import { Link } from "../../shared/link.tsx";
import { groupPath } from "../../shared/route.ts";

export function GroupList({ groups, groupId }: { groups: readonly Group[]; groupId: string | undefined }) {
  return (
    <nav aria-label="Groups">
      <ul className="entries">
        {groups.map(({ id, name }) => (
          <li key={id}>
            <Link className="entry" href={groupPath(id)} aria-current={id === groupId ? "true" : undefined}>
              <span className="group-mark" aria-hidden="true">
                {initial(name)}
              </span>
              <span className="entry-name">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const characters = new Intl.Segmenter();

/** The first character as people see it: an emoji may be several code points. */
function initial(name: string): string | undefined {
  return characters.segment(name).containing(0)?.segment.toUpperCase();
}
