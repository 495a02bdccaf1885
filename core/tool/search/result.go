package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

const (
	nothingFound = "The search found no passage that these readers may see. Search again with other words if that could help; " +
		"otherwise say that nothing was found."
	nothingClose = "No passage matches the words of the question closely; those marked \"loose\" are the nearest, best first. Judge by what they say: " +
		"use and cite those that answer the question. If none does, search again with other words, or say that nothing was found."
	fromEarlier  = "The passages that are not marked served earlier answers of this conversation."
	leftOut      = "Further passages were left out because there is no room for them; the next page has them, and a narrower query may find them."
	nothingDated = "No passage of a document dated %s matches. Those marked \"loose\" are of other times: if they answer the question all the same, say of which time they are; " +
		"otherwise say that nothing was found."
	nothingMore = "There are no further passages of this search that these readers may see."
)

func periodText(t retrieve.Trace) string {
	switch {
	case t.From == "":
		return "up to " + t.To
	case t.To == "":
		return t.From + " or later"
	}
	return t.From + " to " + t.To
}

// backfill returns passages of earlier answers that fill up the results of a turn's first search,
// newest turn first. It reads them again, so that it returns only what the audience may read now.
// If found has no evidence, it considers only the turns that the question refers to.
func (t *Tool) backfill(ctx context.Context, found retrieve.Result, scope tool.Scope) []retrieve.Hit {
	var hits []retrieve.Hit
	if found.Evidence {
		hits = found.Hits
	}
	if t.chunks == nil || !scope.First || len(hits) >= t.config.Window {
		return nil
	}
	var turns [][]message.Reference
	var ids []document.ChunkID
	history := scope.History
	if len(hits) == 0 {
		history = history[topicIndex(scope.Question, history):]
	}
	for _, m := range history {
		if m.Role != message.Assistant {
			continue
		}
		var shown []message.Reference
		for _, r := range m.Documents {
			if r.Text != "" && r.Chunk != nil { // files, pages and titles are not reused
				shown = append(shown, r)
			}
		}
		if len(shown) > 0 {
			turns = append(turns, shown)
		}
	}
	turns = turns[max(0, len(turns)-t.config.History):]
	for _, turn := range turns {
		for _, r := range turn {
			ids = append(ids, *r.Chunk)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	// Access may have been revoked since, so read again for the current audience. If that fails,
	// use only the search.
	fresh, err := t.chunks.Chunks(ctx, scope.Audience, ids)
	if err != nil {
		return nil
	}
	byChunk := make(map[document.ChunkID]retrieve.Hit, len(fresh))
	for _, p := range fresh {
		byChunk[p.ID] = retrieve.Hit{
			Document: p.Document, Metadata: p.Metadata, ACL: p.ACL, Chunk: p.ID, Ordinal: p.Chunk.Ordinal, Heading: p.Chunk.Heading,
			Anchor: p.Chunk.Anchor, Link: p.Document.Link(p.Chunk.Anchor), Text: p.Chunk.Shown(), Start: p.Chunk.Start, End: p.Chunk.End,
		}
	}
	var have []message.Reference
	for _, h := range hits {
		have = append(have, message.Reference{Document: h.Document, Chunk: new(h.Chunk)})
	}
	window := budget.FillWindow(t.config.Window, have, turns,
		func(r message.Reference) document.ChunkID { return *r.Chunk },
		func(r message.Reference) bool {
			// Older versions stored references without a chunk under the id of one, mostly of
			// another document.
			h, ok := byChunk[*r.Chunk]
			return ok && h.Document.ID == r.Document.ID
		})
	var earlier []retrieve.Hit
	for _, r := range window[len(have):] {
		earlier = append(earlier, byChunk[*r.Chunk])
	}
	return earlier
}

// buildResult returns the search result for the model, within the token budget. earlier has
// passages of earlier turns. They come after the found passages, or before them if the found ones
// do not match closely. left has the hits that did not fit. dropped lists queries that were not
// searched.
func (t *Tool) buildResult(ctx context.Context, found retrieve.Result, earlier []retrieve.Hit, scope tool.Scope, dropped []string) (result tool.Result, left []retrieve.Hit) {
	result = tool.Result{Citable: true, Evidence: found.Evidence && len(found.Hits) > 0, Closest: found.Closest}
	hits, note := slices.Concat(found.Hits, earlier), ""
	loose := make(map[document.ChunkID]bool)
	if !result.Evidence {
		switch {
		case len(found.Hits) > 0:
			note = nothingClose
			if found.Trace.From+found.Trace.To != "" {
				note = fmt.Sprintf(nothingDated, periodText(found.Trace))
			}
		case found.Trace.Page > 0:
			note = nothingMore
		default:
			note = nothingFound
		}
		hits = slices.Clone(earlier)
		for _, h := range earlier {
			loose[h.Chunk] = false
		}
		for _, h := range found.Hits {
			if _, shown := loose[h.Chunk]; !shown {
				loose[h.Chunk] = true
				hits = append(hits, h)
			}
		}
		if len(earlier) > 0 {
			note += " " + fromEarlier
		}
	}
	room := scope.Budget
	if share := int(t.config.Share * float64(scope.Window)); share > 0 && (room <= 0 || share < room) {
		room = share
	}
	bounded := room > 0
	replaced := t.replacements(ctx, hits, scope)
	var docs []tool.Document
	var before []numberedPassage
	shown := make(seenParagraphs)
	for i, h := range hits {
		doc := tool.Document{
			Title: h.Document.Title, URL: h.Link, Metadata: tool.Metadata(h.Metadata), Heading: strings.Join(h.Heading, " › "), Contents: h.Text,
			Source: sourceOf(h.Document, scope.Catalogue), Part: partText(h),
		}
		if !scope.WeighsWords { // extractive models compare passages themselves
			doc.Heading, doc.Contents = strings.Join(shortenHeading(h.Heading, h.Document.Title, h.Text), " › "), shown.dropRepeats(h.Text)
			if slices.ContainsFunc(before, func(b numberedPassage) bool { return b.hit.Document.ID == h.Document.ID }) {
				doc.URL = "" // the first passage of the page has it
			}
		}
		text := fingerprintOf(h.Text)
		m := markOf(h, text, replaced, before)
		if m.metadata != "" {
			doc.Metadata = strings.TrimSuffix(m.metadata+"; "+doc.Metadata, "; ")
		}
		if loose[h.Chunk] {
			doc.Match = tool.Loose
		}
		if !h.Document.UpdatedAt.IsZero() {
			doc.Updated = h.Document.UpdatedAt.Format("2006-01-02")
		}
		// Estimate the size with a number of two digits: an omitted passage must not use up a
		// number.
		if doc.Number, doc.Page = 10, "p10"; scope.Portable {
			doc.Page = string(h.Document.ID)
		}
		size := t.counter.Count(tool.DocumentsJSON([]tool.Document{doc}, ""))
		if bounded && size > room && len(docs) > 0 {
			note, left = strings.TrimSpace(note+" "+leftOut), hits[i:]
			break
		}
		room -= size
		part, heading := cite.ChunkPart(h.Chunk), retrieve.Section(h.Heading)
		doc.Number = scope.Citations.Add(cite.Source{
			Document: h.Document.ID, Part: part, Title: h.Document.Title, Section: heading, URL: h.Link, Kind: string(h.Document.Kind),
		})
		if !scope.Portable {
			doc.Page = scope.Citations.Page(h.Document.ID)
		}
		shown.add(h.Text, doc.Number)
		docs, before = append(docs, doc), append(before, numberedPassage{h, text, doc.Number})
		if m.other != nil { // the mark contains the title of this document
			result.References = append(result.References, message.Reference{Number: scope.Citations.Add(cite.Source{
				Document: m.other.ID, Title: m.other.Title, URL: m.other.URL, Kind: string(m.other.Kind),
			}), Document: *m.other})
		}
		cited := h.Document
		cited.Title += m.title
		result.References = append(result.References, message.Reference{
			Number: doc.Number, Document: cited, Chunk: new(h.Chunk), Anchor: h.Anchor, Heading: heading, Text: h.Text, Part: part,
			Score: h.Scores.Score, Sections: messageSections(h.Parts), Metadata: doc.Metadata,
		})
	}
	result.Content = tool.DocumentsJSON(docs, strings.TrimSpace(note+furtherNote(found, len(left) > 0)+droppedNote(dropped)+repeatNote(scope, found)))
	if scope.WeighsWords {
		result.Content = tool.WithVocabulary(result.Content, tool.Vocabulary{
			Chunks: found.Chunks, Terms: found.Terms, Synonyms: found.Trace.Synonyms,
		})
	}
	return result, left
}

// sourceOf returns the name of a document's source for the model. It returns the kind of the source
// if the catalogue has no name for it, and "" if it is the only source.
func sourceOf(d document.Ref, catalogue []tool.Source) string {
	if len(catalogue) == 1 && catalogue[0].ID == d.Source {
		return ""
	}
	for _, s := range catalogue {
		if s.ID == d.Source {
			return s.Name
		}
	}
	return string(d.Kind)
}

// partText says which part of its page a passage is, in chunks: "whole", "3 of 7", "3–4 of 7". It
// is empty if the part is unknown.
func partText(h retrieve.Hit) string {
	switch {
	case h.Of == 0:
		return ""
	case h.First == 0 && h.Last == h.Of-1:
		return "whole"
	case h.First == h.Last:
		return fmt.Sprintf("%d of %d", h.First+1, h.Of)
	}
	return fmt.Sprintf("%d–%d of %d", h.First+1, h.Last+1, h.Of)
}

func furtherNote(found retrieve.Result, left bool) string {
	if found.Ranking == nil || left || !found.Evidence {
		return ""
	}
	more := len(found.Ranking.Chunks) - nextStart(found.Ranking, 0, nil)
	switch {
	case more <= 0:
		return ""
	}
	least := ""
	if len(found.Ranking.Chunks) >= retrieve.RankingDepth {
		least = "At least "
	}
	return fmt.Sprintf(" %s%s %s less well; page 2 of the same queries shows the next.", least, plural.Count(more, "passage"), plural.Does(more, "match"))
}

func droppedNote(queries []string) string {
	if len(queries) == 0 {
		return ""
	}
	return fmt.Sprintf(" One call searches at most %d queries. Not searched: %q.", maxMerged, queries)
}

func repeatNote(scope tool.Scope, found retrieve.Result) string {
	if len(shownBefore(scope)) == 0 || found.Trace.Page > 0 {
		return ""
	}
	return " Passages of earlier results of this turn are not repeated; cite them by their numbers."
}

func messageSections(parts []retrieve.Part) []message.Section {
	var out []message.Section
	for _, p := range parts {
		out = append(out, message.Section(p))
	}
	return out
}

func shownDocuments(result tool.Result) []packet.Document {
	var docs []packet.Document
	seen := make(map[document.ID]bool)
	for _, r := range result.References {
		if seen[r.Document.ID] || r.Text == "" {
			continue
		}
		seen[r.Document.ID] = true
		docs = append(docs, packet.DocumentOf(r.Document, r.Anchor, r.Score))
	}
	return docs
}
