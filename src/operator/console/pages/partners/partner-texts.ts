/** Texts of the pages about partners. */
export const partnerTexts = {
  'partners.title': { 'en-us': 'Partners', 'ar-eg': 'الشركاء' },
  'partners.about': {
    'en-us':
      'Each key that was used in the last four weeks, compared with its own habit: its calls by hour of the week.',
    'ar-eg':
      'كل مفتاح استُخدم في الأسابيع الأربعة الأخيرة. غير المعتاد يُعرف من عادة المفتاح نفسه: طلباته حسب ساعات الأسبوع.',
  },
  'partners.none': { 'en-us': 'No key has called yet.', 'ar-eg': 'لم يرسل أي مفتاح بعد.' },
  'partners.habitText': {
    'en-us': 'About {calls} calls a week; most on {day} from {hour}:00 UTC: {most}.',
    'ar-eg': 'نحو {calls} طلبًا في الأسبوع؛ أكثرها يوم {day} من الساعة {hour}:00 (UTC): {most}.',
  },
  'partners.hour': { 'en-us': 'Hour (UTC)', 'ar-eg': 'الساعة (UTC)' },
  'partners.newer': { 'en-us': 'Previous', 'ar-eg': 'السابق' },
  'partners.older': { 'en-us': 'Next', 'ar-eg': 'التالي' },
  'partners.pages': { 'en-us': 'More partners', 'ar-eg': 'شركاء آخرون' },
} as const;
