// Written by `npm run generate` from docs/openapi.json.

export type ClientOptions = {
    baseUrl: `${string}://${string}` | 'https://{apiDomain}' | (string & {});
};

export type Webhooks = ReceiveClientCreatedWebhookRequest | ReceiveClientUpdatedWebhookRequest | ReceiveLeadCreatedWebhookRequest | ReceiveLeadUpdatedWebhookRequest | ReceiveLeadDeletedWebhookRequest | ReceiveLeadErasedWebhookRequest | ReceiveUnitCreatedWebhookRequest | ReceiveUnitUpdatedWebhookRequest | ReceiveUnitDeletedWebhookRequest | ReceiveReservationCreatedWebhookRequest | ReceiveReservationUpdatedWebhookRequest | ReceiveWalletCreatedWebhookRequest | ReceiveWalletUpdatedWebhookRequest | ReceiveWalletDeletedWebhookRequest | ReceiveWalletRestoredWebhookRequest | ReceiveWebhookPingWebhookRequest;

export type KeyOrganizationDto = {
    _id: string;
    name: string;
};

export type KeyRateLimitDto = {
    requestsPerSecond: number;
    /**
     * Requests that may arrive at once.
     */
    burst: number;
};

export type KeyDto = {
    _id: string;
    /**
     * As the operator named the key.
     */
    name: string;
    organization: KeyOrganizationDto;
    /**
     * What the key permits.
     */
    operations: Array<'leads.write' | 'leads.read' | 'leads.list' | 'leads.delete' | 'catalogue.read' | 'units.write' | 'reservations.write' | 'reservations.read' | 'reservations.list' | 'reservations.callback' | 'reservations.reconcile' | 'events.read'>;
    /**
     * `public`: the key does not see what the organization does not publish.
     */
    visibility: 'all' | 'public';
    /**
     * True if callbacks must be signed.
     */
    signed: boolean;
    /**
     * Null if the key does not expire.
     */
    expiresAt: string | null;
    /**
     * The key's own limit, or else the service's. Null without a limit.
     */
    rateLimit: KeyRateLimitDto | null;
    /**
     * Language of this request.
     */
    language: 'en-us' | 'ar-eg';
};

export type KeyResponseDto = {
    data: KeyDto;
};

export type SingleLeadDto = {
    /**
     * Stable external id of the lead, used exactly as sent. Later requests with the same value update the same lead; without it every request creates a new one.
     */
    recordSystemId?: string;
    /**
     * Arbitrary lead fields. Known keys: name, phoneNumber, phoneNumber2, email, project, leadSource (strings, numbers, booleans or null; an empty string or null means no value). Any other key is stored as sent. For a field sent both here and flat, the value here wins.
     */
    data?: {
        [key: string]: unknown;
    };
    /**
     * Free-form metadata, stored as sent next to the lead data and merged on update.
     */
    additionalData?: {
        [key: string]: unknown;
    };
    /**
     * Stored in data.
     */
    name?: string;
    /**
     * Stored in data.
     */
    email?: string;
    /**
     * Stored in data. Any spelling that is valid in the organization's country.
     */
    phoneNumber?: string;
    /**
     * Stored in data.
     */
    phoneNumber2?: string;
    /**
     * Stored in data. Links every compound of the organization that has this name in the language of the request, in any spelling: case, blanks and Arabic marks do not count.
     */
    project?: string;
    /**
     * true stores nothing and returns the result that the request would have.
     */
    dryRun?: boolean;
    [key: string]: unknown;
};

export type UpsertedLeadDto = {
    _id: string;
    /**
     * External id, exactly as sent; present if the lead has one.
     */
    recordSystemId?: string;
    /**
     * Ids of the linked compounds.
     */
    compoundsIds: Array<string>;
    /**
     * Lead fields as sent.
     */
    data: {
        [key: string]: unknown;
    };
    /**
     * Metadata as sent.
     */
    additionalData: {
        [key: string]: unknown;
    };
    isDeleted?: boolean;
    createdAt?: string;
    updatedAt?: string;
    /**
     * The client that the lead belongs to.
     */
    clientId?: string | null;
    /**
     * The user whom the lead is assigned to.
     */
    assignedToId?: string | null;
    /**
     * The parent lead.
     */
    parentId?: string | null;
    isActive?: boolean;
    /**
     * Sequential number within the organization; null for a lead that a dry run would create, whose ids are placeholders too.
     */
    leadId: number | null;
};

export type LeadUpsertResponseDto = {
    ok: boolean;
    /**
     * The lead after this request. A key without the operation `leads.read` gets only `_id`, `leadId`, `recordSystemId` and `compoundsIds`, and in `data` and `additionalData` the values of this request.
     */
    lead: UpsertedLeadDto;
    /**
     * update when recordSystemId matched an active lead of the organization.
     */
    operation: 'create' | 'update';
    /**
     * A copy of lead for earlier clients.
     */
    newLead: UpsertedLeadDto;
};

export type UpsertLeadDto = {
    /**
     * Stable external id of the lead, used exactly as sent. Later requests with the same value update the same lead; without it every request creates a new one.
     */
    recordSystemId?: string;
    /**
     * Arbitrary lead fields. Known keys: name, phoneNumber, phoneNumber2, email, project, leadSource (strings, numbers, booleans or null; an empty string or null means no value). Any other key is stored as sent. For a field sent both here and flat, the value here wins.
     */
    data?: {
        [key: string]: unknown;
    };
    /**
     * Free-form metadata, stored as sent next to the lead data and merged on update.
     */
    additionalData?: {
        [key: string]: unknown;
    };
    /**
     * Stored in data.
     */
    name?: string;
    /**
     * Stored in data.
     */
    email?: string;
    /**
     * Stored in data. Any spelling that is valid in the organization's country.
     */
    phoneNumber?: string;
    /**
     * Stored in data.
     */
    phoneNumber2?: string;
    /**
     * Stored in data. Links every compound of the organization that has this name in the language of the request, in any spelling: case, blanks and Arabic marks do not count.
     */
    project?: string;
    [key: string]: unknown;
};

export type LeadBatchDto = {
    /**
     * Each lead is handled as if sent alone; a refused lead does not affect the others.
     */
    leads: Array<UpsertLeadDto>;
    /**
     * true stores nothing and returns the result that the request would have.
     */
    dryRun?: boolean;
};

