import pytest

from fairmend.report.page.document import to_cell
from report.page.chromium import FOUND, Chromium
from report.page.test_page import NAMES

pytestmark = pytest.mark.skipif(not FOUND, reason="there is no Chromium here to look at pages with")

DESKTOP, PHONE = 1280, 390

OUTSIDE = """
[...document.querySelectorAll('main *')].filter(e => {
  if (e.closest('.scroll') || !e.checkVisibility()) return false;
  const box = e.getBoundingClientRect();
  return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
}).map(e => e.outerHTML.slice(0, 120))
"""

COLLIDING = """
[...document.querySelectorAll('svg.tracks')].flatMap(svg => {
  const texts = [...svg.querySelectorAll('text')].map(t => [t, t.getBoundingClientRect()]);
  return texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([b, s]) =>
    r.width && r.left < s.right && s.left < r.right && r.top + 3 < s.bottom && s.top + 3 < r.bottom
  ).map(([b, s]) => a.textContent + ' | ' + b.textContent));
})
"""

CLOSED = "[...document.querySelectorAll('table')].filter(table => !table.checkVisibility())"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        chromium = Chromium(tmp_path_factory.mktemp("profile"))
    except (EOFError, BrokenPipeError):
        pytest.skip("the Chromium that is here does not start")
    yield chromium
    chromium.close()


@pytest.fixture(scope="module")
def files(pages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


def fetched(browser):
    return [told["request"]["url"] for told in browser.told("Network.requestWillBeSent")]


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
@pytest.mark.parametrize("name", NAMES)
def test_it_shows_without_faults_requests_or_overflow(browser, files, name, width):
    browser.open(files[name], width)
    assert browser.told("Runtime.exceptionThrown", "Runtime.consoleAPICalled") == []
    assert [told["entry"]["text"] for told in browser.told("Log.entryAdded")] == []
    assert fetched(browser) == [files[name].as_uri()]
    browser.run("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert browser.run("document.documentElement.scrollWidth") == width
    assert browser.run(OUTSIDE) == []
    assert browser.run(COLLIDING) == []


def test_the_verdict_and_its_figures_are_on_the_first_screen(browser, files):
    browser.open(files["measured"], DESKTOP, 800)
    for found in (".verdict", ".findings", ".figures"):
        assert (
            browser.run(f"document.querySelector('{found}').getBoundingClientRect().bottom") < 800
        )
    browser.open(files["measured"], PHONE, 844)
    assert browser.run("document.querySelector('.answer').getBoundingClientRect().bottom") < 844


def test_every_figure_has_a_name_for_screen_readers(browser, files):
    browser.open(files["measured"], DESKTOP)
    browser.run("document.querySelectorAll('details').forEach(one => one.open = true)")
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    pictures = [n for n in nodes if n.get("role", {}).get("value") in ("image", "img")]
    assert len(pictures) == browser.run("document.querySelectorAll('svg').length") > 0
    assert all(picture["name"]["value"] for picture in pictures)


def test_paper_shows_what_is_closed_on_a_screen(browser, files):
    browser.open(files["measured"], DESKTOP)
    assert browser.run(f"{CLOSED}.length") > 0
    browser.open(files["measured"], 794, media="print")
    assert browser.run(f"{CLOSED}.length") == 0
    assert browser.run("getComputedStyle(document.querySelector('nav')).display") == "none"


def test_it_is_the_same_without_scripts(browser, files):
    shown = []
    for scripts in (True, False):
        browser.open(files["measured"], DESKTOP, scripts=scripts)
        shown.append(browser.ask("Page.captureScreenshot")["data"])
    assert shown[0] == shown[1]


def test_links_in_a_notebooks_cell_stay_in_it(browser, measured, tmp_path):
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><p>In [1]:</p>{to_cell(measured)}", encoding="utf-8")
    browser.open(notebook, DESKTOP)
    tab = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
    for _ in range(3):  # into the frame, past the link to the verdict
        browser.ask("Input.dispatchKeyEvent", type="keyDown", **tab)
        browser.ask("Input.dispatchKeyEvent", type="keyUp", **tab)
    before = browser.ask("Page.captureScreenshot")["data"]
    browser.ask("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r",
                windowsVirtualKeyCode=13)  # fmt: skip
    browser.ask("Input.dispatchKeyEvent", type="keyUp", key="Enter", windowsVirtualKeyCode=13)
    browser.run("new Promise(done => setTimeout(done, 300))")
    assert browser.ask("Page.captureScreenshot")["data"] != before
    assert fetched(browser) == [notebook.as_uri()]


def test_dark_and_light_differ(browser, files):
    grounds = set()
    for scheme in ("light", "dark"):
        browser.open(files["measured"], DESKTOP, scheme=scheme)
        grounds.add(browser.run("getComputedStyle(document.documentElement).backgroundColor"))
    assert len(grounds) == 2
