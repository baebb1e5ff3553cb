# Writes all units that match into a CSV file that Excel opens, in Arabic where there is Arabic.
# API_URL=https://… API_KEY=… python3 export.py units.csv status=Available
import http.client, os, sys, urllib.error, urllib.parse, urllib.request

query = dict(pair.split("=", 1) for pair in sys.argv[2:])
# Starting a copy (after=0) lets the export continue by cursor.
query |= {"format": "csv", "bom": "1", "after": "0"}
part_of = sys.argv[1] + ".part"


def get_part(language):
    url = f'{os.environ["API_URL"]}/external/apis/v1.0/units/export/all?{urllib.parse.urlencode(query)}'
    headers = {"api-key": os.environ["API_KEY"], "language": language}
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=300)


def english_text_of(error):
    try:
        # Messages, too, are in the language of the request.
        get_part("en-us").close()
    except urllib.error.HTTPError as english:
        error = english
    except OSError:
        pass
    return f"{error.code} {error.read().decode()}"


with open(part_of, "wb") as file:
    while query["after"]:
        try:
            with get_part("ar-eg") as answer:
                # Only the first part has the line with the names.
                if query.pop("bom", None) is None:
                    answer.readline()
                # Read at once, some MiB: in parts, an interrupted response looks like a complete one.
                file.write(answer.read())
                query["after"] = answer.headers["x-next-cursor"]
                total = answer.headers["x-total-count"]
        except urllib.error.HTTPError as error:
            sys.exit(english_text_of(error))
        except (OSError, http.client.HTTPException) as error:
            sys.exit(f"The export was cut short: {error}")
# An earlier file stays until the new one is complete.
os.replace(part_of, sys.argv[1])
print(f"{total} units")