export type LeadResultDto = {
    /**
     * Position in the batch, from 0.
     */
    index: number;
    /**
     * Status that the lead would have if sent alone: 201, 200, or that of an error.
     */
    statusCode: number;
    /**
     * Absent if the lead was refused.
     */
    operation?: 'create' | 'update';
    /**
     * The lead after this request. A key without the operation `leads.read` gets only `_id`, `leadId`, `recordSystemId` and `compoundsIds`, and in `data` and `additionalData` the values of this request. Absent if the lead was refused.
     */
    lead?: UpsertedLeadDto;
    /**
     * true if the project of the stored lead is no compound's name; only with `catalogue.read`.
     */
    unmatchedProject?: boolean;
    /**
     * Reasons in the language of the request; only for a refused lead.
     */
    message?: string | Array<string>;
    /**
     * The standard text of the status; only for a refused lead.
     */
    error?: string;
    /**
     * The x-error-code that the lead would have if sent alone; only for a refused lead.
     * - `request.body_not_object`: The body is JSON, but not an object. *Send one JSON object.*
     * - `validation.failed`: A field or parameter has a wrong type or value, or is not known. *Correct the fields in the messages; each violated rule has a message.*
     * - `lead.duplicate_phone`: Another lead of the organization has the phone; one message for each phone. *Update that lead, or ask the organization to allow such leads.*
     * - `lead.database_reference`: Merged with earlier requests, the object would have both keys `$ref` and `$id`, which the database interprets. *Rename one of the two keys.*
     * - `lead.too_large`: The lead would become too large; nothing was changed. *Shorten values, or send `null` for keys that are no longer needed.*
     * - `lead.too_many_changes`: The changes of one request would be too large for its event. *Send the fields in several requests.*
     * - `request.event_too_large`: The event about the change would be too large; nothing was changed. *Shorten values, or send them in several requests.*
     * - `lead.batch_full`: The preceding leads of the batch are too large together; this lead was not processed. *Send the lead in another batch.*
     */
    errorCode?: string;
};

export type LeadBatchResponseDto = {
    /**
     * True if no lead was refused.
     */
    ok: boolean;
    created: number;
    updated: number;
    refused: number;
    /**
     * One for each lead, in the order of the request.
     */
    results: Array<LeadResultDto>;
};

export type LeadDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * Sequential number within the organization; never changes.
     */
    leadId: number;
    /**
     * External id, exactly as sent; present if the lead has one.
     */
    recordSystemId?: string;
    /**
     * Ids of the linked compounds.
     */
    compoundsIds: Array<string>;
    /**
     * Lead fields as sent.
     */
    data: {
        [key: string]: unknown;
    };
    /**
     * Metadata as sent.
     */
    additionalData: {
        [key: string]: unknown;
    };
    /**
     * The client that the lead belongs to.
     */
    clientId: string | null;
    /**
     * The user whom the lead is assigned to.
     */
    assignedToId: string | null;
    /**
     * The parent lead.
     */
    parentId: string | null;
    isActive: boolean;
};

export type DeletedLeadDto = {
    _id: string;
    leadId: number;
    recordSystemId?: string;
    isDeleted: boolean;
    deletedAt: string | null;
    updatedAt: string;
};

export type PaginationDto = {
    /**
     * Items in this response.
     */
    count: number;
    /**
     * Maximum number of items of a page.
     */
    limit: number;
    /**
     * Number of pages.
     */
    pages: number;
    /**
     * Number of matches.
     */
    total: number;
    /**
     * With updatedSince or after: the value of after for the next page; null at the end.
     */
    next?: string | null;
};

export type LeadsResponseDto = {
    /**
     * With `includeDeleted=1`, deleted leads have the fields of `DeletedLeadDto` alone.
     */
    data: Array<LeadDto | DeletedLeadDto>;
    pagination: PaginationDto;
};

export type LeadResponseDto = {
    ok: boolean;
    lead: LeadDto;
};

export type LeadDeletionResponseDto = {
    ok: boolean;
    lead: LeadDto;
    operation: 'delete';
};

export type MediaDto = {
    image: string;
    type: string;
};

export type BrochureDto = {
    /**
     * ISO 8601.
     */
    dateUploaded: string;
    name: string;
    url: string;
};

export type CompoundOrganizationDto = {
    _id: string;
    name: string;
    logo: string;
};

export type CompoundDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * An internal version key.
     */
    __v: number;
    organizationId: string;
    type: string;
    /**
     * In the language of the request.
     */
    name: string;
    slug: string;
    /**
     * In the language of the request.
     */
    description: string;
    /**
     * For example primary or resale.
     */
    saleType: string;
    logo: string;
    mainImageUrl: string;
    mainBannerUrl: string;
    media: Array<MediaDto>;
    constructionUpdates: Array<MediaDto>;
    /**
     * Its fields are empty if the compound has none.
     */
    mainBrochure: BrochureDto;
    brochures: Array<BrochureDto>;
    /**
     * Square meters.
     */
    area: number;
    numberOfUnits: number;
    showOnMap: boolean;
    isPublished: boolean;
    isPublic: boolean;
    mapHealthCheck: boolean;
    isNewLaunch: boolean;
    allowPriceRange: boolean;
    showInLeadFeedback: boolean;
    isAdminOnly: boolean;
    showInEcommerce: boolean;
    EOIUnitTypes: Array<unknown>;
    EOIUnitPreferences: Array<unknown>;
    EOIForm: Array<unknown>;
    offerJsons: Array<unknown>;
    commercialBuildingsOrder: Array<unknown>;
    organization: CompoundOrganizationDto;
};

export type CompoundsResponseDto = {
    /**
     * With updatedSince and includeDeleted, keys with public visibility get `_id`, `isDeleted` and `updatedAt` alone of an item that is not public.
     */
    data: Array<CompoundDto>;
    pagination: PaginationDto;
};

export type FloorDto = {
    name: string;
};

export type UnitMediaDto = {
    image: string;
    /**
     * floorplan for floor plans, otherwise null.
     */
    imageType: string | null;
    type: string;
};

export type UnitReviewDto = {
    /**
     * 0 if there is no issue.
     */
    hasIssue: number;
    type: string;
    approveStatus: string;
    approvedById: string | null;
    approvedDate: string | null;
    reviewStatus: string;
    reviewedById: string | null;
    reviewedDate: string | null;
};

export type AmenityDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * An internal version key.
     */
    __v: number;
    /**
     * In the language of the request.
     */
    name: string;
    icon: string;
    fontColor: string;
    backgroundColor: string;
};

