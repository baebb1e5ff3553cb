"""Calls every operation with the generated client. Exits with an error if a call throws."""

import inspect
import os

import openapi_client
from openapi_client import (
    ApiClient,
    CallbackDto,
    Configuration,
    LeadBatchDto,
    ReconciliationDto,
    SingleLeadDto,
    UpsertLeadDto,
    UpsertReservationDto,
    UpsertReservationDtoUnit,
    UpsertUnitDto,
    UpsertUnitDtoName,
)

configuration = Configuration(host=os.environ["API_URL"], api_key={"api-key": os.environ["API_KEY"]})
client = ApiClient(configuration)
operations = {}
for name, api in inspect.getmembers(openapi_client, inspect.isclass):
    if name.endswith("Api"):
        methods = inspect.getmembers(api(client), inspect.ismethod)
        operations.update(
            {
                method: call
                for method, call in methods
                if not method.startswith("_") and "_with" not in method
            }
        )
called = set()


def call(name, *args, **kwargs):
    called.add(name)
    return operations[name](*args, **kwargs)


lead = SingleLeadDto(record_system_id="python", name="Mona", data={"rooms": [2, 3]})
created = call("upsert_lead", lead, idempotency_key="python-1")
assert (created.ok, created.operation) == (True, "create"), created
assert created.new_lead == created.lead, created
assert call("upsert_lead", lead, idempotency_key="python-2").operation == "update"
read = call("read_lead", "python").lead
assert (read.lead_id, read.data) == (created.lead.lead_id, {"name": "Mona", "rooms": [2, 3]}), read
listed = call("list_leads", record_system_id="python").data
assert [one.actual_instance.lead_id for one in listed] == [read.lead_id], listed
assert "leads.list" in call("read_key").data.operations
batch = LeadBatchDto(leads=[UpsertLeadDto(name="Omar"), UpsertLeadDto(email="no address")])
results = call("upsert_leads", batch).results
assert [result.status_code for result in results] == [201, 400], results
assert call("delete_lead", "python").lead.lead_id == created.lead.lead_id
try:
    call("read_lead", "python")
    raise AssertionError("A deleted lead was read")
except openapi_client.exceptions.NotFoundException as error:
    assert error.data.message.actual_instance == "Lead not found", error

compound = call("list_compounds", limit=1).data[0]
first = call("list_compound_units", compound.slug).data[0]
everything = call("list_units", after="0", limit=100)
assert everything.pagination.next, everything.pagination
units = call("export_units").data
assert len(units) == everything.pagination.total
assert {unit.phase is None for unit in units} == {True, False}
assert call("read_unit", first.slug).data.id == first.id
unit = UpsertUnitDto(
    record_system_id="python",
    unit_id="PY-1",
    compound=compound.slug,
    name=UpsertUnitDtoName("Villa"),
)
written = call("upsert_unit", unit).unit

deal = UpsertReservationDto(
    record_system_id="python",
    unit=UpsertReservationDtoUnit(written.slug),
    status="pending_cheque_collection",
    partner_collection=True,
    cheques=[{"installmentId": "1", "chequeAmount": 250000}],
)
made = call("upsert_reservation", deal).reservation
report = {"reservationId": made.id, "installmentId": "1", "chequeStatus": "collected"}
call("report_reservation_change", CallbackDto.from_dict(report), idempotency_key="python-3")
state = call("read_reservation", made.id).data
assert (state.status, state.cheque_wallet.cheques[0].status) == ("approved", "collected"), state
listed = call("list_reservations", record_system_id="python").data
assert [one.id for one in listed] == [made.id], listed
due = call("list_cheques", reservation="python").data
assert [cheque.status for cheque in due] == ["collected"], due
assert call("reconcile_cheques", ReconciliationDto.from_dict({"cheques": [report]})).ok
# The feed is empty, because the service of this test runs no worker that numbers events.
feed = call("read_events", after=0, types="lead.*", wait=0)
assert (feed.data, feed.next, feed.has_more) == ([], 0, False), feed
assert call("check_health").ok

assert called == operations.keys(), operations.keys() - called
print("every operation succeeded")
