export const pageTexts = {
  'console.title': { 'en-us': 'Integration API console', 'ar-eg': 'لوحة تشغيل واجهة التكامل' },
  'console.skip': { 'en-us': 'Skip to content', 'ar-eg': 'الانتقال إلى المحتوى' },
  'console.menu': { 'en-us': 'Menu', 'ar-eg': 'القائمة' },
  'console.logout': { 'en-us': 'Log out', 'ar-eg': 'تسجيل الخروج' },
  'console.otherLanguage': { 'en-us': 'العربية', 'ar-eg': 'English' },
  'console.asOf': { 'en-us': 'As of {time} UTC', 'ar-eg': 'البيانات حتى {time} (UTC)' },
  'login.title': { 'en-us': 'Log in', 'ar-eg': 'تسجيل الدخول' },
  'login.password': { 'en-us': 'Operator password', 'ar-eg': 'كلمة مرور المشغّل' },
  'login.wrong': { 'en-us': 'Incorrect password.', 'ar-eg': 'كلمة المرور غير صحيحة.' },
  'login.tooMany': {
    'en-us': 'Too many attempts. Wait 30 seconds, then try again.',
    'ar-eg': 'محاولات كثيرة جدًا. انتظر 30 ثانية ثم حاول مرة أخرى.',
  },
  'console.error': { 'en-us': 'Error', 'ar-eg': 'خطأ' },
  'error.missing': {
    'en-us': 'This page does not exist. Use the menu.',
    'ar-eg': 'هذه الصفحة غير موجودة. استخدم القائمة.',
  },
  'error.refused': {
    'en-us': 'The form is not from this session. Go back, reload the page and send it again.',
    'ar-eg': 'النموذج لا يخص هذه الجلسة. ارجع وأعد تحميل الصفحة ثم أرسله مرة أخرى.',
  },
  'error.invalid': {
    'en-us': 'The address contains an invalid cursor. Open the first page of the list.',
    'ar-eg': 'يحتوي العنوان على مؤشر صفحة غير صالح. افتح الصفحة الأولى من القائمة.',
  },
  'error.unavailable': {
    'en-us':
      'The database did not respond in time. {used} of {open} connections of this process are ' +
      'in use. Try again; the overview shows all available data.',
    'ar-eg':
      'لم تستجب قاعدة البيانات في الوقت المحدد. الاتصالات المستخدمة في هذه العملية: {used} من ' +
      '{open}. حاول مرة أخرى؛ تعرض النظرة العامة كل البيانات المتاحة.',
  },
  'error.failed': {
    'en-us': 'The page could not be shown. See the service log for the reason.',
    'ar-eg': 'تعذر عرض الصفحة. السبب مذكور في سجل الخدمة.',
  },
  'shared.all': { 'en-us': 'All', 'ar-eg': 'الكل' },
  'shared.filter': { 'en-us': 'Filter', 'ar-eg': 'تصفية' },
  'shared.more': {
    'en-us': 'Only the first {count} are shown.',
    'ar-eg': 'تظهر النتائج الأولى فقط (عددها {count}).',
  },
  'shared.first': { 'en-us': 'First page', 'ar-eg': 'الصفحة الأولى' },
  'shared.next': { 'en-us': 'Next page', 'ar-eg': 'الصفحة التالية' },
  'shared.noItems': { 'en-us': 'None.', 'ar-eg': 'لا توجد عناصر.' },
  'shared.masked': {
    'en-us': 'Personal data is hidden. Viewing it is logged.',
    'ar-eg': 'البيانات الشخصية مخفية. يُسجَّل كل عرض لها.',
  },
  'shared.show': { 'en-us': 'Show personal data', 'ar-eg': 'إظهار البيانات الشخصية' },
  'shared.shown': {
    'en-us': 'Personal data is shown. This access was logged.',
    'ar-eg': 'البيانات الشخصية ظاهرة، وقد سُجّل هذا العرض.',
  },
  'shared.hide': { 'en-us': 'Hide personal data', 'ar-eg': 'إخفاء البيانات الشخصية' },
  'shared.reservations': { 'en-us': 'Reservations', 'ar-eg': 'الحجوزات' },
  'shared.now': { 'en-us': 'Current state', 'ar-eg': 'الحالة الحالية' },
  'search.title': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.reference': { 'en-us': 'Search all organizations', 'ar-eg': 'البحث في كل المؤسسات' },
  'search.hint': {
    'en-us':
      'The ID or external ID of any record; a lead’s number, phone or email; a unit’s slug or ' +
      'unit ID; a webhook-id; a request ID; or the prefix of a key',
    'ar-eg':
      'معرّف أي سجل أو معرّفه الخارجي؛ أو رقم عميل محتمل أو هاتفه أو بريده الإلكتروني؛ أو الاسم ' +
      'المختصر لوحدة أو رقمها؛ أو webhook-id؛ أو معرّف طلب؛ أو بادئة مفتاح',
  },
  'search.results': { 'en-us': 'Matches', 'ar-eg': 'النتائج' },
  'search.none': {
    'en-us':
      'Nothing was found. A deleted lead can be found by its ID or number, not by a phone; a ' +
      'deleted unit only by its ID.',
    'ar-eg':
      'لا توجد نتائج. يُعثر على العميل المحتمل المحذوف بمعرّفه أو رقمه لا بهاتفه، وعلى الوحدة ' +
      'المحذوفة بمعرّفها فقط.',
  },
  'log.title': { 'en-us': 'Operator log', 'ar-eg': 'سجل المشغّل' },
  'overview.title': { 'en-us': 'Overview', 'ar-eg': 'نظرة عامة' },
  'overview.charts': { 'en-us': 'Calls and webhooks', 'ar-eg': 'الطلبات وإشعارات الويب' },
  'overview.callsName': { 'en-us': 'Calls', 'ar-eg': 'الطلبات' },
  'overview.succeeded': { 'en-us': 'Succeeded', 'ar-eg': 'ناجحة' },
  'overview.refused': { 'en-us': 'Rejected (4xx)', 'ar-eg': 'مرفوضة (4xx)' },
  'overview.failed': { 'en-us': 'Failed (5xx)', 'ar-eg': 'فاشلة (5xx)' },
  'overview.median': { 'en-us': 'Median', 'ar-eg': 'الوسيط' },
  'overview.p95': { 'en-us': 'p95', 'ar-eg': 'المئين 95' },
  'overview.latencyChart': { 'en-us': 'Response time', 'ar-eg': 'زمن الاستجابة' },
  'overview.latencyNote': {
    'en-us': 'Excludes long polls: {polls}',
    'ar-eg': 'لا يشمل طلبات الانتظار الطويل: {polls}',
  },
  'overview.byRoute': { 'en-us': 'Last 24 hours by route', 'ar-eg': 'آخر 24 ساعة حسب المسار' },
  'overview.byKey': { 'en-us': 'Last 24 hours by key', 'ar-eg': 'آخر 24 ساعة حسب المفتاح' },
  'overview.noKey': { 'en-us': 'without a valid key', 'ar-eg': 'دون مفتاح صالح' },
  'overview.deliveriesChart': {
    'en-us': 'Webhook delivery attempts',
    'ar-eg': 'محاولات إرسال إشعارات الويب',
  },
  'overview.eventsWaiting': {
    'en-us': 'Events not yet in the feed',
    'ar-eg': 'أحداث لم تدخل الموجز بعد',
  },
  'overview.deliveriesWaiting': { 'en-us': 'Deliveries due', 'ar-eg': 'عمليات إرسال مستحقة' },
  'overview.database': { 'en-us': 'Database', 'ar-eg': 'قاعدة البيانات' },
  'overview.hasPrimary': { 'en-us': 'accepts writes', 'ar-eg': 'تقبل الكتابة' },
  'overview.hasNoPrimary': { 'en-us': 'accepts no writes', 'ar-eg': 'لا تقبل الكتابة' },
  'overview.connections': { 'en-us': 'Connections in use', 'ar-eg': 'الاتصالات المستخدمة' },
  'attention.title': { 'en-us': 'Needs attention', 'ar-eg': 'يحتاج إلى انتباه' },
  'attention.none': {
    'en-us': 'No problems with endpoints, partners, deliveries, keys or the database.',
    'ar-eg':
      'لا مشكلات في نقاط الاستقبال أو الشركاء أو عمليات الإرسال أو المفاتيح أو قاعدة البيانات.',
  },
  'attention.unknown': {
    'en-us': 'Some checks are missing: the database did not respond in time.',
    'ar-eg': 'بعض الفحوص ناقصة: لم تستجب قاعدة البيانات في الوقت المحدد.',
  },
  'attention.firstOrganization': {
    'en-us':
      'There is no organization yet. Create one with "npm run cli -- org create", or try ' +
      'everything with "npm run demo".',
    'ar-eg':
      'لا توجد مؤسسة بعد. أنشئ واحدة بالأمر "npm run cli -- org create"، أو جرّب كل شيء بالأمر ' +
      '"npm run demo".',
  },
  'attention.firstCall': {
    'en-us':
      'No partner has called the API yet. Issue a key with "npm run cli -- key issue" and give ' +
      'it to the partner.',
    'ar-eg':
      'لم يستدعِ أي شريك الواجهة بعد. أصدر مفتاحًا بالأمر "npm run cli -- key issue" وسلّمه إلى ' +
      'الشريك.',
  },
  'attention.database': {
    'en-us': 'Database is not writable',
    'ar-eg': 'قاعدة البيانات لا تقبل الكتابة',
  },
  'attention.databaseReason': {
    'en-us': 'The database has no primary: writes fail and requests get 503.',
    'ar-eg': 'لا يوجد خادم أساسي لقاعدة البيانات: تفشل الكتابة وتتلقى الطلبات الرد 503.',
  },
  'attention.events': { 'en-us': 'Event feed is delayed', 'ar-eg': 'موجز الأحداث متأخر' },
  'attention.deliveries': { 'en-us': 'Deliveries are delayed', 'ar-eg': 'عمليات الإرسال متأخرة' },
  'attention.behind': {
    'en-us': '{count} waiting, the oldest for {time}.',
    'ar-eg': 'قيد الانتظار: {count}، وأقدمها منذ {time}.',
  },
  'attention.endpoint': { 'en-us': 'Endpoint is failing', 'ar-eg': 'نقطة استقبال متعثرة' },
  'attention.endpointOff': {
    'en-us': 'Endpoint was given up',
    'ar-eg': 'نقطة استقبال أُوقف الإرسال إليها',
  },
  'attention.endpointFault': { 'en-us': 'Endpoint is faulty', 'ar-eg': 'نقطة استقبال بها خلل' },
  'attention.failing': {
    'en-us':
      'Failing since {since} UTC. Last response: {response}. Failed attempts since then: ' +
      '{attempts}. Retries of the last failed delivery: {retries}.',
    'ar-eg':
      'متعثرة منذ {since} (UTC). آخر رد: {response}. المحاولات الفاشلة منذ ذلك الحين: ' +
      '{attempts}. مرات إعادة عملية إرسال واحدة: {retries}.',
  },
  'attention.off': { 'en-us': 'Reason: {why}.', 'ar-eg': 'السبب: {why}.' },
  'attention.silent': { 'en-us': 'Partner is silent', 'ar-eg': 'شريك منقطع' },
  'attention.silentReason': {
    'en-us': 'No call since {time} UTC; about {missed} were expected.',
    'ar-eg': 'لا طلبات منذ {time} (UTC)؛ كان المتوقع نحو {missed}.',
  },
  'attention.refused': { 'en-us': 'Partner is failing', 'ar-eg': 'شريك متعثر' },
  'attention.refusedReason': {
    'en-us': '{errors} of {calls} calls in 24 hours were rejected or failed.',
    'ar-eg': 'عدد الطلبات خلال 24 ساعة: {calls}، رُفض منها أو فشل {errors}.',
  },
  'attention.mostlyIgnored': { 'en-us': 'Most fields ignored', 'ar-eg': 'أُهمل معظم الحقول' },
  'attention.mostlyIgnoredReason': {
    'en-us':
      'In the last 24 hours, at least half of the fields were ignored in {mostlyIgnored} of ' +
      '{leads} accepted lead requests.',
    'ar-eg':
      'طلبات العملاء المحتملين المقبولة خلال آخر 24 ساعة: {leads}، أُهمل نصف الحقول على الأقل ' +
      'في {mostlyIgnored} منها.',
  },
  'attention.key': { 'en-us': 'Key expires soon', 'ar-eg': 'مفتاح تنتهي صلاحيته قريبًا' },
  'attention.keyReason': {
    'en-us': 'It expires in {left} and is still in use; last call {last} UTC.',
    'ar-eg': 'تنتهي صلاحيته خلال {left} وما زال مستخدمًا؛ آخر طلب {last} (UTC).',
  },
  'chart.by': { 'en-us': 'Chart interval', 'ar-eg': 'الفاصل الزمني للرسوم' },
  'chart.by.quarter': { 'en-us': '15 minutes', 'ar-eg': '15 دقيقة' },
  'chart.by.hour': { 'en-us': 'Hour', 'ar-eg': 'ساعة' },
  'chart.by.day': { 'en-us': 'Day', 'ar-eg': 'يوم' },
  'chart.by.week': { 'en-us': 'Week', 'ar-eg': 'أسبوع' },
  'chart.table': { 'en-us': 'Show as a table', 'ar-eg': 'عرض كجدول' },
  'chart.nothing': { 'en-us': 'No data for this period.', 'ar-eg': 'لا توجد بيانات لهذه المدة.' },
  'partners.title': { 'en-us': 'Partners', 'ar-eg': 'الشركاء' },
  'partners.usualWeekText': {
    'en-us': 'About {calls} calls per week; busiest hour: {day} {hour}:00 UTC, {most} calls.',
    'ar-eg':
      'نحو {calls} من الطلبات في الأسبوع؛ ساعة الذروة: {day} {hour}:00 (UTC)، وعدد طلباتها ' +
      '{most}.',
  },
  'partners.noUsualWeek': {
    'en-us': 'Not available yet: a full week of calls is needed.',
    'ar-eg': 'غير معروف بعد: يتطلب أسبوعًا من الطلبات.',
  },
  'partners.errorsByCode': {
    'en-us': 'Rejected and ineffective requests by code',
    'ar-eg': 'الطلبات المرفوضة أو بلا أثر حسب الرمز',
  },
  'partners.otherCodes': { 'en-us': 'Other codes', 'ar-eg': 'رموز أخرى' },
  'partners.requests': {
    'en-us': 'Requests that were rejected, contained ignored fields or had no effect',
    'ar-eg': 'طلبات مرفوضة أو بها حقول أُهملت أو بلا أثر',
  },
  'partners.requestsAbout': {
    'en-us':
      'Newest first, without the values that were sent. At most 1,000 requests are logged per key per day.',
    'ar-eg': 'الأحدث أولًا، دون القيم المرسلة. يُسجَّل لكل مفتاح ما يصل إلى 1000 طلب في اليوم.',
  },
  'catalogue.title': { 'en-us': 'Catalogue', 'ar-eg': 'الكتالوج' },
  'catalogue.imports': { 'en-us': 'Latest imports', 'ar-eg': 'آخر عمليات الاستيراد' },
  'catalogue.units': { 'en-us': 'Units by status', 'ar-eg': 'الوحدات حسب الحالة' },
  'catalogue.unitsText': {
    'en-us': 'Units: {units}. Compounds: {compounds}.',
    'ar-eg': 'الوحدات: {units}. المجمعات السكنية: {compounds}.',
  },
  'catalogue.all': { 'en-us': 'Total', 'ar-eg': 'المجموع' },
} as const;
