import { missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou =
  "Si no has sido tú, establece una contraseña nueva ahora mismo: otra persona puede iniciar sesión en tu cuenta.";
const removeOthers =
  "Si no has sido tú, establece una contraseña nueva con «¿Olvidaste tu contraseña?» y marca «Quitar también otras formas de iniciar sesión».";
const wrongAccount =
  "El enlace funciona durante 24 horas. Si no es tu cuenta, no lo abras: tu dirección quedaría vinculada a la cuenta de otra persona.";

const accountOf = (username: string | null): string =>
  username === null ? "una cuenta" : `la cuenta «${username}»`;

export const es: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `Verifica tu correo electrónico para ${host}`,
    paragraphs: [
      `Se ha registrado ${accountOf(username)} en ${host} con esta dirección. Si has sido tú, abre el enlace para verificarla.`,
      wrongAccount,
    ],
    action: "Verificar la dirección",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `Tu nuevo correo electrónico para ${host}`,
    paragraphs: [
      `Esta dirección se va a usar en ${host} para ${accountOf(username)}. Si es tu cuenta, abre el enlace para confirmarlo.`,
      wrongAccount,
    ],
    action: "Usar esta dirección",
  }),
  emailChanged: ({ host }) => ({
    subject: `Tu correo electrónico para ${host} ha cambiado`,
    paragraphs: [
      `Se ha cambiado el correo electrónico de tu cuenta en ${host}. Ya no se enviarán correos a esta dirección.`,
      "Si no has sido tú, ponte en contacto con la administración del servidor.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `Invitación a ${host}`,
    paragraphs: [
      username === null
        ? `La administración de ${host} ha creado una cuenta para ti. Abre el enlace para establecer una contraseña.`
        : `La administración de ${host} ha creado una cuenta para ti. Tu nombre de usuario es «${username}». Abre el enlace para establecer una contraseña.`,
      `El enlace funciona una sola vez, durante ${days} días. Si no quieres la cuenta, ignora este correo.`,
    ],
    action: "Establecer una contraseña",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `Establece una contraseña nueva para ${host}`,
    paragraphs: [
      `Alguien, probablemente tú, ha pedido restablecer la contraseña de tu cuenta en ${host}. Abre el enlace para establecer una nueva.`,
      `El enlace funciona una sola vez, durante ${minutes} minutos. Si no has sido tú, ignora este correo: tu contraseña no cambia.`,
      ...(provider === null
        ? []
        : [
            `También se puede iniciar sesión en esta cuenta con ${provider}. Si no lo has vinculado tú, marca «Quitar también otras formas de iniciar sesión» en la página.`,
          ]),
    ],
    action: "Establecer una contraseña nueva",
  }),
  passwordChanged: ({ host }) => ({
    subject: `Tu contraseña para ${host} ha cambiado`,
    paragraphs: [
      `Se ha cambiado la contraseña de tu cuenta en ${host} y se han cerrado todas las demás sesiones.`,
      "Si no has sido tú, establece una nueva ahora mismo con «¿Olvidaste tu contraseña?».",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `Tu contraseña para ${host}`,
    paragraphs: [
      `Alguien, probablemente tú, ha pedido restablecer la contraseña de tu cuenta en ${host}.`,
      "Esta cuenta usa la contraseña del directorio de tu organización y solo se puede cambiar allí. Si no sabes cómo, pregunta a tu departamento de informática.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `Se ha vinculado un inicio de sesión a tu cuenta en ${host}`,
    paragraphs: [
      `Ahora también puedes iniciar sesión en tu cuenta en ${host} con la contraseña del directorio de tu organización.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `Se ha vinculado un inicio de sesión a tu cuenta en ${host}`,
    paragraphs: [
      `Ahora también puedes iniciar sesión en tu cuenta en ${host} con un proveedor de identidad.`,
      removeOthers,
    ],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `Se ha desvinculado un inicio de sesión de tu cuenta en ${host}`,
    paragraphs: [
      `Ya no puedes iniciar sesión en tu cuenta en ${host} con el proveedor de identidad.`,
      notYou,
    ],
  }),
  totpEnabled: ({ host }) => ({
    subject: `La verificación en dos pasos está activada para ${host}`,
    paragraphs: [`Se ha activado la verificación en dos pasos de tu cuenta en ${host}.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `La verificación en dos pasos está desactivada para ${host}`,
    paragraphs: [`Se ha desactivado la verificación en dos pasos de tu cuenta en ${host}.`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `Se ha añadido una llave de acceso a tu cuenta en ${host}`,
    paragraphs: [
      `Ahora puedes iniciar sesión en tu cuenta en ${host} con una llave de acceso, sin tu contraseña.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `Se ha quitado una llave de acceso de tu cuenta en ${host}`,
    paragraphs: [`Ya no puedes iniciar sesión con ella en tu cuenta en ${host}.`, notYou],
  }),
  missed: (values) => ({
    subject: `Mensajes sin leer en ${values.host}`,
    paragraphs: [`No has estado conectado a ${values.host} y aún no has leído estos mensajes.`],
    items: missedItems("es", values, {
      direct: "Mensaje directo",
      more: `Otros mensajes sin leer: ${values.more}`,
    }),
    action: "Abrir el mensaje más reciente",
    footer: ["Elegir cuándo recibir estos correos", "Dejar de recibir estos correos"],
  }),
};