export type PhaseDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * An internal version key.
     */
    __v: number;
    organizationId: string;
    /**
     * The compound.
     */
    parentId: string;
    type: string;
    /**
     * Square meters.
     */
    landArea: number;
    mainImageUrl: string;
    media: Array<MediaDto>;
    brochures: Array<BrochureDto>;
    /**
     * In the language of the request.
     */
    name: string;
    slug: string;
    /**
     * In the language of the request.
     */
    description: string;
};

export type PropertyTypeDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * An internal version key.
     */
    __v: number;
    propertyTypeCategoryId: string;
    organizationId: string;
    /**
     * In the language of the request.
     */
    name: string;
    slug: string;
};

export type UnitDesignDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * An internal version key.
     */
    __v: number;
    approveStatus: string;
    approvedById: string | null;
    approvedDate: string | null;
    reviewStatus: string;
    reviewedById: string | null;
    reviewedDate: string | null;
    organizationId: string;
    /**
     * In the language of the request.
     */
    name: string;
    slug: string;
    /**
     * In the language of the request.
     */
    description: string;
    /**
     * Square meters.
     */
    bua: number;
    bedrooms: number;
    media: Array<MediaDto>;
    offerGallery: Array<MediaDto>;
    amenitiesIds: Array<string>;
    locationsIds: Array<string>;
    addonsIds: Array<string>;
    releaseIds: Array<string>;
    type: string;
};

export type UnitDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    /**
     * An internal version key.
     */
    __v: number;
    organizationId: string;
    compoundId: string;
    /**
     * The phase, or the compound if the unit has no phase.
     */
    locationId: string;
    unitDesignId: string;
    buildingId: string;
    propertyTypeId: string;
    finishingTypeId: string;
    /**
     * Present if the unit has an external id.
     */
    recordSystemId?: string;
    unitId: string;
    slug: string;
    /**
     * In the language of the request.
     */
    name: string;
    /**
     * For example Available, Reserved or Sold.
     */
    status: string;
    rentalStatus: string;
    saleType: string;
    /**
     * Built-up area in square meters.
     */
    bua: number;
    price: number;
    beds: number;
    floor: FloorDto;
    media: Array<UnitMediaDto>;
    reviews: Array<UnitReviewDto>;
    showForBrokers: boolean;
    isAdminOnly: boolean;
    allowToTaskeen: boolean;
    amenitiesIds: Array<string>;
    paymentPlansIds: Array<string>;
    maintenancePlanIds: Array<string>;
    clubPlanIds: Array<string>;
    featuresIds: Array<string>;
    brokersIds: Array<string>;
    brokersGroupsIds: Array<string>;
    releaseIds: Array<string>;
    listingType: Array<unknown>;
    addons: Array<unknown>;
    priceByPaymentPlan: Array<unknown>;
    /**
     * Omits missing and deleted amenities.
     */
    amenities: Array<AmenityDto>;
    /**
     * Null if missing or deleted.
     */
    phase: PhaseDto | null;
    /**
     * Null if missing or deleted.
     */
    type: PropertyTypeDto | null;
    /**
     * Null if missing or deleted.
     */
    unitDesign: UnitDesignDto | null;
};

export type CompoundUnitsResponseDto = {
    data: Array<UnitDto>;
};

export type FloorInput = {
    name: string;
};

export type UnitMediaInput = {
    image: string;
    /**
     * floorplan for floor plans, otherwise null.
     */
    imageType?: string | null;
    type?: string;
};

export type UpsertUnitDto = unknown & {
    /**
     * Slug of the compound; required to create a unit. Limits the search for a unitId.
     */
    compound?: string;
    /**
     * Slug of a phase of the compound; null for none.
     */
    phase?: string | null;
    /**
     * Slug of a unit design; null for none.
     */
    unitDesign?: string | null;
    /**
     * Name or slug of an existing property type, in any case; null for none.
     */
    propertyType?: string | null;
    /**
     * Stable external id of the unit, used exactly as sent: later requests with it update the same unit. It or unitId is required.
     */
    recordSystemId?: string;
    /**
     * Id of the unit within its compound.
     */
    unitId?: string;
    /**
     * A plain string is in the language of the request.
     */
    name?: string | {
        'en-us'?: string;
        'ar-eg'?: string;
    };
    /**
     * For example Available, Reserved or Sold. These three are recognized in any case and with blanks around them; approved and open reservations of the unit override them.
     */
    status?: string;
    rentalStatus?: string;
    saleType?: string;
    /**
     * Built-up area in square meters.
     */
    bua?: number;
    price?: number;
    beds?: number;
    floor?: FloorInput;
    media?: Array<UnitMediaInput>;
    showForBrokers?: boolean;
    /**
     * Names of existing amenities, in any language and case.
     */
    amenities?: Array<string>;
    /**
     * For example sale or rent.
     */
    listingType?: Array<string>;
    /**
     * true retires the unit: lists omit it, and its ids are free again.
     */
    isDeleted?: boolean;
};

export type UnitUpsertResponseDto = {
    ok: boolean;
    operation: 'create' | 'update';
    unit: UnitDto;
};

export type UnitsResponseDto = {
    /**
     * With updatedSince and includeDeleted, keys with public visibility get `_id`, `isDeleted` and `updatedAt` alone of an item that is not public.
     */
    data: Array<UnitDto>;
    pagination: PaginationDto;
};

export type UnitResponseDto = {
    data: UnitDto;
};

export type ExternalReference = {
    recordSystemId: string;
};

export type UnitIdReference = {
    unitId: string;
};

export type ChequeRequestDto = {
    /**
     * Identifies the cheque in the wallet, and in callbacks.
     */
    installmentId: string;
    /**
     * Stored with the cheque.
     */
    chequeNumber?: string;
    chequeAmount?: number;
    dueDate?: string;
};

export type UpsertReservationDto = {
    /**
     * Stable external id of the reservation, used exactly as sent. Later requests with the same value update the same reservation; without it every request creates a new one.
     */
    recordSystemId?: string;
    /**
     * The unit, by slug, recordSystemId or unitId; required to create.
     */
    unit?: string | ExternalReference | UnitIdReference;
    /**
     * The lead who reserves, by the external id that it was posted with.
     */
    lead?: ExternalReference;
    /**
     * A new reservation is pending (default) or pending_cheque_collection; an update may also reject, cancel or expire it. Only the callback approves. Once the reservation has another status, the first two change nothing and x-ignored-fields names status; likewise rejected and expired once it is approved.
     */
    status?: 'pending' | 'approved' | 'pending_cheque_collection' | 'rejected' | 'canceled' | 'expired';
    /**
     * true, together with pending or pending_cheque_collection, reopens a rejected, canceled or expired reservation.
     */
    reopen?: boolean;
    /**
     * Whether the reservation is active in the partner collection flow.
     */
    partnerCollection?: boolean;
    /**
     * Creates or extends the wallet of the reservation. A known installment gets the sent fields and keeps its status and history.
     */
    cheques?: Array<ChequeRequestDto>;
};

