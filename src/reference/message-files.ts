import { join } from 'node:path';
import { I18nJsonLoader } from 'nestjs-i18n';

const folders = [
  'core/localization',
  'tenants/keys',
  'leads',
  'reservations',
  'compounds',
  'units',
  'events',
];

/** Each feature has its own messages, in `messages/<language>/<first part of the key>.json`. */
export const messageFiles = folders.map(
  (folder) =>
    new I18nJsonLoader({ path: join(import.meta.dirname, '..', folder, 'messages'), watch: false }),
);
