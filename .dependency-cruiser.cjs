/**
 * The rooms of `src` from the ground up: each builds on those before it, never on those behind it. Rooms
 * of one row do not know each other, but for features by their doors.
 */
const rows = [
  ['core'],
  ['events'],
  ['tenants'],
  ['webhooks'],
  ['availability', 'catalogue'],
  ['compounds', 'health', 'leads', 'reservations', 'units'],
  ['operator', 'reference'],
  ['development'],
];

const feature = rows[5].join('|');

/** They start the service, or make an application of its modules. */
const starters = '^src/(development/demo|operator/cli|reference/generate)';

/** A room and all that it must not know. */
const downOnly = rows.slice(0, -1).map((rooms, row) => ({
  name: `${rooms.join('-')}-look-down-only`,
  comment:
    'Arrows go down: operator, features, availability and catalogue, webhooks, tenants, events, core.',
  severity: 'error',
  from: { path: `^src/(${rooms.join('|')})/`, pathNot: starters },
  to: {
    path: `^src/(${rows
      .slice(row + 1)
      .flat()
      .join('|')})/|^src/[^/]+$`,
  },
}));

/** Repositories that other features query: a service would only repeat their methods. */
const sharedRepositories = [
  '^src/(availability/unit-reservations|catalogue/catalogue)\\.repository\\.ts$',
  '^src/leads/leads\\.repository\\.ts$',
  '^src/tenants/(change-log/change-log|organizations/(organizations|users))\\.repository\\.ts$',
];

/** What a feature shows to the others: its service, its module, and plain values and types. */
const doors = [
  '\\.(service|module)\\.ts$',
  '-errors\\.ts$',
  '^src/availability/availability\\.ts$',
  '^src/leads/dto/lead\\.dto\\.ts$',
  '^src/reservations/transitions\\.ts$',
  ...sharedRepositories,
];

/**
 * Who may query all organizations at once (rule DATA-10). Every other query names the organization:
 * the collections that it is given take none without.
 */
const acrossTenants = [
  // A key is looked up before its organization is known.
  '^src/tenants/keys/api-keys\\.service\\.ts$',
  // The background pass derives keys of phones stored by other programs, of all organizations.
  '^src/leads/phones/lead-phone-keys\\.ts$',
  // A restore may bring back erased data of any organization.
  '^src/operator/erasure/erasures\\.service\\.ts$',
  // The relay finds the organizations that have events without a number.
  '^src/events/outbox/event-relay\\.ts$',
  // The worker leases due endpoints of all organizations; the operator names endpoints and deliveries by id.
  '^src/webhooks/endpoints/(secret-keys|webhook-endpoints\\.service)\\.ts$',
  '^src/webhooks/deliveries/(delivery-queue\\.repository|webhook-deliveries\\.service)\\.ts$',
  '^src/webhooks/statistics/webhook-statistics\\.service\\.ts$',
  // Its page shows actions for all organizations.
  '^src/operator/audit/operator-log\\.service\\.ts$',
  // Defined here.
  '^src/core/database/documents/tenant-collections\\.module\\.ts$',
];

/** Decisions as functions: time and data come as arguments, so that tables can test them. */
const pure = [
  '-merge\\.ts$',
  '^src/(core/)?[^/]+/[^/]+-errors\\.ts$',
  '^src/core/http/errors/([\\w-]+-errors|domain-error)\\.ts$',
  '^src/core/idempotency/idempotency-key\\.ts$',
  '^src/core/localization/(fold-case|language|localized)\\.ts$',
  '^src/core/secrets/secret-box\\.ts$',
  '^src/core/values/',
  '^src/events/outbox/event-types\\.ts$',
  '^src/leads/phones/lead-phones\\.ts$',
  '^src/reservations/(cheques/cheques|reservation-state|transitions)\\.ts$',
  '^src/tenants/(change-log/field-changes|contacts/(contact|phone-number))\\.ts$',
  '^src/availability/availability\\.ts$',
  '^src/webhooks/[^/]+/(addresses|attempt-outcome)\\.ts$',
];

