import json

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from fairmend.errors import ColumnError, FormatError, InputError, OptionError, OutputError
from fairmend.files.csv import read_csv
from fairmend.files.repair import repair_file
from fairmend.files.seeds import safe_seed
from fairmend.plan.plan import Plan


def test_both_formats_give_the_same_values(folder):
    for suffix in ("csv", "parquet"):
        repair_file(
            folder / f"archive.{suffix}", folder / "plan.json", folder / f"out.{suffix}", seed=7
        )
    parquet, text = pq.read_table(folder / "out.parquet"), read_csv(folder / "out.csv")
    for name, dtype in (("age", pa.int64()), ("pay", pa.float64())):
        read = pc.if_else(pc.equal(text[name], ""), pa.scalar(None, pa.string()), text[name])
        assert read.cast(dtype).equals(parquet[name])
    assert not parquet["age"].equals(folder.archive["age"])
    assert parquet["age"].null_count == folder.archive["age"].null_count > 0


@pytest.mark.parametrize(("source", "target"), [("csv", "parquet"), ("parquet", "csv")])
def test_one_format_to_another(folder, source, target):
    same = folder / f"same.{source}"
    crossed = folder / f"crossed.{target}"
    for out in (same, crossed):
        repair_file(folder / f"archive.{source}", folder / "plan.json", out, seed=7)
    read = read_csv if target == "csv" else pq.read_table
    if source == "csv":
        assert read(crossed)["zip"].equals(read_csv(same)["zip"])
        assert read(crossed).schema.field("age").type == pa.int64()
    else:
        assert read(crossed)["pay"].cast(pa.float64()).equals(pq.read_table(same)["pay"])


def test_csv_passes_other_columns_through_to_the_letter(folder):
    repair_file(folder / "archive.csv", folder / "plan.json", folder / "out.csv")
    before, after = read_csv(folder / "archive.csv"), read_csv(folder / "out.csv")
    assert after.column_names == before.column_names
    features = ["age", "pay"]
    assert after.drop_columns(features).equals(before.drop_columns(features))
    assert ',""' not in (folder / "out.csv").read_text()


def test_csv_writes_integers_as_integers_and_leaves_fields_without_a_plan(folder):
    text = "s,u,age,pay\n0,0,31,1.10\n1,0, NA ,20.0\n2,0,030,21.50\n1,0,0999,\n"
    (folder / "a.csv").write_text(text)
    done = repair_file(
        folder / "a.csv", folder / "plan.json", folder / "b.csv", unseen="keep", seed=1
    )
    rows = (folder / "b.csv").read_text().splitlines()
    assert rows[3] == "2,0,030,21.50"  # no plan for it: as it was
    assert rows[2].startswith("1,0, NA ,")
    assert rows[4].endswith(",")
    assert all(row.split(",")[2].isdigit() for row in (rows[1], rows[4]))
    age = {"missing": 1, "out_of_range": 1, "unseen": 1}
    assert done == {"rows": 4, "seed": 1, "features": {"age": age, "pay": age}}


def test_levels_match_by_value_from_text(folder):
    """The plan was designed from integers."""
    text = (folder / "archive.csv").read_text()
    as_floats = text.replace(",0,0,", ",0.0,0.0,").replace(",1,1,", ",1.0,1.0,")
    (folder / "floats.csv").write_text(as_floats)
    for name in ("archive", "floats"):
        repair_file(
            folder / f"{name}.csv", folder / "plan.json", folder / f"{name}.out.csv", seed=7
        )
    plain, floats = (read_csv(folder / f"{name}.out.csv") for name in ("archive", "floats"))
    assert floats["age"].equals(plain["age"])
    assert "1.0" in floats["s"].to_pylist()


def test_parquet_keeps_its_schema(folder):
    repair_file(
        folder / "archive.parquet",
        folder / "plan.json",
        folder / "out.parquet",
        drop_protected=True,
    )
    before, after = folder.archive, pq.read_table(folder / "out.parquet")
    assert after.schema.equals(before.drop_columns(["s"]).schema, check_metadata=True)
    assert after.schema.metadata == {b"source": b"a test"}
    assert pa.types.is_dictionary(after.schema.field("note").type)
    kept = ["id", "zip", "rate", "u", "note"]
    assert after.select(kept).equals(before.select(kept))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_output_without_columns_is_refused(folder, suffix):
    with pytest.raises(OptionError, match="No column is left for the output"):
        repair_file(
            folder / f"archive.{suffix}",
            folder / "plan.json",
            folder / f"out.{suffix}",
            columns_out=["s"],
            drop_protected=True,
        )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_keys_give_a_row_its_draws_in_any_order_and_format(folder, suffix):
    order = pc.sort_indices(folder.archive, [("pay", "ascending")])
    pq.write_table(folder.archive.take(order), folder / "sorted.parquet")
    plan = folder / "plan.json"
    repair_file(folder / "sorted.parquet", plan, folder / "a.parquet", key=["id"], seed=7)
    repair_file(folder / f"archive.{suffix}", plan, folder / "b.parquet", key=["id"], seed=7)
    first, second = (pq.read_table(folder / f"{name}.parquet") for name in "ab")
    second = second.set_column(0, "id", second["id"].cast(pa.int32()))
    first, second = (t.sort_by("id").select(["age", "pay"]) for t in (first, second))
    assert first.equals(second)