export type ChequeHistoryEntryDto = {
    status: 'pending' | 'collected' | 'overdue' | 'bounced' | 'post_dated';
    chequeNumber?: string;
    chequeAmount?: number;
    /**
     * When the report arrived.
     */
    changedAt: string | null;
    /**
     * Who reported it.
     */
    source: string;
};

export type ChequeDto = {
    status: 'pending' | 'collected' | 'overdue' | 'bounced' | 'post_dated';
    chequeNumber?: string;
    chequeAmount?: number;
    installmentId: string;
    dueDate?: string;
    /**
     * Every report, oldest first.
     */
    statusHistory: Array<ChequeHistoryEntryDto>;
};

export type ChequeWalletDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    reservationId: string;
    unitId: string | null;
    deletedAt: string | null;
    cheques: Array<ChequeDto>;
};

export type ReservationDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    unitId: string | null;
    leadId: string | null;
    recordSystemId?: string;
    status: 'pending' | 'approved' | 'pending_cheque_collection' | 'rejected' | 'canceled' | 'expired';
    /**
     * Whether the reservation is active in the partner collection flow.
     */
    partnerCollection?: {
        isActive: boolean;
    };
    approvedAt: string | null;
    canceledAt: string | null;
    /**
     * The active wallet, or else the last deleted one, or null.
     */
    chequeWallet: ChequeWalletDto | null;
};

export type ReservationUpsertResponseDto = {
    ok: boolean;
    operation: 'create' | 'update';
    reservation: ReservationDto;
};

export type ReservationsResponseDto = {
    data: Array<ReservationDto>;
    pagination: PaginationDto;
};

export type ReservationDetailsDto = {
    _id: string;
    isDeleted: boolean;
    createdAt: string;
    updatedAt: string;
    unitId: string | null;
    leadId: string | null;
    recordSystemId?: string;
    status: 'pending' | 'approved' | 'pending_cheque_collection' | 'rejected' | 'canceled' | 'expired';
    /**
     * Whether the reservation is active in the partner collection flow.
     */
    partnerCollection?: {
        isActive: boolean;
    };
    approvedAt: string | null;
    canceledAt: string | null;
    /**
     * The active wallet, or else the last deleted one, or null.
     */
    chequeWallet: ChequeWalletDto | null;
    /**
     * Deleted wallets, the last deleted one first; chequeWallet may be one of them.
     */
    deletedChequeWallets: Array<ChequeWalletDto>;
};

export type ReservationResponseDto = {
    data: ReservationDetailsDto;
};

export type CallbackDto = {
    /**
     * Id of an existing reservation of the caller's organization.
     */
    reservationId: string;
    /**
     * Identifies the cheque inside the reservation's cheque wallet.
     */
    installmentId?: string;
    /**
     * Stored with the cheque.
     */
    chequeNumber?: string;
    /**
     * Stored with the cheque update.
     */
    chequeAmount?: number;
    /**
     * Status of the cheque; requires installmentId.
     */
    chequeStatus?: 'pending' | 'collected' | 'overdue' | 'bounced' | 'post_dated';
    /**
     * approved and canceled change the reservation; the others are accepted and ignored.
     */
    reservationStatus?: 'pending' | 'approved' | 'pending_cheque_collection' | 'rejected' | 'canceled' | 'expired';
    [key: string]: unknown;
};

export type LedgerEntryDto = {
    /**
     * Id of a reservation of the caller's organization.
     */
    reservationId: string;
    /**
     * Identifies the cheque among those of the reservation.
     */
    installmentId: string;
    /**
     * Status of the cheque in the ledger.
     */
    chequeStatus: 'pending' | 'collected' | 'overdue' | 'bounced' | 'post_dated';
    /**
     * Compared if sent.
     */
    chequeNumber?: string;
    /**
     * Compared if sent.
     */
    chequeAmount?: number;
};

export type ReconciliationDto = {
    /**
     * The partner's ledger.
     */
    cheques: Array<LedgerEntryDto>;
    /**
     * true if the ledger contains all cheques that the partner collects: the response then lists stored cheques that the ledger does not mention.
     */
    complete?: boolean;
};

export type DifferenceDto = {
    /**
     * Position in the ledger, from 0.
     */
    index: number;
    reservationId: string;
    installmentId: string;
    kind: 'reservation_missing' | 'cheque_missing' | 'status' | 'number' | 'amount';
    /**
     * The stored value, or null.
     */
    ours: string | number | null;
    /**
     * The value in the ledger; the status in the ledger if the reservation or the cheque is missing.
     */
    theirs: string | number;
};

export type UnmentionedChequeDto = {
    reservationId: string;
    installmentId: string;
    status: 'pending' | 'collected' | 'overdue' | 'bounced' | 'post_dated';
};

export type ReconciliationResponseDto = {
    /**
     * True if nothing differs and nothing is unmentioned.
     */
    ok: boolean;
    /**
     * Entries of the ledger.
     */
    compared: number;
    /**
     * Entries without a difference.
     */
    matching: number;
    /**
     * In the order of the ledger.
     */
    differences: Array<DifferenceDto>;
    /**
     * Only with `complete: true`: cheques in the partner collection flow that the ledger does not mention, by reservation.
     */
    unmentioned?: Array<UnmentionedChequeDto>;
    /**
     * Only with `complete: true`: true if the list is incomplete.
     */
    hasMore?: boolean;
};

export type DueChequeDto = {
    reservationId: string;
    /**
     * External id of the reservation.
     */
    reservationRecordSystemId?: string;
    reservationStatus: 'pending' | 'approved' | 'pending_cheque_collection' | 'rejected' | 'canceled' | 'expired';
    unitId: string | null;
    walletId: string;
    installmentId: string;
    status: 'pending' | 'collected' | 'overdue' | 'bounced' | 'post_dated';
    chequeNumber?: string;
    chequeAmount?: number;
    dueDate?: string;
};

