export const unitTexts = {
  'unit.heading': { 'en-us': 'Unit {name}', 'ar-eg': 'الوحدة {name}' },
  'unit.reservationsCaption': {
    'en-us': 'Its reservations that are not deleted, newest first',
    'ar-eg': 'حجوزاتها غير المحذوفة، الأحدث أولاً',
  },
  'unit.changes': { 'en-us': 'Changes of its status', 'ar-eg': 'تغيّرات حالتها' },
  'unit.changesCaption': {
    'en-us': 'As far as events and callbacks are kept, newest first',
    'ar-eg': 'بقدر ما حُفظ من أحداث وطلبات إشعار، الأحدث أولاً',
  },
} as const;
