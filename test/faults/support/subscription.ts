import type { ObjectId } from 'mongodb';
import { runJson } from '../../operator/command-line.js';
import { allowLoopback } from '../../webhooks/webhook-service.js';

/** Subscribes a receiver to all events of an organization, as an operator does. */
export async function subscribe(uri: string, organizationId: ObjectId, url: string): Promise<void> {
  const args = ['webhook', 'add', '--org', String(organizationId), '--url', url, '--events', '*'];
  await runJson(args, { MONGODB_URI: uri, ...allowLoopback });
}
