package budget

// Kind is the kind of a [Section], which determines how it may be shortened.
type Kind int

// The kinds of sections. Sections that are never omitted may still be shortened.
const (
	// System is the system prompt. It is never omitted.
	System Kind = iota
	// Tools describes the tools that the model may call. It is never shortened. It is omitted only
	// if the sections that must be sent would not fit otherwise.
	Tools
	// Agent is the prompt of a custom agent. It is never omitted. Among the instructions it is
	// shortened first.
	Agent
	// Reminder is an instruction at the end of the context. It is never omitted, and it is
	// shortened last.
	Reminder
	// History is a question or an answer of an earlier turn.
	History
	// File is the text of a file that came with a message.
	File
	// User is a message of the user. The last one is never omitted. Earlier ones count as history.
	User
	// Project is a file of the project to which the question belongs. Either all project files are
	// sent or none.
	Project
	// ToolCall is a call that the model made. Its text is data and is not shortened.
	ToolCall
	// ToolResult is the result of a tool. Results of this turn are trimmed first.
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
	// Fixed is the cost, in tokens, of content that cannot be shortened, in addition to the text.
	// Examples are images and the JSON around a tool call. A negative value counts as 0.
	Fixed int
	// Group is the number of the turn. The sections of an earlier turn are kept or dropped
	// together. Group has no meaning for System, Tools, Agent, Reminder and Project.
	Group int
}

// Kept is a [Section] to send, whole or shortened.
type Kept struct {
	// Index is the index of the section in the argument of [Fitter.Fit].
	Index int
	// Text is the text of the section. It is shortened if Trimmed is set.
	Text    string
	Trimmed bool
	// Tokens is the total cost of the section: text, fixed part and message.
	Tokens int
}

// Fitted is the context to send, as returned by [Fitter.Fit].
type Fitted struct {
	// Sections are the sections to send, in their original order.
	Sections []Kept
	// ProjectOverflow says that the project was omitted because it does not fit. The model must
	// search the project instead. The first step of a turn reserves room for tools, so that a later
	// step does not omit the project.
	ProjectOverflow bool
	Report          Report
}
