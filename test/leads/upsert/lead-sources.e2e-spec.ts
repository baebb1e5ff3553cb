import { beforeAll, describe, expect, it } from '@jest/globals';
import { leadSourceExamples } from '../../fixtures/lead-sources.js';
import { addTenant, type Tenant } from '../../support/builders.js';
import { sharedService } from '../../support/shared-service.js';

const service = sharedService();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await addTenant(service.db);
});

describe('what lead sources send', () => {
  it.each(leadSourceExamples.map(({ source, body }, index) => ({ source, body, index })))(
    '$index $source is taken as it is',
    async ({ body: sent }) => {
      const post = () => service.api('post', '/leads').set('api-key', tenant.key).send(sent);
      const { body } = await post().expect(201);
      expect(body.lead.data).toEqual(sent.data);
      expect(body.lead.additionalData).toEqual(sent.additionalData ?? {});
      const path = `/leads/${encodeURIComponent(sent.recordSystemId ?? '')}`;
      const read = await service.api('get', path).set('api-key', tenant.key).expect(200);
      expect(read.body.lead).toEqual(body.lead);
      expect((await post().expect(200)).body.lead).toEqual(body.lead);
    },
  );
});
