package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/knowledge"
	"github.com/footnotehq/footnote/core/tool/search"
)

// Tool describes a tool to assistants. All tools are read-only.
type Tool struct {
	Name, Title, Description string
	Parameters               json.RawMessage // JSON Schema of an object
	run                      func(s *Service) run
	limit                    time.Duration
}

// Tools returns the available tools, in the order in which assistants see them. It omits ask if
// Loop is nil, and related if Related is nil.
func (s *Service) Tools() []Tool {
	list := slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool {
		return t.Name == AskName && s.Loop == nil || t.Name == relatedName && s.Related == nil
	})
	for i := range list {
		if list[i].Name == relatedName { // an operator may add relations
			list[i].Parameters = s.Related.Spec().Parameters
		}
	}
	return list
}

// ToolNames returns the names of all tools, even of those that [Service.Tools] omits.
func ToolNames() []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

// Names of tools that need special handling.
const (
	AskName     = "ask"
	relatedName = "related"
)

var tools = []Tool{
	{
		"search", "Search documents",
		"Search the organisation's documents with a question or a few words. Returns passages, best first, each with the id, title, address, date, " +
			"source and place of its document, and with what replaced the document. Passages marked \"loose\" match only loosely.",
		json.RawMessage(`{"type":"object","properties":{` +
			`"query":{"type":"string","description":"What to look for: one question or a few words, complete in itself."},` +
			`"sources":{"type":"array","items":{"type":"string"},"description":"Only these sources or kinds of sources, by the names that list_sources returns."},` +
			`"period":{"type":"string","description":"Only documents dated then, such as \"last quarter\" or \"before March\"."}},"required":["query"]}`),
		func(s *Service) run { return s.search }, CallTimeout,
	},
	{
		"read_document", "Read a document",
		"Read a document from the place of a passage on. Long documents come in several parts: the note says how to go on.",
		json.RawMessage(`{"type":"object","properties":{` +
			`"document":{"type":"string","description":"The page_id of a passage that search returned, or the address of a document."},` +
			`"from":{"type":"integer","minimum":1,"description":"The part to begin with, as search numbers parts. Leave it out to begin at the beginning."}},"required":["document"]}`),
		func(s *Service) run { return s.readDocument }, CallTimeout,
	},
	{
		AskName, "Ask a question",
		"Have Footnote answer a question from the organisation's documents. Returns an answer in Markdown with numbered links, and its sources. It takes up to a few " +
			"minutes, and knows nothing of earlier questions. Prefer search where you want to read the passages yourself.",
		json.RawMessage(`{"type":"object","properties":{"question":{"type":"string","description":"The question, complete in itself."}},"required":["question"]}`),
		func(s *Service) run { return s.ask }, AskTimeout,
	},
	{
		relatedName, "Look up what is related",
		"Look up what documents state of a person, a team, a project, a ticket or a document: who owns, wrote or works on it, what belongs to it, depends on it, " +
			"links to it or replaced it. A document is named by its title, page_id or address. Each statement comes with the document that states it.",
		nil, func(s *Service) run { return s.related }, CallTimeout,
	},
	{
		"list_sources", "List sources",
		"List the sources that search covers, each with its kind, how many of its documents this person may read, and the date of the newest.",
		json.RawMessage(`{"type":"object","properties":{}}`),
		func(s *Service) run { return s.listSources }, CallTimeout,
	},
}

// noDocument is the message for a missing document. It is the same for a document that the person
// may not read, so that it does not reveal which documents exist.
const noDocument = "There is no document with this id or address that this person may read."

func parseArguments(arguments json.RawMessage, to any) error {
	object, err := tool.ParseArguments(string(arguments))
	if err == nil {
		err = json.Unmarshal(object, to)
	}
	if err != nil {
		return Refusal(fmt.Sprintf("The arguments cannot be read: %v.", err))
	}
	return nil
}

