import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou =
  "心当たりがない場合は、すぐに新しいパスワードを設定してください。第三者があなたのアカウントにログインできる状態です。";
const removeOthers =
  "心当たりがない場合は、「パスワードをお忘れですか？」から新しいパスワードを設定し、「他のログイン方法も削除する」を選んでください。";
const wrongAccount =
  "リンクの有効期限は24時間です。ご自分のアカウントでない場合は、リンクを開かないでください。このアドレスが他人のアカウントに追加されます。";

const accountOf = (username: string | null): string =>
  username === null ? "アカウント" : `アカウント「${username}」`;

export const ja: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `${host}に登録されたメールアドレスの確認`,
    paragraphs: [
      `${host}の${accountOf(username)}がこのアドレスで登録されました。ご自分で登録した場合は、リンクを開いてアドレスを確認してください。`,
      wrongAccount,
    ],
    action: "アドレスを確認",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `${host}に登録する新しいメールアドレスの確認`,
    paragraphs: [
      `${host}の${accountOf(username)}でこのアドレスを使用する手続きが行われています。ご自分のアカウントの場合は、リンクを開いて確認してください。`,
      wrongAccount,
    ],
    action: "このアドレスを使う",
  }),
  emailChanged: ({ host }) => ({
    subject: `${host}の登録メールアドレスが変更されました`,
    paragraphs: [
      `${host}のアカウントのメールアドレスが変更されました。今後このアドレスにメールは送信されません。`,
      "心当たりがない場合は、サーバーの管理者に連絡してください。",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `${host}への招待`,
    paragraphs: [
      username === null
        ? `${host}の管理者があなたのアカウントを作成しました。リンクを開いてパスワードを設定してください。`
        : `${host}の管理者があなたのアカウントを作成しました。ユーザー名は「${username}」です。リンクを開いてパスワードを設定してください。`,
      `リンクは${days}日間有効で、1回だけ使えます。アカウントが不要な場合は、このメールを無視してください。`,
    ],
    action: "パスワードを設定",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username}さんから${host}への招待`,
    paragraphs: [
      `${username}さんが${host}のグループにあなたを招待しています。リンクを開いてグループを確認してください。`,
      `リンクは${days}日間有効で、1回だけ使えます。${username}さんに心当たりがない場合や、参加を希望しない場合は、このメールを無視してください。メンバーにはなりません。`,
    ],
    items: [{ title: "グループ", text: group }],
    action: "招待を開く",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `${host}の新しいパスワードの設定`,
    paragraphs: [
      `${host}のアカウントのパスワードの再設定がリクエストされました（おそらくご自身によるものです）。リンクを開いて新しいパスワードを設定してください。`,
      `リンクは${minutes}分間有効で、1回だけ使えます。心当たりがない場合は、このメールを無視してください。パスワードは変わりません。`,
      ...(provider === null
        ? []
        : [
            `このアカウントには${provider}でもログインできます。ご自分で連携したものでない場合は、ページで「他のログイン方法も削除する」を選んでください。`,
          ]),
    ],
    action: "新しいパスワードを設定",
  }),
  passwordChanged: ({ host }) => ({
    subject: `${host}のパスワードが変更されました`,
    paragraphs: [
      `${host}のアカウントのパスワードが変更され、他のセッションはすべてログアウトされました。`,
      "心当たりがない場合は、すぐに「パスワードをお忘れですか？」から新しいパスワードを設定してください。",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `${host}のパスワードについて`,
    paragraphs: [
      `${host}のアカウントのパスワードの再設定がリクエストされました（おそらくご自身によるものです）。`,
      "このアカウントは組織のディレクトリのパスワードを使用しており、変更はそちらでのみ行えます。方法がわからない場合は、ディレクトリの管理者にお問い合わせください。",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `${host}のアカウントに新しいログイン方法が連携されました`,
    paragraphs: [
      `${host}のアカウントに、組織のディレクトリのパスワードでもログインできるようになりました。`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `${host}のアカウントに新しいログイン方法が連携されました`,
    paragraphs: [`${host}のアカウントに、IDプロバイダーでもログインできるようになりました。`, removeOthers],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `${host}のアカウントからログイン方法の連携が解除されました`,
    paragraphs: [`${host}のアカウントに、IDプロバイダーではログインできなくなりました。`, notYou],
  }),
  totpEnabled: ({ host }) => ({
    subject: `${host}の2段階認証がオンになりました`,
    paragraphs: [`${host}のアカウントで2段階認証がオンになりました。`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `${host}の2段階認証がオフになりました`,
    paragraphs: [`${host}のアカウントで2段階認証がオフになりました。`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `${host}のアカウントにパスキーが追加されました`,
    paragraphs: [
      `${host}のアカウントに、パスワードなしでパスキーを使ってログインできるようになりました。`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `${host}のアカウントからパスキーが削除されました`,
    paragraphs: [`そのパスキーでは、${host}のアカウントにログインできなくなりました。`, notYou],
  }),
  missed: (values) => ({
    subject: `${values.host}に未読のメッセージがあります`,
    paragraphs: [`${values.host}に接続していない間に、次の未読メッセージが届いています。`],
    items: missedItems("ja", values, {
      direct: "ダイレクトメッセージ",
      more: `その他の未読メッセージ：${values.more}件`,
    }),
    action: "最新のメッセージを開く",
    footer: ["このメールを受け取るタイミングを選ぶ", "このメールの配信を停止する"],
  }),
};
