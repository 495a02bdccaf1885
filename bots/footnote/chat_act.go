package main

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/thread"
)

// chatActions are the lines of a chat that are no question but about the last answer. Whatever else begins with a slash is a question.
var chatActions = map[string]thread.Action{
	"/up": thread.ActionUp, "/down": thread.ActionDown, "/retry": thread.ActionRetry, "/deeper": thread.ActionDeeper, "/report": thread.ActionReport, "/why": thread.ActionWhy,
}

// chatHelp names them.
const chatHelp = "About the last answer: /up, /down and why, /retry, /deeper, /report (of a search that was stopped), /why.\n"

// chatAction reads a line as something to do to the last answer.
func chatAction(line string) (do thread.Action, text string, ok bool) {
	word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	do, ok = chatActions[word]
	return do, strings.TrimSpace(text), ok
}

// act does something to the last answer and says what came of it. A second try is waited for like an answer.
func (d *dialogue) act(ctx context.Context, do thread.Action, text string) error {
	if d.last == "" {
		d.say("There is no answer yet that this could be about.\n")
		return nil
	}
	reply, err := d.Perform(ctx, do, d.last, text)
	if err != nil {
		return err
	}
	if do != thread.ActionRetry && do != thread.ActionDeeper && do != thread.ActionReport || reply.Refused {
		d.say(reply.Sentence + "\n")
		return nil
	}
	d.last = reply.Turn
	return d.await(ctx, reply.Turn)
}
