export const commonTexts = {
  'console.title': { 'en-us': 'Integration API console', 'ar-eg': 'لوحة تشغيل واجهة التكامل' },
  'console.skip': { 'en-us': 'Skip to the content', 'ar-eg': 'انتقل إلى المحتوى' },
  'console.menu': { 'en-us': 'Pages', 'ar-eg': 'الصفحات' },
  'console.logout': { 'en-us': 'Log out', 'ar-eg': 'تسجيل الخروج' },
  'console.otherLanguage': { 'en-us': 'العربية', 'ar-eg': 'English' },
  'console.asOf': { 'en-us': 'As of {time} UTC', 'ar-eg': 'حتى {time} بالتوقيت العالمي' },
  'login.title': { 'en-us': 'Log in', 'ar-eg': 'تسجيل الدخول' },
  'login.password': { 'en-us': "Operator's password", 'ar-eg': 'كلمة مرور المشغّل' },
  'login.wrong': { 'en-us': 'The password is wrong.', 'ar-eg': 'كلمة المرور غير صحيحة.' },
  'login.tooMany': {
    'en-us': 'Too many attempts. Wait 30 seconds, then try again.',
    'ar-eg': 'محاولات كثيرة. انتظر 30 ثانية ثم حاول مرة أخرى.',
  },
  'console.error': { 'en-us': 'Error', 'ar-eg': 'خطأ' },
  'error.missing': {
    'en-us': 'There is no page at this address. Use the menu.',
    'ar-eg': 'لا توجد صفحة في هذا العنوان. استخدم القائمة.',
  },
  'error.refused': {
    'en-us': 'The form is not from this session. Go back, reload the page and send it again.',
    'ar-eg': 'النموذج ليس من هذه الجلسة. ارجع وأعد تحميل الصفحة ثم أرسله مرة أخرى.',
  },
  'error.invalid': {
    'en-us': 'The address contains an invalid cursor. Open the list from its beginning.',
    'ar-eg': 'يحتوي العنوان على موضع غير صالح. افتح القائمة من بدايتها.',
  },
  'error.unavailable': {
    'en-us':
      'The database did not respond in time. {used} of {open} connections of this process are in use. Try again; the overview shows what is known.',
    'ar-eg':
      'لم ترد قاعدة البيانات في الوقت المحدد. من اتصالات هذه العملية {used} من {open} قيد الاستخدام. حاول مرة أخرى؛ تعرض النظرة العامة ما هو معروف.',
  },
  'error.failed': {
    'en-us': "The page failed. The service's log says why.",
    'ar-eg': 'تعذر عرض الصفحة. سجل الخدمة يذكر السبب.',
  },
  'shared.filter': { 'en-us': 'Filter', 'ar-eg': 'تصفية' },
  'shared.more': {
    'en-us': 'Only these {count} are shown; there are more.',
    'ar-eg': 'تظهر هذه النتائج ({count}) فقط، ويوجد غيرها.',
  },
  'shared.first': { 'en-us': 'First page', 'ar-eg': 'الصفحة الأولى' },
  'shared.next': { 'en-us': 'Next page', 'ar-eg': 'الصفحة التالية' },
  'shared.none': { 'en-us': 'None.', 'ar-eg': 'لا شيء.' },
  'shared.masked': {
    'en-us': 'Personal data is hidden. Viewing it is logged.',
    'ar-eg': 'البيانات الشخصية مخفية. عرضها يُسجَّل.',
  },
  'shared.show': { 'en-us': 'Show personal data', 'ar-eg': 'أظهر البيانات الشخصية' },
  'shared.shown': {
    'en-us': 'Personal data is shown. This access was logged.',
    'ar-eg': 'البيانات الشخصية ظاهرة، وقد سُجّل ذلك.',
  },
  'shared.hide': { 'en-us': 'Hide it', 'ar-eg': 'أخفها' },
  'shared.reservations': { 'en-us': 'Reservations', 'ar-eg': 'الحجوزات' },
  'shared.now': { 'en-us': 'Current state', 'ar-eg': 'الحالة الحالية' },
  'search.title': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.reference': { 'en-us': 'Find in all organizations', 'ar-eg': 'ابحث في كل المؤسسات' },
  'search.hint': {
    'en-us':
      'An id of anything, or an external id; a lead’s number, phone in any spelling or email; a unit’s slug or unit id; a webhook-id; a request id; the listed prefix of a key',
    'ar-eg':
      'معرّف أي شيء أو معرّف خارجي، أو رقم عميل محتمل أو هاتفه بأي كتابة أو بريده، أو اسم وحدة في العنوان أو رقمها، أو webhook-id، أو معرّف طلب، أو بادئة مفتاح كما تظهر في القائمة',
  },
  'search.results': { 'en-us': 'Matches', 'ar-eg': 'النتائج' },
  'search.none': {
    'en-us':
      'Nothing was found. A deleted lead is found by its id or number, not by a phone; a deleted unit by its id only.',
    'ar-eg':
      'لم يُعثر على شيء. العميل المحذوف يُعثر عليه بالمعرّف أو الرقم لا بالهاتف، والوحدة المحذوفة بمعرّفها فقط.',
  },
  'log.title': { 'en-us': 'Operator log', 'ar-eg': 'سجل المشغّل' },
} as const;
