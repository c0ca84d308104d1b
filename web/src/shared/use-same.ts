import { useMemo } from "react";

/** The object of last time as long as its values are the same; its keys always are. */
export function useSame<T extends object>(object: T): T {
  // oxlint-disable-next-line react/use-memo, react/exhaustive-deps -- it depends on the values, whichever these are
  return useMemo(() => object, Object.values(object));
}