export type DueChequesResponseDto = {
    data: Array<DueChequeDto>;
    pagination: PaginationDto;
};

export type EventDto = {
    /**
     * One more than the number of the previous event of any type.
     */
    sequence: number;
    /**
     * The `webhook-id` of the same event.
     */
    id: string;
    type: 'client.created' | 'client.updated' | 'lead.created' | 'lead.updated' | 'lead.deleted' | 'lead.erased' | 'unit.created' | 'unit.updated' | 'unit.deleted' | 'reservation.created' | 'reservation.updated' | 'wallet.created' | 'wallet.updated' | 'wallet.deleted' | 'wallet.restored';
    /**
     * Time of the change.
     */
    timestamp: string;
    /**
     * The object as the API returns it in English, equal to the data of the webhook.
     */
    data: {
        [key: string]: unknown;
    };
    /**
     * Changed fields; only for events whose type ends in .updated.
     */
    changes?: Array<{
        [key: string]: unknown;
    }>;
};

export type EventsResponseDto = {
    data: Array<EventDto>;
    /**
     * Value of after for the next request, even if this page is empty.
     */
    next: number;
    /**
     * True if more events of any type follow: request them without a pause.
     */
    hasMore: boolean;
};

export type HealthDto = {
    description: string;
    /**
     * True if the database responds and the service accepts requests.
     */
    ok: boolean;
    /**
     * Version of the API.
     */
    version: string;
};

export type ClientDto = {
    _id: string;
    name?: string | null;
    email?: string | null;
    phoneNumbers: Array<string>;
    createdAt: string;
    updatedAt: string;
};

export type LeadErasureDto = {
    _id: string;
    /**
     * Sequential number within the organization; never changes.
     */
    leadId: number;
    /**
     * External id, exactly as sent; present if the lead has one.
     */
    recordSystemId?: string;
    /**
     * The client that the lead belongs to.
     */
    clientId: string | null;
};

export type ReadKeyData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/key';
};

export type ReadKeyResponses = {
    /**
     * The key.
     */
    200: KeyResponseDto;
};

export type ReadKeyResponse = ReadKeyResponses[keyof ReadKeyResponses];

export type ListLeadsData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Returns records that changed since then, themselves or in a part that they show; the oldest change comes first unless sort is sent. Send the x-updated-as-of of the last page.
         */
        updatedSince?: string;
        /**
         * Value of next from the previous response, with otherwise the same parameters and without page. 0 starts a copy of everything in the order of ids.
         */
        after?: string;
        /**
         * 1 includes soft-deleted records (isDeleted: true), so that a poller can remove them.
         */
        includeDeleted?: 0 | 1;
        /**
         * Maximum number of items of a page.
         */
        limit?: number;
        /**
         * The external id, exactly as sent.
         */
        recordSystemId?: string;
        /**
         * A phone in any spelling. Deleted leads have none.
         */
        phone?: string;
        /**
         * An email in any case. Deleted leads have none.
         */
        email?: string;
        /**
         * Linked to any of these compounds: slugs in any case, or ids. Several are separated by commas; a comma within a value is sent as \,.
         */
        compound?: string;
        /**
         * The source, exactly as sent.
         */
        leadSource?: string;
    };
    url: '/external/apis/v1.0/leads';
};

export type ListLeadsResponses = {
    /**
     * The leads.
     */
    200: LeadsResponseDto;
};

export type ListLeadsResponse = ListLeadsResponses[keyof ListLeadsResponses];

export type UpsertLeadData = {
    body: SingleLeadDto;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
        /**
         * A new value, such as a UUID, for each new request. A repetition with the same value returns the first response (for 24 hours by default) and changes nothing. Quotes are optional.
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/leads';
};

export type UpsertLeadResponses = {
    /**
     * The lead was updated.
     */
    200: LeadUpsertResponseDto;
    /**
     * The lead was created.
     */
    201: LeadUpsertResponseDto;
};

export type UpsertLeadResponse = UpsertLeadResponses[keyof UpsertLeadResponses];

export type UpsertLeadsData = {
    body: LeadBatchDto;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
        /**
         * A new value, such as a UUID, for each new request. A repetition with the same value returns the first response (for 24 hours by default) and changes nothing. Quotes are optional.
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/leads/batch';
};

export type UpsertLeadsResponses = {
    /**
     * The result of each lead.
     */
    200: LeadBatchResponseDto;
};

export type UpsertLeadsResponse = UpsertLeadsResponses[keyof UpsertLeadsResponses];

export type DeleteLeadData = {
    body?: never;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path: {
        /**
         * The external id of the lead, percent-encoded.
         */
        recordSystemId: string;
    };
    query?: never;
    url: '/external/apis/v1.0/leads/{recordSystemId}';
};

export type DeleteLeadResponses = {
    /**
     * The deleted lead as it was.
     */
    200: LeadDeletionResponseDto;
};

export type DeleteLeadResponse = DeleteLeadResponses[keyof DeleteLeadResponses];

export type ReadLeadData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path: {
        /**
         * The external id of the lead, percent-encoded.
         */
        recordSystemId: string;
    };
    query?: never;
    url: '/external/apis/v1.0/leads/{recordSystemId}';
};

export type ReadLeadResponses = {
    /**
     * The lead.
     */
    200: LeadResponseDto;
};

export type ReadLeadResponse = ReadLeadResponses[keyof ReadLeadResponses];

export type ListCompoundsData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Returns records that changed since then, themselves or in a part that they show; the oldest change comes first unless sort is sent. Send the x-updated-as-of of the last page.
         */
        updatedSince?: string;
        /**
         * Value of next from the previous response, with otherwise the same parameters and without page. 0 starts a copy of everything in the order of ids.
         */
        after?: string;
        /**
         * 1 includes soft-deleted records (isDeleted: true), so that a poller can remove them.
         */
        includeDeleted?: 0 | 1;
        /**
         * Number of the page.
         */
        page?: number;
        /**
         * Maximum number of items of a page.
         */
        limit?: number;
        /**
         * 1 streams everything in one response; page and limit are then ignored.
         */
        all?: 0 | 1;
    };
    url: '/external/apis/v1.0/compounds';
};

export type ListCompoundsResponses = {
    /**
     * The compounds.
     */
    200: CompoundsResponseDto;
};

export type ListCompoundsResponse = ListCompoundsResponses[keyof ListCompoundsResponses];

export type ListCompoundUnitsData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path: {
        /**
         * The slug of the compound, percent-encoded.
         */
        slug: string;
    };
    query?: never;
    url: '/external/apis/v1.0/compounds/{slug}/units';
};

