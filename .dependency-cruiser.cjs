/**
 * Layers of folders in `src`, lowest first. A folder may import lower layers, but no higher ones. Folders of one layer
 * do not import each other, except that features import public files of other features.
 */
const layers = [
  ['core'],
  ['tenants'],
  ['events'],
  ['webhooks'],
  ['catalogue'],
  ['compounds', 'health', 'leads', 'reservations', 'units'],
  ['operator', 'reference'],
  ['development'],
];

const feature = layers[5].join('|');

/** These folders start the service or create an application, so they import the files directly in `src`. */
const starters = '^src/(development/demo|operator/cli|reference/generate)';

/** Forbids each layer to import a higher one. */
const layerRules = layers.slice(0, -1).map((folders, layer) => ({
  name: `${folders.join('-')}-import-lower-layers`,
  comment: 'Imports go down: operator, features, catalogue, webhooks, events, tenants, core.',
  severity: 'error',
  from: { path: `^src/(${folders.join('|')})/`, pathNot: starters },
  to: {
    path: `^src/(${layers
      .slice(layer + 1)
      .flat()
      .join('|')})/|^src/[^/]+$`,
  },
}));

/** Other features query these repositories directly, because a service would only repeat their methods. */
const sharedRepositories = [
  '^src/events/outbox/outbox-events\\.repository\\.ts$',
  '^src/(reservations/unit-reservations|catalogue/catalogue)\\.repository\\.ts$',
  '^src/leads/leads\\.repository\\.ts$',
  '^src/tenants/(change-log/change-log|organizations/(organizations|users))\\.repository\\.ts$',
];

/** Other features may import these files of a feature: services, modules, and plain values and types. */
const publicFiles = [
  '\\.(service|module)\\.ts$',
  '-errors\\.ts$',
  '^src/units/unit-status\\.ts$',
  '^src/reservations/reservation-status\\.ts$',
  '^src/leads/dto/lead\\.dto\\.ts$',
  // `GET /compounds/:slug/units` returns units.
  '^src/units/unit\\.dto\\.ts$',
  '^src/reservations/transitions\\.ts$',
  ...sharedRepositories,
];

/**
 * Only these files may query all organizations together (rule DATA-10). Other code gets collections that reject a query
 * without an organization.
 */
const crossTenantFiles = [
  // A key is looked up before its organization is known.
  '^src/tenants/keys/api-keys\\.repository\\.ts$',
  // The background job derives phone keys for leads that other programs store in any organization.
  '^src/leads/phones/lead-phone-keys\\.repository\\.ts$',
  // The same job rewrites phones of clients; `db status` counts clients that share a phone.
  '^src/leads/clients/client-phones\\.repository\\.ts$',
  // A restore may bring back erased data of any organization.
  '^src/operator/erasure/erasures\\.repository\\.ts$',
  // The relay finds the organizations that have events without a number.
  '^src/events/outbox/outbox-events\\.repository\\.ts$',
  // The worker leases due endpoints of all organizations; the operator names endpoints and deliveries by id.
  '^src/webhooks/endpoints/(secret-holders|webhook-endpoints)\\.repository\\.ts$',
  '^src/webhooks/deliveries/webhook-deliveries\\.repository\\.ts$',
  // Charts add up the attempts of all endpoints.
  '^src/webhooks/statistics/webhook-stats\\.repository\\.ts$',
  // A partner reports the id of a request without naming its key.
  '^src/operator/request-log/request-log\\.repository\\.ts$',
  // The page of the operator log shows actions of all organizations.
  '^src/operator/operator-log/operator-log\\.repository\\.ts$',
  // Metrics count the events and deliveries of all organizations that are late.
  '^src/core/database/models/backlogs\\.ts$',
  // The guard recognizes the exception.
  '^src/core/database/models/tenant-guard\\.ts$',
];

/** Pure functions make decisions. They get time and data as arguments, so tests need no database and no clock. */
const pure = [
  '-merge\\.ts$',
  '^src/(core/)?[^/]+/[^/]+-errors\\.ts$',
  '^src/core/errors/([\\w-]+-errors|domain-error)\\.ts$',
  '^src/core/idempotency/idempotency-key\\.ts$',
  '^src/core/localization/(fold-case|language|localized)\\.ts$',
  '^src/core/secrets/secret-box\\.ts$',
  '^src/core/values/',
  '^src/events/outbox/event-types\\.ts$',
  '^src/leads/phones/lead-phones\\.ts$',
  '^src/reservations/(cheques/cheques|reservation-state|transitions)\\.ts$',
  '^src/tenants/(change-log/field-changes|contacts/(contact|phone-[a-z]+))\\.ts$',
  '^src/units/unit-status\\.ts$',
  '^src/reservations/reservation-status\\.ts$',
  '^src/webhooks/[^/]+/(attempt-outcome|endpoint-state|ssrf-policy|visible-response)\\.ts$',
];

