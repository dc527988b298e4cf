def changes_of(sku):
    return [line_of(sku, i) for i in range(3)]


def line_of(sku, i):
    return f"{sku} {i}"
