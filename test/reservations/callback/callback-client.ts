import { afterAll, beforeAll } from '@jest/globals';
import { Pool } from 'undici';
import { basePath, type BlackBox } from '../../support/shared-service.js';

/** A response to a callback, as far as models describe it. */
export interface CallbackResponse {
  readonly status: number;
  readonly message?: string;
  readonly reservation: string | undefined;
  readonly cheque: string | undefined;
}

/** Sends callbacks to a service by the thousand, with as little work for each as possible. */
export function callbackClient(service: BlackBox) {
  let pool: Pool;
  beforeAll(() => {
    pool = new Pool(service.url, { connections: 12 });
  });
  afterAll(() => pool.close());
  return async (key: string, callback: object): Promise<CallbackResponse> => {
    const { statusCode, headers, body } = await pool.request({
      method: 'POST',
      path: `/${basePath}/reservations/webhook`,
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(callback),
    });
    const text = await body.text();
    return {
      status: statusCode,
      ...(statusCode === 201 ? {} : { message: (JSON.parse(text) as { message: string }).message }),
      reservation: headers['x-callback-reservation'] as string | undefined,
      cheque: headers['x-callback-cheque'] as string | undefined,
    };
  };
}
