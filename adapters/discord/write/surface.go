package write

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Surface writes the answer to one question. The answer is the response to an interaction, or
// messages in a thread or channel. It is safe for concurrent use.
type Surface struct {
	client  *Writer
	turn    session.Turn
	inPlace bool // a question in a channel is answered there, as a reply, instead of in a thread

	mu       sync.Mutex
	where    *spot         // of the answer; nil until it is found
	search   *search       // running search for where
	command  string        // id of the turn's interaction; empty when there is none
	reply    *event.Ticket // how to respond to the interaction; nil if no longer possible
	expires  time.Time
	replied  bool   // the interaction's first message holds a page
	reposted int    // pages that were gone and posted again
	paid     string // bucket from which a request was reserved; empty if none
	shown    bool   // a page was posted
}

var _ thread.Surface[render.Page] = (*Surface)(nil)

// Surface returns a [Surface] for the answer to t. Set resumed if an earlier attempt has posted
// pages. Set inPlace to answer a question in a channel with a reply instead of in a thread.
func (c *Writer) Surface(t session.Turn, resumed, inPlace bool) *Surface {
	s := &Surface{client: c, turn: t, inPlace: inPlace, replied: resumed, shown: resumed}
	if t.Reply != nil {
		ticket, err := c.sealer.open(t.Reply.Sealed)
		if err != nil {
			c.discord.Logger.Warn("the command is answered in its channel", "turn", t.ID, "session", t.Session.ID, "error", err)
		} else {
			s.command, s.reply, s.expires = ticket.ID, &ticket, t.Reply.Expires.Add(-c.discord.Config.TokenLife/15)
		}
	}
	return s
}

// Capabilities implements thread.Surface.
func (s *Surface) Capabilities() thread.Capabilities {
	return thread.Capabilities{
		MinEditInterval: s.client.discord.Config.Interval, Deduplicates: true,
	}
}

// ticket returns how to respond to the interaction. It returns nil if there is none or it can no
// longer be answered.
func (s *Surface) ticket() *event.Ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reply != nil && time.Now().After(s.expires) {
		s.reply = nil
	}
	return s.reply
}

