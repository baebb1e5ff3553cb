/** A lead as the API returns it. */
export function presentLead(lead) {
  const { recordSystemId } = lead;
  return {
    _id: lead._id.toHexString(),
    leadId: lead.leadId ?? 0,
    ...(recordSystemId === undefined ? {} : { recordSystemId }),
    compoundsIds: (lead.compoundsIds ?? []).map((id) => id.toHexString()),
    data: lead.data ?? {},
    additionalData: lead.additionalData ?? {},
    clientId: lead.clientId?.toHexString() ?? null,
    assignedToId: lead.assignedToId?.toHexString() ?? null,
    parentId: lead.parentId?.toHexString() ?? null,
    isActive: lead.isActive ?? false,
    isDeleted: lead.isDeleted,
    createdAt: lead.createdAt.toISOString(),
    updatedAt: lead.updatedAt.toISOString(),
  };
}

/** A client as events show it. */
export function presentClient(client) {
  return {
    _id: client._id.toHexString(),
    ...(client.name === undefined ? {} : { name: client.name }),
    ...(client.email === undefined ? {} : { email: client.email }),
    phoneNumbers: client.phoneNumbers ?? [],
    createdAt: client.createdAt.toISOString(),
    updatedAt: client.updatedAt.toISOString(),
  };
}
