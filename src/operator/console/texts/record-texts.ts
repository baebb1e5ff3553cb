export const recordTexts = {
  'lead.changes': { 'en-us': 'Changes', 'ar-eg': 'التغييرات' },
  'lead.nothingChanged': { 'en-us': 'nothing changed', 'ar-eg': 'لم يتغير شيء' },
  'lead.sentToNobody': { 'en-us': 'no subscriber', 'ar-eg': 'لا يوجد مشترك' },
  'lead.notRelayed': { 'en-us': 'not sent yet', 'ar-eg': 'لم يُرسل بعد' },
  'reservation.begins': { 'en-us': 'starts as {to}', 'ar-eg': 'يبدأ بحالة {to}' },
  'reservation.moves': { 'en-us': 'from {from} to {to}', 'ar-eg': 'من {from} إلى {to}' },
  'reservation.by.callback': { 'en-us': 'by a callback', 'ar-eg': 'بطلب إشعار' },
  'reservation.by.request': {
    'en-us': 'by POST /reservations',
    'ar-eg': 'بطلب POST /reservations',
  },
  'reservation.by.unknown': {
    'en-us': 'by another program, or older than the retention period',
    'ar-eg': 'من برنامج آخر، أو أقدم من مدة الحفظ',
  },
  'reservation.timeline': { 'en-us': 'Timeline', 'ar-eg': 'التسلسل الزمني' },
  'reservation.cut': {
    'en-us':
      'Only the last {count} callbacks are shown. "npm run cli -- reservation callbacks" lists ' +
      'all.',
    'ar-eg':
      'تظهر أحدث طلبات الإشعار فقط (عددها {count}). يعرضها كلها الأمر "npm run cli -- ' +
      'reservation callbacks".',
  },
  'reservation.nothing': {
    'en-us': 'No callbacks or events are stored for this reservation.',
    'ar-eg': 'لا توجد طلبات إشعار أو أحداث محفوظة لهذا الحجز.',
  },
  'reservation.callback': { 'en-us': 'Callback', 'ar-eg': 'طلب إشعار' },
  'reservation.accepted': { 'en-us': 'accepted ({status})', 'ar-eg': 'قُبل ({status})' },
  'reservation.refused': { 'en-us': 'rejected ({status})', 'ar-eg': 'رُفض ({status})' },
  'reservation.didNothing': { 'en-us': 'nothing', 'ar-eg': 'لا شيء' },
  'reservation.didUnknown': {
    'en-us': 'not recorded (reservation {reservation}, cheque {cheque})',
    'ar-eg': 'غير مسجّل (الحجز {reservation}، الشيك {cheque})',
  },
  'reservation.didIgnored': {
    'en-us': 'ignored: callbacks cannot set this reservation status',
    'ar-eg': 'أُهمل: لا يمكن لطلبات الإشعار تعيين حالة الحجز هذه',
  },
  'reservation.didSkipped': {
    'en-us': 'skipped: no wallet has this cheque',
    'ar-eg': 'تُخطّي: لا توجد محفظة بها هذا الشيك',
  },
  'reservation.walletRestored': { 'en-us': 'Wallet restored', 'ar-eg': 'استُعيدت المحفظة' },
  'reservation.blockedBy': { 'en-us': 'Blocked by', 'ar-eg': 'الحجوزات المانعة' },
  'reservation.cheques': { 'en-us': 'Cheques', 'ar-eg': 'الشيكات' },
  'reservation.reports': { 'en-us': 'Reports', 'ar-eg': 'البلاغات' },
  'reservation.statusHistory': { 'en-us': 'Status history', 'ar-eg': 'سجل الحالات' },
  'unit.reservationsCaption': {
    'en-us': 'Newest first, without deleted ones',
    'ar-eg': 'الأحدث أولًا، دون المحذوفة',
  },
  'unit.changes': { 'en-us': 'Status changes', 'ar-eg': 'تغيّرات الحالة' },
  'webhooks.title': { 'en-us': 'Webhooks', 'ar-eg': 'إشعارات الويب' },
  'webhooks.caption': {
    'en-us': 'Newest first; the charts show the last 24 hours',
    'ar-eg': 'الأحدث أولًا، والرسوم لآخر 24 ساعة',
  },
  'endpoint.success': { 'en-us': 'Success rate', 'ar-eg': 'نسبة النجاح' },
  'endpoint.latency': { 'en-us': 'Latency', 'ar-eg': 'زمن الاستجابة' },
  'endpoint.backlog': { 'en-us': 'Backlog', 'ar-eg': 'العمليات المتراكمة' },
  'endpoint.sparkline': {
    'en-us': '{name} over the last 24 hours: now {last}, lowest {lowest}, highest {highest}',
    'ar-eg': '{name} خلال آخر 24 ساعة: الآن {last}، الأدنى {lowest}، الأعلى {highest}',
  },
  'endpoint.noAttempts': { 'en-us': 'no attempts', 'ar-eg': 'لا توجد محاولات' },
  'endpoint.lastDay': { 'en-us': 'Last 24 hours', 'ar-eg': 'آخر 24 ساعة' },
  'endpoint.failedAttempts': { 'en-us': 'Failed attempts', 'ar-eg': 'المحاولات الفاشلة' },
  'endpoint.enable': { 'en-us': 'Enable', 'ar-eg': 'تفعيل' },
  'endpoint.replayFailed': {
    'en-us': 'Send failed deliveries again',
    'ar-eg': 'إعادة إرسال العمليات الفاشلة',
  },
  'endpoint.replayTime': {
    'en-us': 'Send deliveries of a time range again',
    'ar-eg': 'إعادة إرسال عمليات مدة زمنية',
  },
  'endpoint.since': { 'en-us': 'Created from (UTC)', 'ar-eg': 'أُنشئت منذ (UTC)' },
  'endpoint.until': { 'en-us': 'Created before (UTC)', 'ar-eg': 'أُنشئت قبل (UTC)' },
  'endpoint.onlyFailed': { 'en-us': 'Only failed deliveries', 'ar-eg': 'العمليات الفاشلة فقط' },
  'endpoint.mustBeEnabled': {
    'en-us': 'The endpoint is disabled. Enable it before you send deliveries again.',
    'ar-eg': 'نقطة الاستقبال معطّلة. فعّلها قبل إعادة الإرسال.',
  },
  'endpoint.actions': { 'en-us': 'Actions', 'ar-eg': 'الإجراءات' },
  'endpoint.deliveries': { 'en-us': 'Deliveries', 'ar-eg': 'عمليات الإرسال' },
  'endpoint.showAll': { 'en-us': 'All deliveries', 'ar-eg': 'كل عمليات الإرسال' },
  'delivery.title': { 'en-us': 'Delivery', 'ar-eg': 'عملية إرسال' },
  'delivery.copy': { 'en-us': 'Copy body', 'ar-eg': 'نسخ المحتوى' },
  'delivery.copied': { 'en-us': 'Copied', 'ar-eg': 'تم النسخ' },
  'delivery.body': { 'en-us': 'Body', 'ar-eg': 'المحتوى' },
  'delivery.cut': {
    'en-us': 'Only the first {count} characters are shown.',
    'ar-eg': 'تظهر بداية المحتوى فقط (عدد الأحرف: {count}).',
  },
  'delivery.replay': { 'en-us': 'Send again', 'ar-eg': 'إعادة الإرسال' },
  'confirm.replayDelivery': {
    'en-us': 'Send this delivery to {url} again? It keeps its id and body.',
    'ar-eg': 'هل تريد إعادة إرسال هذه العملية إلى {url}؟ يبقى معرّفها ومحتواها كما هما.',
  },
  'confirm.replayMany': {
    'en-us':
      'Send these deliveries to {url} again? {what}: {count}. They keep their ids and bodies.',
    'ar-eg':
      'هل تريد إعادة إرسال هذه العمليات إلى {url}: {what} (عددها {count})؟ تبقى معرّفاتها ' +
      'ومحتوياتها كما هي.',
  },
  'confirm.enable': {
    'en-us':
      'Enable {url} again? Events that occurred while it was disabled are not sent. Failed ' +
      'deliveries can be sent again.',
    'ar-eg':
      'هل تريد تفعيل {url} من جديد؟ الأحداث التي وقعت أثناء تعطيلها لا تُرسل. ويمكن إعادة إرسال العمليات الفاشلة.',
  },
  'confirm.yes': { 'en-us': 'Confirm', 'ar-eg': 'تأكيد' },
  'confirm.no': { 'en-us': 'Cancel', 'ar-eg': 'إلغاء' },
  'confirm.nothing': {
    'en-us': 'No delivery matches: there is nothing to send again.',
    'ar-eg': 'لا توجد عملية مطابقة: لا شيء لإعادة إرساله.',
  },
  'confirm.wrongTime': {
    'en-us': 'Enter a time range that ends after it begins, or choose failed deliveries.',
    'ar-eg': 'أدخل مدة تنتهي بعد بدايتها، أو اختر العمليات الفاشلة.',
  },
  'done.replayed': {
    'en-us':
      'Queued to be sent again: {count}. Deliveries with a running attempt are not included.',
    'ar-eg': 'أُعيدت إلى قائمة الإرسال: {count}. لا يشمل ذلك العمليات الجاري إرسالها.',
  },
  'done.before': {
    'en-us':
      'This form was already submitted. State of the action: {result}. See the operator log.',
    'ar-eg': 'سبق إرسال هذا النموذج. حالة الإجراء: {result}. انظر سجل المشغّل.',
  },
  'done.now': {
    'en-us': 'Current state: {state}. Last response: {response}.',
    'ar-eg': 'الحالة الآن: {state}. آخر رد: {response}.',
  },
  'done.enabled': { 'en-us': 'The endpoint is enabled.', 'ar-eg': 'تم تفعيل نقطة الاستقبال.' },
} as const;
