// Package message holds the conversation as the product knows it: the second of three
// representations. A stored row never leaves adapters/postgres; what a model reads (llm.Message) is
// built from these by prompt.Builder and nowhere else.
package message

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// Role says who a message comes from.
type Role string

const (
	User       Role = "user"        // a person in the thread
	Assistant  Role = "assistant"   // a final answer
	ToolCall   Role = "tool_call"   // the model asked for tools; Calls is set
	ToolResult Role = "tool_result" // what one tool returned; CallID is set
)

// ID identifies a stored message; it is a UUID, version 7.
type ID string

// Message is one entry of a conversation. Which fields are set depends on Role.
type Message struct {
	ID ID
	// number of the turn it belongs to, from 1; a turn is a question and its final answer
	Turn   int
	Role   Role
	Author string // display name of the person, for User
	Text   string
	// User: asks nothing of the documents, such as "thanks"; found out from Text, not stored
	Courtesy  bool
	Calls     []Call     // ToolCall: the calls of one step, with the arguments that actually ran
	CallID    string     // ToolResult: the call it answers
	Files     []File     // User: attached at this point in time
	Citations []Citation // Assistant: in order of first use
	// Assistant: every document the answer's prompt held; decides who may see the answer again
	Documents []Reference
	Stopped   bool // Assistant: a person stopped the answer, so that Text is only its beginning
	Tokens    int  // of Text, by the default tokenizer; 0 = not counted yet
	At        time.Time
}

// Call is one tool call as it is kept in the history: for a search, the expanded queries that ran,
// not what the model first wrote.
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
	Link      string       // where the reader is taken; empty when there is nothing to open
	Quote     string       // beginning of the passage, for source lists
}

// Reference is a document that was part of a prompt, under the number the model saw, with the text
// it was shown. Earlier references that were found as a chunk backfill the source window of a
// follow-up.
type Reference struct {
	Number   int
	Document document.Ref
	// nil: the text is no chunk of an index, but a file, a page, or a title alone; 0 is a chunk
	Chunk   *document.ChunkID
	Anchor  string
	Heading string // of the section that Anchor names, may be empty
	Text    string
	// of the document that Number is for (cite.Passage); kept with the session, not with the
	// message
	Part string
	// what its source says of the document, as the model read it; not kept with the message
	Metadata string
	// what Text was put together from, if it leads to several places; not kept with the message
	Sections []Section
	Score    float64
}

// Section is a part of a passage that leads to its own place.
type Section struct {
	Anchor  string
	Heading string
	Text    string
}

// FileID identifies a stored file.
type FileID string

// File is a file that came with a message or belongs to a project.
type File struct {
	ID     FileID
	Name   string
	Media  string // MIME type
	Text   string // extracted text; empty for images
	Image  []byte // image data; nil for text
	Tokens int    // of Text, or the assumed cost of the image
	Failed string // why it could not be included, as a sentence for the person; empty when it was
	// Document is the same file in the index, where it is indexed: a project's. It is what an
	// answer then rests on.
	Document document.Ref
	Metadata map[string]string // what the file says of itself, of a project's
}

// cutNote ends the text of a file of which only the beginning was read.
const cutNote = "\n\n[Only the beginning of this file was read.]"

// Cut sets the text of a file of which only the beginning was read.
func (f *File) Cut(beginning string) { f.Text = beginning + cutNote }

// IsCut reports whether only the beginning of a file was read.
func (f File) IsCut() bool { return strings.HasSuffix(f.Text, cutNote) }
