// Written by `npm run generate` from docs/openapi.json.

import type { Operation } from '../operation.js';
import type {
  ReadKeyData,
  ReadKeyResponses,
  UpsertLeadData,
  UpsertLeadResponses,
  ListLeadsData,
  ListLeadsResponses,
  UpsertLeadsData,
  UpsertLeadsResponses,
  ReadLeadData,
  ReadLeadResponses,
  DeleteLeadData,
  DeleteLeadResponses,
  ListCompoundsData,
  ListCompoundsResponses,
  ListCompoundUnitsData,
  ListCompoundUnitsResponses,
  UpsertUnitData,
  UpsertUnitResponses,
  ListUnitsData,
  ListUnitsResponses,
  ExportUnitsData,
  ExportUnitsResponses,
  ReadUnitData,
  ReadUnitResponses,
  UpsertReservationData,
  UpsertReservationResponses,
  ListReservationsData,
  ListReservationsResponses,
  ReadReservationData,
  ReadReservationResponses,
  ReportReservationChangeData,
  ReportReservationChangeResponses,
  ReconcileChequesData,
  ReconcileChequesResponses,
  ListChequesData,
  ListChequesResponses,
  ReadEventsData,
  ReadEventsResponses,
  CheckHealthData,
  CheckHealthResponses,
} from './types.js';

/** All operations of the API. */
export interface Operations {
  /** Read the API key. Returns what the key of the request permits. Every valid key may call it. */
  readonly readKey: Operation<ReadKeyData, ReadKeyResponses>;
  /** Create or update a lead. With recordSystemId the first request creates the lead and later ones merge into it, even if they arrive concurrently. Flat fields and data may be mixed; data wins. A phone that another lead of the organization has is refused with 400, unless the organization allows duplicates. */
  readonly upsertLead: Operation<UpsertLeadData, UpsertLeadResponses>;
  /** List leads. Lists leads newest first by default, in the order of ids from after=0, or the oldest change first with updatedSince. A lead whose id clients change in a path, such as .., is found by recordSystemId. Over 4 MiB the response is streamed and has no ETag. */
  readonly listLeads: Operation<ListLeadsData, ListLeadsResponses>;
  /** Create or update many leads. Handles each lead as if it were sent alone, in order: a refused lead does not affect the others. After a 5xx either everything is stored or nothing: retry with the same Idempotency-Key. */
  readonly upsertLeads: Operation<UpsertLeadsData, UpsertLeadsResponses>;
  /** Read a lead. Returns the current lead, for resynchronizing after a missed outbound event. */
  readonly readLead: Operation<ReadLeadData, ReadLeadResponses>;
  /** Delete a lead. Soft-deletes the lead. A later POST with the same recordSystemId creates a new one. */
  readonly deleteLead: Operation<DeleteLeadData, DeleteLeadResponses>;
  /** List the compounds. Lists compounds newest first. Poll with If-None-Match, or with updatedSince. */
  readonly listCompounds: Operation<ListCompoundsData, ListCompoundsResponses>;
  /** List all units of a compound. Returns all units in one response, newest first. Over 4 MiB it is streamed and has no ETag. */
  readonly listCompoundUnits: Operation<ListCompoundUnitsData, ListCompoundUnitsResponses>;
  /** Create or update a unit. recordSystemId, else unitId, identifies the unit; the first request creates it and later ones change the sent fields, even if they arrive concurrently. Names must exist in the catalogue. isDeleted retires it. */
  readonly upsertUnit: Operation<UpsertUnitData, UpsertUnitResponses>;
  /** List units. Lists units newest first by default, or the oldest change first with updatedSince; sort overrides both. */
  readonly listUnits: Operation<ListUnitsData, ListUnitsResponses>;
  /** Export units. Returns all matching units, at most 10,000, in one streamed response, read from one snapshot. The format is that of `format`, else of Accept, else JSON. */
  readonly exportUnits: Operation<ExportUnitsData, ExportUnitsResponses>;
  /** Read a unit. Returns the unit with its type, phase, design and amenities. */
  readonly readUnit: Operation<ReadUnitData, ReadUnitResponses>;
  /** Create or update a reservation. With recordSystemId the first request creates the reservation and later ones update it, together with its wallet and the availability of its unit. Callbacks report the cheques. */
  readonly upsertReservation: Operation<UpsertReservationData, UpsertReservationResponses>;
  /** List reservations. Lists reservations with their wallets and cheques: newest first by default, in the order of ids from after=0, or the oldest change first with updatedSince, which also finds changes of wallets. Over 4 MiB it is streamed and has no ETag. */
  readonly listReservations: Operation<ListReservationsData, ListReservationsResponses>;
  /** Read a reservation. Returns the reservation with its wallet and cheques, for a partner whose callback timed out. */
  readonly readReservation: Operation<ReadReservationData, ReadReservationResponses>;
  /** Report a change of a reservation or a cheque. The reservation status is applied first, then the cheque; the changes of a step stay stored if a later step fails. Every cheque report adds an entry to the history of the cheque, even if it is repeated. Messages are always in English. A client that cannot set headers may send the API key as the query parameter `api-key` of this operation. A key for signed callbacks needs the three headers of Standard Webhooks. */
  readonly reportReservationChange: Operation<ReportReservationChangeData, ReportReservationChangeResponses>;
  /** Compare a partner's ledger of cheques. Returns the differences between the ledger and the stored cheques, from one snapshot; changes nothing. Like a callback, it looks for a cheque in the active wallet, then in deleted ones. */
  readonly reconcileCheques: Operation<ReconcileChequesData, ReconcileChequesResponses>;
  /** List cheques by due date. Lists the cheques of active wallets: a work list for a day of collecting. Cheques without a due date come last. To copy cheques, copy the reservations. */
  readonly listCheques: Operation<ListChequesData, ListChequesResponses>;
  /** Read events. Returns the events of webhooks for polling: the changes of the organization's data that are made through the service, in order and without gaps. Start with after=0, then send the next of each response; wait holds the request until an event exists. */
  readonly readEvents: Operation<ReadEventsData, ReadEventsResponses>;
  /** Check the health of the service. Needs no API key. */
  readonly checkHealth: Operation<CheckHealthData, CheckHealthResponses>;
}

