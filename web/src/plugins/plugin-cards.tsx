import type { Card } from "@fanfare/contract";
import { useEffect, useState } from "react";
import { Cards } from "../channel/messages/item/cards.tsx";
import { useCall } from "../data/call.ts";
import { cardFor } from "./background-frames.ts";
import { linksFor } from "./cards.ts";
import { usePlugins } from "./plugins.ts";

/** The cards that plug-ins make for links in a message. */
export function PluginCards({ content }: { content: string }) {
  const plugins = usePlugins(({ withCards }) => withCards);
  const call = useCall();
  const [cards, setCards] = useState<readonly Card[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const found = Promise.all(
      linksFor(content, plugins).map(({ plugin, link }) => cardFor(plugin, link, call)),
    );
    void found.then((all) => isCurrent && setCards(all.filter((card) => card !== null)));
    return () => {
      isCurrent = false;
    };
  }, [content, plugins, call]);
  return cards.length === 0 ? null : <Cards cards={cards} />;
}
