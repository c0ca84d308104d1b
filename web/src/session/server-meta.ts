import type { Meta } from "@fanfare/contract";
import { useEffect, useState } from "react";
import { create } from "zustand";
import { setBranding } from "./branding.ts";

interface Features {
  hasCalls: boolean;
  /** Undefined until the server responds. */
  hasPlugins: boolean | undefined;
  /** Why the last request failed. */
  error: unknown;
}

const useFeatures = create<Features>(() => ({ hasCalls: false, hasPlugins: undefined, error: null }));

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
    // Fetched on every mount, because admins can change it.
    void loadMeta().then((meta) => shown && setMeta(meta));
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

/** Whether this server has plug-ins for the page. Makes no request until `refetch`. */
export function useHasPlugins() {
  const data = useFeatures(({ hasPlugins }) => hasPlugins);
  const error = useFeatures((features) => features.error);
  return { data, error, refetch: loadMeta };
}

/** Whether this server has a directory of groups; false until the server responds. */
export function useHasDirectory(): boolean {
  return useServerMeta()?.directory === true;
}

/** Callers share the pending request. */
function loadMeta(): Promise<Meta | null> {
  request ??= fetchMeta();
  return request;
}

async function fetchMeta(): Promise<Meta | null> {
  try {
    const response = await fetch("/api/meta", { signal: AbortSignal.timeout(META_TIMEOUT_MS) });
    if (!response.ok) throw new Error(`/api/meta: ${response.status}`);
    known = (await response.json()) as Meta;
    setBranding(known.branding);
    useFeatures.setState({ hasCalls: known.calls, hasPlugins: known.plugins, error: null });
  } catch (error) {
    // A login attempt then reports that the server can't be reached.
    known = null;
    useFeatures.setState({ error });
  }
  request = null;
  return known;
}
