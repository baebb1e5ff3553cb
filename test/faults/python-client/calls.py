"""Calls every operation with the generated client, and fails unless each responds with 2xx."""

import importlib
import os
import pkgutil

from generated import api
from generated.client import AuthenticatedClient
from generated.models.callback_dto import CallbackDto
from generated.models.lead_batch_dto import LeadBatchDto
from generated.models.reconciliation_dto import ReconciliationDto
from generated.models.single_lead_dto import SingleLeadDto
from generated.models.upsert_reservation_dto import UpsertReservationDto
from generated.models.upsert_unit_dto import UpsertUnitDto

client = AuthenticatedClient(
    base_url=os.environ["API_URL"],
    token=os.environ["API_KEY"],
    prefix="",
    auth_header_name="api-key",
    timeout=60,
)
operations = {}
for tag in pkgutil.iter_modules(api.__path__, "generated.api."):
    for operation in pkgutil.iter_modules(importlib.import_module(tag.name).__path__):
        operations[operation.name] = importlib.import_module(f"{tag.name}.{operation.name}")
statuses = {}


def call(name, *args, **kwargs):
    response = operations[name].sync_detailed(*args, client=client, **kwargs)
    statuses[name] = int(response.status_code)
    return response.parsed


lead = {"recordSystemId": "python", "name": "Mona", "data": {"rooms": [2, 3]}}
created = call("upsert_lead", body=SingleLeadDto.from_dict(lead)).lead
assert created.data.to_dict() == {"name": "Mona", "rooms": [2, 3]}, created
assert call("read_lead", "python").lead.lead_id == created.lead_id
listed = call("list_leads", record_system_id="python").data
assert [one.lead_id for one in listed] == [created.lead_id], listed
assert "leads.list" in call("read_key").data.operations
batch = {"leads": [{"name": "Omar"}, {"email": "no address"}]}
results = call("upsert_leads", body=LeadBatchDto.from_dict(batch)).results
assert [result.status_code for result in results] == [201, 400], results
assert call("delete_lead", "python").lead.lead_id == created.lead_id
assert operations["read_lead"].sync("python", client=client).message == "Lead not found"

compound = call("list_compounds", limit=1).data[0]
first = call("list_compound_units", compound.slug).data[0]
everything = call("list_units", after="0", limit=100)
assert everything.pagination.next_, everything.pagination
units = call("export_units").data
assert len(units) == everything.pagination.total
# A unit without a phase once broke generated clients.
assert {unit.phase is None for unit in units} == {True, False}
assert call("read_unit", first.slug).data.field_id == first.field_id
unit = {"recordSystemId": "python", "unitId": "PY-1", "compound": compound.slug, "name": "Villa"}
written = call("upsert_unit", body=UpsertUnitDto.from_dict(unit)).unit

deal = {
    "recordSystemId": "python",
    "unit": written.slug,
    "status": "pending_cheque_collection",
    "partnerCollection": True,
    "cheques": [{"installmentId": "1", "chequeAmount": 250000}],
}
made = call("upsert_reservation", body=UpsertReservationDto.from_dict(deal)).reservation
report = {"reservationId": made.field_id, "installmentId": "1", "chequeStatus": "collected"}
call("report_reservation_change", body=CallbackDto.from_dict(report), idempotency_key='"python"')
read = call("read_reservation", made.field_id).data
assert read.status == "approved" and read.cheque_wallet.cheques[0].status == "collected", read
listed = call("list_reservations", record_system_id="python").data
assert [one.field_id for one in listed] == [made.field_id], listed
due = call("list_cheques", reservation="python").data
assert [cheque.status for cheque in due] == ["collected"], due
ledger = {"cheques": [report]}
assert call("reconcile_cheques", body=ReconciliationDto.from_dict(ledger)).ok
# The feed is empty, because the service of this test runs no worker that numbers events.
feed = call("read_events", after=0, types="lead.*", wait=0)
assert (feed.data, feed.next_, feed.has_more) == ([], 0, False), feed
assert call("check_health").ok

assert statuses.keys() == operations.keys(), operations.keys() - statuses.keys()
assert all(200 <= status < 300 for status in statuses.values()), statuses
print("every operation succeeded")
