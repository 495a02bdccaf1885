package files

import (
	"errors"
	"testing"

	"github.com/footnotehq/footnote/core/index"
)

// A typing error around front matter must not show a restricted document to everybody.
func TestAccessListsThatATypingErrorMadeTextAreNotOverlooked(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"blank line above":   "\n---\nacl: group:hr\n---\nText",
		"four dashes":        "----\nacl: group:hr\n----\nText",
		"comment above":      "<!-- hr -->\n---\nacl: group:hr\n---\nText",
		"space before":       " ---\nacl: group:hr\n---\nText",
		"TOML":               "+++\nacl = \"group:hr\"\n+++\nText",
		"no fence at all":    "title: Salaries\nacl: group:hr, user:slack:U1\n\nText",
		"list in one line":   "----\nacl: [group:hr]\n----\nText",
		"carriage returns":   "\r\n---\r\nacl: group:hr\r\n---\r\nText",
		"capitals":           "----\nACL: members\n----\nText",
		"fence that is open": "---\nacl: group:hr\n\nText",
	}
	for name, text := range tests {
		if m, body, err := splitMatter(text); !errors.Is(err, index.ErrWithdrawn) {
			t.Errorf("%s: matter %+v, text %q, error %v; want the document withdrawn", name, m, body, err)
		}
	}
	for name, text := range map[string]string{
		"a word":             "The ACL: what it is\n\nText",
		"a router's command": "acl: permit ip any any\n",
		"far below":          "# Access lists\n\nacl: public\n",
	} {
		if _, body, err := splitMatter(text); err != nil || body != text {
			t.Errorf("%s: text %q, error %v; want it as it is", name, body, err)
		}
	}
}

// Of two access lists nobody can say which was meant.
func TestTwoAccessListsAreAFault(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		"ACL: public\nacl: group:hr", "acl: group:hr\nAcl: public", "acl: group:hr\nacl: group:hr", "\"acl\": group:hr\nACL: public", "\"acl \": group:hr\nacl: public",
		"{ACL: public, acl: group:hr}", "{acl: public, acl: group:hr}", "? acl\n: public\n? acl\n: group:hr", "!!str acl: public\nacl: group:hr", "title: A\nacl: public\ntags: [b]\nACL: group:hr",
	} {
		for range 20 { // maps have no order
			if m, _, err := splitMatter("---\n" + head + "\n---\nText"); !errors.Is(err, index.ErrWithdrawn) {
				t.Fatalf("%q: matter %+v, error %v; want the document withdrawn", head, m, err)
			}
		}
	}
	if m, body, err := splitMatter("---\nACL: group:hr\nTitle: A\ntitle: B\n---\nText"); err != nil || len(m.acl) != 1 || body != "Text" {
		t.Errorf("one list in capitals: matter %+v, text %q, error %v", m, body, err)
	}
}
