export const leadTexts = {
  'lead.heading': { 'en-us': 'Lead {number}', 'ar-eg': 'العميل المحتمل {number}' },
  'lead.fields': { 'en-us': 'Fields', 'ar-eg': 'الحقول' },
  'lead.clientNone': { 'en-us': 'It has no client.', 'ar-eg': 'ليس له عميل.' },
  'lead.changes': { 'en-us': 'Changes', 'ar-eg': 'التغييرات' },
  'lead.changesCaption': {
    'en-us': 'Which request changed what, newest first',
    'ar-eg': 'أي طلب غيّر ماذا، الأحدث أولاً',
  },
  'lead.nothingChanged': { 'en-us': 'nothing changed', 'ar-eg': 'لم يتغير شيء' },
  'lead.moreFields': { 'en-us': 'and {count} more', 'ar-eg': 'و{count} غيرها' },
  'lead.events': { 'en-us': 'Events', 'ar-eg': 'الأحداث' },
  'lead.eventsCaption': {
    'en-us': 'Its events and their receivers, newest first',
    'ar-eg': 'ماذا أُبلغ عنه ولمن، الأحدث أولاً',
  },
  'lead.sentToNobody': { 'en-us': 'no subscriber', 'ar-eg': 'لا مشترك' },
  'lead.notRelayed': { 'en-us': 'not sent yet', 'ar-eg': 'لم يُرسل بعد' },
  'lead.others': {
    'en-us': 'Other leads of the person',
    'ar-eg': 'عملاء محتملون آخرون للشخص نفسه',
  },
  'lead.othersCaption': {
    'en-us': 'Leads with one of its phones, or with its client',
    'ar-eg': 'من لهم أحد هواتفه أو لهم العميل نفسه',
  },
  'lead.reservationsCaption': {
    'en-us': 'Reservations for this lead, newest first',
    'ar-eg': 'حجوزات هذا العميل، الأحدث أولاً',
  },
} as const;
