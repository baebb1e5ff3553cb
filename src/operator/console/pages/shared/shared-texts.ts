/** Texts that several pages have. */
export const sharedTexts = {
  'shared.organizationHint': {
    'en-us': 'Part of its name, or its id',
    'ar-eg': 'جزء من اسمها أو معرّفها',
  },
  'shared.chooseOrganization': {
    'en-us': 'Which organization is meant? {count} fit: write more of its name, or its id.',
    'ar-eg': 'أي مؤسسة تقصد؟ يوجد {count} مطابقة: اكتب المزيد من الاسم أو اكتب المعرّف.',
  },
  'shared.noOrganization': {
    'en-us': 'There is no such organization.',
    'ar-eg': 'لا توجد مؤسسة كهذه.',
  },
  'shared.more': {
    'en-us': 'There are more than these {count}.',
    'ar-eg': 'يوجد أكثر من هذه النتائج ({count}).',
  },
  'shared.none': { 'en-us': 'None.', 'ar-eg': 'لا شيء.' },
  'shared.older': { 'en-us': 'Older', 'ar-eg': 'الأقدم' },
  'shared.newest': { 'en-us': 'Newest', 'ar-eg': 'الأحدث' },
  'shared.masked': {
    'en-us': 'Personal data is hidden. To show it is logged.',
    'ar-eg': 'البيانات الشخصية مخفية. إظهارها يُسجَّل.',
  },
  'shared.show': { 'en-us': 'Show personal data', 'ar-eg': 'أظهر البيانات الشخصية' },
  'shared.shown': {
    'en-us': 'Personal data is shown; that was logged.',
    'ar-eg': 'البيانات الشخصية ظاهرة، وقد سُجّل ذلك.',
  },
  'shared.hide': { 'en-us': 'Hide it', 'ar-eg': 'أخفها' },
  'shared.noKey': { 'en-us': 'import', 'ar-eg': 'استيراد' },
  'shared.reservations': { 'en-us': 'Reservations', 'ar-eg': 'الحجوزات' },
  'shared.now': { 'en-us': 'As it is now', 'ar-eg': 'كما هو الآن' },
  'search.title': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.submit': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.reference': {
    'en-us': 'Lead, reservation or unit',
    'ar-eg': 'عميل محتمل أو حجز أو وحدة',
  },
  'search.hint': {
    'en-us':
      'An id or external id; of a lead also its number, phone in any spelling or email of its client; of a unit also its slug or unit id',
    'ar-eg':
      'معرّف أو معرّف خارجي، وللعميل رقمه أو هاتفه بأي كتابة أو بريده الإلكتروني، وللوحدة اسمها في العنوان أو رقمها',
  },
  'search.none': {
    'en-us':
      'Nothing was found. A deleted lead is found by its id or number, not by a phone; a deleted unit by its id only.',
    'ar-eg':
      'لم يُعثر على شيء. العميل المحذوف يُعثر عليه بالمعرّف أو الرقم لا بالهاتف، والوحدة المحذوفة بمعرّفها فقط.',
  },
  'search.leads': { 'en-us': 'Leads', 'ar-eg': 'العملاء المحتملون' },
  'search.units': { 'en-us': 'Units', 'ar-eg': 'الوحدات' },
} as const;
