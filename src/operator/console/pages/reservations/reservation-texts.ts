export const reservationTexts = {
  'reservations.title': { 'en-us': 'Reservations', 'ar-eg': 'الحجوزات' },
  'reservations.reference': {
    'en-us': 'Reservation, unit or lead',
    'ar-eg': 'الحجز أو الوحدة أو العميل المحتمل',
  },
  'reservations.referenceHint': {
    'en-us': 'An id or external id; of a unit also its slug, of a lead also its number',
    'ar-eg': 'معرّف أو معرّف خارجي، وللوحدة اسمها في العنوان، وللعميل رقمه',
  },
  'reservations.noneHint': {
    'en-us': 'Neither a reservation has this id, nor a unit or lead with reservations.',
    'ar-eg': 'لا حجز بهذا المعرّف ولا وحدة أو عميل لهما حجوزات.',
  },
  'reservation.title': { 'en-us': 'Reservation', 'ar-eg': 'حجز' },
  'reservation.heading': { 'en-us': 'Reservation {id}', 'ar-eg': 'الحجز {id}' },
  'reservation.facts': { 'en-us': 'As it is now', 'ar-eg': 'كما هو الآن' },
  'reservation.unitStatus': { 'en-us': 'Status of the unit', 'ar-eg': 'حالة الوحدة' },
  'reservation.unitMissing': { 'en-us': 'missing', 'ar-eg': 'غير موجودة' },
  'reservation.partner': { 'en-us': 'Partner collection', 'ar-eg': 'التحصيل عن طريق الشريك' },
  'reservation.wallet': { 'en-us': 'Cheque wallet', 'ar-eg': 'محفظة الشيكات' },
  'reservation.walletNone': { 'en-us': 'none', 'ar-eg': 'لا توجد' },
  'reservation.walletDeleted': { 'en-us': 'deleted {time}', 'ar-eg': 'حُذفت {time}' },
  'reservation.approved': { 'en-us': 'Approved', 'ar-eg': 'اعتُمد' },
  'reservation.canceled': { 'en-us': 'Canceled', 'ar-eg': 'أُلغي' },
  'reservation.way': { 'en-us': 'Its way', 'ar-eg': 'مساره' },
  'reservation.wayTitle': {
    'en-us':
      'The states of a reservation, what callbacks may make of them, and the way of this one',
    'ar-eg': 'حالات الحجز وما قد تجعله طلبات الإشعار منها ومسار هذا الحجز',
  },
  'reservation.wayLegend': {
    'en-us':
      'Grey arrows: what callbacks can do. Numbered ones: the way of this reservation; broken ones by something else than a callback.',
    'ar-eg':
      'الأسهم الرمادية: ما يمكن لطلبات الإشعار فعله. المرقّمة: مسار هذا الحجز، والمتقطعة بغير طلب إشعار.',
  },
  'reservation.begins': { 'en-us': 'begins as {to}', 'ar-eg': 'يبدأ بحالة {to}' },
  'reservation.moves': { 'en-us': 'from {from} to {to}', 'ar-eg': 'من {from} إلى {to}' },
  'reservation.by.callback': { 'en-us': 'by a callback', 'ar-eg': 'بطلب إشعار' },
  'reservation.by.request': {
    'en-us': 'by POST /reservations',
    'ar-eg': 'بطلب POST /reservations',
  },
  'reservation.by.unknown': {
    'en-us': 'by another program, or longer ago than is kept',
    'ar-eg': 'ببرنامج آخر أو قبل مدة الحفظ',
  },
  'reservation.timeline': { 'en-us': 'What happened', 'ar-eg': 'ماذا حدث' },
  'reservation.cut': {
    'en-us':
      'There were more callbacks before these {count}: npm run cli -- reservation callbacks lists them.',
    'ar-eg':
      'سبقت هذه الطلبات ({count}) طلبات أخرى: يعرضها الأمر npm run cli -- reservation callbacks.',
  },
  'reservation.nothing': {
    'en-us': 'Nothing is kept of what happened to it.',
    'ar-eg': 'لا يوجد سجل لما حدث له.',
  },
  'reservation.callback': { 'en-us': 'Callback', 'ar-eg': 'طلب إشعار' },
  'reservation.accepted': { 'en-us': 'accepted ({status})', 'ar-eg': 'قُبل ({status})' },
  'reservation.refused': { 'en-us': 'refused ({status})', 'ar-eg': 'رُفض ({status})' },
  'reservation.sent': { 'en-us': 'Sent', 'ar-eg': 'المُرسل' },
  'reservation.otherFields': { 'en-us': 'Unknown fields', 'ar-eg': 'حقول غير معروفة' },
  'reservation.why': { 'en-us': 'Why', 'ar-eg': 'السبب' },
  'reservation.did': { 'en-us': 'What it did', 'ar-eg': 'ما فعله' },
  'reservation.didNothing': { 'en-us': 'nothing', 'ar-eg': 'لا شيء' },
  'reservation.didUnknown': {
    'en-us': 'was not recorded (reservation {reservation}, cheque {cheque})',
    'ar-eg': 'لم يُسجَّل (الحجز {reservation}، الشيك {cheque})',
  },
  'reservation.didReservation': { 'en-us': 'Reservation', 'ar-eg': 'الحجز' },
  'reservation.didCheque': { 'en-us': 'Cheque', 'ar-eg': 'الشيك' },
  'reservation.didUnit': { 'en-us': 'Unit', 'ar-eg': 'الوحدة' },
  'reservation.didIgnored': {
    'en-us': 'the sent reservation status is one that callbacks do not decide',
    'ar-eg': 'حالة الحجز المرسلة ليست مما تقرره طلبات الإشعار',
  },
  'reservation.didSkipped': {
    'en-us': 'no wallet has this cheque: its report was skipped',
    'ar-eg': 'لا محفظة لهذا الشيك فتُجوهل تقريره',
  },
  'reservation.didWallet.deleted': { 'en-us': 'Wallet deleted', 'ar-eg': 'حُذفت المحفظة' },
  'reservation.didWallet.restored': { 'en-us': 'Wallet restored', 'ar-eg': 'استُعيدت المحفظة' },
  'reservation.event.created': { 'en-us': 'Reservation created', 'ar-eg': 'أُنشئ الحجز' },
  'reservation.event.updated': { 'en-us': 'Reservation changed', 'ar-eg': 'عُدّل الحجز' },
  'reservation.event.walletCreated': { 'en-us': 'Wallet created', 'ar-eg': 'أُنشئت المحفظة' },
  'reservation.event.walletDeleted': { 'en-us': 'Wallet deleted', 'ar-eg': 'حُذفت المحفظة' },
  'reservation.event.walletRestored': { 'en-us': 'Wallet restored', 'ar-eg': 'استُعيدت المحفظة' },
  'reservation.report': {
    'en-us': 'Cheque {installment} reported as {status}',
    'ar-eg': 'أُبلغ عن الشيك {installment} بحالة {status}',
  },
  'reservation.reportBy': { 'en-us': 'by {source}', 'ar-eg': 'من {source}' },
  'reservation.cheques': { 'en-us': 'Cheques', 'ar-eg': 'الشيكات' },
  'reservation.chequesCaption': {
    'en-us': 'The cheques of all its wallets with the reports about them',
    'ar-eg': 'شيكات كل محافظه مع ما أُبلغ عنها',
  },
  'reservation.installment': { 'en-us': 'Installment', 'ar-eg': 'القسط' },
  'reservation.number': { 'en-us': 'Number', 'ar-eg': 'الرقم' },
  'reservation.amount': { 'en-us': 'Amount', 'ar-eg': 'المبلغ' },
  'reservation.due': { 'en-us': 'Due', 'ar-eg': 'الاستحقاق' },
  'reservation.reports': { 'en-us': 'Reports', 'ar-eg': 'البلاغات' },
  'reservation.moreReports': { 'en-us': '{count} before these', 'ar-eg': '{count} قبل هذه' },
} as const;
