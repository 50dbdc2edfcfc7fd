"""For all tests: a cache of their own, so that no run depends on what the user's holds, or leaves anything in it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    before = os.environ.get("FLAGGUARD_CACHE")
    folder = tmp_path_factory.mktemp("cache")
    os.environ["FLAGGUARD_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["FLAGGUARD_CACHE"]
    else:
        os.environ["FLAGGUARD_CACHE"] = before
