export const pageTexts = {
  'console.title': { 'en-us': 'Integration API console', 'ar-eg': 'لوحة تشغيل واجهة التكامل' },
  'console.skip': { 'en-us': 'Skip to content', 'ar-eg': 'انتقل إلى المحتوى' },
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
    'en-us': 'This page does not exist. Use the menu.',
    'ar-eg': 'لا توجد صفحة في هذا العنوان. استخدم القائمة.',
  },
  'error.refused': {
    'en-us': 'The form is not from this session. Go back, reload the page and send it again.',
    'ar-eg': 'النموذج ليس من هذه الجلسة. ارجع وأعد تحميل الصفحة ثم أرسله مرة أخرى.',
  },
  'error.invalid': {
    'en-us': 'The address contains an invalid cursor. Open the first page of the list.',
    'ar-eg': 'يحتوي العنوان على موضع غير صالح. افتح القائمة من بدايتها.',
  },
  'error.unavailable': {
    'en-us':
      'The database did not respond in time. {used} of {open} connections of this process are ' +
      'in use. Try again; the overview shows all available data.',
    'ar-eg':
      'لم ترد قاعدة البيانات في الوقت المحدد. من اتصالات هذه العملية {used} من {open} قيد ' +
      'الاستخدام. حاول مرة أخرى؛ تعرض النظرة العامة ما هو معروف.',
  },
  'error.failed': {
    'en-us': "The page could not be shown. The service's log contains the reason.",
    'ar-eg': 'تعذر عرض الصفحة. سجل الخدمة يذكر السبب.',
  },
  'shared.all': { 'en-us': 'All', 'ar-eg': 'الكل' },
  'shared.filter': { 'en-us': 'Filter', 'ar-eg': 'تصفية' },
  'shared.more': {
    'en-us': 'Only the first {count} are shown.',
    'ar-eg': 'تظهر هذه النتائج ({count}) فقط، ويوجد غيرها.',
  },
  'shared.first': { 'en-us': 'First page', 'ar-eg': 'الصفحة الأولى' },
  'shared.next': { 'en-us': 'Next page', 'ar-eg': 'الصفحة التالية' },
  'shared.noItems': { 'en-us': 'None.', 'ar-eg': 'لا شيء.' },
  'shared.masked': {
    'en-us': 'Personal data is hidden. Viewing it is logged.',
    'ar-eg': 'البيانات الشخصية مخفية. عرضها يُسجَّل.',
  },
  'shared.show': { 'en-us': 'Show personal data', 'ar-eg': 'أظهر البيانات الشخصية' },
  'shared.shown': {
    'en-us': 'Personal data is shown. This access was logged.',
    'ar-eg': 'البيانات الشخصية ظاهرة، وقد سُجّل ذلك.',
  },
  'shared.hide': { 'en-us': 'Hide personal data', 'ar-eg': 'أخفها' },
  'shared.reservations': { 'en-us': 'Reservations', 'ar-eg': 'الحجوزات' },
  'shared.now': { 'en-us': 'Current state', 'ar-eg': 'الحالة الحالية' },
  'search.title': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.reference': { 'en-us': 'Find in all organizations', 'ar-eg': 'ابحث في كل المؤسسات' },
  'search.hint': {
    'en-us':
      'The ID or external ID of any record; a lead’s number, phone or email; a unit’s slug or ' +
      'unit ID; a webhook-id; a request ID; or the prefix of a key',
    'ar-eg':
      'معرّف أي شيء أو معرّف خارجي، أو رقم عميل محتمل أو هاتفه بأي كتابة أو بريده، أو اسم وحدة ' +
      'في العنوان أو رقمها، أو webhook-id، أو معرّف طلب، أو بادئة مفتاح كما تظهر في القائمة',
  },
  'search.results': { 'en-us': 'Matches', 'ar-eg': 'النتائج' },
  'search.none': {
    'en-us':
      'Nothing was found. A deleted lead can be found by its ID or number, not by a phone; a ' +
      'deleted unit only by its ID.',
    'ar-eg':
      'لم يُعثر على شيء. العميل المحذوف يُعثر عليه بالمعرّف أو الرقم لا بالهاتف، والوحدة ' +
      'المحذوفة بمعرّفها فقط.',
  },
  'log.title': { 'en-us': 'Operator log', 'ar-eg': 'سجل المشغّل' },
  'overview.title': { 'en-us': 'Overview', 'ar-eg': 'نظرة عامة' },
  'overview.charts': { 'en-us': 'Calls and webhooks', 'ar-eg': 'الطلبات وإشعارات الويب' },
  'overview.callsName': { 'en-us': 'Calls', 'ar-eg': 'الطلبات' },
  'overview.succeeded': { 'en-us': 'Succeeded', 'ar-eg': 'ناجحة' },
  'overview.refused': { 'en-us': 'Refused (4xx)', 'ar-eg': 'مرفوضة (4xx)' },
  'overview.failed': { 'en-us': 'Failed (5xx)', 'ar-eg': 'فاشلة (5xx)' },
  'overview.median': { 'en-us': 'Median', 'ar-eg': 'الوسيط' },
  'overview.p95': { 'en-us': 'p95', 'ar-eg': 'المئين 95' },
  'overview.latencyChart': { 'en-us': 'Response time', 'ar-eg': 'زمن الاستجابة' },
  'overview.latencyNote': {
    'en-us': 'Excludes {polls} long polls',
    'ar-eg': 'دون طلبات الانتظار الطويل التي تنتظر عن قصد: {polls}',
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
    'ar-eg': 'أحداث لم تدخل القائمة بعد',
  },
  'overview.deliveriesWaiting': { 'en-us': 'Deliveries due', 'ar-eg': 'إرسالات مستحقة' },
  'overview.database': { 'en-us': 'Database', 'ar-eg': 'قاعدة البيانات' },
  'overview.hasPrimary': { 'en-us': 'accepts writes', 'ar-eg': 'تقبل الكتابة' },
  'overview.hasNoPrimary': { 'en-us': 'accepts no writes', 'ar-eg': 'لا تقبل الكتابة' },
  'overview.connections': {
    'en-us': 'Connections in use',
    'ar-eg': 'الاتصالات المستخدمة',
  },
  'attention.title': { 'en-us': 'Needs attention', 'ar-eg': 'يحتاج إلى انتباه' },
  'attention.none': {
    'en-us': 'No problems with endpoints, partners, deliveries, keys or the database.',
    'ar-eg': 'لا شيء: نقاط الاستقبال والشركاء والإرسالات والمفاتيح وقاعدة البيانات كما ينبغي.',
  },
  'attention.unknown': {
    'en-us': 'Some checks are missing: the database did not respond in time.',
    'ar-eg': 'تعذرت قراءة كل شيء: لم ترد قاعدة البيانات في الوقت المحدد.',
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
      'No key has called yet. Issue one with "npm run cli -- key issue" and give it to the partner.',
    'ar-eg': 'لم يرسل أي مفتاح بعد. أصدر مفتاحًا بالأمر "npm run cli -- key issue" وأعطه للشريك.',
  },
  'attention.database': { 'en-us': 'No writes', 'ar-eg': 'لا كتابة' },
  'attention.databaseReason': {
    'en-us': 'The database has no primary: writes fail and requests get 503.',
    'ar-eg': 'لا يوجد خادم لقاعدة البيانات يقبل الكتابة: تتلقى الطلبات 503.',
  },
  'attention.events': { 'en-us': 'Event feed is delayed', 'ar-eg': 'قائمة الأحداث متأخرة' },
  'attention.deliveries': { 'en-us': 'Deliveries are delayed', 'ar-eg': 'الإرسالات متأخرة' },
  'attention.behind': {
    'en-us': '{count} waiting, the oldest for {time}.',
    'ar-eg': 'تنتظر {count}، أقدمها منذ {time}.',
  },
  'attention.endpoint': { 'en-us': 'Endpoint is failing', 'ar-eg': 'نقطة استقبال تفشل' },
  'attention.endpointOff': {
    'en-us': 'Endpoint is disabled',
    'ar-eg': 'توقفنا عن نقطة استقبال',
  },
  'attention.endpointFault': {
    'en-us': 'Endpoint is faulty',
    'ar-eg': 'خلل في نقطة استقبال',
  },
  'attention.failing': {
    'en-us':
      'Failing since {since} UTC. Last response: {response}. Failed attempts since then: ' +
      '{attempts}. Retries of one delivery: {retries}.',
    'ar-eg':
      'تفشل منذ {since} (UTC). آخر رد: {response}. المحاولات الفاشلة منذ ذلك: {attempts}. ' +
      'إعادات إرسال واحد: {retries}.',
  },
  'attention.off': { 'en-us': 'Disabled: {why}.', 'ar-eg': 'عُطّلت: {why}.' },
  'attention.silent': { 'en-us': 'Partner is silent', 'ar-eg': 'شريك منقطع' },
  'attention.silentReason': {
    'en-us': 'No call since {time} UTC; about {missed} were expected.',
    'ar-eg': 'لا طلبات منذ {time} (UTC)؛ المعتاد نحو {missed}.',
  },
  'attention.refused': { 'en-us': 'Partner gets errors', 'ar-eg': 'طلبات شريك مرفوضة' },
  'attention.refusedReason': {
    'en-us': '{errors} of {calls} calls in 24 hours were refused or failed.',
    'ar-eg': 'رُفض أو فشل {errors} من {calls} طلبًا خلال 24 ساعة.',
  },
  'attention.mostlyIgnored': {
    'en-us': 'Most fields ignored',
    'ar-eg': 'حقول أُهمل معظمها',
  },
  'attention.mostlyIgnoredReason': {
    'en-us':
      'In the last 24 hours, at least half of the fields were ignored in {mostlyIgnored} of ' +
      '{leads} accepted lead requests.',
    'ar-eg':
      'في {mostlyIgnored} من {leads} طلبًا مقبولًا خلال 24 ساعة لم يكن لنصف الحقول على الأقل أثر.',
  },
  'attention.key': { 'en-us': 'Key expires soon', 'ar-eg': 'مفتاح ينتهي قريبًا' },
  'attention.keyReason': {
    'en-us': 'It expires in {left} and is still in use; last call {last} UTC.',
    'ar-eg': 'ينتهي خلال {left} وهو مستخدم: آخر طلب {last} (UTC).',
  },
  'chart.by': { 'en-us': 'Chart interval', 'ar-eg': 'وحدة الرسوم' },
  'chart.by.quarter': { 'en-us': '15 minutes', 'ar-eg': '15 دقيقة' },
  'chart.by.hour': { 'en-us': 'Hour', 'ar-eg': 'ساعة' },
  'chart.by.day': { 'en-us': 'Day', 'ar-eg': 'يوم' },
  'chart.by.week': { 'en-us': 'Week', 'ar-eg': 'أسبوع' },
  'chart.table': { 'en-us': 'As a table', 'ar-eg': 'كجدول' },
  'chart.nothing': { 'en-us': 'No data for this period.', 'ar-eg': 'لا شيء في هذه المدة.' },
  'partners.title': { 'en-us': 'Partners', 'ar-eg': 'الشركاء' },
  'partners.usualWeekText': {
    'en-us': 'About {calls} calls per week; busiest hour: {day} {hour}:00 UTC, {most} calls.',
    'ar-eg': 'نحو {calls} طلبًا في الأسبوع؛ أكثرها يوم {day} من الساعة {hour}:00 (UTC): {most}.',
  },
  'partners.noUsualWeek': {
    'en-us': 'Not known yet: a week of calls is needed.',
    'ar-eg': 'غير معروف بعد: يحتاج إلى أسبوع من الطلبات.',
  },
  'partners.errorsByCode': {
    'en-us': 'Refused requests by error code',
    'ar-eg': 'الطلبات المرفوضة حسب رمز الخطأ',
  },
  'partners.otherCodes': { 'en-us': 'Other codes', 'ar-eg': 'رموز أخرى' },
  'partners.requests': {
    'en-us': 'Requests that were refused or contained ignored fields',
    'ar-eg': 'طلبات مرفوضة أو أُهملت حقول منها',
  },
  'partners.requestsAbout': {
    'en-us':
      'Newest first, without the values that were sent. A key logs up to 1,000 requests a day.',
    'ar-eg': 'الأحدث أولًا، دون القيم المرسلة. يُسجَّل للمفتاح حتى 1000 طلب في اليوم.',
  },
  'catalogue.title': { 'en-us': 'Catalogue', 'ar-eg': 'الكتالوج' },
  'catalogue.imports': { 'en-us': 'Latest imports', 'ar-eg': 'آخر عمليات الاستيراد' },
  'catalogue.units': { 'en-us': 'Units by status', 'ar-eg': 'الوحدات حسب الحالة' },
  'catalogue.unitsText': {
    'en-us': 'Units: {units}. Compounds: {compounds}.',
    'ar-eg': 'الوحدات: {units}. المجمعات: {compounds}.',
  },
  'catalogue.all': { 'en-us': 'Total', 'ar-eg': 'المجموع' },
} as const;
