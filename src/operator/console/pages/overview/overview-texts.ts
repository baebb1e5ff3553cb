/** Texts of the overview. */
export const overviewTexts = {
  'overview.title': { 'en-us': 'Overview', 'ar-eg': 'نظرة عامة' },
  'overview.calls': { 'en-us': 'Calls since {time} UTC', 'ar-eg': 'الطلبات منذ {time} (UTC)' },
  'overview.callsName': { 'en-us': 'Calls', 'ar-eg': 'الطلبات' },
  'overview.answered': { 'en-us': 'Done', 'ar-eg': 'ناجحة' },
  'overview.refused': { 'en-us': 'Refused (4xx)', 'ar-eg': 'مرفوضة (4xx)' },
  'overview.failed': { 'en-us': 'Failed (5xx)', 'ar-eg': 'فاشلة (5xx)' },
  'overview.errors': { 'en-us': 'Errors', 'ar-eg': 'الأخطاء' },
  'overview.median': { 'en-us': 'Median', 'ar-eg': 'الوسيط' },
  'overview.p95': { 'en-us': '95 of 100 within', 'ar-eg': '95 من كل 100 خلال' },
  'overview.callsChart': { 'en-us': 'Calls a minute', 'ar-eg': 'الطلبات في الدقيقة' },
  'overview.callsChartText': {
    'en-us':
      '{calls} calls, {refused} of them refused and {failed} failed; at most {most} in a minute, at {at}.',
    'ar-eg':
      '{calls} طلبًا، رُفض منها {refused} وفشل {failed}؛ الأكثر {most} في دقيقة واحدة، عند {at}.',
  },
  'overview.latencyChart': {
    'en-us': 'Milliseconds to the end of the response',
    'ar-eg': 'زمن الاستجابة بالمللي ثانية',
  },
  'overview.latencyChartText': {
    'en-us': 'Over all, half of the calls took {median} ms at most, 95 of 100 {p95} ms.',
    'ar-eg':
      'إجمالًا استغرق نصف الطلبات {median} مللي ثانية على الأكثر، و95 من كل 100 {p95} مللي ثانية.',
  },
  'overview.byRoute': { 'en-us': 'By route', 'ar-eg': 'حسب المسار' },
  'overview.byKey': { 'en-us': 'By key', 'ar-eg': 'حسب المفتاح' },
  'overview.route': { 'en-us': 'Route', 'ar-eg': 'المسار' },
  'overview.key': { 'en-us': 'Key', 'ar-eg': 'المفتاح' },
  'overview.noKey': { 'en-us': 'without a valid key', 'ar-eg': 'دون مفتاح صالح' },
  'overview.more': { 'en-us': '{count} more are not shown.', 'ar-eg': 'لا يظهر {count} آخر.' },
  'overview.noCalls': { 'en-us': 'There were no calls.', 'ar-eg': 'لم تكن هناك طلبات.' },
  'overview.webhooks': { 'en-us': 'Webhooks', 'ar-eg': 'إشعارات الويب' },
  'overview.delivered': { 'en-us': 'Attempts that arrived', 'ar-eg': 'محاولات وصلت' },
  'overview.undelivered': { 'en-us': 'Attempts that failed', 'ar-eg': 'محاولات فشلت' },
  'overview.waiting': { 'en-us': 'Deliveries due now', 'ar-eg': 'إرسالات مستحقة الآن' },
  'overview.waitingFor': { 'en-us': 'Due for', 'ar-eg': 'مستحقة منذ' },
  'overview.eventsWaiting': { 'en-us': 'Events to be relayed', 'ar-eg': 'أحداث تنتظر التوزيع' },
  'overview.deliveriesChart': {
    'en-us': 'Attempts to deliver a minute',
    'ar-eg': 'محاولات الإرسال في الدقيقة',
  },
  'overview.deliveriesChartText': {
    'en-us': '{delivered} attempts arrived, {failed} failed.',
    'ar-eg': 'وصلت {delivered} محاولة وفشلت {failed}.',
  },
  'overview.silent': { 'en-us': 'Partners gone silent', 'ar-eg': 'شركاء انقطعوا' },
  'overview.nobodySilent': {
    'en-us': 'Every partner calls as it usually does at this time.',
    'ar-eg': 'كل الشركاء يرسلون كعادتهم في هذا الوقت.',
  },
  'overview.silentLine': {
    'en-us': 'No call since {time} UTC; about {missed} would have been usual.',
    'ar-eg': 'لا طلبات منذ {time} (UTC)؛ المعتاد نحو {missed}.',
  },
  'overview.system': { 'en-us': 'Database', 'ar-eg': 'قاعدة البيانات' },
  'overview.database': { 'en-us': 'Database', 'ar-eg': 'قاعدة البيانات' },
  'overview.hasPrimary': { 'en-us': 'takes writes', 'ar-eg': 'تقبل الكتابة' },
  'overview.hasNoPrimary': { 'en-us': 'takes no writes', 'ar-eg': 'لا تقبل الكتابة' },
  'overview.connections': {
    'en-us': 'Connections of this process in use',
    'ar-eg': 'اتصالات هذه العملية المستخدمة',
  },
  'overview.ofConnections': { 'en-us': '{used} of {open}', 'ar-eg': '{used} من {open}' },
  'overview.unknown': { 'en-us': 'not known', 'ar-eg': 'غير معروف' },
} as const;
