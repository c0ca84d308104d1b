import { published, type PublishedRow } from "../published/published.ts";
import type { LoadScene } from "./load-result.ts";

export type LoadCommand = "login" | "direct" | "group" | "chatroom";

/** The published results that a load is to be seen beside: of the same kind, and the same size where there is one. */
export function publishedFor(command: LoadCommand, scene: LoadScene): PublishedRow[] {
  return idsFor(command, scene).flatMap((id) => published(id) ?? []);
}

function idsFor(command: LoadCommand, { users, senders, online, groups, members }: LoadScene): string[] {
  switch (command) {
    case "login":
      return ["kim-login"];
    case "direct": {
      const receivers = users - senders;
      if (receivers === 1) return ["kim-direct"];
      return [online === users ? "wildfire-direct-receive" : "wildfire-direct-send"];
    }
    case "group":
      if (groups !== null && groups > 1) return [`wildfire-group-${members}`];
      if (members === 20) return ["kim-group"];
      return members === 50 ? ["kim-group-50"] : [];
    case "chatroom":
      return [`wildfire-chatroom-${members}`];
  }
}
