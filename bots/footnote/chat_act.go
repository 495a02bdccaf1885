package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/thread"
)

type chatVerb struct {
	word string
	help string
	do   thread.Action // action on the last answer; empty: none
}

var chatVerbs = []chatVerb{
	{"/up", "Say that the last answer is right.", thread.ActionUp},
	{"/down", "Say that it is wrong; add why.", thread.ActionDown},
	{"/why", "Explain the last answer.", thread.ActionWhy},
	{"/retry", "Write the last answer again.", thread.ActionRetry},
	{"/deeper", "Answer the last question by a deep search.", thread.ActionDeeper},
	{"/report", "Write the report of a deep search that was stopped.", thread.ActionReport},
	{"/help", "List these commands.", ""},
	{"/quit", "End the chat, as Ctrl-D does.", ""},
}

// commandWord matches "/up", but not "/etc/hosts", so that a question can begin with a path.
var commandWord = regexp.MustCompile(`^/[\pL\pN_-]+$`)

// chatLine splits a line into a command and its text. ok is false if the line is a question. For an
// unknown command, verb.help is empty.
func chatLine(line string) (verb chatVerb, text string, ok bool) {
	word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	if !commandWord.MatchString(word) {
		return chatVerb{}, "", false
	}
	for _, v := range chatVerbs {
		if v.word == word {
			return v, strings.TrimSpace(text), true
		}
	}
	return chatVerb{word: word}, "", true
}

// completeCommand completes line as far as all matching commands agree. If nothing can be added,
// choice lists the commands.
func completeCommand(line string) (completed, choice string) {
	var found []string
	for _, v := range chatVerbs {
		if line != "" && strings.HasPrefix(v.word, line) {
			found = append(found, v.word)
		}
	}
	switch len(found) {
	case 0:
		return line, ""
	case 1:
		return found[0] + " ", ""
	}
	common := found[0]
	for _, word := range found[1:] {
		for !strings.HasPrefix(word, common) {
			common = common[:len(common)-1]
		}
	}
	if common == line {
		choice = "  " + strings.Join(found, "  ")
	}
	return common, choice
}

func chatHelp() string {
	var b strings.Builder
	for _, v := range chatVerbs {
		fmt.Fprintf(&b, "  %-8s %s\n", v.word, v.help)
	}
	b.WriteString("While a deep search waits: \"start\" or \"just answer\".\n")
	return b.String()
}

func (d *dialogue) command(ctx context.Context, verb chatVerb, text string) error {
	switch {
	case verb.help == "":
		d.say(fmt.Sprintf("There is no command %s. /help lists the commands.\n", verb.word))
		return nil
	case verb.word == "/help":
		d.say(chatHelp())
		return nil
	case verb.word == "/quit":
		return errLeave
	case d.last == "":
		d.say("There is no answer yet that this could be about.\n")
		return nil
	}
	reply, err := d.Perform(ctx, verb.do, d.last, text)
	if err != nil {
		return err
	}
	if again := verb.do == thread.ActionRetry || verb.do == thread.ActionDeeper || verb.do == thread.ActionReport; !again || reply.Refused {
		d.say(reply.Sentence + "\n")
		return nil
	}
	d.last = reply.Turn
	return d.await(ctx, reply.Turn)
}
