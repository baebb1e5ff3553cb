/** Texts of the frame around every page. */
export const commonTexts = {
  'console.title': { 'en-us': 'Integration API console', 'ar-eg': 'لوحة تشغيل واجهة التكامل' },
  'console.skip': { 'en-us': 'Skip to the content', 'ar-eg': 'انتقل إلى المحتوى' },
  'console.menu': { 'en-us': 'Pages', 'ar-eg': 'الصفحات' },
  'console.logout': { 'en-us': 'Log out', 'ar-eg': 'تسجيل الخروج' },
  'console.otherLanguage': { 'en-us': 'العربية', 'ar-eg': 'English' },
  'console.asOf': { 'en-us': 'As of {time} UTC', 'ar-eg': 'حتى {time} بالتوقيت العالمي' },
  'login.title': { 'en-us': 'Log in', 'ar-eg': 'تسجيل الدخول' },
  'login.password': { 'en-us': "Operator's password", 'ar-eg': 'كلمة مرور المشغّل' },
  'login.submit': { 'en-us': 'Log in', 'ar-eg': 'دخول' },
  'login.wrong': { 'en-us': 'The password is wrong.', 'ar-eg': 'كلمة المرور غير صحيحة.' },
  'login.tooMany': {
    'en-us': 'Too many tries. Wait half a minute and try again.',
    'ar-eg': 'محاولات كثيرة. انتظر نصف دقيقة ثم حاول مرة أخرى.',
  },
  'missing.title': { 'en-us': 'There is no such page', 'ar-eg': 'لا توجد صفحة كهذه' },
  'missing.text': {
    'en-us': 'Nothing is at this address. The menu leads to what there is.',
    'ar-eg': 'لا يوجد شيء في هذا العنوان. القائمة تقود إلى الموجود.',
  },
  'refused.title': { 'en-us': 'Not accepted', 'ar-eg': 'لم يُقبل الطلب' },
  'refused.text': {
    'en-us': 'The form is not from this session. Go back, load the page again and repeat it.',
    'ar-eg': 'النموذج ليس من هذه الجلسة. ارجع وحمّل الصفحة من جديد ثم أعد المحاولة.',
  },
  'invalid.title': { 'en-us': 'Invalid address', 'ar-eg': 'عنوان غير صالح' },
  'invalid.text': {
    'en-us': 'The address has no position of this list. Open the page again from its beginning.',
    'ar-eg': 'العنوان لا يحدد موضعًا في هذه القائمة. افتح الصفحة من بدايتها مرة أخرى.',
  },
  'unavailable.title': {
    'en-us': 'The database does not respond',
    'ar-eg': 'قاعدة البيانات لا ترد',
  },
  'unavailable.text': {
    'en-us':
      'The page needs data that did not come in time. {used} of {open} connections of this process are in use. The overview shows what else is known.',
    'ar-eg':
      'تحتاج الصفحة إلى بيانات لم تصل في الوقت المحدد. من اتصالات هذه العملية {used} من {open} قيد الاستخدام. النظرة العامة تعرض ما هو معروف غير ذلك.',
  },
  'failed.title': { 'en-us': 'The page could not be made', 'ar-eg': 'تعذر إعداد الصفحة' },
  'failed.text': {
    'en-us': 'The log of the service says why.',
    'ar-eg': 'سجل الخدمة يذكر السبب.',
  },
} as const;
