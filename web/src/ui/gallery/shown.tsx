import { Ellipsis, Users } from "lucide-react";
import { Avatar } from "../avatar.tsx";
import { Badge } from "../badge.tsx";
import { Button } from "../button.tsx";
import { CountBadge } from "../count-badge.tsx";
import { EmptyState } from "../empty-state.tsx";
import { ErrorNote } from "../error-note.tsx";
import { IconButton } from "../icon-button.tsx";
import { ListRow } from "../list-row.tsx";
import { SkeletonRows } from "../skeleton.tsx";
import { Spinner } from "../spinner.tsx";
import { VisuallyHidden } from "../visually-hidden.tsx";
import { Part } from "./part.tsx";

const PEOPLE = ["Ada", "Grace", "Hedy", "Katherine", "林", "👩‍🚀"];
const STATUSES = ["online", "idle", "doNotDisturb", "offline"] as const;

export function Shown() {
  return (
    <Part title="To show">
      <div className="flex flex-wrap items-center gap-3">
        {PEOPLE.map((name, index) => (
          <Avatar key={name} name={name} id={`${name}${index}`} size={40} status={STATUSES[index]} />
        ))}
        <Avatar name="Rocket builders" id="1" size={44} shape="square" />
        {(["neutral", "accent", "danger", "good", "warn"] as const).map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
        <CountBadge count={3} label="3 unread" />
        <CountBadge count={120} label="120 unread" tone="neutral" />
        <Spinner label="Loading" />
        <VisuallyHidden>For screen readers only</VisuallyHidden>
      </div>
      <ErrorNote
        text="The server cannot be reached. Check your connection and try again."
        onRetry={() => undefined}
      />
      <div className="grid gap-6 md:grid-cols-3">
        <ul className="grid content-start gap-px">
          {PEOPLE.slice(0, 3).map((name, index) => (
            <li key={name}>
              <ListRow
                leading={<Avatar name={name} id={name} />}
                title={name}
                subtitle="Member since yesterday"
                selected={index === 1}
                onClick={() => undefined}
                trailing={<IconButton icon={Ellipsis} label="More" size="sm" />}
              />
            </li>
          ))}
        </ul>
        <SkeletonRows withAvatar />
        <EmptyState
          icon={Users}
          title="Nobody here yet"
          text="Invite others with a link."
          action={<Button variant="primary">Invite</Button>}
        />
      </div>
    </Part>
  );
}
