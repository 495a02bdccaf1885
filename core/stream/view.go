// Package stream shows a running turn in its thread. It applies packets to a View. A platform's
// Renderer turns the View into pages. A ThreadStream writes the pages at the rate that the platform
// allows.
package stream

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// Phase is the current activity of the turn whose answer is shown.
type Phase int

const (
	Waiting   Phase = iota // nothing has arrived yet
	Thinking               // the model reasons
	Searching              // a tool runs
	Writing                // answer text arrives
	Done                   // the turn has ended; nothing more will come
)

// View is the current state of one answer. It depends only on the applied packets, so that a replay
// gives the same View. It is not safe for concurrent use.
type View struct {
	Model int    // ModelIndex that this view shows
	Label string // name of the model if several models answer at once; else empty
	Phase Phase
	// the model's current activity, until there is newer output; not shown if empty
	Status    string
	Queries   []string          // of all searches so far, in order
	Documents []packet.Document // documents the searches gave the model, each once
	// in order of first use; a document with several cited sections has several entries
	Citations []packet.CitationInfo
	Problem   *packet.Error // why there is no complete answer, as a sentence

	// Set when Phase is Done.
	Outcome   session.Outcome
	Message   string           // a sentence about the outcome, where one is needed
	Grounding packet.Grounding // how well documents support the answer
	// the closest documents that the audience may read; set if nothing was found or only a search
	// was requested
	Closest []packet.Document
	Owner   *packet.Owner
	Notices []string // notices next to the answer, such as a file that was left out
	// a moderator removed the answer; there is no text, and Message reports the removal
	Removed   bool
	Corrected bool // a person wrote the text, so it may link to what that person named
	Deeper    bool // the answer covers only a part of the question

	// Plan lists the sub-questions of a deep search with their findings. It is empty for other
	// answers. It is shown in separate messages before the answer.
	Plan     []Row
	Progress packet.Progress // of the deep search
	Deep     bool            // the answer is, or will be, a deep search
	Aside    bool            // the view is shown next to the answer and has no buttons
	// number of the first page that the renderer returns; messages with lower numbers contain the
	// plan
	First int

	Form Form // amount of formatting that the platform accepts

	// Question is the text of the question, and Asker is the author. Both are empty if the question
	// is visible in the thread. The question of a command, for example, is not visible.
	Question, Asker string

	Private bool // the answer is for its asker alone, next to a thread
	Copy    bool // the answer is a copy of a private one, posted by its asker

	text      []byte
	seen      map[string]bool
	abandoned *atomic.Bool // the caller no longer waits for the pages
}

// Abandoned reports whether the caller has stopped waiting for the rendered pages. A renderer
// should then return as soon as possible, with any result. Unlike other methods, Abandoned may be
// called concurrently with uses of the View.
func (v *View) Abandoned() bool { return v.abandoned != nil && v.abandoned.Load() }

