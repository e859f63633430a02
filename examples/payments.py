"""A network: payments between firms, published with other amounts on the same edges.

    python examples/payments.py

Who pays whom is public here; how much is not.  `edge-laplace` puts exact noise on every
amount.  `edge-greedy` keeps the shortest path of a chosen pair instead and promises nothing.
"""
# ruff: noqa: T201  an example shows what happened

import pyarrow as pa

import sfumato as sf

PAYMENTS = pa.table(
    {
        "source": ["mill", "mill", "bakery", "farm", "bakery", "shop"],
        "target": ["bakery", "farm", "farm", "shop", "shop", "mill"],
        "weight": [70.0, 90.0, 30.0, 20.0, 80.0, 55.0],
    }
)


def main():
    """The same network under a promise, and without one."""
    private = sf.publish_network(PAYMENTS, directed=False, epsilon=2, high=100, distance=10)
    print(private.guarantee, "between payments that differ by 10 in total")
    asked = {"directed": False, "method": "edge-greedy", "preserve": [("mill", "shop")]}
    try:
        sf.publish_network(PAYMENTS, **asked)
    except sf.ParameterError as error:
        print("refused:", str(error).split(":")[0])
    kept = sf.publish_network(PAYMENTS, **asked, accept_no_guarantee=True)
    print("its certificate says:", kept.certificate.warnings[0].split(":")[0])
    print("\npayment          true  edge-laplace  edge-greedy")
    rows = zip(*(t["weight"].to_pylist() for t in (PAYMENTS, private.data, kept.data)), strict=True)
    for a, b, amounts in zip(PAYMENTS["source"], PAYMENTS["target"], rows, strict=True):
        true, noisy, greedy = amounts
        print(f"{f'{a} - {b}':15} {true:5.0f}  {noisy:12.1f}  {greedy:11.1f}")


if __name__ == "__main__":
    main()
