package cite_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/cite"
)

func TestLinkURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "https://x.org/a?b=1&c=2#d", "https://x.org/a?b=1&c=2#d"},
		{"upper-case scheme", "HTTPS://x.org", "HTTPS://x.org"},
		{"mail", "mailto:a@x.org", "mailto:a@x.org"},
		{"file", "file:///srv/a b.md", "file:///srv/a%20b.md"},
		{"parentheses", "https://x/(a)", "https://x/%28a%29"},
		{"pipe and angles", "https://x/a|b<c>", "https://x/a%7Cb%3Cc%3E"},
		{"blank and backslash", `https://x/a b\c`, "https://x/a%20b%5Cc"},
		{"quotes and backtick", "https://x/\"a'b`", "https://x/%22a%27b%60"},
		{"control characters", "https://x/a\nb\x00\x7f", "https://x/a%0Ab%00%7F"},
		{"brackets", "https://x/a[1]", "https://x/a%5B1%5D"},
		{"host in brackets", "https://[::1]:8080/a[1]", "https://[::1]:8080/a%5B1%5D"},
		{"no host in brackets", "https://[[1]](y)/", "https://%5B%5B1%5D%5D%28y%29/"},
		{"encoded already", "https://x/%28a%29", "https://x/%28a%29"},
		{"lone percent", "https://x/100%", "https://x/100%25"},
		{"percent and one digit", "https://x/%4x%x4", "https://x/%254x%25x4"},
		{"letters of any script", "https://x/größe/日本", "https://x/größe/日本"},
		{"invisible characters", "https://x/a\u202eb\u200bc\u00a0d", "https://x/a%E2%80%AEb%E2%80%8Bc%C2%A0d"},
		{"broken characters", "https://x/\xff", "https://x/%FF"},
		{"character reference", "https://x/?a&lt;b;c", "https://x/?a&lt%3Bb;c"},
		{"surrounding blanks", " https://x ", "https://x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := cite.LinkURL(tt.in); !ok || got != tt.want {
				t.Errorf("LinkURL(%q) = %q, %v, want %q", tt.in, got, ok, tt.want)
			}
		})
	}
	for _, in := range []string{"", "docs/a.md", "javascript:alert(1)", "data:text/html,x", "http:", "http:x", "http:///x", "http://:80/", "https://?a", "mailto:", "file:", "ftp://x", "//x", `https://x\@evil.org/`, `http:\\x`} {
		t.Run("refused "+in, func(t *testing.T) {
			t.Parallel()
			if got, ok := cite.LinkURL(in); ok || got != "" {
				t.Errorf("LinkURL(%q) = %q, %v, want it refused", in, got, ok)
			}
		})
	}
}

func FuzzLinkURL(f *testing.F) {
	for _, seed := range []string{"https://x/(a)|<b> c\\", "https://[::1]/[1]", "mailto:a@b", "file:///a%", "http://a&#41;", "javascript:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, ok := cite.LinkURL(raw)
		if !ok {
			return
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return strings.ContainsRune("()|<>\"'`\\", r) || unicode.IsSpace(r) || unicode.IsControl(r)
		}); i >= 0 || !utf8.ValidString(got) {
			t.Errorf("LinkURL(%q) = %q, unsafe at %d", raw, got, i)
		}
		if again, ok := cite.LinkURL(got); !ok || again != got {
			t.Errorf("LinkURL(%q) = %q, not %q again", got, again, got)
		}
	})
}

func TestSafeTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "Leave policy (2024): part 1", "Leave policy (2024): part 1"},
		{"lines", "a\nb\r\n\tc", "a b c"},
		{"surrounding blanks", "  a  b ", "a b"},
		{"everyone", "@everyone read", "@\u200beveryone read"},
		{"Slack mention", "<@U1> <!here> <#C1|x>", "‹@\u200bU1› ‹!here› ‹#C1¦x›"},
		{"Markdown link", "[a](http://x)", "(a)(http:\u200b//x)"},
		{"bare address", "https://x.org", "https:\u200b//x.org"},
		{"www", "see www.x.org", "see www\u200b.x.org"},
		{"citation", "x 【1】［2］[3]", "x (1)(2)(3)"},
		{"code", "`a`", "'a'"},
		{"backslash at the end", `a\`, "a＼"},
		{"reordering", "a\u202eb\u200bc", "abc"},
		{"letters of any script", "Größe 日本", "Größe 日本"},
		{"empty", "", "Untitled document"},
		{"invisible", " \u200b\n", "Untitled document"},
		{"broken characters", "a\xffb", "ab"},
		{"long", strings.Repeat("ä", 300), strings.Repeat("ä", 200) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cite.SafeTitle(tt.in); got != tt.want {
				t.Errorf("SafeTitle(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzSafeTitle(f *testing.F) {
	for _, seed := range []string{"@everyone", "<!here>", "[a](http://x)", "a\nb", "www.x.org", "【1】"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, title string) {
		got := cite.SafeTitle(title)
		if strings.ContainsAny(got, "\r\n<>[]【】［］`|\\") || strings.Contains(got, "://") || !utf8.ValidString(got) || got == "" {
			t.Errorf("SafeTitle(%q) = %q", title, got)
		}
		for i, r := range got {
			if r == '@' && i+1 < len(got) && !strings.HasPrefix(got[i+1:], "\u200b") {
				t.Errorf("SafeTitle(%q) = %q mentions somebody", title, got)
			}
		}
	})
}
