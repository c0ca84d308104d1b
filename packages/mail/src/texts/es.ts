import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou =
  "Si no fuiste tú, establece una nueva contraseña ahora mismo: otra persona puede iniciar sesión en tu cuenta.";
const removeOthers =
  "Si no fuiste tú, establece una nueva contraseña con “¿Olvidaste tu contraseña?” y marca “Quitar también otras formas de iniciar sesión”.";
const wrongAccount =
  "El enlace funciona durante 24 horas. Si no es tu cuenta, no lo abras: tu dirección se añadiría a la cuenta de otra persona.";

const accountOf = (username: string | null): string =>
  username === null ? "una cuenta" : `la cuenta “${username}”`;

export const es: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Verifica tu correo electrónico en ${host}`,
    paragraphs: [
      `Se registró ${accountOf(username)} en ${host} con esta dirección. Si fuiste tú, abre el enlace para verificarla.`,
      wrongAccount,
    ],
    action: "Verificar dirección",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Tu nuevo correo electrónico en ${host}`,
    paragraphs: [
      `Esta dirección se va a usar en ${host} para ${accountOf(username)}. Si es tu cuenta, abre el enlace para confirmarlo.`,
      wrongAccount,
    ],
    action: "Usar esta dirección",
  }),
  emailChanged: ({ host }) => ({
    subject: `Se cambió tu correo electrónico en ${host}`,
    paragraphs: [
      `Se cambió el correo electrónico de tu cuenta en ${host}. Ya no se enviarán correos a esta dirección.`,
      "Si no fuiste tú, ponte en contacto con la administración del servidor.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `Invitación a ${host}`,
    paragraphs: [
      username === null
        ? `La administración de ${host} creó una cuenta para ti. Abre el enlace para establecer una contraseña.`
        : `La administración de ${host} creó una cuenta para ti. Tu nombre de usuario es “${username}”. Abre el enlace para establecer una contraseña.`,
      `El enlace funciona una sola vez y caduca en ${days} días. Si no quieres la cuenta, ignora este correo.`,
    ],
    action: "Establecer una contraseña",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `${username} te invitó a ${host}`,
    paragraphs: [
      `${username} te invita a unirte a un grupo en ${host}. Abre el enlace para verlo.`,
      `El enlace funciona una sola vez y caduca en ${days} días. Si no conoces a ${username} o no quieres unirte, ignora este correo. No te convertirás en miembro.`,
    ],
    items: [{ title: "Grupo", text: group }],
    action: "Abrir la invitación",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Establece una nueva contraseña para ${host}`,
    paragraphs: [
      `Alguien, probablemente tú, pidió restablecer la contraseña de tu cuenta en ${host}. Abre el enlace para establecer una nueva.`,
      `El enlace funciona una sola vez y caduca en ${minutes} minutos. Si no fuiste tú, ignora este correo: tu contraseña no cambia.`,
      ...(provider === null
        ? []
        : [
            `También se puede iniciar sesión en esta cuenta con ${provider}. Si no lo vinculaste tú, marca “Quitar también otras formas de iniciar sesión” en la página.`,
          ]),
    ],
    action: "Establecer una nueva contraseña",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Se cambió tu contraseña en ${host}`,
    paragraphs: [
      `Se cambió la contraseña de tu cuenta en ${host} y se cerraron todas las demás sesiones.`,
      "Si no fuiste tú, establece una nueva ahora mismo con “¿Olvidaste tu contraseña?”.",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `Tu contraseña en ${host}`,
    paragraphs: [
      `Alguien, probablemente tú, pidió restablecer la contraseña de tu cuenta en ${host}.`,
      "Esta cuenta usa la contraseña del directorio de tu organización y solo se puede cambiar allí. Si no sabes cómo, pregunta a tu departamento de informática.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `Se vinculó un inicio de sesión a tu cuenta en ${host}`,
    paragraphs: [
      `Ahora también puedes iniciar sesión en tu cuenta en ${host} con la contraseña del directorio de tu organización.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `Se vinculó un inicio de sesión a tu cuenta en ${host}`,
    paragraphs: [
      `Ahora también puedes iniciar sesión en tu cuenta en ${host} con un proveedor de identidad.`,
      removeOthers,
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `Se desvinculó un inicio de sesión de tu cuenta en ${host}`,
    paragraphs: [
      `Ya no puedes iniciar sesión en tu cuenta en ${host} con el proveedor de identidad.`,
      notYou,
    ],
  }),
  totpEnabled: ({ host }) => ({
    subject: `La verificación en dos pasos está activada en ${host}`,
    paragraphs: [`Se activó la verificación en dos pasos de tu cuenta en ${host}.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `La verificación en dos pasos está desactivada en ${host}`,
    paragraphs: [`Se desactivó la verificación en dos pasos de tu cuenta en ${host}.`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `Se añadió una llave de acceso a tu cuenta en ${host}`,
    paragraphs: [
      `Ahora puedes iniciar sesión en tu cuenta en ${host} con una llave de acceso, sin contraseña.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `Se quitó una llave de acceso de tu cuenta en ${host}`,
    paragraphs: [`Ya no puedes iniciar sesión con ella en tu cuenta en ${host}.`, notYou],
  }),
  missed: (values) => ({
    subject: `Mensajes sin leer en ${values.host}`,
    paragraphs: [`No te has conectado a ${values.host} y aún no has leído estos mensajes.`],
    items: missedItems("es", values, {
      direct: "Mensaje directo",
      more: `Otros mensajes sin leer: ${values.more}`,
    }),
    action: "Abrir el mensaje más reciente",
    footer: ["Elegir cuándo recibir estos correos", "Dejar de recibir estos correos"],
  }),
};
