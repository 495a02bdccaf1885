package write

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/core/thread"
)

// maxPages is the maximum number of pages of one model's answer.
const maxPages = 40

// nonce returns the value by which Discord recognises repeated posts of the same page. It is the
// same in all attempts to answer a question. It has at most 25 characters, which is Discord's
// limit. With enforce_nonce, Discord's documentation says, "it will be checked for uniqueness in
// the past few minutes. If another message was created by the same author with the same nonce, that
// message will be returned and no new message will be created".
func (s *Surface) nonce(page render.Page) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nonceOf(string(s.turn.ID) + "/" + strconv.Itoa(page.Model*maxPages+page.Number) + "/" + strconv.Itoa(s.reposted))
}

// Own implements thread.Surface. It finds the messages that prove to be the turn's, by their
// interaction or by the turn in one of their buttons. Discord does not show the nonces of posted
// messages. A page without buttons is therefore not found. [Surface.Post] finds it by its nonce.
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
	var messages []listed
	if err := s.client.discord.API.MessagesAfter(ctx, where.channel, s.question(), call.HistoryLimit, &messages); err != nil {
		return nil, err
	}
	for _, m := range slices.Backward(messages) { // oldest first
		id := thread.MessageID(m.ID)
		if m.Author.ID == self && !slices.Contains(own, id) && m.isOf(string(s.turn.ID), s.command) {
			own = append(own, id)
		}
	}
	return own, nil
}

// listed is a message of a channel, with what identifies its turn.
type listed struct {
	call.Posted
	Components []struct {
		Components []struct {
			ID string `json:"custom_id"`
		} `json:"components"`
	} `json:"components"`
}

// isOf reports whether the message responds to the interaction of the turn, if it has one, or has a
// button of the turn.
func (m listed) isOf(id, interaction string) bool {
	if m.Interaction != nil {
		return m.Interaction.ID == interaction
	}
	for _, row := range m.Components {
		for _, c := range row.Components {
			if _, of, ours := thread.ParseButtonID(c.ID); ours && of == id {
				return true
			}
		}
	}
	return false
}

// question returns the id of the question's message. For a command, which has no message, it
// returns an id that is older than the answer.
func (s *Surface) question() string {
	if s.turn.Message != "" {
		return string(s.turn.Message)
	}
	return call.IdAt(s.turn.Intake.Add(-time.Minute)) // clocks differ
}
