import type { Meta } from "@fanfare/contract";
import { useEffect, useState } from "react";
import { create } from "zustand";
import { setBranding } from "./branding.ts";

const useFeatures = create(() => ({ hasCalls: false, hasPlugins: false }));

let known: Meta | null | undefined;
let request: Promise<Meta | null> | null = null;

/** Until then there is no way to log in on the page. */
const META_TIMEOUT_MS = 10_000;

/** WebAuthn requires https or localhost. */
export const canUsePasskeys = globalThis.isSecureContext && "PublicKeyCredential" in globalThis;

/** `/api/meta`: undefined while loading, null if the server can't be reached. */
export function useServerMeta(): Meta | null | undefined {
  const [meta, setMeta] = useState(known);
  useEffect(() => {
    let shown = true;
    // Fetched on every mount, because admins can change it; components mounted together share one request.
    request ??= fetchMeta();
    void request.then((meta) => shown && setMeta(meta));
    return () => {
      shown = false;
    };
  }, []);
  return meta;
}

interface LoginOptions {
  guest: boolean;
  password: boolean;
  passkey: boolean;
  register: boolean;
  /** Whether registration requires an invite to a group. */
  needsInvite: boolean;
}

/** The available ways to log in: null while loading, the defaults if the server can't be reached. */
export function useLoginOptions(): LoginOptions | null {
  const meta = useServerMeta();
  if (meta === undefined) return null;
  const password = meta?.passwordLogin !== false;
  return {
    guest: meta?.guests !== false,
    password,
    passkey: password && canUsePasskeys && meta?.passkeyOrigin === location.origin,
    register: password && meta?.registration !== "closed",
    needsInvite: meta?.registration === "invite",
  };
}

/** Whether this server has calls; false until it responds. Makes no request of its own, because many list rows use it. */
export function useHasCalls(): boolean {
  return useFeatures(({ hasCalls }) => hasCalls);
}

/** Whether this server has plug-ins for the page; false until it responds. */
export function useHasPlugins(): boolean {
  return useFeatures(({ hasPlugins }) => hasPlugins);
}

/** Whether this server has a directory of groups; false until the server responds. */
export function useHasDirectory(): boolean {
  return useServerMeta()?.directory === true;
}

async function fetchMeta(): Promise<Meta | null> {
  try {
    const response = await fetch("/api/meta", { signal: AbortSignal.timeout(META_TIMEOUT_MS) });
    known = response.ok ? ((await response.json()) as Meta) : null;
    if (known !== null) {
      setBranding(known.branding);
      useFeatures.setState({ hasCalls: known.calls, hasPlugins: known.plugins });
    }
  } catch {
    // A login attempt then reports that the server can't be reached.
    known = null;
  }
  request = null;
  return known;
}
