export { type IntegrationApi, type IntegrationApiOptions, createIntegrationApi } from './client.js';
export { IntegrationApiError, NoResponseError } from './errors.js';
export {
  eventPagesOf,
  EventsExpiredError,
  eventsOf,
  type FeedEvent,
  type FeedOptions,
  type FeedPage,
} from './events.js';
export type { ErrorCode } from './generated/error-codes.js';
export type { Operations } from './generated/operations.js';
export type * from './generated/types.js';
export {
  type Changes,
  changesOf,
  copyLeads,
  copyReservations,
  type CursorQuery,
  follow,
  type FollowOptions,
  itemsOf,
  type List,
  pagesOf,
} from './lists.js';
export type { ApiResponse, CallOptions, NotModified, Operation } from './operation.js';
export { defaultPolicy, type RetryPolicy, type Runtime } from './retries.js';
export {
  type VerificationOptions,
  type VerifiedWebhook,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhooks.js';
