// Package extract asks a model which relations between people, teams and systems a passage states.
// It runs only if an operator switches it on. It accepts nothing that is not in the passage.
// Results are stored by the digest of the text, so that no text is read twice.
package extract

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/knowledge"
)

// Type is a kind of entity or relation that the model looks for. Means explains it to the model.
type Type struct{ Name, Means string }

// Schema lists the types of entities and relations to look for. The zero Schema means [Default].
type Schema struct {
	Entities  []Type // none means those of Default
	Relations []Type // each reads from subject to object; none means those of Default
	Notes     string // operator's text, added to the model's instructions
}

// Default returns the schema that applies if the configuration file sets none.
func Default() Schema {
	return Schema{
		Entities: []Type{
			{string(knowledge.Person), "somebody by name"},
			{string(knowledge.Team), "a team, group or department"},
			{string(knowledge.Project), "a project, programme or initiative"},
			{"system", "a service, application, database, tool or product"},
			{"organisation", "a company, customer, supplier or authority"},
			{"concept", "a process, policy or term that has a name of its own"},
		},
		Relations: []Type{
			{string(knowledge.Owns), "is responsible for, maintains, runs or leads"},
			{string(knowledge.WorksOn), "works or worked on, is assigned to"},
			{string(knowledge.PartOf), "belongs to: a person to a team, a system to a project or a larger system"},
			{string(knowledge.Supersedes), "replaces"},
			{"uses", "needs in order to work, or is built with"},
		},
	}
}

// Limits of the types that a configuration file may define.
const (
	MostTypes    = 20  // maximum types of entities, and of relations
	LongestType  = 30  // bytes of a name
	LongestMeans = 300 // bytes
	LongestNotes = 4_000
)

// reserved holds the entity kinds and relations that are found without a model.
var reserved = map[string]bool{
	string(knowledge.Document): true, string(knowledge.Repository): true, string(knowledge.Ticket): true, string(knowledge.Release): true, string(knowledge.File): true,
	string(knowledge.Path): true, string(knowledge.Mentions): true, string(knowledge.LinksTo): true, string(knowledge.Releases): true,
}

// CheckType checks the name of a type. It returns "" if the name is valid. Otherwise it returns
// what is wrong, as the rest of a sentence that begins with the name.
func CheckType(name string) string {
	switch {
	case reserved[name]:
		return "is read without a model already: choose another name"
	case len(name) > LongestType:
		return fmt.Sprintf("is longer than %d letters: choose a shorter name", LongestType)
	case name == "" || name != typeName(name) || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz -") != "":
		return "is no name of a type: write small letters from a to z, with spaces between words"
	}
	return ""
}

// typeName converts a type that a model wrote, such as "Works_on", to the schema's "works on".
func typeName(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(text, "_", " "))), " ")
}

func (s Schema) withDefaults() Schema {
	built := Default()
	if len(s.Entities) == 0 {
		s.Entities = built.Entities
	}
	if len(s.Relations) == 0 {
		s.Relations = built.Relations
	}
	return s
}

// Digest is the SHA-256 of a text, or of a model's name and instructions.
type Digest [sha256.Size]byte

// promptVersion is the version of the prompt and of the parsing of replies. A new version makes the
// model read all texts again.
const promptVersion = 1

func (s Schema) digest(model string) Digest {
	fields := []string{fmt.Sprint(promptVersion), model, s.Notes, instructions}
	for _, list := range [][]Type{s.Entities, s.Relations} {
		fields = append(fields, "")
		for _, t := range list {
			fields = append(fields, t.Name, t.Means)
		}
	}
	return digestOf(fields...)
}

// digestOf returns the SHA-256 of a list of texts. It includes the length of each text, so that
// different lists have different digests.
func digestOf(fields ...string) Digest {
	h := sha256.New()
	for _, f := range fields {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(f)))
		h.Write(length[:])
		h.Write([]byte(f))
	}
	return Digest(h.Sum(nil))
}
