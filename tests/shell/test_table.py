"""Tables behave as mappings, whatever they share with their copies."""

import random

from flagguard.shell.table import Table

NAMES = [f"v{i}" for i in range(100)]


def test_a_table_and_its_copies_are_as_plain_mappings_would_be() -> None:
    chance = random.Random(1)
    tables: list[tuple[Table[object], dict[str, object]]] = [(Table(), {}) for _ in range(4)]
    for step in range(4000):
        table, plain = chance.choice(tables)
        name = chance.choice(NAMES)
        if step % 100 == 99:
            tables[chance.randrange(4)] = table.copy(), plain.copy()
        elif chance.random() < 0.3:
            table.drop(name)
            plain.pop(name, None)
        else:
            table[name] = plain[name] = object()
        if step % 20 == 0:
            other, other_plain = chance.choice(tables)
            assert dict(table.items()) == plain
            assert [n for n in NAMES if table.get(n) is not plain.get(n)] == []
            found = list(table.differing(other))
            assert len(found) == len(set(found))
            assert {n for n in NAMES if plain.get(n) is not other_plain.get(n)} <= set(found)
