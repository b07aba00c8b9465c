"""Reads a page as strictly as a careful reader would."""

from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Reader(HTMLParser):
    """Collects elements, texts and what is not closed."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.faults, self.texts = [], [], [], {}
        self.feed(page)
        self.close()
        self.faults += [f"<{name}> is not closed" for name, _ in self.open]

    def handle_starttag(self, name, attributes):
        given = dict(attributes)
        repeated = [k for k, n in Counter(k for k, _ in attributes).items() if n > 1]
        self.faults += [f"<{name}> has {k} twice" for k in repeated]
        self.elements.append((name, given, [up for up, _ in self.open]))
        if name not in VOID:
            self.open.append((name, given))

    def handle_endtag(self, name):
        if not self.open or self.open[-1][0] != name:
            self.faults.append(f"</{name}> ends {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        for name, given in self.open[-1:]:
            key = given.get("id") or name
            self.texts[key] = self.texts.get(key, "") + data

    def all(self, name):
        return [given for found, given, _ in self.elements if found == name]

    def ids(self):
        return [given["id"] for _, given, _ in self.elements if "id" in given]