// Apply applies one packet and reports whether anything visible changed. It ignores packets of
// other models and unknown kinds.
func (v *View) Apply(p packet.Packet) bool {
	if p.Placement.ModelIndex != v.Model {
		return false
	}
	switch payload := p.Payload.(type) {
	case packet.ModelStart:
		v.Label = payload.Name // not visible by itself
		return false
	case packet.ReasoningStart:
		return v.setPhase(Thinking)
	case packet.DeepSearchPlanStart:
		v.Deep = true
		return v.setPhase(Thinking)
	case packet.SubQuestion:
		// the sub-question is shown like a query; its answer is not shown
		if v.updateRow(p.Placement, func(r *Row) { r.Question = payload.Question }) {
			return true
		}
		v.Queries = append(v.Queries, payload.Question)
		v.addRow(p.Placement, payload.Question)
		v.setPhase(Searching)
		return true
	case packet.Finding:
		return v.setFinding(p.Placement, payload)
	case packet.Progress:
		v.Progress = payload
		return len(v.Plan) > 0
	case packet.SearchStart, packet.OpenURLStart, packet.FileReaderStart, packet.CustomToolStart:
		searching := v.markSearching(p.Placement)
		return v.setPhase(Searching) || searching
	case packet.Status:
		changed := v.Status != payload.Text && v.Len() == 0
		if changed {
			v.Status = payload.Text
		}
		return changed
	case packet.SearchQueries:
		v.Status = ""
		v.Queries = append(v.Queries, payload.Queries...)
		return true
	case packet.OpenURLAddresses:
		v.Status = ""
		v.Queries = append(v.Queries, payload.URLs...)
		return true
	case packet.SearchDocuments:
		return v.addDocuments(payload.Documents)
	case packet.OpenURLDocuments:
		return v.addDocuments(payload.Documents)
	case packet.MessageStart:
		v.Status = ""
		changed := v.setPhase(Writing)
		if len(v.text) > 0 { // begin a new paragraph after narration
			v.text = append(v.text, "\n\n"...)
		}
		return changed
	case packet.MessageDelta:
		v.text = append(v.text, payload.Text...)
		return payload.Text != ""
	case packet.CitationInfo:
		v.addEvidence(p.Placement, payload.Document)
		v.Citations = append(v.Citations, payload)
		return true
	case packet.Withdrawn:
		return v.withdraw(payload.Documents)
	case packet.Error:
		v.Problem = &payload
		return true
	case packet.Stop:
		v.Outcome, v.Message = session.Outcome(payload.Reason), payload.Message
		v.Grounding, v.Closest, v.Notices = payload.Grounding, payload.Closest, payload.Notices
		v.Owner = payload.Owner
		v.Removed, v.Corrected, v.Deeper = payload.Removed, payload.Corrected, payload.Deeper
		return v.setPhase(Done)
	default:
		return false
	}
}

func (v *View) setPhase(p Phase) bool {
	changed := v.Phase != p
	v.Phase = p
	return changed
}

func (v *View) addDocuments(docs []packet.Document) bool {
	if v.seen == nil {
		v.seen = make(map[string]bool)
	}
	before := len(v.Documents)
	for _, d := range docs {
		if !v.seen[string(d.ID)] {
			v.seen[string(d.ID)] = true
			v.Documents = append(v.Documents, d)
		}
	}
	return len(v.Documents) != before
}

// withdraw removes documents from the lists and the plan of the view. It does not change the text
// of the answer, whose links lead to pages that check access. It reports whether a list changed.
func (v *View) withdraw(ids []document.ID) bool {
	citations, documents := len(v.Citations), len(v.Documents)
	v.clearRows(ids)
	// New slices: snapshots share the old ones.
	v.Citations = slices.DeleteFunc(slices.Clone(v.Citations), func(c packet.CitationInfo) bool { return slices.Contains(ids, c.Document) })
	v.Documents = slices.DeleteFunc(slices.Clone(v.Documents), func(d packet.Document) bool { return slices.Contains(ids, d.ID) })
	return len(v.Citations) < citations || len(v.Documents) < documents
}

// Sources returns the cited documents, each once, in the order of their numbers. If several
// sections of a document are cited, it returns the section that is cited first.
func (v *View) Sources() []packet.CitationInfo {
	list := slices.Clone(v.Citations)
	// numbers may come from another answer
	slices.SortStableFunc(list, func(a, b packet.CitationInfo) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(list, func(a, b packet.CitationInfo) bool { return a.Number == b.Number })
}

// Text returns the answer so far as Markdown. Every citation in it is a complete link.
func (v *View) Text() string { return string(v.text) }

// TextFrom returns the answer from a byte offset to its end, for renderers that append.
func (v *View) TextFrom(offset int) string { return string(v.text[min(offset, len(v.text)):]) }

// Len returns the length of the answer so far, in bytes.
func (v *View) Len() int { return len(v.text) }

// snapshot returns a copy that does not change while the View grows. The copy shares memory with
// the View, which only ever appends.
func (v *View) snapshot() *View {
	s := *v
	s.text = v.text[:len(v.text):len(v.text)]
	s.Queries = v.Queries[:len(v.Queries):len(v.Queries)]
	s.Documents = v.Documents[:len(v.Documents):len(v.Documents)]
	s.Citations = v.Citations[:len(v.Citations):len(v.Citations)]
	s.seen = nil
	return &s
}
