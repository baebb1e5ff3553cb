# Compares your ledger with the platform and prints each difference on a line. The ledger has the
# columns reservationId, installmentId, chequeStatus, chequeNumber, chequeAmount.
# API_URL=https://… API_KEY=… python3 reconcile.py ledger.csv
import csv, json, math, os, sys, urllib.error, urllib.request

URL, KEY = os.environ["API_URL"] + "/external/apis/v1.0/reservations/reconciliation", os.environ["API_KEY"]


def compare(cheques):
    body = json.dumps({"cheques": cheques}).encode()
    headers = {"api-key": KEY, "content-type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code} {error.read().decode()}")
    except OSError as error:
        sys.exit(f"The platform cannot be reached: {error}")


def amount_of(text, row):
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if math.isfinite(amount):
        return amount
    sys.exit(f'row {row}, column chequeAmount: "{text}" is no number')


# Spreadsheets write a byte-order mark before the first column name.
with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
    rows = csv.DictReader(file)
    # Of two columns with one name, only the last would be compared.
    twice = {name for name in rows.fieldnames or [] if rows.fieldnames.count(name) > 1}
    if twice:
        sys.exit(f"Columns that occur twice: {', '.join(sorted(twice))}. Keep one of each.")
    ledger = [{name: value for name, value in row.items() if value} for row in rows]
for number, row in enumerate(ledger, 2):
    if "chequeAmount" in row:
        row["chequeAmount"] = amount_of(row["chequeAmount"], number)

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
