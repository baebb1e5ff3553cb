# Writes all units that match into a CSV file that Excel opens, in Arabic where there is Arabic.
# API_URL=https://… API_KEY=… python3 export.py units.csv status=Available
import http.client, os, sys, urllib.error, urllib.parse, urllib.request

query = dict(pair.split("=", 1) for pair in sys.argv[2:])
# Starting a copy (after=0) lets the export continue by cursor.
query |= {"format": "csv", "bom": "1", "after": "0"}
part_of = sys.argv[1] + ".part"
with open(part_of, "wb") as file:
    while query["after"]:
        url = f'{os.environ["API_URL"]}/external/apis/v1.0/units/export/all?{urllib.parse.urlencode(query)}'
        headers = {"api-key": os.environ["API_KEY"], "language": "ar-eg"}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=300) as answer:
                # Only the first part has the line with the names.
                if query.pop("bom", None) is None:
                    answer.readline()
                # Read at once, some MiB: in parts, an interrupted response looks like a complete one.
                file.write(answer.read())
                query["after"] = answer.headers["x-next-cursor"]
                total = answer.headers["x-total-count"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{error.code} {error.read().decode()}")
        except (OSError, http.client.HTTPException) as error:
            sys.exit(f"The export was cut short: {error}")
# An earlier file stays until the new one is complete.
os.replace(part_of, sys.argv[1])
print(f"{total} units")