const entries = '^src/(main|cli|healthcheck|reference/generate)\\.ts$';

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
      name: 'no-cycles-of-folders-in-core',
      comment: 'A folder of `core` must be understood without those that build on it.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/core/' },
      to: { circular: true },
    },
    ...layerRules,
    {
      name: 'features-import-public-files',
      comment: 'A feature uses another one through its service, so that its internals can change.',
      severity: 'error',
      from: { path: `^src/(${feature})/` },
      to: { path: `^src/(${feature})/`, pathNot: ['^src/$1/', ...publicFiles] },
    },
    {
      name: 'units-know-only-their-reservations',
      comment:
        'Reservations change units; of reservations, units know only those of a unit and their statuses.',
      severity: 'error',
      from: { path: '^src/units/' },
      to: {
        path: '^src/reservations/',
        pathNot:
          '^src/reservations/(reservation-status|unit-reservations\\.(module|repository))\\.ts$',
      },
    },
    {
      name: 'only-compounds-and-units-use-the-catalogue',
      comment:
        'Other folders read and write the catalogue through the services of compounds and units.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(catalogue|compounds|units|development|operator/catalogue-import)/',
      },
      to: { path: '^src/catalogue/', pathNot: publicFiles },
    },
    {
      name: 'storage-stays-inside',
      comment:
        'Only its own folder imports a repository or schema; shared repositories are exceptions.',
      severity: 'error',
      from: {
        path: '^src/([^/]+)',
        pathNot: '^src/(compounds|units|development|operator|webhooks)/',
      },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/$1/', '^src/core/database/', ...sharedRepositories],
      },
    },
    {
      name: 'storage-of-the-catalogue',
      comment: 'Compounds and units may import their own storage and that of the catalogue.',
      severity: 'error',
      from: { path: '^src/(compounds|units)/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/$1/', '^src/core/database/', '^src/catalogue/', ...sharedRepositories],
      },
    },
    {
      name: 'webhooks-relay-events',
      comment: 'Webhooks may import their own storage and the outbox, whose events they send.',
      severity: 'error',
      from: { path: '^src/webhooks/' },
      to: {
        path: '\\.(repository|schema)\\.ts$',
        pathNot: ['^src/webhooks/', '^src/core/database/', '^src/events/outbox/'],
      },
    },
    {
      name: 'command-line-imports-only-types-of-documents',
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
      name: 'command-line-uses-services',
      comment: 'The command line and the demo may import only public files of features.',
      severity: 'error',
      from: { path: '^src/(development/demo|operator/cli)/' },
      to: { path: `^src/(${feature})/`, pathNot: [...publicFiles, '\\.schema\\.ts$'] },
    },
    {
      name: 'console-uses-services',
      comment: 'Pages of the console may import only public files of features.',
      severity: 'error',
      from: { path: '^src/operator/console/' },
      to: {
        path: `^src/(${feature}|development|operator/cli)/|\\.(repository|schema)\\.ts$`,
        pathNot: publicFiles,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'console-is-served-by-ops-listener',
      comment: 'The service must run without its console, which is loaded on demand.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/operator/(console|ops-listener)/' },
      to: { path: '^src/operator/console/' },
    },
    {
      name: 'queries-name-their-tenant',
      comment: 'All other queries name their organization.',
      severity: 'error',
      from: { path: '^src/', pathNot: crossTenantFiles },
      to: {
        path: '^src/core/database/models/across-tenants\\.ts$',
      },
    },
    {
      name: 'controllers-call-services',
      comment: 'Imports follow this order: controller, service, repository, schema.',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '\\.(repository|schema)\\.ts$' },
    },
    {
      name: 'storage-looks-down-only',
      comment: 'Imports follow this order: controller, service, repository, schema.',
      severity: 'error',
      from: { path: '\\.(repository|schema)\\.ts$' },
      to: { path: '\\.(controller|service|module|presenter)\\.ts$|/dto/' },
    },
    {
      name: 'services-know-no-controller',
      comment: 'Imports follow this order: controller, service, repository, schema.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.module\\.ts$' },
      to: { path: '\\.controller\\.ts$' },
    },
    {
      name: 'pure-without-framework',
      comment: 'Pure functions run without NestJS and mongoose, so that their tests start quickly.',
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
        'An imported file could load the framework. Declarations of fields and errors are data, so they are allowed.',
      severity: 'error',
      from: { path: pure },
      to: {
        path: '^src/',
        pathNot: [...pure, '^src/(catalogue/collections|core/fields)/', '-errors\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'development-is-an-extra',
      comment: 'Production does not need `development`, so the entry points import it on demand.',
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
      comment: 'A process without tracing must not load its libraries.',
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
        'A file without imports and importers is unused. Browsers load the excepted files of the pages.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [entries, '\\.d\\.ts$', '^src/reference/page/', '^src/operator/console/assets/'],
      },
      to: {},
    },
    {
      name: 'not-to-dev-dep',
      comment:
        'A production install has no development dependencies, and therefore no embedded database.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$|^src/development/embedded/' },
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
      comment: 'The imported file does not exist.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Imports of types count too, because they also depend on the other file.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
