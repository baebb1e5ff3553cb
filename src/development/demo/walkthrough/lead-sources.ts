import { type DemoPhone, demoPhone } from './demo-phone.js';

type Fields = Readonly<Record<string, unknown>>;

/** A lead as integrators post it: known fields mapped, the payload of the source kept with them. */
interface DemoLeadSource {
  readonly source: string;
  readonly body: {
    readonly recordSystemId: string;
    readonly data: Fields;
    readonly additionalData: Fields;
  };
}

/** Who asks. */
interface Person {
  readonly id: string;
  readonly phone: DemoPhone;
  readonly email: string;
}

const sources = {
  'Meta lead ads': metaLead,
  'Google lead form': googleLead,
  Typeform: typeformLead,
  'Elementor form': elementorLead,
  'Gravity Forms': gravityFormsLead,
} as const;
const firstPhone = 2;
const firstId = 4_180;

/** One lead of each source that partners connect, in the shape in which that source sends it. */
export function demoLeadSources(): DemoLeadSource[] {
  return Object.entries(sources).map(([source, leadOf], index) => {
    const id = `${firstId + index}`;
    const phone = demoPhone(firstPhone + index);
    return { source, body: leadOf({ id, phone, email: `visitor.${id}@example.com` }) };
  });
}

function metaLead({ id, phone, email }: Person): DemoLeadSource['body'] {
  return {
    recordSystemId: `meta:${id}`,
    data: {
      name: 'سارة فؤاد',
      email,
      phoneNumber: phone.e164,
      leadSource: 'facebook',
      id,
      created_time: '2026-03-02T14:05:11+0000',
      is_organic: false,
      platform: 'fb',
      field_data: [
        { name: 'full_name', values: ['سارة فؤاد'] },
        { name: 'phone_number', values: [phone.e164] },
        { name: 'ما_نوع_الوحدة؟', values: ['شقة', 'تاون هاوس'] },
        { name: 'الحي', values: [] },
      ],
      custom_disclaimer_responses: [{ checkbox_key: 'marketing_email', is_checked: '' }],
    },
    additionalData: { ad_id: '120210000000000101', form_id: '700000000000001' },
  };
}

function googleLead({ id, phone, email }: Person): DemoLeadSource['body'] {
  return {
    recordSystemId: `google:${id}`,
    data: {
      name: 'Karim Adel',
      email,
      phoneNumber: phone.e164,
      leadSource: 'google',
      lead_id: id,
      user_column_data: [
        { column_name: 'Full Name', string_value: 'Karim Adel', column_id: 'FULL_NAME' },
        { column_name: 'User Phone', string_value: phone.e164, column_id: 'PHONE_NUMBER' },
        // Google leaves the column's name out for some questions.
        { string_value: '3', column_id: 'NUMBER_OF_BEDROOMS' },
      ],
      api_version: '1.0',
      is_test: false,
      gcl_id: `EAIaIQobChMI-${id}`,
    },
    additionalData: { form_id: 40_000_000_001, campaign_id: 20_000_000_001 },
  };
}

function typeformLead({ id, phone, email }: Person): DemoLeadSource['body'] {
  return {
    recordSystemId: `typeform:${id}`,
    data: {
      name: 'ياسمين علي',
      email,
      phoneNumber: phone.e164,
      leadSource: 'typeform',
      definition: {
        id: 'lT4Z3j',
        title: 'احجز زيارة للموقع',
        fields: [
          { id: 'Vn3kPq8sT1aB', title: 'رقم الموبايل؟', type: 'phone_number', ref: 'phone' },
          { id: 'RUqkXSeXBXSd', title: 'للاستثمار؟', type: 'yes_no', ref: 'invest.purpose' },
        ],
      },
      answers: [
        { type: 'phone_number', phone_number: phone.e164, field: { id: 'Vn3kPq8sT1aB' } },
        { type: 'boolean', boolean: false, field: { id: 'RUqkXSeXBXSd' } },
      ],
      hidden: { utm_source: 'newsletter', broker_id: '' },
      variables: [{ key: 'score', type: 'number', number: 9 }],
    },
    additionalData: { event_id: `LtWXD3-${id}`, event_type: 'form_response', token: id },
  };
}

function elementorLead({ id, phone, email }: Person): DemoLeadSource['body'] {
  return {
    recordSystemId: `elementor:${id}`,
    data: {
      name: 'Hoda Salem',
      email,
      phoneNumber: phone.spaced,
      leadSource: 'website',
      form: { id: '7c2b4f9', name: 'نموذج التواصل' },
      fields: {
        field_3d1a2b4: {
          id: 'field_3d1a2b4',
          type: 'tel',
          title: 'الموبايل',
          value: phone.spaced,
          raw_value: phone.spaced,
          // The form is sent URL-encoded, so PHP's true arrives as text.
          required: '1',
        },
      },
      meta: { page_url: { title: 'Page URL', value: 'https://example.com/palm-meadows/' } },
    },
    additionalData: { landing_page: 'palm-meadows' },
  };
}

function gravityFormsLead({ id, phone, email }: Person): DemoLeadSource['body'] {
  return {
    recordSystemId: `gravityforms:4:${id}`,
    data: {
      name: 'محمود حسن',
      email,
      phoneNumber: phone.arabic,
      leadSource: 'website',
      id,
      form_id: '4',
      post_id: null,
      date_created: '2026-03-08 11:22:33',
      is_starred: '0',
      // Parts of a field are numbered with a dot.
      '1.3': 'محمود',
      '1.6': 'حسن',
      '3': phone.arabic,
      '5.1': 'Apartment',
      '5.2': '',
      '8': '["Morning","Evening"]',
    },
    additionalData: { 'form.title': 'احجز الآن', blog_id: 1 },
  };
}
