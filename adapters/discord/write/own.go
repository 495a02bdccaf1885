package write

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// nonce returns the value by which Discord recognises repeated posts of the same page. It is the
// same in all attempts to answer a question. It has at most 25 characters, which is Discord's
// limit.
func (s *Surface) nonce(page render.Page) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nonce(s.turn.ID, page.Model*maxOwnPages+page.Number, s.reposted)
}

func nonce(id session.TurnID, page, again int) string {
	sum := sha256.Sum256([]byte(string(id) + "/" + strconv.Itoa(page) + "/" + strconv.Itoa(again)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
}

// maxOwnPages and maxOwnReposted limit the nonces that [Surface.Own] compares. They count the pages
// of one model's answer, and how often pages were posted again.
const (
	maxOwnPages    = 40 // maximum pages of one model's answer
	maxOwnReposted = 4
)

// Own implements thread.Surface. It finds the turn's messages by their nonces or by their
// interaction. Messages without either are recognised by the message that they reply to.
func (s *Surface) Own(ctx context.Context, _ thread.Ref) ([]thread.MessageID, error) {
	self, err := s.client.discord.WhoAmI(ctx)
	if err != nil {
		return nil, err
	}
	var own []thread.MessageID
	channel := ""
	if t := s.ticket(); t != nil {
		var original call.Posted
		err := s.client.discord.API.Do(ctx, call.Request{
			Doing: "look for the answer to a command", Method: http.MethodGet, URL: discordgo.EndpointWebhookMessage(t.App, t.Token, "@original"),
			Bucket: call.ReplyBucket(t.Token),
		}, &original)
		switch {
		case err == nil:
			own, channel = append(own, thread.MessageID(original.ID)), t.Channel
			s.mu.Lock()
			s.replied = true
			s.mu.Unlock()
			if t.Ephemeral {
				return own, nil // further ephemeral messages cannot be listed
			}
		case s.checkExpired(err):
		case !errors.Is(err, thread.ErrMessageGone):
			return nil, err
		}
	}
	where := spot{channel: channel}
	if channel == "" {
		var err error
		if where, err = s.spot(ctx); err != nil {
			return nil, err
		}
	}
	var listed []struct {
		call.Posted
		Reference *struct {
			MessageID string `json:"message_id"`
		} `json:"message_reference"`
	}
	if err := s.client.discord.API.MessagesAfter(ctx, where.channel, s.question(), call.HistoryLimit, &listed); err != nil {
		return nil, err
	}
	nonces := s.nonces()
	for _, m := range slices.Backward(listed) { // oldest first
		id := thread.MessageID(m.ID)
		said := strings.Trim(string(m.Nonce), `"`)
		replyTo := ""
		if m.Reference != nil {
			replyTo = m.Reference.MessageID
		}
		mine := false
		switch {
		case m.Author.ID != self || slices.Contains(own, id):
		case m.Interaction != nil:
			mine = m.Interaction.ID == s.command
		case said != "" && said != "null":
			mine = nonces[said]
		default:
			mine = replyTo == where.replyTo
		}
		if mine {
			own = append(own, id)
		}
	}
	return own, nil
}

func (s *Surface) nonces() map[string]bool {
	own := make(map[string]bool)
	for page := range turn.MaxModels * maxOwnPages {
		for again := range maxOwnReposted {
			own[nonce(s.turn.ID, page, again)] = true
		}
	}
	return own
}

// question returns the id of the question's message. For a command, which has no message, it
// returns an id that is older than the answer.
func (s *Surface) question() string {
	if s.turn.Message != "" {
		return string(s.turn.Message)
	}
	return call.IdAt(s.turn.Intake.Add(-time.Minute)) // clocks differ
}
