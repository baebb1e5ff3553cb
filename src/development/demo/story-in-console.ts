import type { INestApplicationContext } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Environment } from '../../core/configuration/environment.js';
import { ReservationsRepository } from '../../reservations/reservations.repository.js';
import { deal } from './walkthrough/reservation-chapters.js';

/** Whether a service with this environment has a console. */
export function hasConsole({ OPS_PORT, OPS_PASSWORD }: Environment): boolean {
  return OPS_PORT !== undefined && OPS_PASSWORD !== undefined;
}

/** Where in the console what a walk has done can be looked at, as lines for people. */
export async function storyInConsole(
  application: INestApplicationContext,
  { OPS_PORT }: Environment,
  organizationId: Types.ObjectId,
): Promise<string[]> {
  const reservations = application.get(ReservationsRepository);
  const reservation = await reservations.findByRecordSystemId(organizationId, deal);
  const console = `http://127.0.0.1:${OPS_PORT}/console`;
  const pageOf = (kind: string, id: Types.ObjectId | null | undefined) =>
    `${console}/${kind}/${organizationId.toHexString()}/${id?.toHexString()}`;
  return [
    'The console shows the story, until a walk in an hour or later deletes it:',
    '  the reservation that was sold, canceled and recovered, with each callback',
    `    ${pageOf('reservations', reservation?._id)}`,
    '  its lead, and its unit over time',
    `    ${pageOf('leads', reservation?.leadId)}`,
    `    ${pageOf('units', reservation?.unitId)}`,
    '  the endpoint that got the events',
    `    ${console}/webhooks?organization=${organizationId.toHexString()}`,
  ];
}
