package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/plural"
)

type knowledgeCommand struct {
	Status  knowledgeStatus  `cmd:"" default:"withargs" help:"Count what is known."`
	Show    knowledgeShow    `cmd:"" help:"Show what has this name, and what is stated of it."`
	Extract knowledgeExtract `cmd:"" help:"Have KNOWLEDGE_MODEL read what is new, or say what that takes."`
	Merge   knowledgeMerge   `cmd:"" help:"Say that two things are one, such as a person and an account, or take back that they are two."`
	Split   knowledgeSplit   `cmd:"" help:"Take that back, or say that two things are two, whatever documents say."`
}

type knowledgeStatus struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// knowledgeStatusJSON is the output of knowledge status --json. Its field names are stable.
type knowledgeStatusJSON struct {
	Documents  int64                        `json:"documents"`
	Unread     int64                        `json:"unread"`
	Names      int64                        `json:"names"`
	Unsearched int64                        `json:"unsearched"`
	Mentions   int64                        `json:"mentions"`
	Entities   map[knowledge.Kind]int64     `json:"entities"`
	Statements map[knowledge.Relation]int64 `json:"statements"`
	Merges     int64                        `json:"merges"`
	Bytes      int64                        `json:"bytes"`
}

const mostSaid = 100

// Run executes "footnote knowledge status".
func (c *knowledgeStatus) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		size, err := base.Knowledge().Size(ctx, base.Tenant)
		if err != nil {
			return err
		}
		read, err := base.Extracted(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(struct {
				knowledgeStatusJSON
				Extraction *extractionJSON `json:"extraction,omitempty"`
			}{knowledgeStatusJSON(size), extractionOf(read)})
		}
		table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
		fmt.Fprintf(table, "Documents read\t%d\n", size.Documents)
		if size.Unread > 0 {
			fmt.Fprintf(table, "To be read by serve or the next index\t%d\n", size.Unread)
		}
		fmt.Fprintf(table, "Names\t%d, in passages %s\n", size.Names, plural.Count(size.Mentions, "time"))
		for _, kind := range slices.Sorted(maps.Keys(size.Entities)) {
			fmt.Fprintf(table, "  %s\t%d\n", kind, size.Entities[kind])
		}
		for _, relation := range slices.Sorted(maps.Keys(size.Statements)) {
			fmt.Fprintf(table, "  … %s …\t%d\n", relation, size.Statements[relation])
		}
		fmt.Fprintf(table, "Said to be one\t%d\nIn the database\t%d MB\n", size.Merges, size.Bytes>>20)
		said, err := base.Knowledge().Said(ctx, base.Tenant, mostSaid)
		if err != nil {
			return err
		}
		for _, s := range said {
			what := "one: " + s.Reason
			if s.Apart {
				what = "two"
			}
			fmt.Fprintf(table, "  %s:%s, %s:%s\t%s (%s, %s)\n", s.Kind, plain(s.Key), s.OtherKind, plain(s.OtherKey), plain(what), plain(s.By), s.At.Format(time.DateOnly))
		}
		printExtraction(table, read)
		return table.Flush()
	})
}

