export const unitTexts = {
  'units.title': { 'en-us': 'Units', 'ar-eg': 'الوحدات' },
  'units.reference': { 'en-us': 'Unit', 'ar-eg': 'الوحدة' },
  'units.referenceHint': {
    'en-us': 'Slug, external id, unit id or id',
    'ar-eg': 'اسمها في العنوان أو المعرّف الخارجي أو رقم الوحدة أو المعرّف',
  },
  'units.noneHint': {
    'en-us': 'A deleted unit is found by its id only.',
    'ar-eg': 'الوحدة المحذوفة يُعثر عليها بمعرّفها فقط.',
  },
  'unit.title': { 'en-us': 'Unit', 'ar-eg': 'وحدة' },
  'unit.heading': { 'en-us': 'Unit {name}', 'ar-eg': 'الوحدة {name}' },
  'unit.facts': { 'en-us': 'As it is now', 'ar-eg': 'كما هي الآن' },
  'unit.slug': { 'en-us': 'Slug', 'ar-eg': 'الاسم في العنوان' },
  'unit.unitId': { 'en-us': 'Unit id', 'ar-eg': 'رقم الوحدة' },
  'unit.compound': { 'en-us': 'Compound', 'ar-eg': 'المشروع' },
  'unit.price': { 'en-us': 'Price', 'ar-eg': 'السعر' },
  'unit.reservationsCaption': {
    'en-us': 'Its reservations that are not deleted, newest first',
    'ar-eg': 'حجوزاتها غير المحذوفة، الأحدث أولاً',
  },
  'unit.changes': { 'en-us': 'Changes of its status', 'ar-eg': 'تغيّرات حالتها' },
  'unit.changesCaption': {
    'en-us':
      'As far as events and callbacks are kept, newest first; of callbacks about the reservations above',
    'ar-eg': 'بقدر ما حُفظ من أحداث وطلبات إشعار، الأحدث أولاً، ومنها طلبات الحجوزات أعلاه',
  },
  'unit.cause': { 'en-us': 'Cause', 'ar-eg': 'السبب' },
  'unit.causeCallback': { 'en-us': 'callback of reservation', 'ar-eg': 'طلب إشعار للحجز' },
  'unit.causeRequest': {
    'en-us': 'request about the unit or a reservation',
    'ar-eg': 'طلب عن الوحدة أو عن حجز',
  },
  'unit.causeImport': { 'en-us': 'import', 'ar-eg': 'استيراد' },
} as const;