export type ListCompoundUnitsResponses = {
    /**
     * The units.
     */
    200: CompoundUnitsResponseDto;
};

export type ListCompoundUnitsResponse = ListCompoundUnitsResponses[keyof ListCompoundUnitsResponses];

export type ListUnitsData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Returns records that changed since then, themselves or in a part that they show; the oldest change comes first unless sort is sent. Send the x-updated-as-of of the last page.
         */
        updatedSince?: string;
        /**
         * Value of next from the previous response, with otherwise the same parameters and without page. 0 starts a copy of everything in the order of ids.
         */
        after?: string;
        /**
         * 1 includes soft-deleted records (isDeleted: true), so that a poller can remove them.
         */
        includeDeleted?: 0 | 1;
        /**
         * Comma-separated list of createdAt, updatedAt, price, bua, beds, name, unitId, status, each at most once; - before a field for descending order. Without it -createdAt, with updatedSince updatedAt.
         */
        sort?: string;
        /**
         * Any of these statuses, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        status?: string;
        /**
         * Any of these rental statuses, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        rentalStatus?: string;
        /**
         * Any of these sale types, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        saleType?: string;
        /**
         * Any of these property types: names or slugs, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        propertyType?: string;
        /**
         * In any of these compounds: slugs in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        compound?: string;
        /**
         * In any of these phases: slugs in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        phase?: string;
        /**
         * Of any of these unit designs: slugs in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        unitDesign?: string;
        /**
         * Any of these unit ids. Several are separated by commas; a comma within a value is sent as \,.
         */
        unitId?: string;
        /**
         * Any of these external ids. Several are separated by commas; a comma within a value is sent as \,.
         */
        recordSystemId?: string;
        /**
         * All of these amenities: names in any language and case. Several are separated by commas; a comma within a value is sent as \,.
         */
        amenities?: string;
        /**
         * Lowest price.
         */
        minPrice?: number;
        /**
         * Highest price.
         */
        maxPrice?: number;
        /**
         * Smallest built-up area in square meters.
         */
        minBua?: number;
        /**
         * Largest built-up area in square meters.
         */
        maxBua?: number;
        /**
         * Fewest bedrooms.
         */
        minBeds?: number;
        /**
         * Most bedrooms.
         */
        maxBeds?: number;
        /**
         * Number of the page.
         */
        page?: number;
        /**
         * Maximum number of items of a page.
         */
        limit?: number;
    };
    url: '/external/apis/v1.0/units';
};

export type ListUnitsResponses = {
    /**
     * The units.
     */
    200: UnitsResponseDto;
};

export type ListUnitsResponse = ListUnitsResponses[keyof ListUnitsResponses];

export type UpsertUnitData = {
    body: UpsertUnitDto;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
        /**
         * A new value, such as a UUID, for each new request. A repetition with the same value returns the first response (for 24 hours by default) and changes nothing. Quotes are optional.
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/units';
};

export type UpsertUnitResponses = {
    /**
     * The unit was updated.
     */
    200: UnitUpsertResponseDto;
    /**
     * The unit was created.
     */
    201: UnitUpsertResponseDto;
};

export type UpsertUnitResponse = UpsertUnitResponses[keyof UpsertUnitResponses];

export type ExportUnitsData = {
    body?: never;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Returns records that changed since then, themselves or in a part that they show; the oldest change comes first unless sort is sent. Send the x-updated-as-of of the last page.
         */
        updatedSince?: string;
        /**
         * Value of next from the previous response, with otherwise the same parameters and without page. 0 starts a copy of everything in the order of ids.
         */
        after?: string;
        /**
         * 1 includes soft-deleted records (isDeleted: true), so that a poller can remove them.
         */
        includeDeleted?: 0 | 1;
        /**
         * Comma-separated list of createdAt, updatedAt, price, bua, beds, name, unitId, status, each at most once; - before a field for descending order. Without it -createdAt, with updatedSince updatedAt.
         */
        sort?: string;
        /**
         * Any of these statuses, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        status?: string;
        /**
         * Any of these rental statuses, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        rentalStatus?: string;
        /**
         * Any of these sale types, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        saleType?: string;
        /**
         * Any of these property types: names or slugs, in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        propertyType?: string;
        /**
         * In any of these compounds: slugs in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        compound?: string;
        /**
         * In any of these phases: slugs in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        phase?: string;
        /**
         * Of any of these unit designs: slugs in any case. Several are separated by commas; a comma within a value is sent as \,.
         */
        unitDesign?: string;
        /**
         * Any of these unit ids. Several are separated by commas; a comma within a value is sent as \,.
         */
        unitId?: string;
        /**
         * Any of these external ids. Several are separated by commas; a comma within a value is sent as \,.
         */
        recordSystemId?: string;
        /**
         * All of these amenities: names in any language and case. Several are separated by commas; a comma within a value is sent as \,.
         */
        amenities?: string;
        /**
         * Lowest price.
         */
        minPrice?: number;
        /**
         * Highest price.
         */
        maxPrice?: number;
        /**
         * Smallest built-up area in square meters.
         */
        minBua?: number;
        /**
         * Largest built-up area in square meters.
         */
        maxBua?: number;
        /**
         * Fewest bedrooms.
         */
        minBeds?: number;
        /**
         * Most bedrooms.
         */
        maxBeds?: number;
        /**
         * Overrides the Accept header.
         */
        format?: 'json' | 'csv' | 'ndjson';
        /**
         * 1 starts CSV with a byte-order mark, by which spreadsheets recognize UTF-8.
         */
        bom?: 0 | 1;
    };
    url: '/external/apis/v1.0/units/export/all';
};

export type ExportUnitsResponses = {
    /**
     * The units.
     */
    200: UnitsResponseDto;
};

export type ExportUnitsResponse = ExportUnitsResponses[keyof ExportUnitsResponses];

export type ReadUnitData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path: {
        /**
         * The slug of the unit, percent-encoded.
         */
        slug: string;
    };
    query?: never;
    url: '/external/apis/v1.0/units/{slug}';
};

export type ReadUnitResponses = {
    /**
     * The unit.
     */
    200: UnitResponseDto;
};

export type ReadUnitResponse = ReadUnitResponses[keyof ReadUnitResponses];

