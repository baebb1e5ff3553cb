export const reservationTexts = {
  'reservation.heading': { 'en-us': 'Reservation {id}', 'ar-eg': 'الحجز {id}' },
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
  'reservation.didNothing': { 'en-us': 'nothing', 'ar-eg': 'لا شيء' },
  'reservation.didUnknown': {
    'en-us': 'was not recorded (reservation {reservation}, cheque {cheque})',
    'ar-eg': 'لم يُسجَّل (الحجز {reservation}، الشيك {cheque})',
  },
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
  'reservation.inTheWay': { 'en-us': 'In the way', 'ar-eg': 'الحجز المانع' },
  'reservation.report': {
    'en-us': 'Cheque {installment} reported as {status}',
    'ar-eg': 'أُبلغ عن الشيك {installment} بحالة {status}',
  },
  'reservation.reportBy': { 'en-us': 'by {source}', 'ar-eg': 'من {source}' },
  'reservation.cheques': { 'en-us': 'Cheques', 'ar-eg': 'الشيكات' },
  'reservation.chequesCaption': {
    'en-us': 'The cheques of all its wallets',
    'ar-eg': 'شيكات كل محافظه',
  },
  'reservation.reports': { 'en-us': 'Reports', 'ar-eg': 'البلاغات' },
  'reservation.reportsCaption': {
    'en-us': 'Every report about the cheques, newest first',
    'ar-eg': 'كل ما أُبلغ به عن الشيكات، الأحدث أولاً',
  },
  'reservation.statusHistory': { 'en-us': 'Status history', 'ar-eg': 'تاريخ الحالة' },
} as const;
