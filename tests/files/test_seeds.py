import json

import pytest

from fairmend.errors import InputError, OptionError
from fairmend.files.repair import repair_file
from fairmend.files.seeds import read_seed, safe_seed


@pytest.mark.parametrize(
    "content", ["17", " 17\n", "\ufeff17", '{"seed": 17}', '\n{"rows": 1, "seed": "17"}']
)
def test_a_seed_alone_or_in_a_summary(tmp_path, content):
    (tmp_path / "seed").write_text(content, encoding="utf-8")
    assert read_seed(tmp_path / "seed") == 17


@pytest.mark.parametrize(
    "content",
    [
        "hunter2",
        "",
        "1.5",
        "{",
        "{}",
        '{"seed": true}',
        '{"seed": 1.5}',
        '{"seed": [1, 2]}',
        "[17]",
    ],
)
def test_anything_else_is_refused_without_showing_it(tmp_path, content):
    (tmp_path / "s").write_text(content)
    with pytest.raises(InputError, match="neither one whole number nor the JSON") as refused:
        read_seed(tmp_path / "s")
    assert refused.value.__cause__ is None
    assert "hunter2" not in str(refused.value)


def test_a_missing_seed_file_is_said_to_be_missing(tmp_path):
    (tmp_path / "seed.txt").touch()
    with pytest.raises(InputError, match=r"There is no file .*Did you mean 'seed\.txt'\?"):
        read_seed(tmp_path / "seed.tx")
    with pytest.raises(InputError, match="cannot be read as a seed"):
        read_seed(tmp_path)


def test_large_seeds_are_text_in_json():
    assert (safe_seed(2**53), safe_seed(2**64 - 1)) == (2**53, "18446744073709551615")


@pytest.mark.parametrize("seed", [5, 2**64 - 1])
def test_a_summary_is_a_seed_file(folder, seed):
    archive, plan, summary = folder / "archive.csv", folder / "plan.json", folder / "s.json"
    done = repair_file(archive, plan, folder / "a.csv", seed=seed, summary=summary)
    assert done["seed"] == seed
    assert json.loads(summary.read_text())["seed"] == safe_seed(seed)
    again = repair_file(archive, plan, folder / "b.csv", seed_file=summary)
    assert again == done
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()
    with pytest.raises(OptionError, match="Pass one of them"):
        repair_file(archive, plan, folder / "c.csv", seed=seed, seed_file=summary)
