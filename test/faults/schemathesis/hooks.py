"""Ids that are there, so that generated requests reach deep code, and what is no fault of the service."""

import atexit
import json
import os
import random
import re
import threading
import urllib.request
import uuid

import schemathesis

BASE = os.environ["SERVICE_URL"] + "/external/apis/v1.0"
KEY = os.environ["SERVICE_KEY"]

# How often a field of a valid request gets a value that is there instead of a generated one.
SHARE = 0.7

SEED = os.environ.get("FAULT_SEED", "1")

# Of their own in each run: an earlier one has left its reservations with other units and statuses.
LEADS = [f"fuzz-{SEED}-lead-{number}" for number in range(12)]
RESERVATIONS = [f"fuzz-{SEED}-reservation-{number}" for number in range(12)]
INSTALLMENTS = ["installment-1", "installment-2", "installment-3"]
NUMBERS = ["minPrice", "maxPrice", "minBua", "maxBua", "minBeds", "maxBeds"]

# What the document cannot say, with the reason.
REFUSED_FOR_A_REASON = {
    # About what is stored, not about the request.
    "lead.duplicate_phone": "another lead has the phone",
    "lead.database_reference": "$ref and $id meet in the merged lead",
    "unit.unknown_name": "a name that nothing has",
    "unit.compound_required": "only a new unit needs its compound",
    "unit.ambiguous": "two compounds have a unit with the unitId",
    "unit.unit_id_taken": "another unit of the compound has the unitId",
    "reservation.unit_required": "only a new reservation needs its unit",
    "reservation.unit_ambiguous": "two compounds have a unit with the unitId",
    "events.beyond_last": "a place that the feed has not reached",
    "list.cursor_unusable": "a cursor belongs to the parameters that it was given for",
    # About keys and values at any depth of free-form objects, for which JSON Schema has no word.
    "request.forbidden_key": "__proto__ and constructor.prototype",
    "request.reserved_key": "_bsontype",
    "request.database_reference": "$ref beside $id",
    "request.unstorable_key": "a null character in a key",
    "request.inexact_integer": "an integer of more than 64 bits",
    "lead.inexact_number": "more digits than a double keeps",
    "request.json_too_deep": "more than 32 levels",
}
# What a schema cannot say of a valid field: that the items of a list differ in one thing.
INEXPRESSIBLE = ["uniqueInstallments", "isSortList"]


def pattern_of(message):
    """Of a message with placeholders in braces."""
    return re.compile(".*".join(map(re.escape, re.split(r"{\w+}", message))), re.DOTALL)


def messages_of(language):
    path = f"src/core/localization/messages/{language}/validation.json"
    with open(path, encoding="utf-8") as file:
        texts = json.load(file)
    return [pattern_of(texts[name]) for name in INEXPRESSIBLE]


inexpressible = messages_of("en-us") + messages_of("ar-eg")
chosen = random.Random(int(SEED))
lock = threading.Lock()
counts = {"requests": 0, "statuses": {}}


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"api-key": KEY, "content-type": "application/json"}
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        text = response.read()
    return json.loads(text) if text else None


def known_values():
    """What there is in the demo organization, and some leads and reservations in it."""
    compounds = call("GET", "/compounds?limit=100")["data"]
    units = call("GET", "/units?limit=100")["data"]
    for lead in LEADS:
        call("POST", "/leads", {"recordSystemId": lead, "name": lead})
    cheques = [{"installmentId": one} for one in INSTALLMENTS]
    reservations = []
    for number, record in enumerate(RESERVATIONS):
        body = {
            "recordSystemId": record,
            # Some share a unit.
            "unit": units[number % 4]["slug"],
            "lead": {"recordSystemId": LEADS[number]},
            "status": "pending_cheque_collection",
            "partnerCollection": True,
            "cheques": cheques,
        }
        reservations.append(call("POST", "/reservations", body)["reservation"]["_id"])
    slugs = [unit["slug"] for unit in units]
    unit_ids = [unit["unitId"] for unit in units if unit.get("unitId")]
    unit_records = [unit["recordSystemId"] for unit in units if unit.get("recordSystemId")]
    names = lambda field: [unit[field]["name"] for unit in units if unit.get(field)]
    references = slugs + [{"recordSystemId": one} for one in unit_records]
    return {
        "path": {
            "slug": {"/compounds/": [one["slug"] for one in compounds], "/units/": slugs},
            "recordSystemId": {"/leads/": LEADS},
            "reservationId": {"/reservations/": reservations},
        },
        "query": {
            "status": ["Available", "Reserved,Sold"],
            "compound": [one["slug"] for one in compounds],
            "propertyType": names("propertyType") or ["Villa"],
            "unitId": unit_ids,
            "recordSystemId": unit_records,
            "after": ["0"],
            "updatedSince": ["2026-01-05T09:30:00Z"],
        },
        "body": {
            "/leads": {"recordSystemId": LEADS, "project": [one["name"] for one in compounds]},
            "/units": {
                "recordSystemId": unit_records,
                "unitId": unit_ids,
                "compound": [one["slug"] for one in compounds],
                "propertyType": [None] + (names("propertyType") or ["Villa"]),
                "phase": [None],
                "unitDesign": [None],
                "amenities": [[]],
            },
            "/reservations": {
                "recordSystemId": RESERVATIONS,
                "unit": references,
                "lead": [{"recordSystemId": one} for one in LEADS],
            },
            "/reservations/webhook": {
                "reservationId": reservations,
                "installmentId": INSTALLMENTS,
            },
            "/reservations/reconciliation": {
                "cheques": [
                    [
                        {"reservationId": one, "installmentId": "installment-1", "chequeStatus": "collected"}
                        for one in reservations
                    ]
                ],
            },
        },
    }


