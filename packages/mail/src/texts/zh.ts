import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou = "如果不是您本人操作，请立即设置新密码：对方已经可以登录您的账号。";
const removeOthers = "如果不是您本人操作，请通过“忘记密码”设置新密码，并勾选“同时移除其他登录方式”。";

const accountOf = (username: string | null): string => (username === null ? "一个账号" : `账号“${username}”`);

export const zh: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `验证您在 ${host} 的邮箱地址`,
    paragraphs: [
      `${host} 上的${accountOf(username)}使用此邮箱地址注册。如果是您本人注册的，请打开链接验证邮箱。`,
      "链接 24 小时内有效。如果这不是您的账号，请勿打开链接，否则此邮箱将归他人的账号所有。",
    ],
    action: "验证邮箱",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `您在 ${host} 的新邮箱地址`,
    paragraphs: [
      `${host} 上的${accountOf(username)}今后要使用此邮箱地址。如果这是您的账号，请打开链接确认。`,
      "链接 24 小时内有效。如果这不是您的账号，请勿打开链接，否则此邮箱将归他人的账号所有。",
    ],
    action: "使用此邮箱",
  }),
  emailChanged: ({ host }) => ({
    subject: `您在 ${host} 的邮箱地址已更改`,
    paragraphs: [
      `您在 ${host} 的账号已换用另一个邮箱地址，今后邮件不再发送到这里。`,
      "如果不是您本人操作，请联系服务器管理员。",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `邀请您加入 ${host}`,
    paragraphs: [
      username === null
        ? `${host} 的管理员为您创建了账号。请打开链接设置密码。`
        : `${host} 的管理员为您创建了账号，用户名为“${username}”。请打开链接设置密码。`,
      `链接 ${days} 天内有效，且只能使用一次。如果您不需要此账号，请忽略此邮件。`,
    ],
    action: "设置密码",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `设置您在 ${host} 的新密码`,
    paragraphs: [
      `有人（应该是您）忘记了您在 ${host} 的账号密码。请打开链接设置新密码。`,
      `链接 ${minutes} 分钟内有效，且只能使用一次。如果不是您本人操作，请忽略此邮件，原密码不变。`,
      ...(provider === null
        ? []
        : [
            `此账号还可以通过 ${provider} 登录。如果不是您本人关联的，请在页面上勾选“同时移除其他登录方式”。`,
          ]),
    ],
    action: "设置新密码",
  }),
  passwordChanged: ({ host }) => ({
    subject: `您在 ${host} 的密码已更改`,
    paragraphs: [
      `您在 ${host} 的账号密码已更改，其他所有登录均已退出。`,
      "如果不是您本人操作，请立即通过“忘记密码”设置新密码。",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `关于您在 ${host} 的密码`,
    paragraphs: [
      `有人（可能是您本人）请求重置您在 ${host} 的账号密码。`,
      "此账号使用您所在组织目录中的密码，只能在那里更改。如果不清楚如何更改，请联系 IT 部门。",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `您在 ${host} 的账号已关联新的登录方式`,
    paragraphs: [`现在也可以使用您所在组织目录中的密码登录您在 ${host} 的账号。`, removeOthers],
  }),
  oidcLinked: ({ host }) => ({
    subject: `您在 ${host} 的账号已关联新的登录方式`,
    paragraphs: [`现在也可以通过身份提供商登录您在 ${host} 的账号。`, removeOthers],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `您在 ${host} 的账号已解除关联的登录方式`,
    paragraphs: [`您在 ${host} 的账号不能再通过身份提供商登录。`, notYou],
  }),
  totpEnabled: ({ host }) => ({
    subject: `登录 ${host} 现在需要验证码`,
    paragraphs: [`您在 ${host} 的账号已开启两步验证。`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `登录 ${host} 不再需要验证码`,
    paragraphs: [`您在 ${host} 的账号已关闭两步验证。`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `您在 ${host} 的账号已添加通行密钥`,
    paragraphs: [`现在可以用通行密钥登录您在 ${host} 的账号，无需密码。`, removeOthers],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `您在 ${host} 的账号已移除一个通行密钥`,
    paragraphs: [`该通行密钥已无法用于登录您在 ${host} 的账号。`, notYou],
  }),
  missed: (values) => ({
    subject: `您在 ${values.host} 有未读消息`,
    paragraphs: [`您有一段时间没有连接 ${values.host}，以下消息尚未阅读。`],
    items: missedItems("zh", values, { direct: "私信", more: `其他未读消息：${values.more} 条` }),
    action: "打开最新消息",
    footer: ["设置何时接收此类邮件", "不再接收此类邮件"],
  }),
};
