# Compares your ledger with the platform and prints what differs, one line each. The ledger has the
# columns reservationId, installmentId, chequeStatus, chequeNumber, chequeAmount.
# API_URL=https://… API_KEY=… python3 reconcile.py ledger.csv
import csv, json, os, sys, urllib.request

URL = os.environ["API_URL"] + "/external/apis/v1.0/reservations/reconciliation"


def compare(cheques):
    body = json.dumps({"cheques": cheques}).encode()
    headers = {"api-key": os.environ["API_KEY"], "content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=30) as answer:
        return json.load(answer)


with open(sys.argv[1], newline="", encoding="utf-8") as file:
    ledger = [{name: value for name, value in row.items() if value} for row in csv.DictReader(file)]
for row in ledger:
    if "chequeAmount" in row:
        row["chequeAmount"] = float(row["chequeAmount"])

matching = 0
for start in range(0, len(ledger), 1000):
    result = compare(ledger[start : start + 1000])
    matching += result["matching"]
    for difference in result["differences"]:
        ours, theirs = difference.get("ours"), difference.get("theirs")
        place = f'{difference["reservationId"]} {difference["installmentId"]}'
        print(f'{place} {difference["kind"]}: the platform {ours}, your ledger {theirs}')
print(f"{matching} of {len(ledger)} agree")
sys.exit(0 if matching == len(ledger) else 1)
