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
} as const;
