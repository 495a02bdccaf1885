package budget

// Kind is the kind of a [Section], which determines how it may be shortened.
type Kind int

// The kinds of sections. A section that is never omitted may still be shortened.
const (
	// System is the system prompt. Never omitted.
	System Kind = iota
	// Tools describes the tools that the model may call. It is sent whole or not at all, and
	// omitted only if sections that are never omitted would not fit with it.
	Tools
	// Agent is the prompt of a custom agent. Never omitted; the first to be
	// shortened among the instructions.
	Agent
	// Reminder closes the context. Never omitted, and shortened last of all.
	Reminder
	// History is a question or an answer of an earlier turn.
	History
	// File is the text of a file that came with a message.
	File
	// User is a message of the user; the last one is never omitted, earlier ones
	// are history.
	User
	// Project is a file of the project; all of them are sent or none.
	Project
	// ToolCall is a call that the model made; its text is data and is not
	// shortened.
	ToolCall
	// ToolResult is what a tool returned; of this turn it is trimmed first.
	ToolResult

	kinds = int(iota)
)

var kindNames = [kinds]string{
	"system", "tools", "agent", "reminder", "history", "file", "user", "project", "tool_call", "tool_result",
}

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	if k < 0 || int(k) >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// Section is one message of the context.
type Section struct {
	Kind Kind
	Text string
	// Fixed is the cost in addition to the text that cannot be shortened: images, and the JSON
	// around a tool call. In tokens; negative counts as 0.
	Fixed int
	// Group is the number of the turn. Sections of an earlier turn are kept or dropped together. It
	// has no meaning for System, Tools, Agent, Reminder and Project.
	Group int
}

// Kept is a section that is sent.
type Kept struct {
	// Index is the index of the section in the argument of [Fitter.Fit].
	Index int
	// Text is its text, shortened if Trimmed is set.
	Text    string
	Trimmed bool
	// Tokens is its total cost: text, fixed part and message.
	Tokens int
}

// Fitted is a context that fits.
type Fitted struct {
	// Sections are the sections to send, in their original order.
	Sections []Kept
	// ProjectOverflow says that the project was omitted because it does not fit; it must be
	// searched. The first step of a turn reserves room for tools, so that the project is not
	// omitted later.
	ProjectOverflow bool
	Report          Report
}
