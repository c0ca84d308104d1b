import { FanfareClient } from "@fanfare/client";
import { useState } from "react";
import { InvitePreview } from "../invites/invite-preview.tsx";
import { AccountForm } from "./account-form.tsx";
import { GuestForm } from "./guest-form.tsx";
import "./landing.css";

type Way = "register" | "login";

const anonymous = new FanfareClient({ url: location.origin });

/** What somebody sees who is not logged in. */
export function Landing({ notice, inviteCode }: { notice: string | null; inviteCode: string | undefined }) {
  const [way, setWay] = useState<Way | null>(null);
  return (
    <main className="landing">
      <header>
        <img src="/favicon.svg" alt="" width="56" height="56" />
        <h1>Fanfare</h1>
        <p className="tagline">Groups, channels and messages that reach everybody at once.</p>
      </header>
      {notice !== null && <p role="status">{notice}</p>}
      {inviteCode !== undefined && <InvitePreview client={anonymous} code={inviteCode} />}
      <GuestForm label={inviteCode === undefined ? "Look around as a guest" : "Join as a guest"} />
      <p className="or">or with an account</p>
      <div className="ways" role="group" aria-label="With an account">
        <button type="button" aria-pressed={way === "login"} onClick={() => setWay("login")}>
          Log in
        </button>
        <button type="button" aria-pressed={way === "register"} onClick={() => setWay("register")}>
          Register
        </button>
      </div>
      {way !== null && <AccountForm key={way} way={way} />}
    </main>
  );
}