func (s *Service) search(ctx context.Context, r reader, arguments json.RawMessage) (output, error) {
	var asked struct {
		Query   tool.Strings `json:"query"`
		Sources tool.Strings `json:"sources"`
		Period  string       `json:"period"`
	}
	if err := parseArguments(arguments, &asked); err != nil {
		return output{}, err
	}
	if len(asked.Query) == 0 {
		return output{}, Refusal(`There is nothing to search for: write {"query": "…"}.`)
	}
	filters, err := s.Filter()
	if err != nil {
		return output{}, err
	}
	if said := filters.Refuse(asked.Query...); said != "" {
		return output{}, Refusal(said)
	}
	call, err := json.Marshal(map[string]any{"queries": asked.Query, "sources": asked.Sources, "period": asked.Period})
	if err != nil {
		return output{}, fmt.Errorf("search: %w", err)
	}
	catalogue := slices.DeleteFunc(slices.Clone(s.Catalogue.Searchable(ctx, r.audience)), func(source tool.Source) bool { return !r.covers(source.ID) })
	result, err := s.Search.Run(ctx, tool.Call{Arguments: call, Scope: tool.Scope{
		Audience: r.audience, Sources: r.sources, Question: asked.Query[0], Citations: cite.NewMapping(), Catalogue: catalogue, Portable: true,
		Budget: maxText - s.Counter.Count(fence) - noteRoom, First: true, Now: s.Now(),
	}}, discardEmitter())
	if err != nil {
		if errors.As(err, new(*search.Failure)) || ctx.Err() != nil {
			return output{}, err
		}
		return output{}, Refusal("The search was not run: " + err.Error() + ".") // about the arguments
	}
	found := make([]document.Ref, len(result.References))
	for i, reference := range result.References {
		found[i] = reference.Document
	}
	var notices []string
	if result.Search != nil {
		notices = result.Search.Notices
	}
	return s.fenceResult(ctx, result.Content, found, notices...)
}

func discardEmitter() *packet.Emitter {
	drained := make(chan struct{})
	close(drained)
	return packet.NewEmitter(nil, drained, packet.Placement{})
}

const noteRoom = 300

const (
	readAhead = 16
	// maxPart is the largest chunk number from which a call may read a document. It keeps chunk
	// numbers within 32 bits, the limit of stores.
	maxPart = math.MaxInt32 - 2*readAhead
)

func (s *Service) readDocument(ctx context.Context, r reader, arguments json.RawMessage) (output, error) {
	var asked struct {
		Document string       `json:"document"`
		From     tool.Integer `json:"from"`
	}
	if err := parseArguments(arguments, &asked); err != nil {
		return output{}, err
	}
	asked.Document = strings.TrimSpace(asked.Document)
	if asked.Document == "" {
		return output{}, Refusal(`There is no document to read: write {"document": "…"}.`)
	}
	id, begin, err := s.findDocument(ctx, r, asked.Document)
	if err == nil && asked.From != 0 && asked.From != 1 {
		begin, err = s.chunksFrom(ctx, r, id, int(asked.From))
	}
	if err != nil {
		return output{}, err
	}
	doc := documentHead(begin[0], s.Search.Replaced(ctx, begin[0].Document, tool.Scope{Audience: r.audience, Sources: r.sources}))
	room := maxText - noteRoom - s.Counter.Count(fence) - s.Counter.Count(tool.DocumentsJSON([]tool.Document{doc}, ""))
	text, next, err := s.joinChunks(ctx, r, id, begin, room)
	if err != nil {
		return output{}, err
	}
	var note string
	if next > 0 {
		note = fmt.Sprintf("The document goes on: read it with from %d.", next+1)
	}
	doc.Contents = text
	return s.fenceResult(ctx, tool.DocumentsJSON([]tool.Document{doc}, note), []document.Ref{begin[0].Document})
}

// findDocument returns the id of a document and its first chunks.
func (s *Service) findDocument(ctx context.Context, r reader, name string) (document.ID, []retrieve.Passage, error) {
	id := document.ID(name)
	chunks, err := s.chunks(ctx, r, id, 0)
	if err != nil || len(chunks) > 0 {
		return id, chunks, err
	}
	page, _, _ := strings.Cut(name, "#")
	found, err := s.Index.Addressed(ctx, r.audience, r.sources, []string{name, page})
	if err != nil {
		return "", nil, err
	}
	for _, address := range []string{name, page} {
		if id, ok := found[address]; ok {
			chunks, err = s.chunks(ctx, r, id, 0)
			if err != nil || len(chunks) > 0 {
				return id, chunks, err
			}
		}
	}
	return "", nil, Refusal(noDocument)
}

