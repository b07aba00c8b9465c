import json

import pytest

from fairmend.report.page.document import to_html
from report.page.page_contents import adult_content, empty_content, large_content, nasty_content


@pytest.fixture(scope="session")
def measured():
    """Return a content that JSON has, as it would be read from a file."""
    return json.loads(json.dumps(adult_content(), allow_nan=False))


@pytest.fixture(scope="session")
def contents(measured):
    return {
        "measured": measured,
        "empty": empty_content(measured),
        "nasty": nasty_content(measured),
        "large": large_content(measured),
    }


@pytest.fixture(scope="session")
def pages(contents):
    return {name: to_html(content) for name, content in contents.items()}
