import json
import os
import urllib.request


def price_of(sku):
    base = os.environ.get("PRICES_URL")
    if not base:
        return None
    with urllib.request.urlopen(f"{base}/v1/prices/{sku}", timeout=10) as answer:
        return json.load(answer)["cents"]
