package budget

import (
	"slices"
	"strings"
)

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one message of a conversation, as far as its size matters.
type Message struct {
	Role    Role
	Content string
}

// Pair is an earlier question with its answer.
type Pair struct {
	Question, Answer string
}

// Prompt holds the parts from which the text for a completion model is made.
type Prompt struct {
	System   string
	Contexts []string
	History  []Message
	User     string
}

// ReplyTokens is the room that a reply is assumed to need at least.
const ReplyTokens = 600

const (
	// standaloneShare is the part of the window that a huge prompt may take when
	// it runs alone, which leaves a fifth of the window for the reply.
	standaloneShare = 0.8
	// contextMark separates the instructions from the sources inside a system
	// message.
	contextMark = "Context:"
	// instructionShare is the part of the system share that instructions get when
	// they stand beside sources; the sources are favoured.
	instructionShare = 0.25
)

// Compressor makes conversations fit a window. It is a value without state:
// results are new, and neither they nor later calls depend on earlier ones.
type Compressor struct {
	Counter Counter
	Limits  Limits
	// Marker stands where text was taken out; "" means [DefaultMarker].
	Marker string
}

// Messages returns the conversation to send. messages begins with the system
// message and ends with the newest user message; history is oldest first.
//
// If the messages and a reply fit the window, they are returned as they are.
// Otherwise everything between the first and the last message is replaced by as
// much of history as its share allows, newest turns first. A last message beyond
// its share is taken as a prompt of its own and is returned alone. A list of one
// message is taken as a last message without a system message.
//
// The shares are kept to within the size of the marker, which is not checked
// again at the end: [Fitter] is the one that guarantees a total.
func (c Compressor) Messages(messages []Message, history []Pair) []Message {
	if len(messages) == 0 || Stats(c.Counter, messages)+ReplyTokens < c.Limits.Window {
		return slices.Clone(messages)
	}
	user := messages[len(messages)-1]
	if float64(c.Counter.Count(user.Content)) > c.Limits.User {
		return []Message{{Role: RoleUser, Content: c.standalone(user.Content)}}
	}
	result := make([]Message, 0, 2+2*len(history))
	if len(messages) > 1 {
		result = append(result, Message{Role: messages[0].Role, Content: c.system(messages[0].Content)})
	}
	result = append(result, c.history(history)...)
	return append(result, user)
}

// String is Messages for completion models, which take one text. render makes
// that text of the parts; it is called once with prompt as it is, to see whether
// it fits, and once more with compressed parts if it does not.
func (c Compressor) String(prompt Prompt, history []Pair, render func(Prompt) string) string {
	text := render(prompt)
	if c.Counter.Count(text)+ReplyTokens < c.Limits.Window {
		return text
	}
	if float64(c.Counter.Count(prompt.User)) > c.Limits.User {
		return render(Prompt{User: c.standalone(prompt.User)})
	}
	system := prompt.System
	if float64(c.Counter.Count(system)) >= c.Limits.System {
		system = c.cannonball(system, c.Limits.System)
	}
	return render(Prompt{
		System:   system,
		Contexts: slices.Clone(prompt.Contexts),
		History:  c.history(history),
		User:     prompt.User,
	})
}

func (c Compressor) cannonball(text string, target float64) string {
	return Cannonball(c.Counter, text, target, c.Marker)
}

func (c Compressor) standalone(text string) string {
	return c.cannonball(text, float64(c.Limits.Window)*standaloneShare)
}

// system shortens a system message to its share: a quarter for the instructions
// and three quarters for the sources that follow "Context:". What follows a second
// "Context:" is lost.
func (c Compressor) system(content string) string {
	if float64(c.Counter.Count(content)) < c.Limits.System {
		return content
	}
	parts := strings.SplitN(content, contextMark, 3)
	instructions, sources := parts[0], ""
	if len(parts) > 1 {
		sources = parts[1]
	}
	instructions = c.atMost(instructions, c.Limits.System*instructionShare)
	sources = c.atMost(sources, c.Limits.System*(1-instructionShare))
	if sources == "" {
		return instructions
	}
	return instructions + "\n" + contextMark + " " + sources
}

func (c Compressor) atMost(text string, target float64) string {
	if float64(c.Counter.Count(text)) >= target {
		return c.cannonball(text, target)
	}
	return text
}
