export const recordTexts = {
  'lead.changes': { 'en-us': 'Changes', 'ar-eg': 'التغييرات' },
  'lead.nothingChanged': { 'en-us': 'nothing changed', 'ar-eg': 'لم يتغير شيء' },
  'lead.sentToNobody': { 'en-us': 'no subscriber', 'ar-eg': 'لا مشترك' },
  'lead.notRelayed': { 'en-us': 'not sent yet', 'ar-eg': 'لم يُرسل بعد' },
  'reservation.begins': { 'en-us': 'begins as {to}', 'ar-eg': 'يبدأ بحالة {to}' },
  'reservation.moves': { 'en-us': 'from {from} to {to}', 'ar-eg': 'من {from} إلى {to}' },
  'reservation.by.callback': { 'en-us': 'by a callback', 'ar-eg': 'بطلب إشعار' },
  'reservation.by.request': {
    'en-us': 'by POST /reservations',
    'ar-eg': 'بطلب POST /reservations',
  },
  'reservation.by.unknown': {
    'en-us': 'by another program, or before the retention period',
    'ar-eg': 'ببرنامج آخر أو قبل مدة الحفظ',
  },
  'reservation.timeline': { 'en-us': 'Timeline', 'ar-eg': 'التسلسل الزمني' },
  'reservation.cut': {
    'en-us':
      'Only the last {count} callbacks are shown. "npm run cli -- reservation callbacks" lists all.',
    'ar-eg':
      'تظهر آخر {count} طلبات إشعار فقط. الأمر "npm run cli -- reservation callbacks" يعرضها كلها.',
  },
  'reservation.nothing': {
    'en-us': 'No callback or event of it is stored.',
    'ar-eg': 'لا يوجد طلب إشعار أو حدث محفوظ له.',
  },
  'reservation.callback': { 'en-us': 'Callback', 'ar-eg': 'طلب إشعار' },
  'reservation.accepted': { 'en-us': 'accepted ({status})', 'ar-eg': 'قُبل ({status})' },
  'reservation.refused': { 'en-us': 'refused ({status})', 'ar-eg': 'رُفض ({status})' },
  'reservation.didNothing': { 'en-us': 'nothing', 'ar-eg': 'لا شيء' },
  'reservation.didUnknown': {
    'en-us': 'not recorded (reservation {reservation}, cheque {cheque})',
    'ar-eg': 'غير مسجّل (الحجز {reservation}، الشيك {cheque})',
  },
  'reservation.didIgnored': {
    'en-us': 'ignored: callbacks cannot set this reservation status',
    'ar-eg': 'تُجوهل: لا تحدد طلبات الإشعار حالة الحجز هذه',
  },
  'reservation.didSkipped': {
    'en-us': 'skipped: no wallet has this cheque',
    'ar-eg': 'تُخطّي: لا محفظة لهذا الشيك',
  },
  'reservation.walletRestored': { 'en-us': 'Wallet restored', 'ar-eg': 'استُعيدت المحفظة' },
  'reservation.blockedBy': { 'en-us': 'Blocked by', 'ar-eg': 'يمنعه' },
  'reservation.report': {
    'en-us': 'Cheque {installment} reported as {status}',
    'ar-eg': 'أُبلغ عن الشيك {installment} بحالة {status}',
  },
  'reservation.reportBy': { 'en-us': 'by {source}', 'ar-eg': 'من {source}' },
  'reservation.cheques': { 'en-us': 'Cheques', 'ar-eg': 'الشيكات' },
  'reservation.reports': { 'en-us': 'Reports', 'ar-eg': 'البلاغات' },
  'reservation.statusHistory': { 'en-us': 'Status history', 'ar-eg': 'تاريخ الحالة' },
  'unit.reservationsCaption': {
    'en-us': 'Newest first, without deleted ones',
    'ar-eg': 'الأحدث أولاً، دون المحذوفة',
  },
  'unit.changes': { 'en-us': 'Status changes', 'ar-eg': 'تغيّرات الحالة' },
} as const;
