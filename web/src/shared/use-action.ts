import { useState } from "react";
import { errorText } from "./error-text.ts";

export interface ActionState {
  busy: boolean;
  error: string | null;
  /** Runs the work, unless one is running. Resolves to whether it succeeded; never rejects. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** What a form or a button needs to know about the work it started. */
export function useAction(): ActionState {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (failure) {
      setError(errorText(failure));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
