"""Check the built manual: that it reads offline, and that no link in it is broken."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ASKED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser fetches by itself; links are followed by people only."""


class Page(HTMLParser):
    """What a page links to, what it fetches, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.places = [], [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        """Note the addresses and names of an element."""
        found = dict(attrs)
        self.places |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag in ASKED and found.get(ASKED[tag]):
            self.fetched.append(found[ASKED[tag]])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])


def faults(folder):
    """Yield a sentence for each link that leads nowhere and each thing fetched from elsewhere."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for address in page.fetched + page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.fetched and parts.scheme != "data":
                    yield f"{path.name} fetches {address}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{path.name} links to {address}, which is not there"
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{path.name} links to {address}, which has no such place"


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1])))
    sys.exit("\n".join(found) or 0)
