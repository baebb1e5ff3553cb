# Writes all units that match into a CSV file that Excel opens, in Arabic where there is Arabic.
# API_URL=https://… API_KEY=… python3 export.py units.csv status=Available
import os, sys, urllib.parse, urllib.request

query = dict(pair.split("=", 1) for pair in sys.argv[2:])
# Without an order of its own an export goes on by the cursor: it begins a copy of everything.
query |= {"format": "csv", "bom": "1", "after": "0"}
rows = 0
with open(sys.argv[1], "wb") as file:
    while query["after"]:
        url = f'{os.environ["API_URL"]}/external/apis/v1.0/units/export/all?{urllib.parse.urlencode(query)}'
        headers = {"api-key": os.environ["API_KEY"], "language": "ar-eg"}
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=300) as answer:
            # Only the first part has the line with the names.
            if query.pop("bom", None) is None:
                answer.readline()
            while part := answer.read(1 << 16):
                file.write(part)
            query["after"] = answer.headers["x-next-cursor"]
            total = answer.headers["x-total-count"]
print(f"{total} units")