// chunksFrom returns the chunks of an existing document from a part on. If there is no such part,
// the error is a Refusal that says how many parts there are.
func (s *Service) chunksFrom(ctx context.Context, r reader, id document.ID, from int) ([]retrieve.Passage, error) {
	if from >= 1 && from <= maxPart {
		chunks, err := s.chunks(ctx, r, id, from-1)
		if err != nil || len(chunks) > 0 {
			return chunks, err
		}
	}
	parts, err := s.countParts(ctx, r, id)
	if err != nil {
		return nil, err
	}
	return nil, Refusal(fmt.Sprintf("The document has %s: write from as a number from 1 to %d.", plural.Count(parts, "part"), parts))
}

// probes is the number of parts that countParts looks up at once.
const probes = 64

// countParts returns the number of parts of a document whose first part exists.
func (s *Service) countParts(ctx context.Context, r reader, id document.ID) (int, error) {
	last, end := 0, maxPart // the last part that is known to exist, and a part that does not exist
	for end-last > 1 {
		step := (end - last + probes - 1) / probes
		var spans []retrieve.Span
		for at := last + step; at < end; at += step {
			spans = append(spans, retrieve.Span{Document: id, From: at, To: at})
		}
		found, err := s.Index.Excerpts(ctx, r.audience, spans)
		if err != nil {
			return 0, err
		}
		for _, p := range found {
			last = max(last, p.Chunk.Ordinal)
		}
		end = min(end, last+step)
	}
	return last + 1, nil
}

func (s *Service) chunks(ctx context.Context, r reader, id document.ID, first int) ([]retrieve.Passage, error) {
	found, err := s.Index.Excerpts(ctx, r.audience, []retrieve.Span{{Document: id, From: first, To: first + readAhead - 1}})
	return slices.DeleteFunc(found, func(p retrieve.Passage) bool { return !r.covers(p.Document.Source) }), err
}

// joinChunks joins the texts of chunks, up to room tokens. It fetches more chunks of the document
// if there is room. next is the position of the first chunk that did not fit, or 0 if the document
// ended.
func (s *Service) joinChunks(ctx context.Context, r reader, id document.ID, chunks []retrieve.Passage, room int) (text string, next int, err error) {
	var joined document.Joiner
	last, empty := 0, true
	for {
		for _, p := range chunks {
			// The escaped text counts.
			size := s.Counter.Count(tool.DocumentsJSON([]tool.Document{{Contents: joined.Next(p.Chunk)}}, ""))
			if size > room && !empty {
				return joined.String(), p.Chunk.Ordinal, nil
			}
			joined.Add(p.Chunk)
			room -= size
			last, empty = p.Chunk.Ordinal, false
		}
		if len(chunks) < readAhead {
			return joined.String(), 0, nil
		}
		if chunks, err = s.chunks(ctx, r, id, last+1); err != nil {
			return "", 0, err
		}
	}
}

func documentHead(p retrieve.Passage, replaced string) tool.Document {
	doc := tool.Document{
		Number: 1, Page: string(p.Document.ID), Title: p.Document.Title, URL: p.Document.Link(p.Chunk.Anchor), Metadata: tool.Metadata(p.Metadata),
		Heading: strings.Join(p.Chunk.Heading, " › "), Source: string(p.Document.Kind), Part: fmt.Sprintf("from %d", p.Chunk.Ordinal+1),
	}
	if replaced != "" {
		doc.Metadata = strings.TrimSuffix(replaced+"; "+doc.Metadata, "; ")
	}
	doc.Updated = formatDate(p.Document.UpdatedAt)
	return doc
}

// listedSource is a source as assistants read it. Its JSON names are stable.
type listedSource struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Documents int    `json:"documents"`
	Newest    string `json:"newest,omitempty"`
}

func (s *Service) listSources(ctx context.Context, r reader, _ json.RawMessage) (output, error) {
	sources, err := s.Index.Searchable(ctx, r.audience)
	if err != nil {
		return output{}, err
	}
	sources = slices.DeleteFunc(sources, func(source tool.Source) bool { return !r.covers(source.ID) })
	listed := make([]listedSource, len(sources))
	for i, source := range sources {
		listed[i] = listedSource{Name: source.Name, Kind: source.Kind, Documents: source.Documents, Newest: formatDate(source.Newest)}
	}
	filters, err := s.Filter()
	if err != nil {
		return output{}, err
	}
	if filters.Screens() {
		for i := range listed {
			if err := filterTexts(ctx, filters, &listed[i].Name); err != nil {
				return output{}, err
			}
		}
	}
	for {
		text, err := json.Marshal(struct {
			Sources []listedSource `json:"sources"`
			LeftOut int            `json:"left_out,omitempty"`
		}{listed, len(sources) - len(listed)})
		if err != nil {
			return output{}, fmt.Errorf("list sources: %w", err)
		}
		if s.Counter.Count(string(text)) <= maxText || len(listed) == 0 {
			return output{text: string(text)}, nil
		}
		listed = listed[:len(listed)/2]
	}
}