def test_the_summary_is_private_and_repeats_the_repair(folder):
    plan, archive, summary = (folder / n for n in ("plan.json", "archive.csv", "s.json"))
    done = repair_file(archive, plan, folder / "a.csv", summary=summary)
    assert summary.stat().st_mode & 0o777 == 0o600
    assert json.loads(summary.read_text()) == {**done, "seed": safe_seed(done["seed"])}
    repair_file(archive, plan, folder / "b.csv", seed=done["seed"])
    assert (folder / "b.csv").read_bytes() == (folder / "a.csv").read_bytes()


def test_without_a_seed_each_repair_differs(folder):
    for name in "ab":
        repair_file(folder / "archive.csv", folder / "plan.json", folder / f"{name}.csv")
    assert (folder / "b.csv").read_bytes() != (folder / "a.csv").read_bytes()


@pytest.mark.parametrize("existing", ["out.csv", "s.json"])
def test_existing_outputs_are_refused_before_anything_is_read(folder, existing):
    (folder / existing).write_text("old")
    steps = []
    with pytest.raises(
        OutputError, match=f"{existing} exists already. Pass force=True \\(--force\\)"
    ):
        repair_file(
            folder / "archive.csv",
            folder / "plan.json",
            folder / "out.csv",
            summary=folder / "s.json",
            tell=steps.append,
        )
    assert steps == []
    assert (folder / existing).read_text() == "old"


@pytest.mark.parametrize("name", ["archive.csv", "plan.json", "seed", "link.csv"])
@pytest.mark.parametrize("output", ["out", "summary"])
def test_no_input_is_ever_replaced(folder, name, output):
    (folder / "seed").write_text("1")
    (folder / "link.csv").symlink_to(folder / "archive.csv")
    files = {path: path.read_bytes() for path in folder.path.iterdir()}
    outputs = {"out": folder / "out.csv", "summary": folder / "s.json"}
    outputs[output] = folder.path / ".." / folder.path.name / name
    inputs = folder / "archive.csv", folder / "plan.json"
    with pytest.raises(OutputError, match="is read by this command, so it is not replaced"):
        repair_file(*inputs, **outputs, seed_file=folder / "seed", force=True)
    assert {path: path.read_bytes() for path in folder.path.iterdir()} == files


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_when_writing_fails_the_old_files_survive(folder, monkeypatch, suffix):
    def disk_full(content, path, *, private):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fairmend.files.repair.write_record", disk_full)
    out, summary = folder / f"out.{suffix}", folder / "s.json"
    out.write_text("old")
    summary.write_text("old")
    files = sorted(folder.path.iterdir())
    with pytest.raises(OutputError, match="cannot be written"):
        repair_file(
            folder / f"archive.{suffix}", folder / "plan.json", out, summary=summary, force=True
        )
    assert out.read_text() == summary.read_text() == "old"
    assert sorted(folder.path.iterdir()) == files


def test_an_output_without_a_known_format_is_refused(folder):
    with pytest.raises(FormatError, match=r"out\.xlsx"):
        repair_file(folder / "archive.csv", folder / "plan.json", folder / "out.xlsx")


def test_a_missing_column_is_answered_with_the_nearest_name(folder):
    (folder / "a.csv").write_text("S,u,age,pay\n0,0,31,20\n1,0,30,20\n")
    with pytest.raises(ColumnError, match=r"no column 's', .*Did you mean 'S'\?"):
        repair_file(folder / "a.csv", folder / "plan.json", folder / "out.csv")


def test_words_in_a_feature_are_counted(folder):
    (folder / "a.csv").write_text("s,u,age,pay\n0,0,31,20\n1,0,old,20\n")
    with pytest.raises(InputError, match=r"archive has fields .* 'age' \(1 rows\)"):
        repair_file(folder / "a.csv", folder / "plan.json", folder / "out.csv")


def test_a_file_of_no_rows_gives_a_file_of_no_rows(folder):
    pq.write_table(folder.archive.slice(0, 0), folder / "none.parquet")
    repair_file(folder / "none.parquet", folder / "plan.json", folder / "out.parquet")
    assert pq.read_table(folder / "out.parquet").num_rows == 0
    (folder / "none.csv").write_text("s,u,age,pay\n")
    repair_file(folder / "none.csv", folder / "plan.json", folder / "out.csv")
    assert (folder / "out.csv").read_text() == "s,u,age,pay\n"


def test_the_file_is_what_the_frame_gives(folder):
    repair_file(folder / "archive.parquet", folder / "plan.json", folder / "o.parquet", seed=7)
    repaired = Plan.load(folder / "plan.json").repair(folder.archive, seed=7)
    assert pq.read_table(folder / "o.parquet").equals(repaired)
