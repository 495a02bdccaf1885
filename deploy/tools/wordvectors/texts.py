"""English texts to learn from: WordNet's definitions and examples, and the paragraphs of three manuals, as Debian packages them."""
import hashlib
import html
import re

MANUALS = ("doc/python3.11/html", "doc/apache2-doc/manual/en", "doc/debian-handbook/html/en-US")
BLOCKS = r"(?i)</?(p|div|li|dt|dd|h\d|tr|pre|table|ul|ol|dl|section|br)\b[^>]*>"


def wordnet(folder):
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").open():
            if line.startswith("  "):  # the licence
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            words = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * i]).replace("_", " ") for i in range(int(fields[3], 16))]
            yield ", ".join(words) + ": " + "; ".join(p for p in gloss.strip().split("; ") if not p.startswith('"'))
            yield from re.findall(r'"([^"]+)"', gloss)


def blocks(page):
    text = re.sub(r"(?is)<(script|style|head|nav|footer).*?</\1>", " ", page.read_text(errors="replace"))
    text = html.unescape(re.sub(r"<[^>]+>", "", re.sub(BLOCKS, "\n\n", text))).replace("¶", "")
    for block in re.split(r"\n\s*\n", text):
        block = " ".join(block.split())
        if block.count(" ") >= 3 and block.isascii():
            yield block


def paragraphs(folder):
    for page in sorted(folder.rglob("*.html")):
        yield from blocks(page)


def pieces(block):
    """The paragraph, or its sentences where it is long."""
    if block.count(" ") < 60:
        yield block
        return
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", block):
        if sentence.count(" ") >= 4:
            yield " ".join(sentence.split(" ")[:60])


def chosen(texts, n):
    """n of the texts, by their hash: the same ones every time."""
    return sorted(set(texts), key=lambda t: hashlib.sha256(t.encode()).digest())[:n]


def all_texts(share):
    """30,000 pieces of the manuals and 50,000 of WordNet, mixed. share is the unpacked /usr/share."""
    manuals = [p for m in MANUALS for block in paragraphs(share / m) for p in pieces(block)]
    both = chosen(manuals, 30_000) + chosen(wordnet(share / "wordnet"), 50_000)
    return chosen(both, len(both))