const entries = '^src/(main|cli|reference/generate)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that need each other cannot be understood or tested one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...downOnly,
    {
      name: 'feature-through-its-door',
      comment: 'A feature uses another one through its service, never through its insides.',
      severity: 'error',
      from: { path: `^src/(${feature})/` },
      to: { path: `^src/(${feature})/`, pathNot: ['^src/$1/', ...doors] },
    },
    {
      name: 'units-know-no-reservations',
      comment: 'Reservations change units; units read reservations through `availability`.',
      severity: 'error',
      from: { path: '^src/units/' },
      to: { path: '^src/reservations/' },
    },
    {
      name: 'catalogue-carries-compounds-and-units',
      comment: 'Others read and write the catalogue through the services of compounds and units.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(catalogue|compounds|units|development|operator/catalogue-import)/',
      },
      to: { path: '^src/catalogue/', pathNot: doors },
    },
    {
      name: 'storage-stays-inside',
      comment:
        'Repositories and schemas are known in their own folder only, but for the shared availability.',
      severity: 'error',
      from: {
        path: '^src/([^/]+)',
        pathNot: '^src/(compounds|units|development|operator|webhooks)/',
      },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/$1/', '^src/availability/', '^src/core/database/', ...sharedRepositories],
      },
    },
    {
      name: 'storage-of-the-catalogue',
      comment: 'Compounds and units know their own storage and that of the catalogue.',
      severity: 'error',
      from: { path: '^src/(compounds|units)/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/$1/', '^src/core/database/', '^src/catalogue/', ...sharedRepositories],
      },
    },
    {
      name: 'webhooks-relay-events',
      comment: 'Webhooks know their own storage and the outbox that they relay.',
      severity: 'error',
      from: { path: '^src/webhooks/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/webhooks/', '^src/core/database/', '^src/events/outbox/'],
      },
    },
    {
      name: 'edges-take-only-types-of-documents',
      comment: 'The command line and the demo show documents and query them through services.',
      severity: 'error',
      from: { path: '^src/(development/demo|operator/cli)/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: sharedRepositories,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'edges-use-services',
      comment: 'The command line and the demo use features as the features use each other.',
      severity: 'error',
      from: { path: '^src/(development/demo|operator/cli)/' },
      to: { path: `^src/(${feature})/`, pathNot: [...doors, '\\.schema\\.ts$'] },
    },
    {
      name: 'console-is-an-edge',
      comment: 'Pages call features as the features call each other.',
      severity: 'error',
      from: { path: '^src/operator/console/' },
      to: {
        path: `^src/(${feature}|development|operator/cli)/|\\.(repository|schema)\\.ts$`,
        pathNot: doors,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-is-served-by-operations',
      comment: 'Nothing else needs to know that there are pages.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/operator/(console|operations)/' },
      to: { path: '^src/operator/console/' },
    },
    {
      name: 'queries-name-their-tenant',
      comment: 'All other code gets collections that accept no query without an organization.',
      severity: 'error',
      from: { path: '^src/', pathNot: acrossTenants },
      to: { path: '^src/core/database/documents/across-tenants\\.ts$' },
    },
    {
      name: 'repositories-and-services-query',
      comment:
        'Controllers, pages, commands and decisions call a service or get documents as arguments.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '\\.(repository|service)\\.ts$',
          '^src/core/database/',
          '^src/(events/outbox/outbox|webhooks/deliveries/webhook-fan-out)\\.ts$',
        ],
      },
      to: { path: '^src/core/database/documents/tenant-collection\\.ts$' },
    },
    {
      name: 'controllers-call-services',
      comment: 'controller -> service -> repository -> schema.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.(repository|schema)\\.ts$' },
    },
    {
      name: 'storage-looks-down-only',
      comment: 'controller -> service -> repository -> schema.',
      severity: 'error',
      from: { path: '\\.(repository|schema)\\.ts$' },
      to: { path: '\\.(controller|service|module|presenter)\\.ts$|/dto/' },
    },
    {
      name: 'services-know-no-controller',
      comment: 'controller -> service -> repository -> schema.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.module\\.ts$' },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'pure-without-framework',
      comment: 'Pure decisions run without NestJS and mongoose.',
      severity: 'error',
      from: { path: pure },
      to: {
        path: 'node_modules/(@nestjs/|mongoose/|mongodb/)|^(@nestjs/|mongoose|mongodb)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'pure-builds-on-pure',
      comment:
        'Otherwise the framework would come in through the next file; the declarations of fields are data.',
      severity: 'error',
      from: { path: pure },
      to: {
        path: '^src/',
        pathNot: [...pure, '^src/(catalogue/collections|core/fields)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'development-is-an-extra',
      comment: 'Production does not need it; it is imported on demand.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(development/|(cli|open-database|start)\\.ts$)' },
      to: { path: '^src/development/' },
    },
    {
      name: 'entries-are-not-imported',
      comment: 'An entry point runs as soon as it is imported.',
      severity: 'error',
      from: {},
      to: { path: entries },
    },
    {
      name: 'sources-know-no-tests',
      comment: 'Shipped code does not import tests.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench|scripts|dist)/|\\.spec\\.ts$' },
    },
    {
      name: 'tracing-is-loaded-late',
      comment: 'A process that does not trace loads nothing for it.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/core/observability/open-telemetry\\.ts$', '\\.spec\\.ts$'],
      },
      to: {
        path: 'node_modules/@opentelemetry/(?!api/)|^src/core/observability/open-telemetry\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-orphans',
      comment:
        'A file that nothing uses and that uses nothing is left over; browsers load those of the page.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          entries,
          '\\.d\\.ts$',
          '^src/core/http/reference/page/',
          '^src/operator/console/assets/',
        ],
      },
      to: {},
    },
    {
      name: 'not-to-dev-dep',
      comment: 'A production install has no development dependencies.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-declared-packages',
      comment: 'A transitive dependency may disappear with an update.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count too: they are knowledge of the other file all the same.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
