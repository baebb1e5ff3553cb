export const operatorLogTexts = {
  'log.title': { 'en-us': 'Operator log', 'ar-eg': 'سجل المشغّل' },
  'log.caption': {
    'en-us': 'What was done or shown in this console and on the command line, newest first',
    'ar-eg': 'ما فُعل أو أُظهر في هذه اللوحة وفي سطر الأوامر، الأحدث أولاً',
  },
} as const;
