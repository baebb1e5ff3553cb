import type { Language } from '../../core/localization/language.js';

const english = {
  title: 'Integration API',
  skip: 'Skip to the content',
  menu: 'Documentation',
  reference: 'Reference',
  guides: 'Guides',
  errors: 'Errors',
  rules: 'Rules',
  signCallback: 'Sign a callback',
  search: 'Search',
  searchLabel: 'Search the documentation',
  noResult: 'Nothing was found. Try fewer or other words.',
  otherLanguage: 'بالعربية',
  theme: 'Light or dark',
  asMarkdown: 'This page as Markdown',
  guidesText: 'Each guide leads one kind of partner from the key to a working program.',
  furtherText: 'Further',
  referenceText: 'every operation, to try with your key',
  errorsText: 'cause and remedy of each `x-error-code`',
  rulesText: 'the contract in detail',
  clientText: 'a client for TypeScript and JavaScript',
  openapiText: 'OpenAPI 3.1; for generators of clients:',
  collectionText: 'for Postman',
  signText: 'try a signed callback of a cheque collector',
};

export type PageTexts = typeof english;

const arabic: PageTexts = {
  title: 'Integration API',
  skip: 'انتقل إلى المحتوى',
  menu: 'التوثيق',
  reference: 'المرجع',
  guides: 'الأدلة',
  errors: 'الأخطاء',
  rules: 'القواعد',
  signCallback: 'توقيع بلاغ',
  search: 'بحث',
  searchLabel: 'ابحث في التوثيق',
  noResult: 'لا توجد نتيجة. جرّب كلمات أقل أو غيرها.',
  otherLanguage: 'English',
  theme: 'فاتح أو داكن',
  asMarkdown: 'هذه الصفحة بصيغة Markdown',
  guidesText: 'يأخذ كل دليل نوعًا من الشركاء من المفتاح إلى برنامج يعمل.',
  furtherText: 'للاستزادة (بالإنجليزية)',
  referenceText: 'كل العمليات، وتجرّبها بمفتاحك',
  errorsText: 'سبب كل `x-error-code` وعلاجه',
  rulesText: 'العقد بالتفصيل',
  clientText: 'عميل للغتي TypeScript وJavaScript',
  openapiText: 'OpenAPI 3.1، ولمولّدات العملاء:',
  collectionText: 'لبرنامج Postman',
  signText: 'جرّب بلاغًا موقّعًا لمحصّل شيكات',
};

export const pageTexts: Readonly<Record<Language, PageTexts>> = {
  'en-us': english,
  'ar-eg': arabic,
};
