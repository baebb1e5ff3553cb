import { applyDecorators } from '@nestjs/common';
import {
  BooleanField,
  EmailField,
  ExternalIdField,
  ObjectField,
  SeparatelyValidatedItems,
  TextField,
} from '../../core/validation/fields.js';
import { AllowUnknownFields } from '../../core/validation/dto-reader.js';
import { ifText, MaxCharacters, type MessageContext, Rule } from '../../core/validation/rules.js';
import { isVisibleEmail } from '../../core/values/email.js';
import { asObject, isScalar } from '../../core/values/json.js';
import { hasAtMost } from '../../core/values/text.js';
import { type LeadPayload, knownDataKeys } from '../lead-merge.js';
import { maxPhoneLength } from '../../tenants/contacts/phone-reading.js';

/** Known keys of `data` must not hold objects, which would reach database queries (rule LEAD-4). */
function HasKnownKeys(): PropertyDecorator {
  const limit = maxPhoneLength;
  return applyDecorators(
    ...knownDataKeys.map((key) => KeyRule(key, 'isScalarOrNull', isScalarOrNone)),
    ...['phoneNumber', 'phoneNumber2'].map((key) =>
      KeyRule(
        key,
        'maxLength',
        ifText((text) => hasAtMost(limit, text)),
        { limit },
      ),
    ),
    KeyRule(
      'email',
      'isEmail',
      ifText((email) => email === '' || isVisibleEmail(email)),
      {
        property: 'email',
      },
    ),
  );
}

function KeyRule(
  key: string,
  rule: string,
  isMet: (value: unknown) => boolean,
  context: MessageContext = {},
): PropertyDecorator {
  return Rule(`${rule} ${key}`, (data) => isMet(asObject(data)[key]), {
    rule,
    property: `data.${key}`,
    ...context,
  });
}

function isScalarOrNone(value: unknown): boolean {
  return value === undefined || value === null || isScalar(value);
}

const dataDescription =
  'Arbitrary lead fields. Known keys: name, phoneNumber, phoneNumber2, email, project, leadSource ' +
  '(strings, numbers, booleans or null; an empty string or null means no value). Any ' +
  'other key is stored as sent. For a field sent both here and flat, the value here wins.';

/** A lead of `POST /leads` or of a batch (rule LEAD-4). */
@AllowUnknownFields()
export class UpsertLeadDto implements LeadPayload {
  @ExternalIdField({
    description:
      'Stable external id of the lead, used exactly as sent. Later requests with the same value ' +
      'update the same lead; without it every request creates a new one.',
    example: 'website-form-7-4711',
  })
  recordSystemId?: string;

  @ObjectField(
    {
      description: dataDescription,
      example: {
        name: 'منى السيد',
        phoneNumber: '01001234567',
        project: 'Palm Meadows',
        budget: 5e6,
      },
    },
    HasKnownKeys(),
  )
  data?: Record<string, unknown>;

  @ObjectField({
    description: 'Free-form metadata, stored as sent next to the lead data and merged on update.',
    example: { utm_source: 'newsletter' },
  })
  additionalData?: Record<string, unknown>;

  @TextField({ description: 'Stored in data.', example: 'Mona El Sayed' })
  name?: string;

  @EmailField({ description: 'Stored in data.', example: 'mona@example.com' })
  email?: string;

  @TextField(
    {
      description: "Stored in data. Any spelling that is valid in the organization's country.",
      maxLength: maxPhoneLength,
      example: '01001234567',
    },
    MaxCharacters(maxPhoneLength),
  )
  phoneNumber?: string;

  @TextField(
    { description: 'Stored in data.', maxLength: maxPhoneLength, example: '+20 122 345 6789' },
    MaxCharacters(maxPhoneLength),
  )
  phoneNumber2?: string;

  @TextField({
    description:
      'Stored in data. Links every compound of the organization that has this name in the ' +
      'language of the request, in any spelling: case, blanks and Arabic marks do not count.',
    example: 'Palm Meadows',
  })
  project?: string;
}

/** Body of `POST /leads` (rule LEAD-17). */
@AllowUnknownFields()
export class SingleLeadDto extends UpsertLeadDto {
  @DryRunField()
  dryRun?: boolean;
}

function DryRunField(): PropertyDecorator {
  return BooleanField({
    description: 'true stores nothing and returns the result that the request would have.',
    example: false,
  });
}

/** A larger transaction would delay other requests of the organization. */
const maxLeads = 100;

/** Body of `POST /leads/batch` (rule LEAD-14). */
export class LeadBatchDto {
  @SeparatelyValidatedItems(UpsertLeadDto, {
    required: true,
    maxItems: maxLeads,
    description:
      'Each lead is handled as if sent alone; a refused lead does not affect the others.',
  })
  leads!: readonly (UpsertLeadDto | null)[];

  @DryRunField()
  dryRun?: boolean;
}

export class LeadIdParam {
  @ExternalIdField({
    required: true,
    description: 'The external id of the lead, percent-encoded.',
    example: 'website-form-7-4711',
  })
  recordSystemId!: string;
}

export const leadExamples = {
  'A lead of a website': {
    recordSystemId: 'website-form-7-4711',
    name: 'منى السيد',
    email: 'mona@example.com',
    phoneNumber: '01001234567',
    project: 'Palm Meadows',
    additionalData: { utm_source: 'newsletter' },
  },
  'With custom fields': {
    recordSystemId: 'crm-4712',
    data: {
      name: 'Omar Farid',
      phoneNumber: '+20 122 345 6789',
      leadSource: 'Walk-in',
      budget: 5_000_000,
    },
  },
  'A dry run: checks a lead and stores nothing': {
    recordSystemId: 'website-form-7-4712',
    phoneNumber: '01001234570',
    dryRun: true,
  },
  'Without an id: each request creates a new lead': {
    name: 'Laila Hassan',
    email: 'laila@example.com',
    project: 'Palm Meadows',
  },
};

const parameters = { recordSystemId: '$response.body#/lead/recordSystemId' };

/** Links need an external id, so they do not work for leads without one. */
export const leadLinks = {
  read: { operationId: 'readLead', parameters },
  delete: { operationId: 'deleteLead', parameters },
};

export const leadBatchExamples = {
  'Leads that a website collected while it was offline': {
    leads: [
      { recordSystemId: 'website-form-7-4713', name: 'Youssef Adel', phoneNumber: '01001234568' },
      { recordSystemId: 'website-form-7-4714', name: 'Salma Nabil', email: 'salma@example.com' },
    ],
  },
  'A dry run': {
    leads: [{ recordSystemId: 'website-form-7-4713', phoneNumber: '01001234569' }],
    dryRun: true,
  },
};
