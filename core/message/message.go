// Package message defines the conversation for the core. It is the second of three representations.
// The first is the stored row, which never leaves adapters/postgres. The third is llm.Message,
// which a model reads and which only prompt.Builder creates.
package message

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Role says who or what wrote a [Message].
type Role string

const (
	User       Role = "user"        // a person in the thread
	Assistant  Role = "assistant"   // a final answer
	ToolCall   Role = "tool_call"   // the model asked for tools; Calls is set
	ToolResult Role = "tool_result" // what one tool returned; CallID is set
)

// ID identifies a stored message. It is a UUID, version 7.
type ID string

// Message is one entry of a conversation. Which fields are set depends on Role.
type Message struct {
	ID ID
	// number of the message's turn, from 1; a turn is a question and its final answer
	Turn   int
	Role   Role
	Author string // display name of the person, for User
	Text   string
	// User: the message needs no documents, for example "thanks"; computed from Text, not stored
	Courtesy  bool
	Calls     []Call     // ToolCall: the calls of one step, with the arguments that actually ran
	CallID    string     // ToolResult: the call it answers
	Files     []File     // User: attached to this message
	Citations []Citation // Assistant: in order of first use
	// Assistant: every document in the prompt; the documents decide who may see the answer later
	Documents []Reference
	Stopped   bool // Assistant: a person stopped the answer, so that Text is only its beginning
	Tokens    int  // of Text, by the default tokenizer; 0 = not counted yet
	At        time.Time
}

// Call is one tool call in the history. For a search, Arguments contains the queries that ran,
// which may differ from those that the model wrote.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Citation is a numbered footnote of a finished answer.
type Citation struct {
	Number    int          // as the reader sees it: 1, 2, 3 … in order of first use in this answer
	ModelSees int          // as the model sees it: stable and growing within a session
	Document  document.Ref // at the time of the answer
	Anchor    string       // of the section that was shown, may be empty
	Section   string       // heading of that section, may be empty
	Link      string       // address that the footnote opens; empty: none
	Quote     string       // beginning of the passage, for source lists
}

// Reference is a document in a prompt, with the number and the text that the model saw.
type Reference struct {
	Number   int
	Document document.Ref
	// chunk that contains Text; nil if Text is a file, a page or only a title; 0 is a valid chunk
	Chunk   *document.ChunkID
	Anchor  string
	Heading string // of the section that Anchor names, may be empty
	Text    string
	// part of the document that Number identifies (cite.Passage); stored with the session, not with
	// the message
	Part string
	// metadata of the document as the model read it; not stored with the message
	Metadata string
	// sections that Text was joined from, if they have different links; not stored with the message
	Sections []Section
	Score    float64
}

// Section is a part of a [Reference]'s text that has its own link.
type Section struct {
	Anchor  string
	Heading string
	Text    string
}

// FileID identifies a stored file.
type FileID string

// File is a file that was attached to a message or belongs to a project.
type File struct {
	ID     FileID
	Name   string
	Media  string   // MIME type
	Text   string   // extracted text; empty for images
	Image  []byte   // image data; nil for text
	Tokens int      // of Text, or the assumed cost of the image
	Failed string   // sentence for the person why the file was left out; empty: it was included
	Said   []string // ids of the messages on the platform that Text holds, if it is a transcript
	// Document is the same file in the index. Only files of a project are indexed. An answer that
	// used the file depends on this document.
	Document document.Ref
	Metadata map[string]string // properties stored in the file, for a project's file
}

const cutNote = "\n\n[Only the beginning of this file was read.]"

// Cut replaces the file's text by its beginning, and appends a note that the rest was not read.
func (f *File) Cut(beginning string) { f.Text = beginning + cutNote }

// IsCut reports whether Text is only the beginning of the file, as after [File.Cut].
func (f File) IsCut() bool { return strings.HasSuffix(f.Text, cutNote) }
