import { nationalPhone, e164, recordSystemIdOf } from '../data/names.mjs';
import { personOf } from '../data/people.mjs';
import { sizes } from '../data/sizes.mjs';

const organization = sizes.smallOrganizations;
const known = { ...personOf(organization, 3), recordSystemId: recordSystemIdOf(organization, 3) };

function posts(entries) {
  return entries.map(([name, body, headers]) => [
    name,
    { path: '/leads', body, headers, organization },
  ]);
}

/** What is posted to service and reference one after the other. */
export const leadPosts = posts([
  [
    'a new lead',
    {
      recordSystemId: 'a',
      name: 'Nour',
      phoneNumber: '01500000001',
      project: `VILLAGE ${organization} 4`,
    },
  ],
  ['the same again', { recordSystemId: 'a', name: 'Nour', phoneNumber: '01500000001' }],
  ['another spelling of its phone', { recordSystemId: 'a', phoneNumber: '+20 150 0000 001' }],
  [
    'a merge',
    { recordSystemId: 'a', data: { budget: 5, nested: { b: [1] } }, additionalData: { utm: 'x' } },
  ],
  ['a replaced key', { recordSystemId: 'a', data: { nested: { c: 2 }, name: null }, name: 'Flat' }],
  ['a lead without id', { email: 'Nour@Example.com', phoneNumber: '01500000002' }],
  ['a client found by email', { recordSystemId: 'b', email: 'nour@example.COM', name: 'Nour B' }],
  ['a client found by phone', { recordSystemId: 'b', data: { phoneNumber2: '01500000003' } }],
  ['a duplicate phone', { recordSystemId: 'c', phoneNumber: '00201500000001' }],
  ['a duplicate of a loaded phone', { phoneNumber: e164(nationalPhone(organization, 7)) }],
  ['no phone', { recordSystemId: 'd', phoneNumber: 'N/A', name: 'Nobody' }],
  [
    'a phone that does not parse',
    { recordSystemId: 'e', phoneNumber: '99 99 99', name: 'Somebody' },
  ],
  ['nobody', { recordSystemId: 'f', data: { note: 'only a note' } }],
  [
    'a loaded lead as it is',
    { recordSystemId: known.recordSystemId, phoneNumber: known.phoneNumber },
  ],
  ['a loaded lead with a new name', { ...known, name: 'Renamed' }],
  ['a loaded lead with a new phone', { ...known, phoneNumber2: '01500000009' }],
  [
    'a project in Arabic',
    { recordSystemId: 'a', project: `Village ${organization} 5 بالعربية` },
    { language: 'ar-eg' },
  ],
  ['a reference', { recordSystemId: 'a', data: { $ref: 'x', $id: 1 } }],
  ['an invalid email', { recordSystemId: 'a', email: 'nobody' }],
  ['an object for a phone', { recordSystemId: 'a', data: { phoneNumber: {} } }],
  ['a list for a body', []],
]);
