/** Folders that hold a part of the business; the others are the ground that these stand on. */
const feature =
  'authentication|catalogue|change-log|clients|compounds|erasures|events|figures|health|leads|operator-log|organizations|reservations|units';

/** Repositories that other features query: a service would only repeat their methods. */
const sharedRepositories =
  '^src/(change-log/change-log|organizations/(organizations|users)|reservations/reservations)\\.repository\\.ts$';

/** What a feature shows to the others: its service, its module, and plain values and types. */
const doors = [
  '\\.(service|module)\\.ts$',
  '^src/[^/]+/[^/]+-errors\\.ts$',
  '^src/authentication/(api-key-state|caller|client-address)\\.ts$',
  '^src/change-log/field-changes\\.ts$',
  '^src/clients/(client-(link|records)|erased-client)\\.ts$',
  '^src/leads/(dto/lead\\.dto|erasure/erased-lead)\\.ts$',
  '^src/organizations/(client-match-fields|organization)\\.ts$',
  '^src/reservations/(callback/callback-record|moves|statuses)\\.ts$',
  sharedRepositories,
  '^src/units/writing/availability\\.ts$',
];

/** What compounds and units stand on; their collections are the catalogue's. */
const catalogue = '^src/catalogue/';

/**
 * Who may query all organizations at once (rule DATA-10). Every other query names the organization:
 * the collections that it is given take none without.
 */
const acrossTenants = [
  // A key is looked up before its organization is known.
  '^src/authentication/api-keys\\.repository\\.ts$',
  // One pass makes the phones comparable that other programs have stored, whosever they are.
  '^src/leads/phones/lead-phone-keys\\.repository\\.ts$',
  // A restore brings back what was erased, whosever it was.
  '^src/erasures/erasures\\.repository\\.ts$',
  // The relay takes the events of all organizations in their order, and removes nothing of any.
  // The same process numbers them, and one stream tells of all that are.
  '^src/webhooks/outbox/(event-feeds|outbox-events)\\.repository\\.ts$',
  // The worker leases what is due, and the operator names an endpoint or a delivery by its id alone.
  '^src/webhooks/endpoints/webhook-endpoints\\.repository\\.ts$',
  '^src/webhooks/deliveries/(delivery-queue|webhook-(attempts|deliveries))\\.repository\\.ts$',
  // One process adds what it has sent, to whomever, in one command.
  '^src/webhooks/figures/webhook-figures\\.repository\\.ts$',
  // Its page shows what was done for all of them.
  '^src/operator-log/operator-log\\.repository\\.ts$',
  // Where it is made.
  '^src/database/documents/tenant-collections\\.module\\.ts$',
];

/** Decisions as functions: time and data come as arguments, so that tables can test them. */
const pure = [
  '-merge\\.ts$',
  '^src/[^/]+/[^/]+-errors\\.ts$',
  '^src/authentication/api-key-state\\.ts$',
  '^src/change-log/field-changes\\.ts$',
  '^src/contacts/(contact|phone-number)\\.ts$',
  '^src/http/(errors/(domain-error|http-errors)|validation/json-body)\\.ts$',
  '^src/leads/phones/lead-phones\\.ts$',
  '^src/localization/(fold-case|language|localized)\\.ts$',
  '^src/reservations/(cheques/cheques|moves|reservation-state|statuses|transitions)\\.ts$',
  '^src/units/writing/availability\\.ts$',
  '^src/values/',
  '^src/webhooks/[^/]+/(addresses|delivery-outcome|event-types|retry-schedule|secret-box)\\.ts$',
];

