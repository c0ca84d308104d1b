import { useRef, useState } from "react";
import { ErrorNote } from "../../shared/error-note.tsx";
import { invitePath } from "../../shared/route.ts";
import { useAction } from "../../shared/use-action.ts";
import { useClient } from "../session/client-context.ts";
import "./invite-button.css";

/** Makes an invite and shows its link. */
export function InviteButton({ groupId }: { groupId: string }) {
  const client = useClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [link, setLink] = useState("");
  const [copied, setCopied] = useState(false);
  const { busy, error, run } = useAction();
  const open = () => {
    dialog.current?.showModal();
    if (link !== "") return;
    void run(async () => {
      const { invite } = await client.call("invite.create", { groupId });
      setLink(new URL(invitePath(invite.code), location.origin).href);
    });
  };
  const copy = async () => {
    await navigator.clipboard.writeText(link);
    setCopied(true);
  };
  return (
    <>
      <button type="button" disabled={busy} onClick={open}>
        Invite
      </button>
      <dialog ref={dialog} className="invite" aria-labelledby="invite-title" onClose={() => setCopied(false)}>
        <h2 id="invite-title">Invite others</h2>
        <p>Whoever opens this link joins the group.</p>
        <label>
          Link
          <input value={link} readOnly placeholder="…" onFocus={(event) => event.target.select()} />
        </label>
        <ErrorNote text={error} />
        <div className="buttons">
          {/* Without https a browser has no clipboard for pages: the link can be selected. */}
          {window.isSecureContext && (
            <button className="primary" type="button" disabled={link === ""} onClick={() => void copy()}>
              {copied ? "Copied" : "Copy link"}
            </button>
          )}
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </>
  );
}