/** Method and path of each operation. */
export const operations = {
  readKey: ['GET', '/external/apis/v1.0/key'],
  upsertLead: ['POST', '/external/apis/v1.0/leads'],
  listLeads: ['GET', '/external/apis/v1.0/leads'],
  upsertLeads: ['POST', '/external/apis/v1.0/leads/batch'],
  readLead: ['GET', '/external/apis/v1.0/leads/{recordSystemId}'],
  deleteLead: ['DELETE', '/external/apis/v1.0/leads/{recordSystemId}'],
  listCompounds: ['GET', '/external/apis/v1.0/compounds'],
  listCompoundUnits: ['GET', '/external/apis/v1.0/compounds/{slug}/units'],
  upsertUnit: ['POST', '/external/apis/v1.0/units'],
  listUnits: ['GET', '/external/apis/v1.0/units'],
  exportUnits: ['GET', '/external/apis/v1.0/units/export/all'],
  readUnit: ['GET', '/external/apis/v1.0/units/{slug}'],
  upsertReservation: ['POST', '/external/apis/v1.0/reservations'],
  listReservations: ['GET', '/external/apis/v1.0/reservations'],
  readReservation: ['GET', '/external/apis/v1.0/reservations/{reservationId}'],
  reportReservationChange: ['POST', '/external/apis/v1.0/reservations/webhook'],
  reconcileCheques: ['POST', '/external/apis/v1.0/reservations/reconciliation'],
  listCheques: ['GET', '/external/apis/v1.0/cheques'],
  readEvents: ['GET', '/external/apis/v1.0/events'],
  checkHealth: ['GET', '/external/apis/v1.0/healthz'],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>;