// fenceResult builds the result of a tool from documents as JSON. It filters their texts, puts the
// notices before them, and drops documents until the result has at most maxText tokens. The result
// records only the remaining documents as shown.
func (s *Service) fenceResult(ctx context.Context, documents string, found []document.Ref, notices ...string) (output, error) {
	documents, err := s.filterResult(ctx, documents, notices)
	if err != nil {
		return output{}, err
	}
	above := strings.Join(append([]string{fence}, notices...), " ") + "\n"
	for s.Counter.Count(above+documents) > maxText {
		halved, ok := tool.Halve(documents)
		if !ok {
			return output{}, Refusal("The document says more of itself than a result can hold.")
		}
		documents = halved
	}
	var read readResult
	if err := json.Unmarshal([]byte(documents), &read); err != nil {
		return output{}, fmt.Errorf("decode a result: %w", err)
	}
	out := output{text: above + documents}
	for _, d := range found {
		names := func(of tool.Document) bool { return document.ID(of.Page) == d.ID }
		as := session.Read
		if !slices.ContainsFunc(read.Documents, names) {
			if len(read.Statements) == 0 {
				continue
			}
			as = session.Listed // its title is in a statement
		}
		if !slices.ContainsFunc(out.shown, func(s session.Shown) bool { return s.Document == d.ID }) {
			out.shown = append(out.shown, session.Shown{Document: d.ID, Source: d.Source, URL: d.URL, As: as})
		}
	}
	return out, nil
}

type readResult struct {
	Documents  []tool.Document       `json:"documents"`
	Note       string                `json:"note"`
	Statements []knowledge.Statement `json:"statements"` // of related
}

// filterResult returns documents, which are JSON, without the text that the filters forbid. It
// filters the notices in place. Ids and addresses of documents stay unchanged.
func (s *Service) filterResult(ctx context.Context, documents string, notices []string) (string, error) {
	filters, err := s.Filter()
	if err != nil || !filters.Screens() {
		return documents, err
	}
	var read readResult
	if err := json.Unmarshal([]byte(documents), &read); err != nil {
		return "", fmt.Errorf("decode a result: %w", err)
	}
	texts := []*string{&read.Note}
	for i := range read.Documents {
		d := &read.Documents[i]
		texts = append(texts, &d.Title, &d.Heading, &d.Metadata, &d.Source, &d.Contents)
	}
	for i := range read.Statements {
		texts = append(texts, &read.Statements[i].Says)
	}
	for i := range notices {
		texts = append(texts, &notices[i])
	}
	if err := filterTexts(ctx, filters, texts...); err != nil {
		return "", err
	}
	return knowledge.WithStatements(tool.DocumentsJSON(read.Documents, read.Note), read.Statements)
}

// filterTexts replaces each text by the part that may be shown. It checks equal texts once, because
// a filter may call another system.
func filterTexts(ctx context.Context, filters *filter.Filter, texts ...*string) error {
	screened := map[string]string{"": ""}
	for _, text := range texts {
		shown, known := screened[*text]
		if !known {
			var err error
			if shown, err = filterText(ctx, filters, *text); err != nil {
				return err
			}
			screened[*text] = shown
		}
		*text = shown
	}
	return nil
}

func filterText(ctx context.Context, filters *filter.Filter, text string) (string, error) {
	screen := filters.Screen(filter.Answer{Turn: "mcp", Model: "mcp"})
	shown, err := screen.Push(ctx, text)
	if err == nil {
		var rest string
		rest, err = screen.Flush(ctx)
		shown += rest
	}
	var blocked *filter.Blocked
	switch {
	case errors.As(err, &blocked):
		return "", Refusal(blocked.Sentence)
	case errors.Is(err, filter.ErrUnchecked):
		return "", Refusal("The result could not be checked before it is shown, so it is not shown. Try again later.")
	}
	return shown, err
}
