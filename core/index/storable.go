package index

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Sources choose ids, names and principals, and a database takes no NUL, no invalid UTF-8 and no key
// of any length. What cannot be stored is one document's fault and never ends a run.

// maxID is the longest id of a document, in bytes. An index of PostgreSQL takes keys of 2,700.
const maxID = 2000

// storable reports whether an id can be stored. It cannot be cleaned: another document may have the
// id that would result.
func storable(id document.ID) bool {
	return id != "" && len(id) <= maxID && storableText(string(id))
}

func storableText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// unstorable is the failure of a document whose id cannot be stored.
func unstorable(id document.ID) Notice {
	name := string(id)
	if len(name) > maxID {
		name = name[:maxID] + "…"
	}
	return Notice{Name: strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD"),
		Sentence: fmt.Sprintf("The source gives it an id that cannot be stored: it is empty, has more than %d bytes, or holds a NUL or invalid UTF-8. Rename it there.", maxID)}
}

// storableACL is an access list without principals that cannot be stored, which no person holds.
func storableACL(list access.ACL) access.ACL {
	return slices.DeleteFunc(slices.Clone(list), func(p access.Principal) bool { return !storableText(string(p)) })
}

// storableNotices are notices with names and sentences that can be stored.
func storableNotices(all []Notice) []Notice {
	all = slices.Clone(all)
	for i := range all {
		all[i].Name, all[i].Sentence = cleanText(all[i].Name), cleanText(all[i].Sentence)
	}
	return all
}