// checkExpired records and reports whether err means that the interaction can no longer be
// answered. In the first seconds, an unknown webhook only means that the interaction is not
// acknowledged yet.
func (s *Surface) checkExpired(err error) bool {
	if !errors.Is(err, call.ErrTokenOver) || call.Code(err) == call.CodeUnknownWebhook && time.Since(s.turn.Intake) < 2*ackLimit {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = nil
	return true
}

// Post implements thread.Surface. If the same page is posted again within minutes, Discord returns
// the first message.
func (s *Surface) Post(ctx context.Context, _ thread.Ref, page render.Page) (thread.MessageID, error) {
	id, err := s.post(ctx, page)
	if err == nil {
		s.mu.Lock()
		s.shown = true
		s.mu.Unlock()
	}
	return thread.MessageID(id), err
}

func (s *Surface) post(ctx context.Context, page render.Page) (string, error) {
	if t := s.ticket(); t != nil {
		s.client.acknowledged(ctx, t.ID)
		id, err := s.answer(ctx, *t, page)
		if !s.checkExpired(err) {
			return id, fileRefused(page, err)
		}
	}
	where, err := s.spot(ctx)
	if err != nil {
		return "", err
	}
	id, err := s.create(ctx, where, page)
	if err = fileRefused(page, err); errors.Is(err, thread.ErrRefused) {
		return "", err
	}
	if where.thread && call.Code(err) == call.CodeArchived {
		switch opened := s.client.discord.API.Unarchive(ctx, where.channel); {
		case opened == nil:
			id, err = s.create(ctx, where, page)
		case errors.Is(opened, thread.ErrNotPermitted): // the thread is locked, so a retry fails as well
			err = fmt.Errorf("%w: %w", thread.ErrNotPermitted, err)
		}
	}
	beside := s.turn.Session.Ref.Thread == string(s.turn.Message) // the question is in the channel
	if where.thread && (call.Code(err) == call.CodeMissingPermission || beside && (call.Code(err) == call.CodeThreadLocked || call.Code(err) == call.CodeArchived)) {
		// The bot may open threads here but not write in them, so it tries the channel of the
		// question.
		where = s.inChannel(ctx, err)
		id, err = s.create(ctx, where, page)
	}
	return id, s.client.lacking(ctx, where.channel, err)
}

func (s *Surface) create(ctx context.Context, where spot, page render.Page) (string, error) {
	body := s.outgoing(page)
	body.Nonce, body.EnforceNonce = s.nonce(page), true
	if where.replyTo != "" && page.Number == 0 {
		body.Reference = &reference{MessageID: where.replyTo}
	}
	bucket := call.CreateBucket(where.channel)
	var made call.Posted
	err := s.client.post(ctx, call.Request{
		Doing: "post a message", Method: http.MethodPost, URL: discordgo.EndpointChannelMessages(where.channel), Bucket: bucket, Paid: s.spend(bucket),
	}, body, &made)
	return made.ID, unknown(err)
}

// answer posts a page as a response to the interaction. The first page goes into the interaction's
// own message, and further pages are follow-up messages.
func (s *Surface) answer(ctx context.Context, t event.Ticket, page render.Page) (string, error) {
	s.mu.Lock()
	first := !s.replied
	s.mu.Unlock()
	body := s.outgoing(page)
	r := call.Request{
		Doing: "answer a command", Method: http.MethodPatch, URL: discordgo.EndpointWebhookMessage(t.App, t.Token, "@original"),
		Bucket: call.ReplyBucket(t.Token), Body: body, Paid: s.spend(call.ReplyBucket(t.Token)),
	}
	if !first {
		if t.Ephemeral {
			body.Flags |= int(discordgo.MessageFlagsEphemeral)
		}
		r.Doing, r.Method, r.URL, r.Body = "answer a command further", http.MethodPost, discordgo.EndpointWebhookToken(t.App, t.Token)+"?wait=true", body
	}
	var made call.Posted
	if err := s.client.discord.API.Do(ctx, r, &made); err != nil {
		return "", unknown(err)
	}
	s.mu.Lock()
	s.replied = true
	s.mu.Unlock()
	return made.ID, nil
}

// unknown adds thread.ErrOutcomeUnknown to the error of a create that may have succeeded.
func unknown(err error) error {
	if err == nil || call.Certain(err) || errors.Is(err, call.ErrTokenOver) {
		return err
	}
	return fmt.Errorf("%w: %w", thread.ErrOutcomeUnknown, err)
}

// Edit implements thread.Surface.
func (s *Surface) Edit(ctx context.Context, _ thread.Ref, id thread.MessageID, page render.Page) error {
	err := fileRefused(page, s.edit(ctx, string(id), s.outgoing(page)))
	if call.Code(err) == call.CodeThreadLocked {
		// Discord's documentation says: "Users won't be able to create or update messages in locked
		// threads". They may delete them.
		err = fmt.Errorf("%w: %w", thread.ErrNotEditable, err)
	}
	if errors.Is(err, thread.ErrMessageGone) && s.moved() {
		// it may still exist in the earlier channel
		err = fmt.Errorf("%w: %s", thread.ErrExpired, err.Error())
	}
	if errors.Is(err, thread.ErrExpired) || errors.Is(err, thread.ErrNotEditable) {
		s.mu.Lock()
		s.reposted++ // otherwise the new post's nonce would return the old message
		s.mu.Unlock()
	}
	return err
}

// moved reports whether later messages of the answer may be in another channel than earlier ones. A
// private answer moves to a direct message when its interaction expires.
func (s *Surface) moved() bool {
	private := s.turn.Session.Owner != "" && s.turn.Reply != nil && s.ticket() == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	return private || s.where != nil && len(s.where.before) > 0
}

func (s *Surface) edit(ctx context.Context, id string, body outgoing) error {
	if t := s.ticket(); t != nil {
		bucket := call.ReplyBucket(t.Token)
		if id == t.Original {
			id = "@original"
		}
		err := s.client.discord.API.Do(ctx, call.Request{
			Doing: "edit the answer to a command", Method: http.MethodPatch, URL: discordgo.EndpointWebhookMessage(t.App, t.Token, id), Bucket: bucket,
			Body: body, Paid: s.spend(bucket),
		}, nil)
		if !s.checkExpired(err) {
			return err
		}
	}
	where, err := s.spot(ctx)
	if err != nil {
		return err
	}
	bucket := call.EditBucket(where.channel)
	r := call.Request{
		Doing: "edit a message", Method: http.MethodPatch, URL: discordgo.EndpointChannelMessage(where.channel, id), Bucket: bucket, Body: body,
		Paid: s.spend(bucket),
	}
	err = s.client.discord.API.Do(ctx, r, nil)
	if call.Code(err) != call.CodeArchived {
		return err
	}
	if s.client.discord.API.Unarchive(ctx, where.channel) != nil {
		return err // that it is archived
	}
	r.Paid = false
	return s.client.discord.API.Do(ctx, r, nil)
}

// Delete implements thread.Surface.
func (s *Surface) Delete(ctx context.Context, _ thread.Ref, id thread.MessageID) error {
	s.mu.Lock()
	s.reposted++ // otherwise a new post's nonce would return this message
	s.mu.Unlock()
	return s.discard(ctx, string(id))
}

// Dismiss removes the "is thinking…" message of a command that gets no answer.
func (s *Surface) Dismiss(ctx context.Context) error {
	if s.ticket() == nil {
		return nil
	}
	return s.discard(ctx, "@original")
}

func (s *Surface) discard(ctx context.Context, id string) error {
	if t := s.ticket(); t != nil {
		err := s.remove(ctx, discordgo.EndpointWebhookMessage(t.App, t.Token, id), call.ReplyBucket(t.Token))
		if errors.Is(err, thread.ErrMessageGone) {
			return nil
		}
		return err
	}
	where, err := s.spot(ctx)
	if err != nil {
		return err
	}
	for _, channel := range append([]string{where.channel}, where.before...) {
		address, bucket := discordgo.EndpointChannelMessage(channel, id), "DELETE messages "+channel
		err = s.remove(ctx, address, bucket)
		if call.Code(err) == call.CodeArchived && s.client.discord.API.Unarchive(ctx, channel) == nil {
			err = s.remove(ctx, address, bucket)
		}
		if !errors.Is(err, thread.ErrMessageGone) {
			return err
		}
	}
	return nil // it has gone
}

func (s *Surface) remove(ctx context.Context, address, bucket string) error {
	return s.client.discord.API.Do(ctx, call.Request{Doing: "delete a message", Method: http.MethodDelete, URL: address, Bucket: bucket}, nil)
}
