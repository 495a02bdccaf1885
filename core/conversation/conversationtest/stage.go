// Package conversationtest holds what a person meets in a conversation with the bot as a table of
// scenarios, which is the same on every platform. [Suite] runs it against one: its adapter, its
// bot, and beneath them a server that behaves as the platform does.
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

// Person is a person in a scenario.
type Person int

// The people, all of whom are in the channel.
const (
	Ann   Person = iota // asks
	Bob                 // another person
	Chief               // administrates the workspace
)

// Place is where a message is written. The zero Place is the channel, outside of threads.
type Place struct {
	Thread thread.MessageID // the message that a thread hangs on; empty: outside threads
	Direct bool             // Ann's conversation with the bot
}

// Shown is a message of the bot that everybody in its place can read.
type Shown struct {
	ID   thread.MessageID
	Text string
	Done bool // nothing is being written
}

// Earlier is a message of before the bot came.
type Earlier struct {
	By       Person
	Text     string
	Ago      time.Duration
	Direct   bool
	Mentions bool // the bot
}

// Setting is the starting point of a scenario.
type Setting struct {
	Replies []llmtest.Reply
	Said    []policy.SettingValue // settings of every channel; nil means the defaults
	Earlier []Earlier
	Listed  bool // answers list documents without any text
	Owned   bool // nothing is found, and the nearest page is Bob's
	Edited  bool // answers grow by being edited, where the platform has another way too
}

// Stage is a workspace of a platform with Ann, Bob, Chief and the bot in one channel. Methods fail
// the test when the platform refuses what a person can do there.
type Stage interface {
	// Say has a person write a message, and returns its id; Mention begins it with the bot's name.
	Say(by Person, at Place, text string) thread.MessageID
	Mention(by Person, at Place, text string) thread.MessageID
	// Attach is Mention with a text file that holds content.
	Attach(by Person, at Place, text, content string) thread.MessageID
	Edit(by Person, id thread.MessageID, text string) // Ann's mention of the bot stays
	Delete(by Person, id thread.MessageID)
	// React puts the sign that stops answers on a message.
	React(by Person, id thread.MessageID)
	// Press presses a button that is there; Choose an entry of the message's menu.
	Press(by Person, on thread.MessageID, do thread.Action)
	Choose(by Person, on thread.MessageID, do thread.Action)
	// Submit submits the form that was last opened for a person, waiting for it if necessary.
	Submit(by Person, text string)
	// Still presses the button that says that an answer is still wanted.
	Still(by Person, on thread.MessageID)
	// Ask uses the command for questions, Footnote that for all other commands, and AskAbout the
	// menu entry. All are used outside of threads.
	Ask(by Person, question string)
	Footnote(by Person, name, value string)
	AskAbout(by Person, on thread.MessageID)

	// Shown lists the bot's messages in a place, oldest first.
	Shown(at Place) []Shown
	// Reads reports whether a person can read such a text of the bot anywhere at this moment.
	Reads(p Person, text string) bool
	// Busy reports whether a place says that the bot is at work on an answer.
	Busy(at Place) bool
	// Settled reports whether the turn of a question is done.
	Settled(question thread.MessageID) bool
	// Earlier are the ids of Setting.Earlier.
	Earlier() []thread.MessageID
	// Restart ends the bot and starts another one with the same store. It misses the messages in
	// between.
	Restart(between func())
	Model() *llmtest.Model
	Store() *sessiontest.Memory
	// Until waits for a condition, and fails the test when it does not come about.
	Until(what string, holds func() bool)
}

// Platform is the platform under test.
type Platform struct {
	// Cannot are the scenarios that the platform cannot play, by name, each with its reason.
	Cannot map[string]string
	// Begin starts a stage, which ends with the test.
	Begin func(t *testing.T, s Setting) Stage
}

// scenario is a piece of a conversation.
type scenario struct {
	name string
	play func(t *testing.T, begin func(Setting) Stage)
}

// Suite runs every scenario that the platform supports.
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