known = known_values()


def choose(values):
    with lock:
        return chosen.choice(values)


def is_chosen():
    with lock:
        return chosen.random() < SHARE


def replace(fields, values):
    for name, choices in values.items():
        if name in fields and is_chosen():
            fields[name] = choose(choices)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes valid requests meet what is there; leaves those alone that are wrong on purpose."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    path = case.operation.path.removeprefix("/external/apis/v1.0")
    for name, by_prefix in known["path"].items():
        for prefix, values in by_prefix.items():
            if path.startswith(prefix) and name in case.path_parameters and is_chosen():
                case.path_parameters[name] = choose(values)
    query = case.query or {}
    # The feed of events has numbers where lists have cursors.
    is_feed = path.startswith("/events")
    replace(query, {name: values for name, values in known["query"].items() if not (is_feed and name == "after")})
    if "after" in query:
        query.pop("page", None)
    if is_feed and isinstance(query.get("wait"), int) and is_chosen():
        # Half a minute for nothing, where the feed has no more.
        query["wait"] = min(query["wait"], 1)
    for name in NUMBERS:
        # JSON's exponents are one way to write a number into a query, and not the one documented.
        if isinstance(query.get(name), float):
            query[name] = f"{query[name]:f}"
    if isinstance(case.body, dict):
        replace(case.body, known["body"].get(path, {}))
    headers = case.headers or {}
    if "idempotency-key" in headers and is_chosen():
        # The same key with another request is refused.
        headers["idempotency-key"] = str(uuid.uuid4())


@schemathesis.hook
def after_call(context, case, response):
    status = str(response.status_code)
    with lock:
        counts["requests"] += 1
        counts["statuses"][status] = counts["statuses"].get(status, 0) + 1
        # Where the run is stopped there is no other end.
        if counts["requests"] % 100 == 0:
            write_counts()
    cursor = (response.headers.get("x-next-cursor") or [None])[0]
    if cursor is not None:
        with lock:
            known["query"]["after"] = (known["query"]["after"] + [cursor])[-20:]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops what the document cannot say; a 422 is about what is stored in any case."""
    if type(failure).__name__ == "AllowHeaderMismatch" and case.operation.path.endswith("/leads/batch"):
        # "batch" may be the id of a lead too, which the path with its parameter describes.
        return False
    if type(failure).__name__ == "AcceptedNegativeData":
        # What is wrong with a lead of a batch is told in its result.
        is_batch = case.operation.path.endswith("/leads/batch")
        if is_batch and response.json().get("refused", 0) > 0:
            return False
        # With all=1 page and limit are not looked at.
        return not (case.operation.path.endswith("/compounds") and str((case.query or {}).get("all")) == "1")
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    # About what is stored; so is a place in the feed of events that is no longer kept.
    if response.status_code in (410, 422):
        return False
    code = (response.headers.get("x-error-code") or [""])[0]
    if code in REFUSED_FOR_A_REASON:
        return False
    messages = response.json().get("message")
    messages = messages if isinstance(messages, list) else [messages]
    return not all(any(one.fullmatch(message) for one in inexpressible) for message in messages)


def write_counts():
    with open(os.environ["COUNTS_FILE"], "w", encoding="utf-8") as file:
        json.dump(counts, file)


atexit.register(write_counts)
