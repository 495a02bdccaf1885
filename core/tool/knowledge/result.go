package knowledge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

const (
	maxTokens    = 6_400 // of one result
	nothingKnown = "The documents that these readers may see state nothing of that. Search instead."
)

// Statement is a fact that a document states, in the form that the model reads.
type Statement struct {
	Number int    `json:"document"` // number of the document that states it
	Says   string `json:"states"`
	Date   string `json:"date,omitempty"` // of the document, 2006-01-02
}

// buildResult returns the statements and their passages, within the budget. It omits statements
// whose passages the audience can no longer read.
func (t *Tool) buildResult(ctx context.Context, stated []knowledge.Statement, scope tool.Scope) (tool.Result, error) {
	var result tool.Result
	passages, err := t.passages(ctx, stated, scope)
	if err != nil {
		return result, err
	}
	room := maxTokens
	if scope.Budget > 0 {
		room = min(room, scope.Budget)
	}
	var docs []tool.Document
	var says []Statement
	numbers, named := make(map[document.ChunkID]int), make(map[document.ID]bool)
	for _, s := range stated {
		p, there := passages[s.Chunk]
		if !there {
			continue
		}
		number, shown := numbers[s.Chunk]
		if !shown {
			link, part, heading := p.Document.Link(p.Chunk.Anchor), cite.ChunkPart(p.ID), retrieve.Section(p.Chunk.Heading)
			doc := tool.Document{Title: p.Document.Title, URL: link, Metadata: tool.Metadata(p.Metadata), Heading: strings.Join(p.Chunk.Heading, " › "), Contents: p.Chunk.Shown()}
			if !p.Document.UpdatedAt.IsZero() {
				doc.Updated = p.Document.UpdatedAt.Format("2006-01-02")
			}
			size := t.counter.Count(tool.DocumentsJSON([]tool.Document{doc}, "")) + statementTokens
			if size > room && len(docs) > 0 {
				break
			}
			room -= size
			number = scope.Citations.Add(cite.Source{
				Document: p.Document.ID, Part: part, Title: p.Document.Title, Section: heading, URL: link, Kind: string(p.Document.Kind),
			})
			if doc.Page = scope.Citations.Page(p.Document.ID); scope.Portable {
				doc.Page = string(p.Document.ID)
			}
			doc.Number, numbers[s.Chunk] = number, number
			docs = append(docs, doc)
			result.References = append(result.References, message.Reference{
				Number: number, Document: p.Document, Chunk: new(p.ID), Anchor: p.Chunk.Anchor, Heading: heading, Text: p.Chunk.Shown(), Part: part,
			})
		}
		says = append(says, Statement{number, Sentence(s), statementDate(s)})
		// the sentence contains the title of this document
		for _, led := range []*document.Ref{s.SubjectRef, s.ObjectRef} {
			if led != nil && led.ID != p.Document.ID && !named[led.ID] {
				named[led.ID] = true
				result.References = append(result.References, message.Reference{Number: scope.Citations.Add(cite.Source{Document: led.ID, Title: led.Title, URL: led.URL, Kind: string(led.Kind)}), Document: *led})
			}
		}
	}
	note := ""
	if len(says) == 0 {
		note = nothingKnown
	}
	// a result without statements does not count as a search
	result.Evidence, result.Citable = len(says) > 0, len(says) > 0
	result.Content, err = WithStatements(tool.DocumentsJSON(docs, note), says)
	return result, err
}

const statementTokens = 40

func (t *Tool) passages(ctx context.Context, stated []knowledge.Statement, scope tool.Scope) (map[document.ChunkID]retrieve.Passage, error) {
	var ids []document.ChunkID
	for _, s := range stated {
		ids = append(ids, s.Chunk)
	}
	byID := make(map[document.ChunkID]retrieve.Passage)
	if len(ids) == 0 {
		return byID, nil
	}
	found, err := t.chunks.Chunks(ctx, scope.Audience, ids)
	if err != nil {
		return nil, fmt.Errorf("reading the passages failed, so nothing is known about them: %w", err)
	}
	for _, p := range found {
		byID[p.ID] = p
	}
	return byID, nil
}

// WithStatements appends statements to a result of [tool.DocumentsJSON], as the last field.
func WithStatements(documents string, says []Statement) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // escapes cost tokens
	if err := encoder.Encode(says); err != nil {
		return "", fmt.Errorf("encode the statements: %w", err)
	}
	if len(says) == 0 {
		return documents, nil
	}
	return strings.TrimSuffix(documents, "}") + ",\"statements\":" + strings.TrimSpace(b.String()) + "}", nil
}

var verbs = map[knowledge.Relation]string{
	knowledge.Authored: "wrote", knowledge.Owns: "owns", knowledge.WorksOn: "works on", knowledge.PartOf: "is part of", knowledge.DependsOn: "depends on", knowledge.Mentions: "mentions",
	knowledge.LinksTo: "links to", knowledge.Supersedes: "replaces", knowledge.Releases: "releases",
}

// Sentence returns a statement as a sentence without a full stop. Titles of documents are on one
// line in quotation marks. A pattern that matches all files becomes "all files".
func Sentence(s knowledge.Statement) string {
	side := func(name string, kind knowledge.Kind, ref *document.Ref) string {
		name = strings.Join(strings.Fields(name), " ")
		switch {
		case ref != nil:
			return "“" + name + "”"
		case kind == knowledge.Path && strings.Trim(name, "/*") == "":
			return "all files"
		}
		return name
	}
	return side(s.Subject, s.SubjectKind, s.SubjectRef) + " " + cmp.Or(verbs[s.Relation], string(s.Relation)) + " " + side(s.Object, s.ObjectKind, s.ObjectRef)
}

// rankExperts sorts statements by their subjects: owners come first, and then the subjects with the
// most statements. It keeps the newest maxOfEach statements of each subject, and at most
// maxStatements in total.
func rankExperts(stated []knowledge.Statement) []knowledge.Statement {
	worth, taken := make(map[string]int), make(map[string]int)
	of := func(s knowledge.Statement) string { return knowledge.Form(s.Subject) }
	for _, s := range stated {
		if worth[of(s)]++; s.Relation == knowledge.Owns {
			worth[of(s)] += maxCounted
		}
	}
	stated = slices.DeleteFunc(stated, func(s knowledge.Statement) bool {
		taken[of(s)]++
		return taken[of(s)] > maxOfEach
	})
	slices.SortStableFunc(stated, func(a, b knowledge.Statement) int {
		return cmp.Or(cmp.Compare(worth[of(b)], worth[of(a)]), strings.Compare(of(a), of(b)))
	})
	return stated[:min(len(stated), maxStatements)]
}

func statementDate(s knowledge.Statement) string {
	if s.At.IsZero() {
		return ""
	}
	return s.At.Format("2006-01-02")
}
