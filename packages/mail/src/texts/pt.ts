import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou = "Se não foi você, defina uma nova senha agora mesmo: outra pessoa pode entrar na sua conta.";
const removeOthers =
  "Se não foi você, defina uma nova senha com “Esqueceu a senha?” e marque “Remover também outras formas de entrar”.";
const wrongAccount =
  "O link funciona por 24 horas. Se a conta não é sua, não o abra: seu endereço seria adicionado à conta de outra pessoa.";

const accountOf = (username: string | null): string =>
  username === null ? "Uma conta" : `A conta “${username}”`;

export const pt: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Verifique seu e-mail em ${host}`,
    paragraphs: [
      `${accountOf(username)} em ${host} foi criada com este endereço. Se foi você, abra o link para verificar o endereço.`,
      wrongAccount,
    ],
    action: "Verificar endereço",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Seu novo e-mail em ${host}`,
    paragraphs: [
      `${accountOf(username)} em ${host} vai usar este endereço. Se a conta é sua, abra o link para confirmar.`,
      wrongAccount,
    ],
    action: "Usar este endereço",
  }),
  emailChanged: ({ host }) => ({
    subject: `Seu e-mail em ${host} foi alterado`,
    paragraphs: [
      `O e-mail da sua conta em ${host} foi alterado. Este endereço não receberá mais e-mails.`,
      "Se não foi você, fale com a administração do servidor.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `Convite para ${host}`,
    paragraphs: [
      username === null
        ? `A administração de ${host} criou uma conta para você. Abra o link para definir uma senha.`
        : `A administração de ${host} criou uma conta para você. Seu nome de usuário é “${username}”. Abra o link para definir uma senha.`,
      `O link funciona uma única vez e expira em ${days} dias. Se você não quer a conta, ignore este e-mail.`,
    ],
    action: "Definir uma senha",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username} convidou você para ${host}`,
    paragraphs: [
      `${username} convida você para entrar em um grupo em ${host}. Abra o link para ver o grupo.`,
      `O link funciona uma única vez e expira em ${days} dias. Se você não conhece ${username} ou não quer entrar, ignore este e-mail. Você não se tornará membro.`,
    ],
    items: [{ title: "Grupo", text: group }],
    action: "Abrir o convite",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Defina uma nova senha para ${host}`,
    paragraphs: [
      `Alguém, provavelmente você, pediu para redefinir a senha da sua conta em ${host}. Abra o link para definir uma nova.`,
      `O link funciona uma única vez e expira em ${minutes} minutos. Se não foi você, ignore este e-mail: sua senha não muda.`,
      ...(provider === null
        ? []
        : [
            `Também é possível entrar nesta conta com ${provider}. Se não foi você que vinculou, marque “Remover também outras formas de entrar” na página.`,
          ]),
    ],
    action: "Definir uma nova senha",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Sua senha em ${host} foi alterada`,
    paragraphs: [
      `A senha da sua conta em ${host} foi alterada, e todas as outras sessões foram encerradas.`,
      "Se não foi você, defina uma nova agora mesmo com “Esqueceu a senha?”.",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `Sua senha em ${host}`,
    paragraphs: [
      `Alguém, provavelmente você, pediu para redefinir a senha da sua conta em ${host}.`,
      "Esta conta usa a senha do diretório da sua organização, que só pode ser alterada lá. Se não souber como, fale com a equipe de TI.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `Um login foi vinculado à sua conta em ${host}`,
    paragraphs: [
      `Agora você também pode entrar na sua conta em ${host} com a senha do diretório da sua organização.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `Um login foi vinculado à sua conta em ${host}`,
    paragraphs: [
      `Agora você também pode entrar na sua conta em ${host} com um provedor de identidade.`,
      removeOthers,
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `Um login foi desvinculado da sua conta em ${host}`,
    paragraphs: [`Você não pode mais entrar na sua conta em ${host} com o provedor de identidade.`, notYou],
  }),
  totpEnabled: ({ host }) => ({
    subject: `A verificação em duas etapas está ativada em ${host}`,
    paragraphs: [`A verificação em duas etapas foi ativada na sua conta em ${host}.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `A verificação em duas etapas está desativada em ${host}`,
    paragraphs: [`A verificação em duas etapas foi desativada na sua conta em ${host}.`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `Uma chave de acesso foi adicionada à sua conta em ${host}`,
    paragraphs: [
      `Agora você pode entrar na sua conta em ${host} com uma chave de acesso, sem senha.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `Uma chave de acesso foi removida da sua conta em ${host}`,
    paragraphs: [`Não é mais possível usá-la para entrar na sua conta em ${host}.`, notYou],
  }),
  missed: (values) => ({
    subject: `Mensagens não lidas em ${values.host}`,
    paragraphs: [`Você não se conectou a ${values.host} e ainda não leu estas mensagens.`],
    items: missedItems("pt", values, {
      direct: "Mensagem direta",
      more: `Outras mensagens não lidas: ${values.more}`,
    }),
    action: "Abrir a mensagem mais recente",
    footer: ["Escolher quando receber estes e-mails", "Parar de receber estes e-mails"],
  }),
};
