import { type ReactNode, useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { useChannelState } from "../../data/channels.ts";
import { parsePlace, placePath } from "../../routes.ts";
import { PageLoading } from "../shell/page-loading.tsx";

interface ThreadRedirectProps {
  channelId: string;
  /** Shown where it is no thread either. */
  children: ReactNode;
}

/** The address of a thread as a channel, such as of a message in it: shows it beside its channel. */
export function ThreadRedirect({ channelId, children }: ThreadRedirectProps) {
  const [, navigate] = useLocation();
  const { message } = parsePlace(useSearch());
  const { data: channel, isPending } = useChannelState(channelId);
  const parentId = channel?.parentId ?? null;
  const groupId = channel?.groupId ?? null;
  useEffect(() => {
    if (parentId === null) return;
    const place = { thread: channelId, ...(message !== undefined && { message }) };
    navigate(placePath(groupId, parentId, place), { replace: true });
  }, [navigate, groupId, parentId, channelId, message]);
  return isPending || parentId !== null ? <PageLoading /> : children;
}
