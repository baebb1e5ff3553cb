const scalar = { type: ['string', 'number', 'boolean', 'null'] };
const phone = { type: 'string', minLength: 1, maxLength: 64 };
const text = { type: 'string', minLength: 1 };
const email = { type: 'string', format: 'email' };

/** Body of `POST /leads`. */
export const leadSchema = {
  type: 'object',
  properties: {
    recordSystemId: { type: 'string', minLength: 1, maxLength: 1_024 },
    name: text,
    email,
    phoneNumber: phone,
    phoneNumber2: phone,
    project: text,
    additionalData: { type: 'object' },
    data: {
      type: 'object',
      properties: {
        name: scalar,
        project: scalar,
        leadSource: scalar,
        phoneNumber: { ...scalar, maxLength: 64 },
        phoneNumber2: { ...scalar, maxLength: 64 },
        email: { anyOf: [email, { const: '' }, { type: ['number', 'boolean', 'null'] }] },
      },
    },
  },
};
