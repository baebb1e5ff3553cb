/** @type {ConstructorParameters<typeof import('@stryker-mutator/core').Stryker>[0]} */
export default {
  // These files contain pure decisions: they use no database, clock or network, so mutants are tested quickly.
  mutate: [
    'src/units/unit-status.ts',
    'src/tenants/change-log/field-changes.ts',
    'src/tenants/contacts/{phone-number,phone-reading,phone-rule}.ts',
    'src/core/secrets/signing-secret.ts',
    'src/leads/lead-merge.ts',
    'src/leads/phones/lead-phones.ts',
    'src/leads/upsert/{lead-decision,lead-queue,lead-working-set}.ts',
    'src/core/database/documents/document-diff.ts',
    'src/reservations/{transitions,reservation-state}.ts',
    'src/reservations/callback/callback-decision.ts',
    'src/reservations/cheques/{cheques,wallets}.ts',
    'src/reservations/reconciliation/ledger-comparison.ts',
    'src/reservations/upsert/upsert-decision.ts',
    'src/units/writing/{unit-decision,unit-fields,unit-working-set}.ts',
    'src/webhooks/deliveries/attempt-outcome.ts',
    'src/webhooks/sending/ssrf-policy.ts',
  ],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    configFile: 'test/mutation/jest.config.mjs',
    enableFindRelatedTests: true,
  },
  coverageAnalysis: 'perTest',
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, allowEmojis: false },
  jsonReporter: { fileName: 'node_modules/.cache/mutation.json' },
  // A timeout on a busy machine must not count as a killed mutant.
  timeoutMS: 30_000,
  thresholds: { high: 100, low: 98, break: 98 },
  concurrency: 2,
  ignorePatterns: ['build', 'dist', 'docs', 'bench', 'ops'],
};
