# Prints the cheques that are due, one JSON object a line: until today, or the day of the argument.
# API_URL=https://… API_KEY=… python3 due.py 2026-12-31
import datetime, json, os, sys, urllib.error, urllib.parse, urllib.request

today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
query = {
    "status": "pending,post_dated,overdue",
    "dueTo": sys.argv[1] if len(sys.argv) > 1 else today,
    "limit": "100",
}

while True:
    url = f'{os.environ["API_URL"]}/external/apis/v1.0/cheques?{urllib.parse.urlencode(query)}'
    request = urllib.request.Request(url, headers={"api-key": os.environ["API_KEY"]})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            page = json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code} {error.read().decode()}")
    except OSError as error:
        sys.exit(f"No response: {error}")
    for cheque in page["data"]:
        print(json.dumps(cheque))
    query["after"] = page["pagination"]["next"]
    if query["after"] is None:
        break
