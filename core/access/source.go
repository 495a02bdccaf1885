package access

import "strings"

// Kinds for [SourceGroup] that are the same in every document source.
const (
	SourcePerson = "person" // a person of the source, by native id
	SourceSet    = "set"    // people who meet every clause of a set, by its digest
)

// escapeID percent-encodes commas, line breaks and other special characters in a native id. Without
// this, an access list would treat them as separators.
var escapeID = strings.NewReplacer("%", "%25", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", "\x00", "%00")

// escapeSource escapes the name of a source for access lists. Unlike escapeID, it also escapes ":",
// which separates the source from the id.
var escapeSource = strings.NewReplacer("%", "%25", ",", "%2C", "\n", "%0A", "\r", "%0D", "\t", "%09", "\x00", "%00", ":", "%3A")

// SourceGroup returns the principal of a group of people in a document source, such as a team. Its
// form is "group:SOURCE:KIND:ID", where ID is the native id. A group with the same name on a chat
// platform is a different principal.
func SourceGroup(source, kind, id string) Principal {
	return Group(escapeSource.Replace(source) + ":" + kind + ":" + escapeID.Replace(id))
}

// SourceAll returns the principal of everyone who has access to a document source:
// "group:SOURCE:all".
func SourceAll(source string) Principal { return Group(escapeSource.Replace(source) + ":all") }

// Node returns the access-list entry "node:SOURCE:ID" for a part of a source, such as a repository
// or folder. The index replaces the entry by the current readers of this part. An unknown Node has
// no readers.
func Node(source, id string) Principal {
	return Principal("node:" + escapeSource.Replace(source) + ":" + escapeID.Replace(id))
}

var unescape = strings.NewReplacer("%25", "%", "%2C", ",", "%0A", "\n", "%0D", "\r", "%09", "\t", "%00", "\x00", "%3A", ":")

// ParseSourcePerson splits the principal of a single person in a document source into the source
// and the person's native id. Such a principal is a [SourceGroup] of the kind [SourcePerson]. ok is
// false for other principals.
func ParseSourcePerson(p Principal) (source, id string, ok bool) {
	source, id, ok = parseSource(p, "group:")
	id, isPerson := strings.CutPrefix(id, SourcePerson+":")
	return source, id, ok && isPerson && id != ""
}

// ParseNode reverses [Node]. ok is false for other principals.
func ParseNode(p Principal) (source, id string, ok bool) {
	return parseSource(p, "node:")
}

func parseSource(p Principal, prefix string) (source, id string, ok bool) {
	rest, isOne := strings.CutPrefix(string(p), prefix)
	source, id, parted := strings.Cut(rest, ":")
	return unescape.Replace(source), unescape.Replace(id), isOne && parted && source != "" && id != ""
}
