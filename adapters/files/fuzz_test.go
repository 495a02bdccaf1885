package files

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
)

func FuzzSplitMatter(f *testing.F) {
	f.Add("---\ntitle: T\nacl: [members]\n---\nbody")
	f.Add("---\nacl: x\n---")
	f.Add("---\na: &a [1]\nb: *a\n---\n")
	f.Add("--- \nupdated: 2024-02-30\ntags: {a: b}\n...\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
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
		defer hostiletest.Bound(t, len(raw), 0)()
		text, err := decode(raw, html)
		if err == nil && (!utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00")) {
			t.Errorf("decode(%q) = %q", raw, text)
		}
	})
}

// Tables are read as encoding/csv reads them when it is lenient.
func FuzzTable(f *testing.F) {
	f.Add("name,role\n\"Doe, J.\",\"on\ncall\"\n")
	f.Add("a,\"b\nc")
	f.Add(`a"b,"c""d"e,"f"` + "\n\n,\n\"\"")
	f.Add(strings.Repeat(",", 5000))
	f.Add(strings.Repeat("\",", 500))
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\r", "") // as decode leaves it
		reader := csv.NewReader(strings.NewReader(text))
		reader.FieldsPerRecord, reader.LazyQuotes = -1, true
		rows, err := reader.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, row := range rows {
			for i, value := range row {
				if i > 0 {
					want.WriteString(" | ")
				}
				want.WriteString(strings.Join(strings.Fields(value), " "))
			}
			want.WriteByte('\n')
		}
		if got := table(text, ','); got != want.String() {
			t.Errorf("table(%q) = %q, want %q", text, got, want.String())
		}
	})
}

// Breaking JSON into lines does not multiply it.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":1,"b":[2,{}],"c":"x\"[[["}`)
	f.Add(strings.Repeat("[", 3000) + strings.Repeat("1,", 5000) + "1" + strings.Repeat("]", 3000))
	f.Add(strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000))
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		size := 0
		for _, s := range parseJSON(text).sections {
			for _, b := range s.Blocks {
				size += len(b.Text)
			}
		}
		if size > 5*len(text)+2048 {
			t.Errorf("%d bytes become %d", len(text), size)
		}
		if json.Valid([]byte(text)) && strings.Count(text, "\n") <= 1 && len(text) < 200 && size < len(strings.TrimSpace(text))/2 {
			t.Errorf("%q became %d bytes", text, size)
		}
	})
}

// Source code is cut in time proportional to its length, however deeply it is indented, and nothing
// of it is lost.
func FuzzSource(f *testing.F) {
	f.Add("package a\n\nfunc b() {\n\tx()\n}\n", ".go")
	stairs := ""
	for i := range 400 {
		stairs += strings.Repeat(" ", i) + "def f():\n\n"
	}
	f.Add(stairs+strings.Repeat(strings.Repeat(" ", 400)+"x\n\n", 200), ".py")
	f.Add(strings.Repeat("a(", 5000), ".java")
	f.Fuzz(func(t *testing.T, text, ending string) {
		defer hostiletest.Bound(t, len(text), 0)()
		kept := 0
		for _, s := range parseSource("f" + ending)(text).sections {
			for _, b := range s.Blocks {
				kept += len(strings.Join(strings.Fields(b.Text), ""))
			}
		}
		if want := len(strings.Join(strings.Fields(text), "")); kept != want {
			t.Errorf("%d characters of %d are left", kept, want)
		}
	})
}
