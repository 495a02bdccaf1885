package access

import "strings"

// Kinds of principals in a source with its own permissions.
const (
	SourcePerson = "person" // a person of the source, by native id
	SourceSet    = "set"    // people who meet every clause of a set, by its digest
)

// escapeID escapes native ids for access lists.
var escapeID = strings.NewReplacer("%", "%25", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", "\x00", "%00")

// escapeSource escapes the name of a source for access lists. Unlike escapeID, it also escapes ":",
// which separates the source from the id.
var escapeSource = strings.NewReplacer("%", "%25", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", "\x00", "%00", ":", "%3A")

// SourceGroup returns the principal of a group of people in a source, such as a team. Its form is
// "group:SOURCE:KIND:ID", where ID is the native id. Only verified people of the source hold it. A
// group with the same name on a chat platform is a different principal.
func SourceGroup(source, kind, id string) Principal {
	return Group(escapeSource.Replace(source) + ":" + kind + ":" + escapeID.Replace(id))
}

// SourceAll returns the principal of everyone in a source: "group:SOURCE:all".
func SourceAll(source string) Principal { return Group(escapeSource.Replace(source) + ":all") }

// Node returns the entry "node:SOURCE:ID" for a document's access list. The entry stands for the
// current readers of a node of the source, such as a repository or folder. No person holds a Node,
// and configuration cannot contain one. The index resolves it. An unknown node has no readers.
func Node(source, id string) Principal {
	return Principal("node:" + escapeSource.Replace(source) + ":" + escapeID.Replace(id))
}

// unescape reverses escapeID and escapeSource.
var unescape = strings.NewReplacer("%25", "%", "%2C", ",", "%0A", "\n", "%0D", "\r", "%09", "\t", "%00", "\x00", "%3A", ":")

// ParseSourcePerson returns the source and native id of a SourceGroup with the kind SourcePerson.
func ParseSourcePerson(p Principal) (source, id string, ok bool) {
	source, id, ok = parseSource(p, "group:")
	id, isPerson := strings.CutPrefix(id, SourcePerson+":")
	return source, id, ok && isPerson && id != ""
}

// ParseNode returns the source and native id of a Node.
func ParseNode(p Principal) (source, id string, ok bool) {
	return parseSource(p, "node:")
}

func parseSource(p Principal, prefix string) (source, id string, ok bool) {
	rest, isOne := strings.CutPrefix(string(p), prefix)
	source, id, parted := strings.Cut(rest, ":")
	return unescape.Replace(source), unescape.Replace(id), isOne && parted && source != "" && id != ""
}
