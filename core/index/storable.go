package index

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Sources choose ids, names and principals. The database rejects NUL, invalid UTF-8 and long keys.
// Values that cannot be stored fail one document, never a run.

// maxID is the maximum length of a document's id in bytes. A PostgreSQL index accepts keys of up to
// 2,700 bytes.
const maxID = 2000

// storable reports whether an id can be stored. An invalid id is not repaired, because the result
// may be another document's id.
func storable(id document.ID) bool {
	return id != "" && len(id) <= maxID && storableText(string(id))
}

func storableText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

func unstorable(id document.ID) Notice {
	name := string(id)
	if len(name) > maxID {
		name = name[:maxID] + "…"
	}
	return Notice{Name: strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD"),
		Sentence: fmt.Sprintf("The source gives it an id that cannot be stored: it is empty, has more than %d bytes, or holds a NUL or invalid UTF-8. Rename it there.", maxID)}
}

// storableACL removes principals that cannot be stored. No person holds them.
func storableACL(list access.ACL) access.ACL {
	return slices.DeleteFunc(slices.Clone(list), func(p access.Principal) bool { return !storableText(string(p)) })
}

func storableNotices(all []Notice) []Notice {
	all = slices.Clone(all)
	for i := range all {
		all[i].Name, all[i].Sentence = cleanText(all[i].Name), Shorten(cleanText(all[i].Sentence))
	}
	return all
}

// storableNodes removes nodes whose ids cannot be stored. These nodes, and the nodes below them,
// have no readers.
func storableNodes(b NodeBatch) NodeBatch {
	b.Nodes = slices.DeleteFunc(slices.Clone(b.Nodes), func(n Node) bool { return !storableKey(n.ID) || n.Parent != "" && !storableKey(n.Parent) })
	for i, n := range b.Nodes {
		b.Nodes[i].Clauses = slices.Clone(n.Clauses)
		for j, c := range n.Clauses {
			b.Nodes[i].Clauses[j] = storableACL(c)
		}
	}
	b.Unread, b.Denied = storableKeys(b.Unread), storableKeys(b.Denied)
	documents := make(map[document.ID]access.ACL, len(b.Documents))
	for id, acl := range b.Documents {
		if storable(id) {
			documents[id] = storableACL(acl)
		}
	}
	b.Documents = documents
	return b
}

func storableGroups(b GroupBatch) GroupBatch {
	b.People = slices.DeleteFunc(slices.Clone(b.People), func(p Person) bool { return !storableKey(p.ID) })
	for i, p := range b.People {
		b.People[i].Emails = storableKeys(p.Emails)
	}
	b.Groups = slices.DeleteFunc(slices.Clone(b.Groups), func(g Group) bool { return !storableKey(string(g.Principal)) })
	for i, g := range b.Groups {
		b.Groups[i].Members = storableKeys(g.Members)
	}
	b.Unread = storableACL(b.Unread)
	return b
}

func storableKey(s string) bool { return storable(document.ID(s)) }

func storableKeys(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !storableKey(s) })
}
