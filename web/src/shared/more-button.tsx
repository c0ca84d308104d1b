import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { errorText } from "./use-action.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNote } from "../ui/feedback.tsx";

type Pages = Pick<
  UseInfiniteQueryResult,
  "hasNextPage" | "isFetchingNextPage" | "isFetchNextPageError" | "error" | "fetchNextPage"
>;

/** Asks for the next page of a list; nothing at its end. */
export function MoreButton({ pages }: { pages: Pages }) {
  const { t } = useTranslation("ui");
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = pages;
  if (!hasNextPage) return null;
  return (
    <div className="grid justify-items-center gap-2">
      {isFetchNextPageError && <ErrorNote text={errorText(error)} />}
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("more")}
      </Button>
    </div>
  );
}
