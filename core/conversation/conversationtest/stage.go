// Package conversationtest tests conversations with the bot on a chat platform. Its table of
// scenarios is the same for every platform. [Suite] runs the scenarios against the platform's
// adapter and bot. A fake server stands in for the platform.
package conversationtest

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// Person is a person who writes messages in a test.
type Person int

// The people in the channel of a [Stage].
const (
	Ann   Person = iota // asks
	Bob                 // another person
	Chief               // administrates the workspace
)

// Place is a thread, direct message or channel in which a message is written. The zero Place is the
// channel outside threads.
type Place struct {
	Thread thread.MessageID // the root message of the thread; empty: outside threads
	Direct bool             // Ann's conversation with the bot
}

// Shown is a message of the bot that everyone in the channel or thread can read.
type Shown struct {
	ID   thread.MessageID
	Text string
	Done bool // nothing is being written
}

// Earlier is a message that was written before the bot started.
type Earlier struct {
	By       Person
	Text     string
	Ago      time.Duration
	Direct   bool
	Mentions bool // the bot
}

// Setting says how a [Stage] begins: the model's replies, the channel's settings, and earlier
// messages.
type Setting struct {
	Replies []llmtest.Reply
	Said    []policy.SettingValue // settings of every channel; nil means the defaults
	Earlier []Earlier
	Listed  bool // answers list documents without any text
	Owned   bool // no document answers, and Bob owns the closest page
	Edited  bool // growing answers are edited, even if the platform can also stream them
}

// Stage is a chat workspace for one test, with the bot and all people in one channel. A method
// fails the test if the platform refuses the person's action.
type Stage interface {
	// Say writes a message as a person and returns its id. Mention does the same, with a mention of
	// the bot before the text.
	Say(by Person, at Place, text string) thread.MessageID
	Mention(by Person, at Place, text string) thread.MessageID
	// Attach is like Mention, with an attached text file that holds content.
	Attach(by Person, at Place, text, content string) thread.MessageID
	Edit(by Person, id thread.MessageID, text string) // a mention of the bot in a message of Ann stays
	Delete(by Person, id thread.MessageID)
	// React adds the reaction that stops answers to a message.
	React(by Person, id thread.MessageID)
	// Press presses a button of a message. Choose chooses an entry of the message's menu.
	Press(by Person, on thread.MessageID, do thread.Action)
	Choose(by Person, on thread.MessageID, do thread.Action)
	// Submit submits the form that was last opened for a person. It waits for the form if
	// necessary.
	Submit(by Person, text string)
	// Still presses the button for a question that is still wanted.
	Still(by Person, on thread.MessageID)
	// Ask uses the command for questions. Footnote uses the command for everything else. AskAbout
	// uses the menu entry of a message. All three are used outside threads.
	Ask(by Person, question string)
	Footnote(by Person, name, value string)
	AskAbout(by Person, on thread.MessageID)

	// Shown returns the bot's messages in a place, oldest first.
	Shown(at Place) []Shown
	// Reads reports whether a person can currently read a message of the bot that contains text, in
	// any channel or thread.
	Reads(p Person, text string) bool
	// Busy reports whether a place shows that the bot is working on an answer.
	Busy(at Place) bool
	// Settled reports whether the turn of a question is done.
	Settled(question thread.MessageID) bool
	// Earlier returns the ids of the messages in Setting.Earlier.
	Earlier() []thread.MessageID
	// Restart stops the bot, calls between, and starts another bot with the same store. The new bot
	// receives no events for messages from between.
	Restart(between func())
	Model() *llmtest.Model
	Store() *sessiontest.Memory
	// Until waits until holds returns true. It fails the test if that takes too long.
	Until(what string, holds func() bool)
}

// Platform is the chat platform that [Suite] tests.
type Platform struct {
	// Cannot maps the names of scenarios that the platform does not support to the reason.
	Cannot map[string]string
	// Begin starts a stage. The stage ends with the test.
	Begin func(t *testing.T, s Setting) Stage
}

type scenario struct {
	name string
	play func(t *testing.T, begin func(Setting) Stage)
}

// Suite runs every conversation that the platform supports, and checks what people see.
func Suite(t *testing.T, p Platform) {
	t.Helper()
	unknown := maps.Clone(p.Cannot)
	for _, sc := range slices.Concat(questions(), followUps(), stops(), changes(), presses(), commands(), absences(), deepSearches(), ownerScenarios()) {
		if _, cannot := p.Cannot[sc.name]; cannot {
			delete(unknown, sc.name)
			continue
		}
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			sc.play(t, func(s Setting) Stage { return p.Begin(t, s) })
		})
	}
	for name, reason := range unknown {
		t.Errorf("no scenario is named %q, which the platform cannot play: %s", name, reason)
	}
}
