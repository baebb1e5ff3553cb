/** Texts of the page about catalogues. */
export const catalogueTexts = {
  'catalogue.title': { 'en-us': 'Catalogue', 'ar-eg': 'الكتالوج' },
  'catalogue.show': { 'en-us': 'Show', 'ar-eg': 'عرض' },
  'catalogue.noOrganization': {
    'en-us': 'There is no organization yet.',
    'ar-eg': 'لا توجد مؤسسة بعد.',
  },
  'catalogue.imports': { 'en-us': 'The last imports', 'ar-eg': 'آخر عمليات الاستيراد' },
  'catalogue.noImports': {
    'en-us': 'Nothing was imported by this service yet.',
    'ar-eg': 'لم تستورد هذه الخدمة شيئًا بعد.',
  },
  'catalogue.units': { 'en-us': 'Units by status', 'ar-eg': 'الوحدات حسب الحالة' },
  'catalogue.noUnits': { 'en-us': 'There are no units.', 'ar-eg': 'لا توجد وحدات.' },
  'catalogue.unitsText': {
    'en-us': 'Units: {units}. Compounds: {compounds}.',
    'ar-eg': 'الوحدات: {units}. المجمعات: {compounds}.',
  },
  'catalogue.available': { 'en-us': 'Available', 'ar-eg': 'متاحة' },
  'catalogue.reserved': { 'en-us': 'Reserved', 'ar-eg': 'محجوزة' },
  'catalogue.sold': { 'en-us': 'Sold', 'ar-eg': 'مباعة' },
  'catalogue.other': { 'en-us': 'Other', 'ar-eg': 'غير ذلك' },
  'catalogue.all': { 'en-us': 'Total', 'ar-eg': 'المجموع' },
  'catalogue.more': {
    'en-us': '{count} compounds with fewer units are not shown.',
    'ar-eg': 'لا يظهر {count} مجمعًا بوحدات أقل.',
  },
} as const;
