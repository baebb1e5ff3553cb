/** Texts of the overview. */
export const overviewTexts = {
  'overview.title': { 'en-us': 'Overview', 'ar-eg': 'نظرة عامة' },
} as const;
