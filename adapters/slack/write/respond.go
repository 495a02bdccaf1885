package write

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/call"
	api "github.com/slack-go/slack"
)

var errAddress = errors.New("the address for the answer is not Slack's")

// Respond sends a sentence to the person who used a command or pressed a button. It uses the
// response_url, which works even in channels without the bot. Slack accepts five responses within
// half an hour.
func (c *Writer) Respond(ctx context.Context, address, sentence string) error {
	options := append(notice(sentence, "", nil), api.MsgOptionResponseURL(address, api.ResponseTypeEphemeral))
	return c.respond(ctx, address, "answer a command or a press", options)
}

// Withdraw deletes a message that only one person sees. It uses the response_url of a press on the
// message.
func (c *Writer) Withdraw(ctx context.Context, address string) error {
	return c.respond(ctx, address, "take a notice back", []api.MsgOption{api.MsgOptionDeleteOriginal(address)})
}

func (c *Writer) respond(ctx context.Context, address, what string, options []api.MsgOption) error {
	if !c.Answerable(address) {
		return fmt.Errorf("%s: %w", what, errAddress)
	}
	ctx, cancel := context.WithTimeout(ctx, c.slack.Config.Timeout)
	defer cancel()
	_, _, _, err := c.slack.API.SendMessageContext(ctx, "", options...)
	return call.Translate(what, err, false)
}

var slackHosts = []string{".slack.com", ".slack-gov.com"}

// Answerable reports whether the bot may send a request to a response_url. The address must belong
// to Slack or to the configured Web API. This prevents requests to internal machines.
func (c *Writer) Answerable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	if own, err := url.Parse(c.slack.Config.APIURL); err == nil && own.Host != "" && u.Scheme == own.Scheme && u.Host == own.Host {
		return true
	}
	for _, suffix := range slackHosts {
		if u.Scheme == "https" && strings.HasSuffix("."+u.Host, suffix) {
			return true
		}
	}
	return false
}
