package files

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzSplitMatter(f *testing.F) {
	f.Add("---\ntitle: T\nacl: [members]\n---\nbody")
	f.Add("---\nacl: x\n---")
	f.Add("---\na: &a [1]\nb: *a\n---\n")
	f.Add("--- \nupdated: 2024-02-30\ntags: {a: b}\n...\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, body, err := splitMatter(text)
		if !strings.HasSuffix(text, body) {
			t.Errorf("the body %q is no part of the text", body)
		}
		if m.acl != nil && len(m.acl) == 0 {
			t.Error("an access list that names nobody passes for none")
		}
		if err == nil && body != text && m.acl == nil {
			head, _, err := cutMatter(text)
			if err == nil && statesACL.MatchString(head) && !strings.Contains(head, "#") && strings.Count(head, "acl") == 1 && strings.HasPrefix(head, "acl:") {
				t.Errorf("the access list in %q was lost", head)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("plain"), false)
	f.Add([]byte("\xff\xfea\x00\x00\xd8"), false)
	f.Add([]byte("<meta charset=shift_jis>\x83\x65"), true)
	f.Add([]byte("caf\xe9\r\n\r"), true)
	f.Fuzz(func(t *testing.T, raw []byte, html bool) {
		text, err := decode(raw, html)
		if err == nil && (!utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00")) {
			t.Errorf("decode(%q) = %q", raw, text)
		}
	})
}
