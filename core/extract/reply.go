package extract

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/knowledge"
)

// Limits on the relations and facts of a passage or document.
const (
	// MostRelations is the maximum number of relations of one passage; later ones are dropped. A
	// passage with more relations is a table, which is better quoted.
	MostRelations = 20
	// MostFacts is the maximum number of facts of one document.
	MostFacts = 2_000
	mostRead  = 200 // maximum number of entities, and of relations, that are examined
)

// Thing is the subject or object of a [Relation], spelled as in the passage.
type Thing struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// Relation is a statement of a passage, such as a team that owns a system.
type Relation struct {
	Subject  Thing  `json:"subject"`
	Relation string `json:"relation"`
	Object   Thing  `json:"object"`
}

// Facts converts the relations found in a chunk to facts of the knowledge graph. chunk is the
// chunk's position in its document.
func Facts(found []Relation, chunk int) []knowledge.Fact {
	var facts []knowledge.Fact
	for _, r := range found {
		subject, object := knowledge.EntityOf(knowledge.Kind(r.Subject.Type), r.Subject.Name), knowledge.EntityOf(knowledge.Kind(r.Object.Type), r.Object.Name)
		if subject == nil || object == nil || subject.Kind == object.Kind && subject.Key == object.Key {
			continue
		}
		facts = append(facts, knowledge.Fact{Subject: subject, Relation: knowledge.Relation(r.Relation), Object: object, Chunk: chunk})
	}
	return facts
}

var errReply = errors.New("the model's answer is not the JSON that it was asked for")

// reply is the requested form of a model's reply. Each entry is parsed separately, so that a
// malformed entry does not affect the others.
type reply struct {
	Entities  []json.RawMessage `json:"entities"`
	Relations []json.RawMessage `json:"relations"`
}

// mostOpenings is the maximum number of braces that are tried as the start of the JSON object in a
// reply. A model may write reasoning or a code fence before the object.
const mostOpenings = 20

func readReply(text string) (reply, error) {
	at := 0
	for range mostOpenings {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		var r reply
		if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&r); err == nil && r.Relations != nil {
			return r, nil
		}
		at++
	}
	return reply{}, errReply
}

// validate returns the valid relations of a reply. A relation is valid if the schema has it, and
// both entities have a known type and a name that occurs in the passage. Names are spelled as in
// the passage. dropped is the number of invalid or surplus relations.
func (s Schema) validate(passage string, r reply) (found []Relation, dropped int) {
	spelling := knowledge.NewSpelling(passage)
	entities := make(map[string]Thing) // keys are the normal forms of names
	for _, raw := range r.Entities[:min(len(r.Entities), mostRead)] {
		var e Thing
		if json.Unmarshal(raw, &e) != nil || !has(s.Entities, typeName(e.Type)) {
			continue
		}
		name := spelling.Of(e.Name)
		form := knowledge.Form(name)
		if _, twice := entities[form]; name == "" || twice {
			continue
		}
		entities[form] = Thing{typeName(e.Type), name}
	}
	for _, raw := range r.Relations[:min(len(r.Relations), mostRead)] {
		if len(found) == MostRelations {
			break
		}
		var named struct{ Subject, Relation, Object string }
		if json.Unmarshal(raw, &named) != nil {
			continue
		}
		subject, known := entities[knowledge.Form(named.Subject)]
		object, also := entities[knowledge.Form(named.Object)]
		relation := Relation{subject, typeName(named.Relation), object}
		if known && also && subject != object && has(s.Relations, relation.Relation) && !slices.Contains(found, relation) {
			found = append(found, relation)
		}
	}
	return found, len(r.Relations) - len(found)
}

func has(types []Type, name string) bool {
	return slices.ContainsFunc(types, func(t Type) bool { return t.Name == name })
}
