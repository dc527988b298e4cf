from functools import wraps

from flask import Blueprint, abort

from prices import price_of
from history import changes_of

stock = Blueprint("stock", __name__)
COUNTS = {"apple": 10, "pear": 5}


def known(view):
    @wraps(view)
    def check(sku):
        if sku not in COUNTS:
            abort(404)
        return view(sku)

    return check


@stock.get("/<sku>")
@known
def show(sku):
    return {"sku": sku, "left": COUNTS[sku], "price": price_of(sku)}


@stock.route("/<sku>/reserve", methods=["POST"])
@known
def reserve(sku):
    COUNTS[sku] -= 1
    return {"left": COUNTS[sku], "price": price_of(sku)}


@stock.get("/<sku>/history")
@known
def history(sku):
    return {"changes": changes_of(sku)}
