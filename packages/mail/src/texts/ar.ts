import { isolated, missedItems } from "./missed-items.ts";
import type { MailTexts } from "./texts.ts";

const notYou = "إذا لم تكن أنت من فعل ذلك، فعيّن كلمة مرور جديدة فورًا: يمكن لشخص آخر تسجيل الدخول إلى حسابك.";
const removeOthers =
  "إذا لم تكن أنت من فعل ذلك، فعيّن كلمة مرور جديدة عبر «هل نسيت كلمة المرور؟» واختر «إزالة طرق تسجيل الدخول الأخرى أيضًا».";
const wrongAccount =
  "يعمل الرابط لمدة 24 ساعة. إذا لم يكن هذا حسابك فلا تفتحه، وإلا أصبح عنوانك تابعًا لحساب شخص آخر.";

const lasting = (count: number, unit: "day" | "minute"): string =>
  new Intl.NumberFormat("ar", { style: "unit", unit, unitDisplay: "long" }).format(count);

const accountOf = (username: string | null): string =>
  username === null ? "حساب" : `الحساب «${isolated(username)}»`;

export const ar: MailTexts = {
  verifyEmail: ({ host, username }) => ({
    subject: `تأكيد عنوان بريدك الإلكتروني في ${host}`,
    paragraphs: [
      `سُجّل ${accountOf(username)} في ${host} بهذا العنوان. إذا كنت أنت من سجّله، فافتح الرابط لتأكيد العنوان.`,
      wrongAccount,
    ],
    action: "تأكيد العنوان",
  }),
  confirmNewEmail: ({ host, username }) => ({
    subject: `عنوان بريدك الإلكتروني الجديد في ${host}`,
    paragraphs: [
      `سيستخدم ${accountOf(username)} في ${host} هذا العنوان. إذا كان هذا حسابك، فافتح الرابط للتأكيد.`,
      wrongAccount,
    ],
    action: "استخدام هذا العنوان",
  }),
  emailChanged: ({ host }) => ({
    subject: `تغيّر عنوان بريدك الإلكتروني في ${host}`,
    paragraphs: [
      `تغيّر عنوان البريد الإلكتروني لحسابك في ${host}. لن تُرسل رسائل إلى هذا العنوان بعد الآن.`,
      "إذا لم تكن أنت من فعل ذلك، فتواصل مع مسؤول الخادم.",
    ],
  }),
  invitation: ({ host, username, days }) => ({
    subject: `دعوة إلى ${host}`,
    paragraphs: [
      username === null
        ? `أنشأ مسؤول ${host} حسابًا لك. افتح الرابط لتعيين كلمة مرور.`
        : `أنشأ مسؤول ${host} حسابًا لك. اسم المستخدم هو «${isolated(username)}». افتح الرابط لتعيين كلمة مرور.`,
      `يعمل الرابط مرة واحدة فقط. مدة صلاحيته: ${lasting(days, "day")}. إذا كنت لا تريد الحساب، فتجاهل هذه الرسالة.`,
    ],
    action: "تعيين كلمة مرور",
  }),
  groupInvite: ({ host, username, group, days }) => ({
    subject: `دعاك ${isolated(username)} إلى ${host}`,
    paragraphs: [
      `يدعوك ${isolated(username)} للانضمام إلى مجموعة في ${host}. افتح الرابط لرؤيتها.`,
      `يعمل الرابط مرة واحدة فقط. مدة صلاحيته: ${lasting(days, "day")}. إذا كنت لا تعرف ${isolated(username)} أو لا تريد الانضمام، فتجاهل هذه الرسالة. لن تصبح عضوًا.`,
    ],
    items: [{ title: "المجموعة", text: group }],
    action: "فتح الدعوة",
  }),
  resetPassword: ({ host, minutes, provider }) => ({
    subject: `تعيين كلمة مرور جديدة في ${host}`,
    paragraphs: [
      `طلب شخص ما، على الأرجح أنت، إعادة تعيين كلمة مرور حسابك في ${host}. افتح الرابط لتعيين كلمة مرور جديدة.`,
      `يعمل الرابط مرة واحدة فقط. مدة صلاحيته: ${lasting(minutes, "minute")}. إذا لم تطلب ذلك فتجاهل هذه الرسالة، ولن تتغير كلمة مرورك.`,
      ...(provider === null
        ? []
        : [
            `يمكن أيضًا تسجيل الدخول إلى هذا الحساب عبر ${isolated(provider)}. إذا لم تكن أنت من ربطه، فاختر «إزالة طرق تسجيل الدخول الأخرى أيضًا» في الصفحة.`,
          ]),
    ],
    action: "تعيين كلمة مرور جديدة",
  }),
  passwordChanged: ({ host }) => ({
    subject: `تغيّرت كلمة مرورك في ${host}`,
    paragraphs: [
      `تغيّرت كلمة مرور حسابك في ${host}، وسُجّل الخروج من جميع الجلسات الأخرى.`,
      "إذا لم تكن أنت من فعل ذلك، فعيّن كلمة مرور جديدة فورًا عبر «هل نسيت كلمة المرور؟».",
    ],
  }),
  passwordInDirectory: ({ host }) => ({
    subject: `كلمة مرورك في ${host}`,
    paragraphs: [
      `طلب شخص ما، على الأرجح أنت، إعادة تعيين كلمة مرور حسابك في ${host}.`,
      "يستخدم هذا الحساب كلمة المرور الموجودة في دليل مؤسستك، ولا يمكن تغييرها إلا هناك. إذا كنت لا تعرف كيف، فاسأل قسم تقنية المعلومات.",
    ],
  }),
  ldapLinked: ({ host }) => ({
    subject: `رُبطت طريقة لتسجيل الدخول بحسابك في ${host}`,
    paragraphs: [
      `يمكنك الآن تسجيل الدخول إلى حسابك في ${host} بكلمة المرور الموجودة في دليل مؤسستك أيضًا.`,
      removeOthers,
    ],
  }),
  oidcLinked: ({ host }) => ({
    subject: `رُبطت طريقة لتسجيل الدخول بحسابك في ${host}`,
    paragraphs: [`يمكنك الآن تسجيل الدخول إلى حسابك في ${host} عبر موفّر هوية أيضًا.`, removeOthers],
  }),
  oidcUnlinked: ({ host }) => ({
    subject: `أُلغي ربط طريقة لتسجيل الدخول بحسابك في ${host}`,
    paragraphs: [`لم يعد بإمكانك تسجيل الدخول إلى حسابك في ${host} عبر موفّر الهوية.`, notYou],
  }),
  totpEnabled: ({ host }) => ({
    subject: `فُعّل التحقق بخطوتين في ${host}`,
    paragraphs: [`فُعّل التحقق بخطوتين لحسابك في ${host}.`, notYou],
  }),
  totpDisabled: ({ host }) => ({
    subject: `أُوقف التحقق بخطوتين في ${host}`,
    paragraphs: [`أُوقف التحقق بخطوتين لحسابك في ${host}.`, notYou],
  }),
  passkeyAdded: ({ host }) => ({
    subject: `أُضيف مفتاح مرور إلى حسابك في ${host}`,
    paragraphs: [
      `يمكنك الآن تسجيل الدخول إلى حسابك في ${host} بمفتاح مرور، من دون كلمة المرور.`,
      removeOthers,
    ],
  }),
  passkeyRemoved: ({ host }) => ({
    subject: `أُزيل مفتاح مرور من حسابك في ${host}`,
    paragraphs: [`لم يعد بإمكانك تسجيل الدخول به إلى حسابك في ${host}.`, notYou],
  }),
  missed: (values) => ({
    subject: `رسائل غير مقروءة في ${values.host}`,
    paragraphs: [`وصلت هذه الرسائل أثناء غيابك عن ${values.host}، ولم تقرأها بعد.`],
    items: missedItems("ar", values, {
      direct: "رسالة مباشرة",
      more: `رسائل أخرى غير مقروءة: ${values.more}`,
    }),
    action: "فتح أحدث رسالة",
    footer: ["اختيار وقت تلقي رسائل البريد هذه", "إيقاف رسائل البريد هذه"],
  }),
};
