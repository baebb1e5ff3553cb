/** Requests of `POST /leads` for the reference. */
export const leadExamples = {
  'A lead of a website': {
    recordSystemId: 'website-form-7-4711',
    name: 'منى السيد',
    email: 'mona@example.com',
    phoneNumber: '01001234567',
    project: 'Palm Meadows',
    additionalData: { utm_source: 'newsletter' },
  },
  'With fields of your own': {
    recordSystemId: 'crm-4712',
    data: {
      name: 'Omar Farid',
      phoneNumber: '+20 122 345 6789',
      leadSource: 'Walk-in',
      budget: 5_000_000,
    },
  },
  'Without an id: each request makes a new lead': {
    name: 'Laila Hassan',
    email: 'laila@example.com',
    project: 'Palm Meadows',
  },
};

const parameters = { recordSystemId: '$response.body#/lead/recordSystemId' };

/** What the response to `POST /leads` leads to; without an external id nothing. */
export const leadLinks = {
  read: { operationId: 'readLead', parameters },
  delete: { operationId: 'deleteLead', parameters },
};

/** Requests of `POST /leads/batch` for the reference. */
export const leadBatchExamples = {
  'What a website gathered while it was offline': {
    leads: [
      { recordSystemId: 'website-form-7-4713', name: 'Youssef Adel', phoneNumber: '01001234568' },
      { recordSystemId: 'website-form-7-4714', name: 'Salma Nabil', email: 'salma@example.com' },
    ],
  },
  'What it would do': {
    leads: [{ recordSystemId: 'website-form-7-4713', phoneNumber: '01001234569' }],
    dryRun: true,
  },
};