export type ListReservationsData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Returns records that changed since then, themselves or in a part that they show; the oldest change comes first unless sort is sent. Send the x-updated-as-of of the last page.
         */
        updatedSince?: string;
        /**
         * Value of next from the previous response, with otherwise the same parameters and without page. 0 starts a copy of everything in the order of ids.
         */
        after?: string;
        /**
         * 1 includes soft-deleted records (isDeleted: true), so that a poller can remove them.
         */
        includeDeleted?: 0 | 1;
        /**
         * Maximum number of items of a page.
         */
        limit?: number;
        /**
         * The external id, exactly as sent.
         */
        recordSystemId?: string;
        /**
         * Of this unit: its id, slug, `recordSystemId` or `unitId`.
         */
        unit?: string;
        /**
         * Of this lead: its `recordSystemId` or id.
         */
        lead?: string;
        /**
         * In any of these statuses. Several are separated by commas; a comma within a value is sent as \,.
         */
        status?: string;
    };
    url: '/external/apis/v1.0/reservations';
};

export type ListReservationsResponses = {
    /**
     * The reservations.
     */
    200: ReservationsResponseDto;
};

export type ListReservationsResponse = ListReservationsResponses[keyof ListReservationsResponses];

export type UpsertReservationData = {
    body: UpsertReservationDto;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
        /**
         * A new value, such as a UUID, for each new request. A repetition with the same value returns the first response (for 24 hours by default) and changes nothing. Quotes are optional.
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/reservations';
};

export type UpsertReservationResponses = {
    /**
     * The reservation was updated.
     */
    200: ReservationUpsertResponseDto;
    /**
     * The reservation was created.
     */
    201: ReservationUpsertResponseDto;
};

export type UpsertReservationResponse = UpsertReservationResponses[keyof UpsertReservationResponses];

export type ReadReservationData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path: {
        /**
         * Id of the reservation.
         */
        reservationId: string;
    };
    query?: never;
    url: '/external/apis/v1.0/reservations/{reservationId}';
};

export type ReadReservationResponses = {
    /**
     * The reservation.
     */
    200: ReservationResponseDto;
};

export type ReadReservationResponse = ReadReservationResponses[keyof ReadReservationResponses];

export type ReportReservationChangeData = {
    body: CallbackDto;
    headers?: {
        /**
         * Only with a key for signed callbacks: your id of the message. Retries keep it, because it is their Idempotency-Key.
         */
        'webhook-id'?: string;
        /**
         * Only with a key for signed callbacks: the time of this attempt in seconds of the Unix epoch, at most five minutes off.
         */
        'webhook-timestamp'?: string;
        /**
         * Only with a key for signed callbacks: `v1,` and the Base64 of the HMAC-SHA256, under the decoded secret, of id, timestamp and raw body joined by dots.
         */
        'webhook-signature'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
        /**
         * A new value, such as a UUID, for each new request. A repetition with the same value returns the first response (for 24 hours by default) and changes nothing. Quotes are optional.
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/reservations/webhook';
};

export type ReportReservationChangeResponses = {
    /**
     * The callback was processed; the response has no body.
     */
    201: unknown;
};

export type ReconcileChequesData = {
    body: ReconciliationDto;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
        /**
         * A new value, such as a UUID, for each new request. A repetition with the same value returns the first response (for 24 hours by default) and changes nothing. Quotes are optional.
         */
        'idempotency-key'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/reservations/reconciliation';
};

export type ReconcileChequesResponses = {
    /**
     * The differences.
     */
    200: ReconciliationResponseDto;
};

export type ReconcileChequesResponse = ReconcileChequesResponses[keyof ReconcileChequesResponses];

export type ListChequesData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * In any of these statuses. Several are separated by commas; a comma within a value is sent as \,.
         */
        status?: string;
        /**
         * Due on this day (UTC) or at this time, or later.
         */
        dueFrom?: string;
        /**
         * Due before the end of this day (UTC), or at this time or earlier.
         */
        dueTo?: string;
        /**
         * Of this reservation: its id or `recordSystemId`.
         */
        reservation?: string;
        /**
         * Value of next from the previous response, with otherwise the same parameters and without page. 0 starts at the beginning.
         */
        after?: string;
        /**
         * Maximum number of items of a page.
         */
        limit?: number;
    };
    url: '/external/apis/v1.0/cheques';
};

export type ListChequesResponses = {
    /**
     * The cheques.
     */
    200: DueChequesResponseDto;
};

export type ListChequesResponse = ListChequesResponses[keyof ListChequesResponses];

