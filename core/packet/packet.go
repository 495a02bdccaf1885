// Package packet defines the packets that a running turn emits, in the order in which a reader sees
// them. Lower levels send all output as packets.
//
// A Packet is a Placement and a Payload. Payloads are a closed set with a stable JSON form (see
// MarshalJSON). Other programs use the same form to drive the core.
package packet

import (
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Placement is a packet's position in the user interface.
type Placement struct {
	// UI block; a step with reasoning and a tool call has two blocks
	TurnIndex    int  `json:"turn_index"`
	TabIndex     int  `json:"tab_index"`                // parallel tool calls within a block
	SubTurnIndex *int `json:"sub_turn_index,omitempty"` // block nested in a tool; nil at the top level
	ModelIndex   int  `json:"model_index"`              // index of the answering model
}

// Packet is a payload with its position in the user interface.
type Packet struct {
	Placement Placement
	Payload   Payload
}

// Payload is the content of a [Packet]: one of the types of this package. A reader must ignore
// unknown kinds.
type Payload interface{ Kind() string }

// Sink receives packets in order. Accept must return at once. It is never called concurrently.
type Sink interface{ Accept(Packet) }

// SinkFunc is a function that implements Sink.
type SinkFunc func(Packet)

// Accept calls f.
func (f SinkFunc) Accept(p Packet) { f(p) }

// The types of payloads. The text of a delta is Markdown. A reader appends it to the text of the
// earlier deltas.
type (
	// ModelStart names the model that answers. It is the first packet of each model if several
	// models answer at once. A single model sends none.
	ModelStart struct {
		Name string `json:"name"`
	}
	// MessageStart opens a block of answer text. Documents lists all documents gathered so far for
	// the answer.
	MessageStart struct {
		Documents []Document `json:"documents,omitempty"`
	}
	// MessageDelta appends text to the answer.
	MessageDelta struct {
		Text string `json:"text"`
	}
	// ReasoningStart opens the model's reasoning.
	ReasoningStart struct{}
	// ReasoningDelta appends text to the reasoning.
	ReasoningDelta struct {
		Text string `json:"text"`
	}
	// ReasoningDone closes the reasoning.
	ReasoningDone struct{}
	// Status says what the model is doing before it answers. It is not part of the answer.
	Status struct {
		Text string `json:"text"`
	}
	// SearchStart says that a search begins.
	SearchStart struct{}
	// SearchQueries lists the queries that run, in descending order of weight.
	SearchQueries struct {
		Queries []string `json:"queries"`
	}
	// SearchDocuments lists the documents that a search returned to the model.
	SearchDocuments struct {
		Documents []Document `json:"documents"`
	}
	// OpenURLStart says that web pages are about to be opened.
	OpenURLStart struct{}
	// OpenURLAddresses lists the addresses of the pages that are opened.
	OpenURLAddresses struct {
		URLs []string `json:"urls"`
	}
	// OpenURLDocuments lists the pages that were read.
	OpenURLDocuments struct {
		Documents []Document `json:"documents"`
	}
	// FileReaderStart says that reading a file begins.
	FileReaderStart struct{}
	// FileReaderResult names a file and the part that was read. Offsets count runes.
	FileReaderResult struct {
		Name  string `json:"name"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		Total int    `json:"total"`
	}
	// CustomToolStart says that a tool begins. It is for tools without specific payload types.
	CustomToolStart struct {
		Name string `json:"name"`
	}
	// CustomToolArguments holds the arguments of a custom tool as JSON text.
	CustomToolArguments struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	// CustomToolResult holds the result or the error of a custom tool.
	CustomToolResult struct {
		Name  string `json:"name"`
		Text  string `json:"text,omitempty"`
		Error string `json:"error,omitempty"`
	}
	// DeepSearchPlanStart says that a deep search begins to split the question into parts.
	DeepSearchPlanStart struct{}
	// DeepSearchPlanDelta appends text to the plan of a deep search.
	DeepSearchPlanDelta struct {
		Text string `json:"text"`
	}
	// SubQuestion begins one sub-question of a deep search. Its placement has SubTurnIndex 0, as
	// has the answer to it. Searches for it have SubTurnIndex 1 and above. A SectionEnd with
	// SubTurnIndex 0 ends the sub-question.
	SubQuestion struct {
		Question string `json:"question"`
	}
	// SubAnswerStart opens the answer to a [SubQuestion]. The answer may cite Documents.
	SubAnswerStart struct {
		Documents []Document `json:"documents,omitempty"`
	}
	// SubAnswerDelta appends text to the answer to a [SubQuestion]. Citations in it have the
	// numbers that the model sees, not those of the final answer.
	SubAnswerDelta struct {
		Text string `json:"text"`
	}
	// Finding is the result of a [SubQuestion]. State is "found", "missing" (the documents say
	// nothing about it), "failed", or "dropped" (a person removed it). Text is one line of Markdown
	// without citation numbers, or a sentence that says why there is no result.
	Finding struct {
		State string `json:"state"`
		Text  string `json:"text,omitempty"`
	}
	// Refinement says that a deep search has judged its findings, and may ask more sub-questions.
	// Answer is the answer so far. Citations in it have the numbers that the model sees.
	Refinement struct {
		Round          int      `json:"round"`
		Answer         string   `json:"answer,omitempty"`
		Missing        []string `json:"missing,omitempty"`
		Contradictions []string `json:"contradictions,omitempty"`
	}
	// Progress is the state of a deep search. It is sent with each finding, and periodically if
	// there is no finding for a while.
	Progress struct {
		Seconds   int `json:"seconds"` // since the search began
		Searches  int `json:"searches"`
		Most      int `json:"most"`      // planned maximum of searches
		Documents int `json:"documents"` // distinct documents that were read
		// Cost is the cost of models so far, for example "0.12 USD". It is empty if there are no
		// prices or no model.
		Cost string `json:"cost,omitempty"`
		// More is the expected remaining time in seconds, and MoreCost the expected remaining cost.
		// Left is the budget that the caps still allowed when the plan was made. After the end, all
		// three are zero or empty. MoreCost is empty without prices. Left is empty without prices or
		// caps.
		More     int    `json:"more_seconds,omitempty"`
		MoreCost string `json:"more_cost,omitempty"`
		Left     string `json:"left,omitempty"`
		// Asks is the maximum time in minutes that the deep search waits for a person to start it.
		// It is 0 if the search does not wait.
		Asks int `json:"asks,omitempty"`
	}
	// CitationInfo introduces a footnote of the answer. It is sent once per footnote, before the
	// delta that links to it. Different sections of one document have different footnotes.
	CitationInfo struct {
		Number   int           `json:"number"` // as the reader sees it
		Document document.ID   `json:"document_id"`
		Title    string        `json:"title"`
		Section  string        `json:"section,omitempty"` // heading of the section that URL leads to
		URL      string        `json:"url,omitempty"`
		Source   document.Kind `json:"source"`
	}
	// Withdrawn lists documents that may no longer be shown, because access was revoked while the
	// turn ran. Readers must remove them from the answer's sources.
	Withdrawn struct {
		Documents []document.ID `json:"document_ids"`
	}
	// SectionEnd closes the block with the same placement, even if the block failed.
	SectionEnd struct{}
	// Branching says how many tool calls or sub-questions run in parallel from here on.
	Branching struct {
		Branches int `json:"branches"`
	}
	// Heartbeat shows during a silence that the turn is still running.
	Heartbeat struct{}
	// Error says why the answer of one model failed. The model's [Stop] follows. Message is a
	// sentence for the person. Reference identifies the cause in the log.
	Error struct {
		Message   string `json:"message"`
		Reference string `json:"reference,omitempty"`
		Retryable bool   `json:"retryable,omitempty"`
	}
	// Stop is the last packet of one model, for every outcome. The turn has ended when all models
	// have sent theirs. Reason is an outcome, such as "answered" or "stopped".
	//
	// Message is a sentence about the outcome for the person, empty if nothing needs to be said.
	// Notices are further sentences. If nothing was found, Closest lists the nearest documents that
	// the audience may read.
	Stop struct {
		Reason    string     `json:"reason"`
		Message   string     `json:"message,omitempty"`
		Grounding Grounding  `json:"grounding,omitempty"`
		Closest   []Document `json:"closest,omitempty"`
		Notices   []string   `json:"notices,omitempty"`
		// Removed says that a moderator removed the answer. Corrected says that a person's text
		// replaces the answer.
		Removed bool `json:"removed,omitempty"`
		// Deeper says that the answer covers only a part of the question. The check compares words.
		Deeper    bool `json:"deeper,omitempty"`
		Corrected bool `json:"corrected,omitempty"`
		// Owner is the owner of the nearest page. It is set if the documents do not answer the
		// question.
		Owner *Owner `json:"owner,omitempty"`
	}
)

// Owner is the owner of a page, whom the answer may name.
type Owner struct {
	Name string `json:"name"`          // name for a sentence, without markup
	Page string `json:"page"`          // title of the page
	Ask  bool   `json:"ask,omitempty"` // the owner can be asked in the thread
}

// Grounding says whether an answer is based on documents.
type Grounding string

// The values of [Grounding]. Only a Cited answer has citation numbers.
const (
	Cited   Grounding = "cited"   // it cites at least one document
	Uncited Grounding = "uncited" // documents were found, but none was used
	General Grounding = "general" // no document: the model's own knowledge
)

// Document describes a found document in a packet.
type Document struct {
	ID        document.ID   `json:"document_id"`
	Title     string        `json:"title"`
	URL       string        `json:"url,omitempty"`
	Source    document.Kind `json:"source"`
	UpdatedAt *time.Time    `json:"updated_at,omitempty"`
	Score     float64       `json:"score,omitempty"`
}

// Kind returns the payload's name in JSON, which never changes.
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

// DocumentOf converts a reference to a Document that links to the section at anchor.
func DocumentOf(ref document.Ref, anchor string, score float64) Document {
	d := Document{ID: ref.ID, Title: ref.Title, URL: ref.Link(anchor), Source: ref.Kind, Score: score}
	if !ref.UpdatedAt.IsZero() {
		at := ref.UpdatedAt
		d.UpdatedAt = &at
	}
	return d
}
