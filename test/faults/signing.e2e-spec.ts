import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { keyPurposes } from '../../src/core/http/operations.js';
import { ApiKeysService } from '../../src/tenants/keys/api-keys.service.js';
import { addReservation, addTenant, addUnit, addWallet } from '../support/builders.js';
import { startTestService } from '../support/test-service.js';
import { report } from './support/random.js';
import { installPythonPackages } from './support/python-packages.js';

const run = promisify(execFile);
const folder = join(import.meta.dirname, 'signing');
const installed = await installPythonPackages(join(folder, 'requirements.txt'));
if ('reason' in installed) report(`No callback is signed in Python. ${installed.reason}`);
const whereInstalled = 'reason' in installed ? it.skip : it;
const python = 'reason' in installed ? '' : join(installed.folder, 'bin/python');

describe('a callback signed by the Python library of Standard Webhooks', () => {
  whereInstalled('returns 201 with the right secret and 401 with another secret', async () => {
    const service = await startTestService();
    try {
      const { organizationId } = await addTenant(service.db);
      const unitId = await addUnit(service.db, organizationId);
      const reservationId = await addReservation(service.db, organizationId, unitId);
      await addWallet(service.db, organizationId, {
        reservationId,
        unitId,
        cheques: [{ installmentId: 'شيك 1' }],
      });
      const { key, signingSecret = '' } = await service.service.app.get(ApiKeysService).issue({
        organizationId,
        name: 'Collector',
        operations: keyPurposes.collector,
        addresses: null,
        isSigned: true,
        rateLimit: null,
        expiresAt: null,
      });
      const send = async (secret: string) => {
        const { stdout } = await run(python, [join(folder, 'callback.py')], {
          env: {
            ...process.env,
            API_URL: service.url,
            API_KEY: key,
            SIGNING_SECRET: secret,
            BODY: JSON.stringify({
              reservationId: reservationId.toHexString(),
              installmentId: 'شيك 1',
              chequeStatus: 'overdue',
            }),
            PYTHONDONTWRITEBYTECODE: '1',
          },
        });
        return Number(stdout);
      };
      const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
      expect([await send(other), await send(signingSecret)]).toEqual([401, 201]);
    } finally {
      await service.stop();
    }
  });
});