type knowledgeShow struct {
	Name string `arg:"" help:"A person, team, project, ticket, path or title."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// knowledgeShownJSON is the output of knowledge show --json. Its field names are stable.
type knowledgeShownJSON struct {
	Named      []namedJSON     `json:"named"`
	One        []oneJSON       `json:"one"`
	Statements []statementJSON `json:"statements"`
}

type namedJSON struct {
	Kind       knowledge.Kind `json:"kind"`
	Key        string         `json:"key,omitempty"`
	Name       string         `json:"name"`
	DocumentID document.ID    `json:"document_id"`
}

// oneJSON is a pair of names that count as one, such as a person and an account, with the reason.
type oneJSON struct {
	Kind       knowledge.Kind   `json:"kind"`
	Key        string           `json:"key"`
	WithKind   knowledge.Kind   `json:"with_kind"`
	WithKey    string           `json:"with_key"`
	Reason     knowledge.Reason `json:"reason"`
	DocumentID document.ID      `json:"document_id,omitempty"` // document with the reason
}

type statementJSON struct {
	Subject    string             `json:"subject"`
	Relation   knowledge.Relation `json:"relation"`
	Object     string             `json:"object"`
	DocumentID document.ID        `json:"document_id"`
	URL        string             `json:"url,omitempty"`
	At         *time.Time         `json:"at,omitempty"`
}

const mostShown = 200

// Run executes "footnote knowledge show".
func (c *knowledgeShow) Run(ctx context.Context, env *environment) error {
	form := knowledge.Form(c.Name)
	if form == "" {
		return usageError("there is no name: write a person, team, project, ticket, path or title after footnote knowledge show")
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		q := knowledge.Question{Audience: base.ConsoleAudience(), Names: []string{form}, Paths: knowledge.Paths(c.Name), Limit: mostShown}
		named, err := base.Knowledge().Named(ctx, q)
		if err != nil {
			return err
		}
		stated, err := base.Knowledge().Statements(ctx, q)
		if err != nil {
			return err
		}
		one, err := base.Knowledge().One(ctx, q)
		if err != nil {
			return err
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(shownJSON(named, one, stated))
		}
		if len(named) == 0 {
			return fmt.Errorf("no document that may be read here names %q", c.Name)
		}
		table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "KIND\tNAME\tKEY\tNAMED BY")
		seen := make(map[string]bool)
		for _, n := range named {
			key := cmp.Or(n.Key, string(n.Document.ID))
			if id := string(n.Kind) + key; !seen[id] {
				seen[id] = true
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", n.Kind, plain(n.Shown), plain(key), plain(cmp.Or(n.Document.Title, string(n.Document.ID))))
			}
		}
		if len(one) > 0 {
			fmt.Fprintln(table, "\nCOUNTS AS ONE\t\t\tBECAUSE")
		}
		for _, j := range one {
			fmt.Fprintf(table, "%s:%s\t%s:%s\t\t%s\n", j.Kind, plain(j.Key), j.With.Kind, plain(j.With.Key), plain(because(j)))
		}
		if len(stated) > 0 {
			fmt.Fprintln(table, "\nDATE\tSTATEMENT\t\tSTATED BY")
		}
		for _, s := range stated {
			at := ""
			if !s.At.IsZero() {
				at = s.At.Format(time.DateOnly)
			}
			fmt.Fprintf(table, "%s\t%s %s %s\t\t%s\n", at, plain(s.Subject), s.Relation, plain(s.Object), plain(cmp.Or(s.Document.URL, s.Document.Title, string(s.Document.ID))))
		}
		return table.Flush()
	})
}

func because(j knowledge.Joined) string {
	if j.By == nil {
		return "a person said so (footnote knowledge merge)"
	}
	page := cmp.Or(j.By.Document.Title, j.By.Document.URL, string(j.By.Document.ID))
	if j.Reason == knowledge.ByBoth {
		return fmt.Sprintf("“%s” gives both of one person", page)
	}
	return fmt.Sprintf("“%s” calls %s “%s”, and no one else has that name", page, j.By.Key, j.By.Shown)
}

func shownJSON(named []knowledge.Named, one []knowledge.Joined, stated []knowledge.Statement) knowledgeShownJSON {
	out := knowledgeShownJSON{Named: []namedJSON{}, One: []oneJSON{}, Statements: []statementJSON{}}
	for _, j := range one {
		row := oneJSON{Kind: j.Kind, Key: j.Key, WithKind: j.With.Kind, WithKey: j.With.Key, Reason: j.Reason}
		if j.By != nil {
			row.DocumentID = j.By.Document.ID
		}
		out.One = append(out.One, row)
	}
	for _, n := range named {
		out.Named = append(out.Named, namedJSON{n.Kind, n.Key, n.Shown, n.Document.ID})
	}
	for _, s := range stated {
		row := statementJSON{Subject: s.Subject, Relation: s.Relation, Object: s.Object, DocumentID: s.Document.ID, URL: s.Document.URL}
		if !s.At.IsZero() {
			row.At = &s.At
		}
		out.Statements = append(out.Statements, row)
	}
	return out
}

type knowledgeMerge struct {
	One    string `arg:"" help:"KIND:KEY, as footnote knowledge show prints them, such as person:ann@acme.example."`
	Other  string `arg:"" help:"KIND:KEY of the other."`
	Reason string `name:"reason" required:"" placeholder:"TEXT" help:"Why they are one, to be read later."`
}

// Run executes "footnote knowledge merge".
func (c *knowledgeMerge) Run(ctx context.Context, env *environment) error {
	same, err := bothOf(c.One, c.Other)
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		same.Reason, same.By = c.Reason, base.By
		back, err := base.Knowledge().Merge(ctx, base.Tenant, same)
		if err != nil {
			return err
		}
		if back {
			_, err = fmt.Fprintln(env.out, "They are not kept apart any more: they count as one where documents say so. Merge them once more to say it yourself.")
			return err
		}
		_, err = fmt.Fprintf(env.out, "Whoever asks for %s hears of %s too, as far as they may read what states it. To undo that, run footnote knowledge split.\n", plain(c.One), plain(c.Other))
		return err
	})
}

type knowledgeSplit struct {
	One   string `arg:"" help:"KIND:KEY."`
	Other string `arg:"" help:"KIND:KEY of the other."`
}

// Run executes "footnote knowledge split".
func (c *knowledgeSplit) Run(ctx context.Context, env *environment) error {
	same, err := bothOf(c.One, c.Other)
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		same.By = base.By
		back, err := base.Knowledge().Split(ctx, base.Tenant, same)
		if err != nil {
			return err
		}
		if back {
			_, err = fmt.Fprintln(env.out, "The merge is undone: they count as two unless documents say otherwise. Split them once more to keep them apart.")
			return err
		}
		_, err = fmt.Fprintln(env.out, "They count as two, whatever documents say. footnote knowledge merge takes that back.")
		return err
	})
}

// bothOf parses two arguments such as "person:ann@acme.example".
func bothOf(one, other string) (pgknowledge.Same, error) {
	var s pgknowledge.Same
	for _, side := range []struct {
		text string
		kind *knowledge.Kind
		key  *string
	}{{one, &s.Kind, &s.Key}, {other, &s.OtherKind, &s.OtherKey}} {
		kind, key, found := strings.Cut(side.text, ":")
		*side.kind, *side.key = knowledge.Kind(kind), key
		if !found || kind == "" || key == "" || slices.Contains([]knowledge.Kind{knowledge.Document, knowledge.File, knowledge.Release, knowledge.Term}, *side.kind) {
			return s, usageError(fmt.Sprintf("%q is no KIND:KEY: footnote knowledge show NAME prints both, such as person:ann@acme.example", side.text))
		}
	}
	return s, nil
}
