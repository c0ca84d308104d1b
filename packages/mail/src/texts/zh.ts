import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou = "如果不是你本人操作，请立即设置新密码：其他人可以登录你的账号。";
const removeOthers = "如果不是你本人操作，请通过“忘记密码？”设置新密码，并勾选“同时移除其他登录方式”。";

const accountOf = (username: string | null): string => (username === null ? "一个账号" : `账号“${username}”`);

export const zh: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `验证你在 ${host} 的邮箱地址`,
    paragraphs: [
      `${host} 上的${accountOf(username)}使用此邮箱地址注册。如果是你本人注册的，请打开链接验证邮箱。`,
      "链接 24 小时内有效。如果这不是你的账号，请勿打开链接，否则此邮箱将被添加到他人的账号。",
    ],
    action: "验证邮箱",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `你在 ${host} 的新邮箱地址`,
    paragraphs: [
      `${host} 上的${accountOf(username)}即将使用此邮箱地址。如果这是你的账号，请打开链接确认。`,
      "链接 24 小时内有效。如果这不是你的账号，请勿打开链接，否则此邮箱将被添加到他人的账号。",
    ],
    action: "使用此邮箱",
  }),
  emailChanged: ({ host }) => ({
    subject: `你在 ${host} 的邮箱地址已更改`,
    paragraphs: [
      `你在 ${host} 的账号的邮箱地址已更改，今后不再向此地址发送邮件。`,
      "如果不是你本人操作，请联系该服务器的管理员。",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `邀请你加入 ${host}`,
    paragraphs: [
      username === null
        ? `${host} 的管理员为你创建了账号。请打开链接设置密码。`
        : `${host} 的管理员为你创建了账号，用户名为“${username}”。请打开链接设置密码。`,
      `链接 ${days} 天内有效，且只能使用一次。如果你不需要此账号，请忽略此邮件。`,
    ],
    action: "设置密码",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username} 邀请你加入 ${host}`,
    paragraphs: [
      `${username} 邀请你加入 ${host} 上的一个群组。请打开链接查看。`,
      `链接 ${days} 天内有效，且只能使用一次。如果你不认识 ${username} 或不想加入，请忽略此邮件，你不会成为成员。`,
    ],
    items: [{ title: "群组", text: group }],
    action: "打开邀请",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `设置你在 ${host} 的新密码`,
    paragraphs: [
      `有人（可能是你本人）请求重置你在 ${host} 的账号密码。请打开链接设置新密码。`,
      `链接 ${minutes} 分钟内有效，且只能使用一次。如果不是你本人操作，请忽略此邮件，原密码不变。`,
      ...(provider === null
        ? []
        : [
            `此账号还可以通过 ${provider} 登录。如果不是你本人关联的，请在页面上勾选“同时移除其他登录方式”。`,
          ]),
    ],
    action: "设置新密码",
  }),
  passwordChanged: ({ host }) => ({
    subject: `你在 ${host} 的密码已更改`,
    paragraphs: [
      `你在 ${host} 的账号密码已更改，其他设备均已退出登录。`,
      "如果不是你本人操作，请立即通过“忘记密码？”设置新密码。",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `关于你在 ${host} 的密码`,
    paragraphs: [
      `有人（可能是你本人）请求重置你在 ${host} 的账号密码。`,
      "此账号使用你所在组织目录中的密码，只能在那里更改。如果不清楚如何更改，请咨询目录的管理人员。",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `你在 ${host} 的账号已关联新的登录方式`,
    paragraphs: [`现在也可以用你所在组织目录中的密码登录你在 ${host} 的账号。`, removeOthers],
  }),
  oidcLinked: ({ host }) => ({
    subject: `你在 ${host} 的账号已关联新的登录方式`,
    paragraphs: [`现在也可以通过身份提供商登录你在 ${host} 的账号。`, removeOthers],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `你在 ${host} 的账号已取消关联一种登录方式`,
    paragraphs: [`你在 ${host} 的账号不能再通过身份提供商登录。`, notYou],
  }),
  totpEnabled: ({ host }) => ({
    subject: `${host} 的两步验证已开启`,
    paragraphs: [`你在 ${host} 的账号已开启两步验证。`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `${host} 的两步验证已关闭`,
    paragraphs: [`你在 ${host} 的账号已关闭两步验证。`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `你在 ${host} 的账号已添加通行密钥`,
    paragraphs: [`现在可以用通行密钥登录你在 ${host} 的账号，无需密码。`, removeOthers],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `你在 ${host} 的账号已移除一个通行密钥`,
    paragraphs: [`该通行密钥已无法用于登录你在 ${host} 的账号。`, notYou],
  }),
  missed: (values) => ({
    subject: `你在 ${values.host} 有未读消息`,
    paragraphs: [`你有一段时间没有连接 ${values.host}，以下消息尚未阅读。`],
    items: missedItems("zh", values, { direct: "私信", more: `其他未读消息：${values.more} 条` }),
    action: "打开最新消息",
    footer: ["设置何时接收此类邮件", "关闭此类邮件"],
  }),
};
