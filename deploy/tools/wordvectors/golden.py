"""Writes adapters/staticembed/testdata/wordpiece.jsonl: odd texts and how the tokenizers library cuts them with the vocabulary that is kept.

    golden.py MODEL OUT
"""
import json
import random
import sys

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from make import kept

TEXTS = [
    "", " ", "\t\n\r ", "\x00", "a\x00b", "a\x07b", "a\x0bb\x0cc", "a\u0085b", "a\u00a0b", "a\u2028b\u2029c", "a\u200bb", "a\u200db", "\ufeffa", "a\ufffdb", "soft\u00adhyphen",
    "Hello, World!", "don't", "e-mail", "it's 5 o'clock", "What's a refspec?", "git rebase --onto main HEAD~3", "sqlite3_busy_timeout(db, 5000)",
    "SELECT * FROM t WHERE a='x';", "https://example.org/a/b.html?c=d&e=f#g", "C:\\Users\\x\\file.txt", "user@example.org", "0xDEADBEEF 1e-10 3.14 1,000,000",
    "fatal: refusing to merge unrelated histories", "! [rejected] main -> main (non-fast-forward)", "$HOME/.ssh/id_rsa", "<<<<<<< HEAD", "snake_case camelCase PascalCase SCREAMING_CASE",
    "Café naïve résumé Ångström", "cafe\u0301", "ÀÉÎÕÜ àéîõü", "Straße Ærøskøbing Łódź İstanbul ıssız", "ǅ ǆ ﬁ ﬂ ſ", "Ⅷ ½ ² ₂ ㎏ ℃", "™ © ® € £ ¥ ¢", "K Å Ω",
    "Wie kann ich die Datenbank sichern, während sie benutzt wird?", "Comment sauvegarder la base de données ?", "¿Cómo hago una copia?", "как сделать резервную копию",
    "データベースをバックアップする", "如何备份数据库", "데이터베이스 백업", "نسخة احتياطية", "गिट क्या है", "สวัสดี", "Ἀρχή", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛", "👍🏽 ok 🎉", "👩‍👩‍👧‍👦", "🇩🇪", "a\u0301\u0302\u0303b",
    "漢字mixed漢字with漢字latin", "㐀𠀀豈", "“quotes” ‘single’ «guillemets» — dash – en … dots", "a·b•c‣d", "¡hola! ¿qué?", "„unten“ ‚x‘", "§ 5 ¶ 6", "a_b-c.d,e;f:g!h?i",
    "`code` ~tilde~ ^caret^ |pipe|", "+ = < > $", "pneumonoultramicroscopicsilicovolcanoconiosis", "antidisestablishmentarianism", "x" * 99, "x" * 100, "x" * 101, "é" * 100, "é" * 101, "ab" * 60,
    "z" * 5000, "." * 300, "supercalifragilisticexpialidocious " * 20, "\u0301" * 50, "e" + "\u0301" * 50, "ＦＵＬＬ ｗｉｄｔｈ！", "[CLS] [SEP] [MASK] [UNK] [PAD] [unused1]", "##ing ## # a##b",
]


def odd(rng):
    """A text of words, marks and characters of everywhere."""
    ranges = [(32, 126)] * 6 + [(160, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x2000, 0x206F), (0x3040, 0x30FF), (0x4E00, 0x4FFF), (0xAC00, 0xACFF), (0x1F600, 0x1F64F)]
    common = ["the", "Commit", "lock", "database", "branches", "Unrelated", "re-", "indexing", "isn't", "PRAGMA", "über", "naïveté"]
    parts = []
    for _ in range(rng.randint(1, 12)):
        low, high = rng.choice(ranges)
        parts.append(rng.choice(common) if rng.random() < 0.4 else "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 6))))
    return "".join(p + rng.choice(["", " ", " ", "\n"]) for p in parts)


def main(model, out):
    whole = Tokenizer.from_file(model + "/tokenizer.json").get_vocab()
    pieces = sorted(p for p in whole if kept(p))
    words = Tokenizer(models.WordPiece({p: i for i, p in enumerate(pieces)} | {"[UNK]": len(pieces)}, unk_token="[UNK]", max_input_chars_per_word=100))
    words.normalizer, words.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    rng = random.Random(1)
    with open(out, "w") as f:
        for text in TEXTS + [odd(rng) for _ in range(400)]:
            f.write(json.dumps({"text": text, "pieces": words.encode(text).tokens}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
