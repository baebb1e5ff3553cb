"""Puts stored ids into generated requests, so that they pass the lookups, and ignores failures that are not faults."""

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

# The share of fields in valid requests whose generated value is replaced by a stored one.
SHARE = 0.7

SEED = os.environ.get("FAULT_SEED", "1")

# Each run has its own records, because earlier runs have changed the units and statuses of theirs.
LEADS = [f"fuzz-{SEED}-lead-{number}" for number in range(12)]
RESERVATIONS = [f"fuzz-{SEED}-reservation-{number}" for number in range(12)]
INSTALLMENTS = ["installment-1", "installment-2", "installment-3"]
NUMBERS = ["minPrice", "maxPrice", "minBua", "maxBua", "minBeds", "maxBeds"]

# The document cannot express the reasons for these refusals.
EXPECTED_REJECTIONS = {
    # These depend on stored records, not on the request alone.
    "lead.duplicate_phone": "another lead has the phone",
    "lead.database_reference": "$ref and $id meet in the merged lead",
    "unit.unknown_name": "no record has the name",
    "lead.unknown_compound": "no compound has the slug",
    "unit.compound_required": "only a new unit needs its compound",
    "unit.ambiguous": "two compounds have a unit with the unitId",
    "unit.unit_id_taken": "another unit of the compound has the unitId",
    "reservation.unit_required": "only a new reservation needs its unit",
    "reservation.unit_ambiguous": "two compounds have a unit with the unitId",
    "events.beyond_last": "the feed has not reached the number",
    "list.cursor_unusable": "a cursor is valid only with the parameters of its list",
    # These concern keys and values at any depth of free-form objects, which JSON Schema cannot express.
    "request.forbidden_key": "__proto__ and constructor.prototype",
    "request.reserved_key": "_bsontype",
    "request.database_reference": "$ref together with $id",
    "request.unstorable_key": "a null character in a key",
    "request.inexact_integer": "an integer of more than 64 bits",
    "request.json_too_deep": "more than 32 levels",
}
# A schema cannot require that the items of a list differ in one field, or count digits of all scripts.
INEXPRESSIBLE = ["uniqueInstallments", "isSortList", "isPhone"]


def pattern_of(message):
    """Returns a pattern that matches the message with any values in place of its placeholders."""
    return re.compile(".*".join(map(re.escape, re.split(r"{\w+}", message))), re.DOTALL)


def messages_of(language):
    texts = {}
    for folder in ["core/localization", "reservations"]:
        path = f"src/{folder}/messages/{language}/validation.json"
        with open(path, encoding="utf-8") as file:
            texts.update(json.load(file))
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
    """Reads the records of the demo organization, and adds leads and reservations to it."""
    compounds = call("GET", "/compounds?limit=100")["data"]
    units = call("GET", "/units?limit=100")["data"]
    for lead in LEADS:
        call("POST", "/leads", {"recordSystemId": lead, "name": lead})
    cheques = [{"installmentId": one} for one in INSTALLMENTS]
    reservations = []
    for number, record in enumerate(RESERVATIONS):
        body = {
            "recordSystemId": record,
            # Several reservations share a unit.
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
    """Puts stored values into valid requests, and leaves intentionally invalid ones unchanged."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    path = case.operation.path.removeprefix("/external/apis/v1.0")
    for name, by_prefix in known["path"].items():
        for prefix, values in by_prefix.items():
            if path.startswith(prefix) and name in case.path_parameters and is_chosen():
                case.path_parameters[name] = choose(values)
    query = case.query or {}
    # In the event feed, `after` is a number instead of a cursor.
    is_feed = path.startswith("/events")
    replace(query, {name: values for name, values in known["query"].items() if not (is_feed and name == "after")})
    if "after" in query:
        query.pop("page", None)
    if is_feed and isinstance(query.get("wait"), int) and is_chosen():
        # The feed would wait up to half a minute when it has no more events.
        query["wait"] = min(query["wait"], 1)
    for name in NUMBERS:
        # Python writes some numbers with an exponent, which the reference does not document for queries.
        if isinstance(query.get(name), float):
            query[name] = f"{query[name]:f}"
    if isinstance(case.body, dict):
        replace(case.body, known["body"].get(path, {}))
    headers = case.headers or {}
    if "idempotency-key" in headers and is_chosen():
        # The service refuses a key that an earlier request has used with another body.
        headers["idempotency-key"] = str(uuid.uuid4())


@schemathesis.hook
def after_call(context, case, response):
    status = str(response.status_code)
    with lock:
        counts["requests"] += 1
        counts["statuses"][status] = counts["statuses"].get(status, 0) + 1
        # A stopped run does not reach its end, so the counts are written regularly.
        if counts["requests"] % 100 == 0:
            write_counts()
    cursor = (response.headers.get("x-next-cursor") or [None])[0]
    if cursor is not None:
        with lock:
            known["query"]["after"] = (known["query"]["after"] + [cursor])[-20:]


def has_null(body):
    items = body.values() if isinstance(body, dict) else body if isinstance(body, list) else []
    return any(item is None or has_null(item) for item in items)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Ignores failures that the document cannot prevent."""
    if type(failure).__name__ == "AllowHeaderMismatch" and case.operation.path.endswith("/leads/batch"):
        # The path also matches that of a lead with the id "batch".
        return False
    if type(failure).__name__ == "AcceptedNegativeData":
        # The batch endpoint reports invalid leads in its body.
        is_batch = case.operation.path.endswith("/leads/batch")
        if is_batch and response.json().get("refused", 0) > 0:
            return False
        # An optional field that is null counts as not sent, which the schemas do not say.
        if has_null(case.body):
            return False
        # With all=1 the service ignores page and limit.
        return not (case.operation.path.endswith("/compounds") and str((case.query or {}).get("all")) == "1")
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    # These statuses depend on stored data: 410 on expired events, 422 on the state of records.
    if response.status_code in (410, 422):
        return False
    code = (response.headers.get("x-error-code") or [""])[0]
    if code in EXPECTED_REJECTIONS:
        return False
    messages = response.json().get("message")
    messages = messages if isinstance(messages, list) else [messages]
    return not all(any(one.fullmatch(message) for one in inexpressible) for message in messages)


def write_counts():
    with open(os.environ["COUNTS_FILE"], "w", encoding="utf-8") as file:
        json.dump(counts, file)


atexit.register(write_counts)
