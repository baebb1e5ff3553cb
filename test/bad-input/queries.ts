type Row = readonly [query: string, ...messages: string[]];

const positive = (field: string) => `${field} must be a positive number`;
const switched = (field: string) => `${field} must be 0 or 1`;
const plain = (field: string) => `${field} must be a plain number that is not negative`;
const time = 'updatedSince must be an ISO 8601 date';
const values = (field: string) => `${field} must be one or more values separated by commas`;
const characters = 'must not contain null characters or unpaired surrogates';

/** Queries that are refused, by the path of the list. */
export const badQueries: Readonly<Record<string, readonly Row[]>> = {
  '/compounds': [
    ...['page=0', 'page=-1', 'page=1e2', 'page=1.5', 'page=', 'page=1&page=2'].map((query): Row => [
      query,
      positive('page'),
    ]),
    ['page[a]=1&page=%200x1', positive('page')],
    ['page=9007199254740992', positive('page')],
    ['limit=0', positive('limit')],
    ['limit=ten', positive('limit')],
    ['limit=101', 'limit must not exceed 100'],
    ['limit=99999999999999999999', 'limit must not exceed 100'],
    ['all=2', switched('all')],
    ['all=true&page=0', positive('page'), switched('all')],
    ['updatedSince=yesterday', time],
    ['updatedSince=2026-02-30', time],
    ['includeDeleted=yes', switched('includeDeleted')],
  ],
  '/units': [
    ['colour=red', 'colour is not a known parameter'],
    ['api-key=x', 'api-key is not a known parameter'],
    ['page=0', positive('page')],
    ['limit=101', 'limit must not exceed 100'],
    ['all=1', 'all is not a known parameter'],
    ['status=', values('status')],
    ['status=a,,b', values('status')],
    ['unitId=a&unitId=b', values('unitId')],
    ['compound=nowhere', 'compound not found: nowhere'],
    [
      'compound=lake,moon&phase=x&propertyType=castle&unitDesign=y',
      'compound not found: moon',
      'phase not found: x',
      'unitDesign not found: y',
      'propertyType not found: castle',
    ],
    ['unitId=a%00', `unitId ${characters}`],
    ['minPrice=-1', plain('minPrice')],
    ['minPrice=1e3', plain('minPrice')],
    ['maxBua=99999999999999999999', plain('maxBua')],
    ['minBeds=1&minBeds=2', plain('minBeds')],
    ['updatedSince=1700000000', time],
    ...['colour', 'price,-price', ''].map((sort): Row => [
      `sort=${sort}`,
      'sort must be a comma-separated list of createdAt, updatedAt, price, bua, beds, name, unitId, status, each at most once; prefix a field with - for descending order',
    ]),
    ['format=csv', 'format is not a known parameter'],
  ],
  '/units/export/all': [
    ['format=xml', 'format must be one of the following values: json, csv, ndjson'],
    ['page=1', 'page is not a known parameter'],
    ['maxPrice=x', plain('maxPrice')],
  ],
  '/leads': [
    ['', 'recordSystemId must be a string'],
    ['recordSystemId=', 'recordSystemId should not be empty'],
    ['recordSystemId=a&recordSystemId=b', 'recordSystemId must be a string'],
    ['recordSystemId=a%00', `recordSystemId ${characters}`],
    ['recordSystemId=a&page=1', 'page is not a known parameter'],
  ],
};
