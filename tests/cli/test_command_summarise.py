from pathlib import Path

import pyarrow.parquet as pq
import pytest

ROLES = "--protected sex --unprotected college --features age,pay"


@pytest.fixture
def sites(run):
    table = pq.read_table("research.parquet")
    for number, part in enumerate((table.slice(0, 300), table.slice(300)), 1):
        pq.write_table(part, f"site{number}.parquet")
        run(f"summarise site{number}.parquet {ROLES} -o site{number}.json")
    return run


def test_sites_summarise_and_one_place_designs(sites):
    sites(f"design research.parquet {ROLES} -o rows.json")
    done = sites("design site1.json site2.json -o plan.json")
    assert "from 800 rows in 2 summaries: 2 groups in 2 strata" in done.stderr
    assert done.stdout == ""
    assert Path("plan.json").read_bytes() == Path("rows.json").read_bytes()
    sites("design site1.json --margin 0 --n-support 200 -o other.json")


def test_it_says_what_it_counted(run):
    done = run(f"summarise research.parquet {ROLES} --kind age=mixed -o site.json")
    assert done.stderr.startswith("Counted 800 rows into site.json: 2 groups in 2 strata; age, pay")
    assert (
        "site.json exists already" in run(f"summarise research.csv {ROLES} -o site.json", 2).stderr
    )


def test_inspect_says_what_a_summary_holds(sites):
    shown = sites("inspect site1.json").stdout
    for part in (
        "site1.json, summarised by fairmend",
        "rows         300",
        "to be found",
        "sex='F'",
    ):
        assert part in shown
    age = next(line for line in shown.splitlines() if line.split()[:1] == ["age"])
    assert age.split()[1] == "number"
    assert "options" not in shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("design site1.json --protected sex -o p.json", "protected= cannot be given"),
        ("design site1.json --bins college=1 -o p.json", "unprotected_bins= cannot be given"),
        ("design site1.json --kind age=categorical -o p.json", "kinds['age']= cannot be given"),
        ("design site1.json research.parquet -o p.json", "both were given"),
        ("design site1.parquet site2.parquet --protected sex -o p.json", "only summaries can be"),
        ("design site1.json -o site1.json", "is read by this command"),
        ("design site1.parquet -o p.json", "Missing option '--protected'"),
        ("summarise site1.parquet -o p.json", "Missing option '--protected'"),
        ("repair research.parquet --plan site1.json -o r.parquet", "is no plan file"),
    ],
)
def test_what_contradicts_summaries_is_refused_in_words(sites, line, message):
    assert message in sites(line, 2).stderr
    assert not Path("p.json").exists()


def test_a_summary_counts_once(sites):
    Path("copy.json").write_bytes(Path("site1.json").read_bytes())
    found = sites("design site1.json copy.json -o plan.json", 2).stderr
    assert "site1.json and copy.json are the same summary" in found


def test_summaries_of_other_columns_do_not_add_up(sites):
    sites("summarise site2.parquet --protected sex --features age,pay -o other.json")
    said = sites("design site1.json other.json -o p.json", 2).stderr
    assert "differ in the unprotected columns" in said


def test_a_changed_summary_is_refused(sites):
    text = Path("site1.json").read_text()
    Path("site1.json").write_text(text.replace('"sample_weight":null', '"sample_weight":"age"'))
    assert "was changed or damaged" in sites("design site1.json -o p.json", 2).stderr
    assert "was changed or damaged" in sites("inspect site1.json", 2).stderr
