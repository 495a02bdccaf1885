package access

import "strings"

// Kinds of the principals of a source that has its own readers.
const (
	SourcePerson = "person" // one person of the source, by its native id
	SourceSet    = "set"    // whoever is in every clause of a set, by its digest
)

// escapeID keeps native ids to what an access list can hold.
var escapeID = strings.NewReplacer("%", "%25", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", "\x00", "%00")

// escapeSource does so with a source's name too, and keeps it apart from what follows it.
var escapeSource = strings.NewReplacer("%", "%25", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", "\x00", "%00", ":", "%3A")

// SourceGroup is a group of people of a source, such as a team, by its kind and native id:
// "group:SOURCE:KIND:ID". Only who is verified to be a person of the source ever holds it; a group
// of the same name on a chat platform is another.
func SourceGroup(source, kind, id string) Principal {
	return Group(escapeSource.Replace(source) + ":" + kind + ":" + escapeID.Replace(id))
}

// SourceAll is everybody in a source: "group:SOURCE:all".
func SourceAll(source string) Principal { return Group(escapeSource.Replace(source) + ":all") }

// Node stands in the access list of a document for whatever readers a node of its source has at the
// moment, such as a repository or a folder: "node:SOURCE:ID". No one holds it, and no one can write
// it: the index looks up the node's readers. A node that is not known has none.
func Node(source, id string) Principal {
	return Principal("node:" + escapeSource.Replace(source) + ":" + escapeID.Replace(id))
}

// unescape undoes escapeID and escapeSource.
var unescape = strings.NewReplacer("%25", "%", "%2C", ",", "%0A", "\n", "%0D", "\r", "%09", "\t", "%00", "\x00", "%3A", ":")

// ParseSourcePerson returns the source and the native id that a SourceGroup of the kind
// SourcePerson was made of.
func ParseSourcePerson(p Principal) (source, id string, ok bool) {
	source, id, ok = parseSource(p, "group:")
	id, isPerson := strings.CutPrefix(id, SourcePerson+":")
	return source, id, ok && isPerson && id != ""
}

// ParseNode returns the source and the native id that a Node was made of.
func ParseNode(p Principal) (source, id string, ok bool) {
	return parseSource(p, "node:")
}

func parseSource(p Principal, prefix string) (source, id string, ok bool) {
	rest, isOne := strings.CutPrefix(string(p), prefix)
	source, id, parted := strings.Cut(rest, ":")
	return unescape.Replace(source), unescape.Replace(id), isOne && parted && source != "" && id != ""
}