export type ReadEventsData = {
    body?: never;
    headers?: {
        /**
         * The ETag of the last response: returns 304 without a body while nothing has changed.
         */
        'if-none-match'?: string;
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: {
        /**
         * Value of next from the previous response; later events are returned. 0 begins with the oldest event that is kept.
         */
        after?: number;
        /**
         * Maximum number of events of a page.
         */
        limit?: number;
        /**
         * Only events of these types, such as lead.created, lead.* or *. Several are separated by commas; a comma within a value is sent as \,.
         */
        types?: string;
        /**
         * Maximum number of seconds to wait while there is no event.
         */
        wait?: number;
    };
    url: '/external/apis/v1.0/events';
};

export type ReadEventsResponses = {
    /**
     * The events in the order of their numbers; empty if there are no new ones.
     */
    200: EventsResponseDto;
};

export type ReadEventsResponse = ReadEventsResponses[keyof ReadEventsResponses];

export type CheckHealthData = {
    body?: never;
    headers?: {
        /**
         * Language of content and messages: en-us or ar-eg, in any case. Any value that begins with ar is Arabic; any other value counts as en-us.
         */
        language?: string;
        /**
         * Id of the request in the logs: up to 128 of A-Z a-z 0-9 . _ ~ : + / = @ -
         */
        'x-request-id'?: string;
    };
    path?: never;
    query?: never;
    url: '/external/apis/v1.0/healthz';
};

export type CheckHealthResponses = {
    /**
     * The database responds.
     */
    200: HealthDto;
};

export type CheckHealthResponse = CheckHealthResponses[keyof CheckHealthResponses];

export type ReceiveClientCreatedWebhookPayload = {
    type: 'client.created';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ClientDto;
};

export type ReceiveClientCreatedWebhookRequest = {
    body: ReceiveClientCreatedWebhookPayload;
    key: 'client.created';
    path?: never;
    query?: never;
};

export type ReceiveClientUpdatedWebhookPayload = {
    type: 'client.updated';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ClientDto;
    /**
     * Changed fields; `from` is null if there was no value, `to` if there is none now.
     */
    changes: Array<{
        /**
         * The field, as a dotted path if nested.
         */
        field: string;
        /**
         * The value before.
         */
        from?: unknown;
        /**
         * The value now.
         */
        to?: unknown;
        /**
         * The new phones of a client.
         */
        added?: Array<string>;
    }>;
};

export type ReceiveClientUpdatedWebhookRequest = {
    body: ReceiveClientUpdatedWebhookPayload;
    key: 'client.updated';
    path?: never;
    query?: never;
};

export type ReceiveLeadCreatedWebhookPayload = {
    type: 'lead.created';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: LeadDto;
};

export type ReceiveLeadCreatedWebhookRequest = {
    body: ReceiveLeadCreatedWebhookPayload;
    key: 'lead.created';
    path?: never;
    query?: never;
};

export type ReceiveLeadUpdatedWebhookPayload = {
    type: 'lead.updated';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: LeadDto;
    /**
     * Changed fields; `from` is null if there was no value, `to` if there is none now.
     */
    changes: Array<{
        /**
         * The field, as a dotted path if nested.
         */
        field: string;
        /**
         * The value before.
         */
        from?: unknown;
        /**
         * The value now.
         */
        to?: unknown;
        /**
         * The new phones of a client.
         */
        added?: Array<string>;
    }>;
};

export type ReceiveLeadUpdatedWebhookRequest = {
    body: ReceiveLeadUpdatedWebhookPayload;
    key: 'lead.updated';
    path?: never;
    query?: never;
};

export type ReceiveLeadDeletedWebhookPayload = {
    type: 'lead.deleted';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: LeadDto;
};

export type ReceiveLeadDeletedWebhookRequest = {
    body: ReceiveLeadDeletedWebhookPayload;
    key: 'lead.deleted';
    path?: never;
    query?: never;
};

export type ReceiveLeadErasedWebhookPayload = {
    type: 'lead.erased';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: LeadErasureDto;
};

export type ReceiveLeadErasedWebhookRequest = {
    body: ReceiveLeadErasedWebhookPayload;
    key: 'lead.erased';
    path?: never;
    query?: never;
};

export type ReceiveUnitCreatedWebhookPayload = {
    type: 'unit.created';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: UnitDto;
};

export type ReceiveUnitCreatedWebhookRequest = {
    body: ReceiveUnitCreatedWebhookPayload;
    key: 'unit.created';
    path?: never;
    query?: never;
};

export type ReceiveUnitUpdatedWebhookPayload = {
    type: 'unit.updated';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: UnitDto;
    /**
     * Changed fields; `from` is null if there was no value, `to` if there is none now.
     */
    changes: Array<{
        /**
         * The field, as a dotted path if nested.
         */
        field: string;
        /**
         * The value before.
         */
        from?: unknown;
        /**
         * The value now.
         */
        to?: unknown;
        /**
         * The new phones of a client.
         */
        added?: Array<string>;
    }>;
};

export type ReceiveUnitUpdatedWebhookRequest = {
    body: ReceiveUnitUpdatedWebhookPayload;
    key: 'unit.updated';
    path?: never;
    query?: never;
};

export type ReceiveUnitDeletedWebhookPayload = {
    type: 'unit.deleted';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: UnitDto;
};

export type ReceiveUnitDeletedWebhookRequest = {
    body: ReceiveUnitDeletedWebhookPayload;
    key: 'unit.deleted';
    path?: never;
    query?: never;
};

export type ReceiveReservationCreatedWebhookPayload = {
    type: 'reservation.created';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ReservationDto;
};

export type ReceiveReservationCreatedWebhookRequest = {
    body: ReceiveReservationCreatedWebhookPayload;
    key: 'reservation.created';
    path?: never;
    query?: never;
};

export type ReceiveReservationUpdatedWebhookPayload = {
    type: 'reservation.updated';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ReservationDto;
    /**
     * Changed fields; `from` is null if there was no value, `to` if there is none now.
     */
    changes: Array<{
        /**
         * The field, as a dotted path if nested.
         */
        field: string;
        /**
         * The value before.
         */
        from?: unknown;
        /**
         * The value now.
         */
        to?: unknown;
        /**
         * The new phones of a client.
         */
        added?: Array<string>;
    }>;
};

export type ReceiveReservationUpdatedWebhookRequest = {
    body: ReceiveReservationUpdatedWebhookPayload;
    key: 'reservation.updated';
    path?: never;
    query?: never;
};

export type ReceiveWalletCreatedWebhookPayload = {
    type: 'wallet.created';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ChequeWalletDto;
};

export type ReceiveWalletCreatedWebhookRequest = {
    body: ReceiveWalletCreatedWebhookPayload;
    key: 'wallet.created';
    path?: never;
    query?: never;
};

export type ReceiveWalletUpdatedWebhookPayload = {
    type: 'wallet.updated';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ChequeWalletDto;
    /**
     * Changed fields; `from` is null if there was no value, `to` if there is none now.
     */
    changes: Array<{
        /**
         * The field, as a dotted path if nested.
         */
        field: string;
        /**
         * The value before.
         */
        from?: unknown;
        /**
         * The value now.
         */
        to?: unknown;
        /**
         * The new phones of a client.
         */
        added?: Array<string>;
    }>;
};

export type ReceiveWalletUpdatedWebhookRequest = {
    body: ReceiveWalletUpdatedWebhookPayload;
    key: 'wallet.updated';
    path?: never;
    query?: never;
};

export type ReceiveWalletDeletedWebhookPayload = {
    type: 'wallet.deleted';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ChequeWalletDto;
};

export type ReceiveWalletDeletedWebhookRequest = {
    body: ReceiveWalletDeletedWebhookPayload;
    key: 'wallet.deleted';
    path?: never;
    query?: never;
};

export type ReceiveWalletRestoredWebhookPayload = {
    type: 'wallet.restored';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: ChequeWalletDto;
};

export type ReceiveWalletRestoredWebhookRequest = {
    body: ReceiveWalletRestoredWebhookPayload;
    key: 'wallet.restored';
    path?: never;
    query?: never;
};

export type ReceiveWebhookPingWebhookPayload = {
    type: 'webhook.ping';
    /**
     * Time of the change.
     */
    timestamp: string;
    data: {
        [key: string]: unknown;
    };
};

export type ReceiveWebhookPingWebhookRequest = {
    body: ReceiveWebhookPingWebhookPayload;
    key: 'webhook.ping';
    path?: never;
    query?: never;
};
