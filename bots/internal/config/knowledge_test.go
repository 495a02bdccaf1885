package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/google/go-cmp/cmp"
)

func TestWhatAModelLooksForIsWrittenInTheFile(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("f.yaml", []byte("knowledge:\n  entities:\n    person: somebody\n    data set: a table\n      of the warehouse\n  relations:\n    feeds: is copied into\n  instructions: Names of tables hold dots.\n"))
	want := extract.Schema{Entities: []extract.Type{{Name: "person", Means: "somebody"}, {Name: "data set", Means: "a table of the warehouse"}},
		Relations: []extract.Type{{Name: "feeds", Means: "is copied into"}}, Notes: "Names of tables hold dots."}
	if err != nil || !cmp.Equal(f.Knowledge, want) {
		t.Fatalf("it is read as %+v, %v", f, err)
	}
	var many strings.Builder
	for i := range extract.MostTypes + 1 {
		fmt.Fprintf(&many, "\n    kind %c: a", 'a'+i)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"no map":             {"\n  entities: person", ":2: knowledge.entities holds \"person\": write keys and values"},
		"another key":        {"\n  types: {a: b}", ":2: knowledge.types is not a setting: the keys here are entities, relations, instructions"},
		"read already":       {"\n  entities:\n    document: a page", ":3: knowledge.entities.document is read without a model already"},
		"a relation, too":    {"\n  relations:\n    links to: x", ":3: knowledge.relations.links to is read without a model already"},
		"capitals":           {"\n  entities:\n    Person: x", ":3: knowledge.entities.Person is no name of a type: write small letters"},
		"signs":              {"\n  entities:\n    \"a:b\": x", ":3: knowledge.entities.a:b is no name of a type"},
		"long":               {"\n  entities:\n    " + strings.Repeat("a", 31) + ": x", "is longer than 30 letters"},
		"not explained":      {"\n  entities:\n    person: \"\"", ":3: knowledge.entities.person is empty"},
		"a list":             {"\n  relations:\n    owns: [a]", ":3: knowledge.relations.owns holds a list: write text"},
		"at length":          {"\n  relations:\n    owns: " + strings.Repeat("a", 301), ":3: knowledge.relations.owns is explained in 301 bytes: at most 300"},
		"too many":           {"\n  entities:" + many.String(), ":23: knowledge.entities.kind u is one too many: at most 20"},
		"none":               {"\n  entities: {}", ":2: knowledge.entities names nothing"},
		"a long instruction": {"\n  instructions: " + strings.Repeat("a", 4001), ":2: knowledge.instructions has 4001 bytes: at most 4000"},
	} {
		if _, err := config.ParseFile("f.yaml", []byte("knowledge:"+tt.text+"\n")); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := config.Load(func(name string) string { return map[string]string{"KNOWLEDGE_MODEL": "small"}[name] }); err == nil || !strings.Contains(err.Error(), "KNOWLEDGE_MODEL: needs OPENAI_API_KEY") {
		t.Errorf("without an endpoint: %v", err)
	}
}
