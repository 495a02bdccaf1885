package conversation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	welcome = "Hello! I answer questions from your documents, and link to the places that each answer is from. %s\n\n" +
		"To stop an answer, press *Stop* or react to it with 🛑."
	welcomeChannel = "Mention me in a message here"
	welcomeHome    = "Send me a message"

	// welcomeOnce is how long further welcomes to the same channel are suppressed.
	welcomeOnce = 10 * time.Minute
	maxExamples = 3
	maxAsked    = 5
	// examplesRead is the number of document titles from which the examples are chosen.
	examplesRead = 50
	maxAskedText = 150
)

// Welcome introduces the bot to the person who added it to a channel. It calls post in the
// background with the text. It does nothing if the channel got a welcome in the last ten minutes.
func (c *Conversation) Welcome(ctx context.Context, at thread.Ref, by string, post func(ctx context.Context, text string) error) error {
	mine, err := c.deps.Store.Claim(ctx, c.tenant(at), at, "welcome "+at.Channel, welcomeOnce)
	if err != nil || !mine {
		return err
	}
	c.errands.run(ctx, func(ctx context.Context) {
		text := c.introduce(ctx, session.Turn{Session: session.Session{Tenant: c.tenant(at), Ref: at}, Asker: thread.Person{ID: by}})
		if text == "" {
			return
		}
		if err := post(ctx, text); err != nil {
			c.logger.WarnContext(ctx, "welcome not shown", "channel", at.Channel, "error", err)
		}
	})
	return nil
}

// Home returns the content of the bot's home page for a person: an introduction and the person's
// recent questions. It is "" if welcomes are switched off.
func (c *Conversation) Home(ctx context.Context, at thread.Ref, person string) string {
	tenant := c.tenant(at)
	text := c.introduce(ctx, session.Turn{Session: session.Session{Tenant: tenant, Ref: at}, Asker: thread.Person{ID: person}, Direct: true})
	if text == "" {
		return ""
	}
	asked, err := c.deps.Store.AskedBy(ctx, tenant, at, person, maxAsked)
	if err != nil {
		c.logger.WarnContext(ctx, "home page without the person's questions", "error", err)
	}
	if len(asked) > 0 {
		text += "\n\n**Your questions**\n"
	}
	for _, t := range asked {
		text += fmt.Sprintf("\n- %s (%s)", plainLine(t.Question.Text), t.Intake.UTC().Format("2 January"))
	}
	return text
}

func plainLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxAskedText {
		runes = append(runes[:maxAskedText-1], '…')
	}
	return cite.SafeTitle(string(runes))
}

// introduce returns the introduction of the bot with example questions. It returns "" if the
// channel's settings switch off welcomes or answers, or cannot be read.
func (c *Conversation) introduce(ctx context.Context, t session.Turn) string {
	rules, err := policy.In(ctx, c.service.Policies, t.Session.Tenant, session.PlaceOf(t.Session.Ref))
	if err != nil {
		c.logger.WarnContext(ctx, "welcome left out, since the channel's settings cannot be read", "channel", t.Session.Ref.Channel, "error", err)
		return ""
	}
	if !rules.Welcome || !rules.Enabled {
		return ""
	}
	how := welcomeChannel
	if t.Direct {
		how = welcomeHome
	}
	examples := c.examples(ctx, t)
	if len(examples) == 0 {
		return fmt.Sprintf(welcome, how+" to ask.")
	}
	how += ", for example:\n"
	for _, e := range examples {
		how += "\n- " + e.Question
	}
	return fmt.Sprintf(welcome, how)
}

// examples returns example questions about documents that the audience of a turn may read. If the
// audience is unknown, it uses only public documents.
func (c *Conversation) examples(ctx context.Context, t session.Turn) []Example {
	library, can := c.service.Library.(answer.Titles)
	if !can {
		return nil
	}
	audience, err := c.service.Present(ctx, t)
	if err != nil {
		audience = access.NewAudience(t.Session.Tenant)
	}
	titles, err := library.Titles(ctx, audience, examplesRead)
	if err != nil {
		c.logger.WarnContext(ctx, "welcome without examples", "error", err)
	}
	return exampleQuestions(titles)
}

// Examples returns example questions about documents that the person may read, for a direct
// message.
func (c *Conversation) Examples(ctx context.Context, at thread.Ref, person string) []Example {
	return c.examples(ctx, session.Turn{Session: session.Session{Tenant: c.tenant(at), Ref: at}, Asker: thread.Person{ID: person}, Direct: true})
}

// Example is an example question that names the title of a document.
type Example struct{ Title, Question string }

// exampleQuestions returns at most maxExamples questions about documents with the given titles.
// Titles of several words come first, because a title of one word is often a file name.
func exampleQuestions(titles []string) []Example {
	var questions []Example
	for _, several := range []bool{true, false} {
		for _, title := range titles {
			title = cite.SafeTitle(title)
			words := len(strings.Fields(title))
			if words == 0 || words > 12 || words > 1 != several || len(questions) == maxExamples {
				continue
			}
			questions = append(questions, Example{title, fmt.Sprintf("What do the documents say about “%s”?", title)})
		}
	}
	return questions
}
