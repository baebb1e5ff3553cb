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
  'partners.noHabit': {
    'en-us': 'None yet: it is learnt from whole hours of the last four weeks.',
    'ar-eg': 'لا توجد بعد: تُعرف من الساعات الكاملة في الأسابيع الأربعة الأخيرة.',
  },
  'partners.hour': { 'en-us': 'Hour (UTC)', 'ar-eg': 'الساعة (UTC)' },
  'partners.errorsByCode': {
    'en-us': 'Refused requests by error code and day (UTC)',
    'ar-eg': 'الطلبات المرفوضة حسب رمز الخطأ واليوم (UTC)',
  },
  'partners.code': { 'en-us': 'Error code', 'ar-eg': 'رمز الخطأ' },
  'partners.noErrors': {
    'en-us': 'No request was refused in the last seven days.',
    'ar-eg': 'لم يُرفض أي طلب في الأيام السبعة الأخيرة.',
  },
  'partners.requests': {
    'en-us': 'Requests that were refused or partly ignored',
    'ar-eg': 'طلبات رُفضت أو أُهمل جزء منها',
  },
  'partners.requestsAbout': {
    'en-us':
      'The newest first, without any value that was sent; of more than 1,000 on a day the later ones are only counted.',
    'ar-eg': 'الأحدث أولًا، دون أي قيمة أُرسلت؛ ما زاد على 1000 في اليوم يُحسب فقط.',
  },
  'partners.newer': { 'en-us': 'Previous', 'ar-eg': 'السابق' },
  'partners.older': { 'en-us': 'Next', 'ar-eg': 'التالي' },
  'partners.pages': { 'en-us': 'More partners', 'ar-eg': 'شركاء آخرون' },
} as const;
