// Package packet holds what a running turn emits, in the order a reader sees it: the only way lower
// levels speak to the outside.
//
// A Packet is a Placement and a Payload. Payloads are a closed set with a stable JSON form (see
// MarshalJSON), which is also how another program drives the core.
package packet

import (
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Placement says where in the user interface a packet belongs.
type Placement struct {
	// UI block; a step that reasons and then calls a tool makes two
	TurnIndex    int  `json:"turn_index"`
	TabIndex     int  `json:"tab_index"`                // parallel tool calls within a block
	SubTurnIndex *int `json:"sub_turn_index,omitempty"` // block nested in a tool; nil at the top level
	ModelIndex   int  `json:"model_index"`              // which of the models running at once
}

// Packet is one placed payload.
type Packet struct {
	Placement Placement
	Payload   Payload
}

// Payload is one of the types of this package. Views ignore kinds that they do not know.
type Payload interface{ Kind() string }

// Sink takes packets in arrival order. Accept returns at once and is called from one goroutine at a
// time.
type Sink interface{ Accept(Packet) }

// SinkFunc makes a Sink of a function.
type SinkFunc func(Packet)

// Accept calls f.
func (f SinkFunc) Accept(p Packet) { f(p) }

// The payloads. Text in deltas is Markdown, to be appended.
type (
	// ModelStart is the first packet of each of several models that answer at once, and says which
	// it is. A model that answers alone has none.
	ModelStart struct {
		Name string `json:"name"`
	}
	// MessageStart opens a stretch of answer text. Documents are all that were gathered for it so far.
	MessageStart struct {
		Documents []Document `json:"documents,omitempty"`
	}
	// MessageDelta appends to the answer.
	MessageDelta struct {
		Text string `json:"text"`
	}
	// ReasoningStart opens the model's reasoning.
	ReasoningStart struct{}
	// ReasoningDelta appends to the reasoning.
	ReasoningDelta struct {
		Text string `json:"text"`
	}
	// ReasoningDone closes the reasoning.
	ReasoningDone struct{}
	// Status says what the model is doing before there is an answer, in the model's words or ours.
	// It is not part of the answer.
	Status struct {
		Text string `json:"text"`
	}
	// SearchStart says that a search begins.
	SearchStart struct{}
	// SearchQueries lists the queries that run, most weighty first.
	SearchQueries struct {
		Queries []string `json:"queries"`
	}
	// SearchDocuments lists what the search gives the model.
	SearchDocuments struct {
		Documents []Document `json:"documents"`
	}
	// OpenURLStart says that addresses are about to be opened.
	OpenURLStart struct{}
	// OpenURLAddresses lists them.
	OpenURLAddresses struct {
		URLs []string `json:"urls"`
	}
	// OpenURLDocuments lists what was read.
	OpenURLDocuments struct {
		Documents []Document `json:"documents"`
	}
	// FileReaderStart says that a file is read.
	FileReaderStart struct{}
	// FileReaderResult says which part of which file was read; offsets count runes.
	FileReaderResult struct {
		Name  string `json:"name"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		Total int    `json:"total"`
	}
	// CustomToolStart, CustomToolArguments and CustomToolResult show a tool without payload types.
	CustomToolStart struct {
		Name string `json:"name"`
	}
	// CustomToolArguments shows what a custom tool was called with, as JSON text.
	CustomToolArguments struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	// CustomToolResult shows what a custom tool returned.
	CustomToolResult struct {
		Name  string `json:"name"`
		Text  string `json:"text,omitempty"`
		Error string `json:"error,omitempty"`
	}
	// DeepSearchPlanStart says that a question is being taken apart.
	DeepSearchPlanStart struct{}
	// DeepSearchPlanDelta appends to the plan.
	DeepSearchPlanDelta struct {
		Text string `json:"text"`
	}
	// SubQuestion opens the work on a part of the question, which has its own tab. It and its
	// answer have SubTurnIndex 0, and what is searched for it has 1 and more; the SectionEnd of 0
	// closes it.
	SubQuestion struct {
		Question string `json:"question"`
	}
	// SubAnswerStart opens the answer to a sub-question. Documents are those that it may cite.
	SubAnswerStart struct {
		Documents []Document `json:"documents,omitempty"`
	}
	// SubAnswerDelta appends to it. Its numbers are the model's own; the final answer has the
	// reader's.
	SubAnswerDelta struct {
		Text string `json:"text"`
	}
	// Finding says what came of a sub-question, before its SectionEnd. State is "found", "missing"
	// where the documents say nothing of it, "failed", or "dropped" where a person took it out.
	// Text is one line of Markdown with the reader's numbers, or why there is none, a sentence.
	Finding struct {
		State string `json:"state"`
		Text  string `json:"text,omitempty"`
	}
	// Refinement says that what was found was judged; sub-questions that are asked further follow.
	// Answer is what can be said so far, with the model's own numbers.
	Refinement struct {
		Round          int      `json:"round"`
		Answer         string   `json:"answer,omitempty"`
		Missing        []string `json:"missing,omitempty"`
		Contradictions []string `json:"contradictions,omitempty"`
	}
	// Progress says how far a deep search is. It comes with each finding, and again after a while
	// without one.
	Progress struct {
		Seconds   int `json:"seconds"` // since it began
		Searches  int `json:"searches"`
		Most      int `json:"most"`      // searches that it may make, as far as it is planned
		Documents int `json:"documents"` // that were read, each once
		// Cost is what models cost by now, such as "0.12 USD"; empty where there are no prices, or
		// no model.
		Cost string `json:"cost,omitempty"`
		// More is what it is still to take, in seconds, as far as it is planned, MoreCost what that
		// costs about, and Left what the caps left of the budget as it was planned; zero and empty
		// once it is over, and where there are no prices or caps.
		More     int    `json:"more_seconds,omitempty"`
		MoreCost string `json:"more_cost,omitempty"`
		Left     string `json:"left,omitempty"`
		// Asks says that it waits until a person starts it, and for how many minutes at most; 0
		// where it does not.
		Asks int `json:"asks,omitempty"`
	}
	// CitationInfo introduces a footnote. It precedes the delta that holds its link, once per
	// number and turn. Footnotes of one document that lead to different sections have different
	// numbers.
	CitationInfo struct {
		Number   int           `json:"number"` // as the reader sees it
		Document document.ID   `json:"document_id"`
		Title    string        `json:"title"`
		Section  string        `json:"section,omitempty"` // heading of the section that URL leads to
		URL      string        `json:"url,omitempty"`
		Source   document.Kind `json:"source"`
	}
	// Withdrawn names documents that may not be shown any more: access was taken away while the
	// turn ran. They are no sources of the answer from here on. It precedes the Stop.
	Withdrawn struct {
		Documents []document.ID `json:"document_ids"`
	}
	// SectionEnd closes a block of a tool call or of answer text, whether it succeeded or not. It
	// has the placement of what it closes.
	SectionEnd struct{}
	// Branching says that so many parallel branches follow at the top level.
	Branching struct {
		Branches int `json:"branches"`
	}
	// Heartbeat shows that the turn is alive after a silence.
	Heartbeat struct{}
	// Error says why one model's answer failed; its Stop follows. Message is a sentence for the
	// person; Reference finds the cause in the log.
	Error struct {
		Message   string `json:"message"`
		Reference string `json:"reference,omitempty"`
		Retryable bool   `json:"retryable,omitempty"`
	}
	// Stop is the last packet of one model, whatever happened to it; the turn has ended when every
	// model's Stop has come. Reason is an outcome such as "answered" or "stopped". Message is a
	// sentence about the outcome for the person, empty where nothing needs saying or an Error has
	// said it. Closest are the nearest documents that the audience may read, when nothing was
	// found. Notices are further sentences for the person: files left out, an answer cut short.
	Stop struct {
		Reason    string     `json:"reason"`
		Message   string     `json:"message,omitempty"`
		Grounding Grounding  `json:"grounding,omitempty"`
		Closest   []Document `json:"closest,omitempty"`
		Notices   []string   `json:"notices,omitempty"`
		// Removed says that a moderator took the answer away, Corrected that a person's text stands
		// in its place.
		Removed bool `json:"removed,omitempty"`
		// Deeper says that the answer speaks of a part of the question alone, as far as words tell.
		Deeper    bool `json:"deeper,omitempty"`
		Corrected bool `json:"corrected,omitempty"`
	}
)

// Grounding says what an answer rests on.
type Grounding string

// What an answer can rest on. An answer that is not Cited carries no numbers.
const (
	Cited   Grounding = "cited"   // at least one document
	Uncited Grounding = "uncited" // documents were found, but none was used
	General Grounding = "general" // no document at all: what the model knows by itself
)

// Document is a found document as packets show it.
type Document struct {
	ID        document.ID   `json:"document_id"`
	Title     string        `json:"title"`
	URL       string        `json:"url,omitempty"`
	Source    document.Kind `json:"source"`
	UpdatedAt *time.Time    `json:"updated_at,omitempty"`
	Score     float64       `json:"score,omitempty"`
}

// Kind names the payload in JSON; it never changes.
func (ModelStart) Kind() string          { return "model_start" }
func (MessageStart) Kind() string        { return "message_start" }
func (MessageDelta) Kind() string        { return "message_delta" }
func (ReasoningStart) Kind() string      { return "reasoning_start" }
func (ReasoningDelta) Kind() string      { return "reasoning_delta" }
func (ReasoningDone) Kind() string       { return "reasoning_done" }
func (Status) Kind() string              { return "status" }
func (SearchStart) Kind() string         { return "search_tool_start" }
func (SearchQueries) Kind() string       { return "search_tool_queries_delta" }
func (SearchDocuments) Kind() string     { return "search_tool_documents_delta" }
func (OpenURLStart) Kind() string        { return "open_url_start" }
func (OpenURLAddresses) Kind() string    { return "open_url_urls" }
func (OpenURLDocuments) Kind() string    { return "open_url_documents" }
func (FileReaderStart) Kind() string     { return "file_reader_start" }
func (FileReaderResult) Kind() string    { return "file_reader_result" }
func (CustomToolStart) Kind() string     { return "custom_tool_start" }
func (CustomToolArguments) Kind() string { return "custom_tool_args" }
func (CustomToolResult) Kind() string    { return "custom_tool_delta" }
func (DeepSearchPlanStart) Kind() string { return "deep_search_plan_start" }
func (DeepSearchPlanDelta) Kind() string { return "deep_search_plan_delta" }
func (SubQuestion) Kind() string         { return "sub_question" }
func (SubAnswerStart) Kind() string      { return "sub_answer_start" }
func (SubAnswerDelta) Kind() string      { return "sub_answer_delta" }
func (Finding) Kind() string             { return "finding" }
func (Refinement) Kind() string          { return "refinement" }
func (Progress) Kind() string            { return "deep_search_progress" }
func (CitationInfo) Kind() string        { return "citation_info" }
func (Withdrawn) Kind() string           { return "documents_withdrawn" }
func (SectionEnd) Kind() string          { return "section_end" }
func (Branching) Kind() string           { return "top_level_branching" }
func (Heartbeat) Kind() string           { return "heartbeat" }
func (Error) Kind() string               { return "error" }
func (Stop) Kind() string                { return "stop" }

// DocumentOf is a document as packets show it, linked to one of its sections.
func DocumentOf(ref document.Ref, anchor string, score float64) Document {
	d := Document{ID: ref.ID, Title: ref.Title, URL: ref.Link(anchor), Source: ref.Kind, Score: score}
	if !ref.UpdatedAt.IsZero() {
		at := ref.UpdatedAt
		d.UpdatedAt = &at
	}
	return d
}
