export const searchTexts = {
  'search.title': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.submit': { 'en-us': 'Search', 'ar-eg': 'بحث' },
  'search.reference': { 'en-us': 'Find in all organizations', 'ar-eg': 'ابحث في كل المؤسسات' },
  'search.hint': {
    'en-us':
      'An id of anything, or an external id; a lead’s number, phone in any spelling or email; a unit’s slug or unit id; a webhook-id; a request id; the beginning of a key',
    'ar-eg':
      'معرّف أي شيء أو معرّف خارجي، أو رقم عميل محتمل أو هاتفه بأي كتابة أو بريده، أو اسم وحدة في العنوان أو رقمها، أو webhook-id، أو معرّف طلب، أو بداية مفتاح',
  },
  'search.none': {
    'en-us':
      'Nothing was found. A deleted lead is found by its id or number, not by a phone; a deleted unit by its id only.',
    'ar-eg':
      'لم يُعثر على شيء. العميل المحذوف يُعثر عليه بالمعرّف أو الرقم لا بالهاتف، والوحدة المحذوفة بمعرّفها فقط.',
  },
  'search.hits': { 'en-us': 'Several fit', 'ar-eg': 'عدة نتائج' },
  'search.name': { 'en-us': 'Name', 'ar-eg': 'الاسم' },
  'search.differs': { 'en-us': 'What differs', 'ar-eg': 'ما يميّزها' },
  'search.kind.lead': { 'en-us': 'lead', 'ar-eg': 'عميل محتمل' },
  'search.kind.reservation': { 'en-us': 'reservation', 'ar-eg': 'حجز' },
  'search.kind.unit': { 'en-us': 'unit', 'ar-eg': 'وحدة' },
  'search.kind.delivery': { 'en-us': 'delivery', 'ar-eg': 'عملية إرسال' },
  'search.kind.endpoint': { 'en-us': 'endpoint', 'ar-eg': 'نقطة استقبال' },
  'search.kind.key': { 'en-us': 'key', 'ar-eg': 'مفتاح' },
  'search.kind.event': { 'en-us': 'changed by the request', 'ar-eg': 'غيّره الطلب' },
} as const;
