import type { SavedSearch } from "@fanfare/contract";
import { LIMITS } from "@fanfare/contract/limits";
import { Star, Trash2 } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useCall } from "../data/call.ts";
import { useMe } from "../data/me.ts";
import { IconButton } from "../ui/button.tsx";
import { showFailure, showToast } from "../ui/feedback.tsx";
import { ListRow } from "../ui/list-row.tsx";
import { chooseScope, focusSearch, setSearchText } from "./search-store.ts";

const NONE: readonly SavedSearch[] = [];

/** The user's saved searches, on all of their devices, and a function that replaces them. */
function useSavedSearches() {
  const call = useCall();
  const saved = useMe().preferences?.savedSearches ?? NONE;
  const set = (savedSearches: SavedSearch[]): void => {
    call("user.setPreferences", { savedSearches }).catch(showFailure);
  };
  return { saved, set };
}

/** Saves the current search, or removes it from the saved ones. */
export function SaveSearch({ text, scope }: SavedSearch) {
  const { t } = useTranslation("search");
  const { saved, set } = useSavedSearches();
  const search = { text: text.trim(), scope };
  const others = saved.filter((one) => one.text !== search.text || one.scope !== scope);
  const isSaved = others.length < saved.length;
  const toggle = () => {
    if (isSaved) return set(others);
    if (saved.length < LIMITS.savedSearchesPerUser) return set([search, ...saved]);
    showToast({ text: t("saved.full", { count: LIMITS.savedSearchesPerUser }), tone: "danger" });
  };
  return <IconButton icon={Star} size="sm" label={t("saved.save")} pressed={isSaved} onClick={toggle} />;
}

/** Runs a saved search where the user is. */
export function SavedSearches() {
  const { t } = useTranslation("search");
  const { saved, set } = useSavedSearches();
  const titleId = useId();
  if (saved.length === 0) return null;
  const run = ({ text, scope }: SavedSearch) => {
    chooseScope(scope);
    setSearchText(text);
    focusSearch();
  };
  return (
    <section className="p-2">
      <h3 id={titleId} className="px-2 pb-1 text-xs font-semibold text-muted">
        {t("saved.title")}
      </h3>
      <ul aria-labelledby={titleId} className="grid gap-px">
        {saved.map((one) => (
          <ListRow
            key={`${one.scope} ${one.text}`}
            title={one.text}
            subtitle={t(`scope.${one.scope}`)}
            onClick={() => run(one)}
            trailing={
              <IconButton
                icon={Trash2}
                size="sm"
                label={t("saved.remove", { search: one.text })}
                onClick={() => set(saved.filter((other) => other !== one))}
              />
            }
          />
        ))}
      </ul>
    </section>
  );
}