const entries = '^src/(main|cli|generate)\\.ts$';

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
    {
      name: 'feature-through-its-door',
      comment: 'A feature uses another one through its service, never through its insides.',
      severity: 'error',
      from: { path: `^src/(${feature})/` },
      to: {
        path: `^src/(${feature}|demo|operator)/`,
        pathNot: ['^src/$1/', ...doors, catalogue],
      },
    },
    {
      name: 'catalogue-carries-compounds-and-units',
      comment:
        'Others read and write the catalogue through the services of compounds and units; metrics read what it keeps.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(catalogue|compounds|units|demo|operations/metrics)/' },
      to: { path: catalogue, pathNot: doors },
    },
    {
      name: 'catalogue-knows-no-feature',
      comment:
        'Compounds and units stand on the catalogue, never the other way round; the import stands on all.',
      severity: 'error',
      from: { path: catalogue, pathNot: '^src/catalogue/import/' },
      to: { path: '^src/(compounds|units|leads|reservations)/' },
    },
    {
      name: 'storage-stays-inside',
      comment: 'Repositories and schemas are known in their own folder only.',
      severity: 'error',
      from: { path: '^src/([^/]+)', pathNot: '^src/(compounds|units|demo|operator)/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/$1/', '^src/database/', sharedRepositories],
      },
    },
    {
      name: 'storage-of-the-catalogue',
      comment: 'Compounds and units know their own storage and that of the catalogue.',
      severity: 'error',
      from: { path: '^src/(compounds|units)/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/$1/', '^src/database/', catalogue, sharedRepositories],
      },
    },
    {
      name: 'edges-take-only-types-of-documents',
      comment: 'The command line shows documents and queries them through services.',
      severity: 'error',
      from: { path: '^src/(demo|operator)/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: sharedRepositories,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'edges-use-services',
      comment: 'The demo and the command line use features as the features use each other.',
      severity: 'error',
      from: { path: '^src/(demo|operator)/' },
      to: {
        path: `^src/(${feature})/`,
        pathNot: [...doors, '\\.schema\\.ts$', catalogue],
      },
    },
    {
      name: 'console-is-an-edge',
      comment:
        "Pages call services of features as the features call each other: no query is a page's own.",
      severity: 'error',
      from: { path: '^src/console/' },
      to: {
        path: `^src/(${feature}|demo|operator|operations)/|\\.(repository|schema)\\.ts$`,
        pathNot: doors.filter((door) => door !== sharedRepositories),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-is-served-by-operations',
      comment: 'Nothing else needs to know that there are pages.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(console|operations)/' },
      to: { path: '^src/console/' },
    },
    {
      name: 'ground-knows-no-feature',
      comment: 'Features publish to webhooks and use the database, never the other way round.',
      severity: 'error',
      from: { path: '^src/(webhooks|database|localization|configuration|contacts)/' },
      to: { path: `^src/(${feature}|console|demo|operator|http)/` },
    },
    {
      name: 'http-knows-only-who-calls',
      comment:
        "A request carries its caller's type; beyond that HTTP serves features unknown to it.",
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: `^src/(${feature}|demo|operator)/`, pathNot: '^src/authentication/caller\\.ts$' },
    },
    {
      name: 'http-takes-only-the-type-of-the-caller',
      comment: 'At run time authentication builds on HTTP.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/authentication/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'queries-name-their-tenant',
      comment: 'Who is not named above gets collections that ask nothing without an organization.',
      severity: 'error',
      from: { path: '^src/', pathNot: acrossTenants },
      to: { path: '^src/database/documents/across-tenants\\.ts$' },
    },
    {
      name: 'repositories-query',
      comment: 'controller -> service -> repository -> schema.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['\\.repository\\.ts$', '/replaced-indexes\\.ts$', '^src/database/'],
      },
      to: { path: '^src/database/documents/(inject-collection|tenant-collection)\\.ts$' },
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
      comment: 'Otherwise the framework would come in through the next file.',
      severity: 'error',
      from: { path: pure },
      to: { path: '^src/', pathNot: pure, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'demo-is-an-extra',
      comment: 'The service does not depend on its demo, but for offering it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(demo/|operator/|run-service\\.ts$)' },
      to: { path: '^src/demo/' },
    },
    {
      name: 'operator-is-an-entry',
      comment: 'The command line uses the service, not the other way round.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(operator/|cli\\.ts$)' },
      to: { path: '^src/operator/' },
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
      comment: 'What ships does not import what tests it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(test|bench|scripts|dist)/|\\.spec\\.ts$' },
    },
    {
      name: 'telemetry-is-loaded-late',
      comment: 'Whoever neither measures nor traces does not load what that takes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/operations/tracing/open-telemetry\\.ts$' },
      to: {
        path: 'node_modules/(@opentelemetry|prom-client)/|^src/operations/tracing/open-telemetry\\.ts$',
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
        pathNot: [entries, '\\.d\\.ts$', '^src/http/reference/page/', '^src/console/assets/'],
      },
      to: {},
    },
    {
      name: 'not-to-dev-dep',
      comment: 'A production install lacks the development dependencies.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-declared-packages',
      comment: 'A package that another one happens to bring may be gone tomorrow.',
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
