package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Surface writes the answer to one turn: to the interaction that asked for it as long as that can be answered, else to the thread of
// the question, which it opens, else to the channel itself. It is safe for concurrent use.
type Surface struct {
	client *Client
	turn   session.Turn

	mu       sync.Mutex
	command  string  // id of the turn's interaction; empty when there is none
	reply    *ticket // how it is answered; nil when it no longer can be
	expires  time.Time
	replied  bool // the interaction's first message holds a page
	where    *spot
	reposted int    // pages posted anew, because they were gone
	paid     string // the bucket of which a request was taken in advance
	shown    bool   // something was posted
}

// spot is where an answer is posted.
type spot struct {
	channel string
	replyTo string // set where the answer has no thread of its own
	thread  bool
}

var (
	_ thread.Surface[Page] = (*Surface)(nil)
	_ thread.Adopter       = (*Surface)(nil)
	_ thread.Presence      = (*Surface)(nil)
	_ thread.Pacing        = (*Surface)(nil)
)

// Surface returns the surface of a turn. resumed says that an earlier attempt has posted pages already.
func (c *Client) Surface(t session.Turn, resumed bool) *Surface {
	s := &Surface{client: c, turn: t, replied: resumed, shown: resumed}
	if t.Reply != nil {
		ticket, err := c.sealer.open(t.Reply.Sealed)
		if err != nil {
			c.logger.Warn("the command is answered in its channel", "turn", t.ID, "error", err)
		} else {
			s.command, s.reply, s.expires = ticket.ID, &ticket, t.Reply.Expires.Add(-c.config.TokenLife/15)
		}
	}
	return s
}

// Capabilities implements thread.Surface.
func (s *Surface) Capabilities() thread.Capabilities {
	return thread.Capabilities{MaxRunes: 2000, MinEditInterval: s.client.config.Interval, MaxEditAge: time.Hour, Threads: true, Reactions: true}
}

// ticket returns how the interaction is answered at present; nil when it no longer can be.
func (s *Surface) ticket() *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reply != nil && time.Now().After(s.expires) {
		s.reply = nil
	}
	return s.reply
}

// over notes that the interaction can no longer be answered, if that is what an error says. In the first seconds the same error says
// that the process which took the command in has not acknowledged it yet.
func (s *Surface) over(err error) bool {
	if !errors.Is(err, errTokenOver) || code(err) == codeUnknownWebhook && time.Since(s.turn.Intake) < 2*ackLimit {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = nil
	return true
}

// spot finds where the answer belongs, and opens a thread for it where there is none.
func (s *Surface) spot(ctx context.Context) (spot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.where != nil {
		return *s.where, nil
	}
	where, err := s.find(ctx)
	if err != nil {
		return spot{}, err
	}
	s.where = &where
	return where, nil
}

func (s *Surface) find(ctx context.Context) (spot, error) {
	c, ref, question := s.client, s.turn.Session.Ref, string(s.turn.Message)
	switch {
	case ref.Workspace == "":
		return spot{channel: ref.Channel}, nil
	case s.turn.Session.Owner != "":
		channel, err := c.api.dm(ctx, s.turn.Session.Owner)
		return spot{channel: channel}, err
	case ref.Thread == question && c.config.InPlace:
		return spot{channel: ref.Channel, replyTo: question}, nil
	case ref.Thread == question:
		return s.open(ctx)
	}
	p, err := c.directory.place(ctx, ref.Thread)
	switch {
	case err == nil && p.thread:
		return spot{channel: ref.Thread, thread: true}, nil
	case err == nil || code(err) == codeUnknownChannel: // a chain of replies, or a command in a channel
		return spot{channel: ref.Channel, replyTo: question}, nil
	default:
		return spot{}, err
	}
}

// open opens a thread from the question.
func (s *Surface) open(ctx context.Context) (spot, error) {
	ref, question := s.turn.Session.Ref, string(s.turn.Message)
	err := s.client.api.threadFrom(ctx, ref.Channel, question, title(s.turn.Question.Text))
	var stated *apiError
	switch {
	case err == nil, code(err) == codeThreadExists:
		return spot{channel: question, thread: true}, nil
	case errors.As(err, &stated) && stated.status < http.StatusInternalServerError:
		// Not permitted here, or a kind of channel without threads, or the question is gone: the answer is given in the channel.
		s.client.logger.InfoContext(ctx, "answering in the channel", "channel", ref.Channel, "turn", s.turn.ID, "error", err)
		return spot{channel: ref.Channel, replyTo: question}, nil
	default:
		return spot{}, err
	}
}

// Post implements thread.Surface. Within the minutes in which Discord remembers it, the nonce makes a second create of the same page
// return the first one's message.
func (s *Surface) Post(ctx context.Context, _ thread.Ref, page Page) (thread.MessageID, error) {
	id, err := s.post(ctx, page)
	if err == nil {
		s.mu.Lock()
		s.shown = true
		s.mu.Unlock()
	}
	return thread.MessageID(id), err
}

func (s *Surface) post(ctx context.Context, page Page) (string, error) {
	if t := s.ticket(); t != nil {
		s.client.acknowledged(ctx, t.ID)
		id, err := s.answer(ctx, *t, page)
		if !s.over(err) {
			return id, err
		}
	}
	where, err := s.spot(ctx)
	if err != nil {
		return "", err
	}
	body := outgoingOf(page)
	body.Nonce, body.EnforceNonce = s.nonce(page.Number), true
	if where.replyTo != "" && page.Number == 0 {
		body.Reference = &reference{MessageID: where.replyTo}
	}
	bucket := createBucket(where.channel)
	var made posted
	err = s.client.api.do(ctx, request{
		doing: "post a message", method: http.MethodPost, url: discordgo.EndpointChannelMessages(where.channel), bucket: bucket, body: body,
		paid: s.spend(bucket),
	}, &made)
	return made.ID, unknown(err)
}

// answer puts a page into the interaction's own message, or, when that holds one, into a further message of the interaction.
func (s *Surface) answer(ctx context.Context, t ticket, page Page) (string, error) {
	s.mu.Lock()
	first := !s.replied
	s.mu.Unlock()
	body := outgoingOf(page)
	r := request{
		doing: "answer a command", method: http.MethodPatch, url: discordgo.EndpointWebhookMessage(t.App, t.Token, "@original"),
		bucket: replyBucket(t.Token), body: body, paid: s.spend(replyBucket(t.Token)),
	}
	if !first {
		if t.Ephemeral {
			body.Flags |= int(discordgo.MessageFlagsEphemeral)
		}
		r.doing, r.method, r.url, r.body = "answer a command further", http.MethodPost, discordgo.EndpointWebhookToken(t.App, t.Token)+"?wait=true", body
	}
	var made posted
	if err := s.client.api.do(ctx, r, &made); err != nil {
		return "", unknown(err)
	}
	s.mu.Lock()
	s.replied = true
	s.mu.Unlock()
	return made.ID, nil
}

// unknown marks the error of a create that may have happened all the same.
func unknown(err error) error {
	if err == nil || certain(err) || errors.Is(err, errTokenOver) {
		return err
	}
	return fmt.Errorf("%w: %w", thread.ErrOutcomeUnknown, err)
}

// Edit implements thread.Surface.
func (s *Surface) Edit(ctx context.Context, _ thread.Ref, id thread.MessageID, page Page) error {
	err := s.edit(ctx, string(id), outgoingOf(page))
	if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotEditable) {
		s.mu.Lock()
		s.reposted++ // else the nonce of what is posted instead would bring the old message back
		s.mu.Unlock()
	}
	return err
}

func (s *Surface) edit(ctx context.Context, id string, body outgoing) error {
	if t := s.ticket(); t != nil {
		bucket := replyBucket(t.Token)
		err := s.client.api.do(ctx, request{
			doing: "edit the answer to a command", method: http.MethodPatch, url: discordgo.EndpointWebhookMessage(t.App, t.Token, id), bucket: bucket,
			body: body, paid: s.spend(bucket),
		}, nil)
		if !s.over(err) {
			return err
		}
	}
	where, err := s.spot(ctx)
	if err != nil {
		return err
	}
	bucket := editBucket(where.channel)
	r := request{
		doing: "edit a message", method: http.MethodPatch, url: discordgo.EndpointChannelMessage(where.channel, id), bucket: bucket, body: body,
		paid: s.spend(bucket),
	}
	err = s.client.api.do(ctx, r, nil)
	if code(err) != codeArchived {
		return err
	}
	if s.client.api.unarchive(ctx, where.channel) != nil {
		return err // that it is archived
	}
	r.paid = false
	return s.client.api.do(ctx, r, nil)
}

// Delete implements thread.Surface.
func (s *Surface) Delete(ctx context.Context, _ thread.Ref, id thread.MessageID) error {
	return s.discard(ctx, string(id))
}

// Dismiss takes back the "is thinking…" of a command that gets no answer.
func (s *Surface) Dismiss(ctx context.Context) error {
	if s.ticket() == nil {
		return nil
	}
	return s.discard(ctx, "@original")
}

func (s *Surface) discard(ctx context.Context, id string) error {
	r := request{doing: "delete a message", method: http.MethodDelete}
	if t := s.ticket(); t != nil {
		r.url, r.bucket = discordgo.EndpointWebhookMessage(t.App, t.Token, id), replyBucket(t.Token)
	} else {
		where, err := s.spot(ctx)
		if err != nil {
			return err
		}
		r.url, r.bucket = discordgo.EndpointChannelMessage(where.channel, id), "DELETE messages "+where.channel
	}
	if err := s.client.api.do(ctx, r, nil); err != nil && !errors.Is(err, thread.ErrMessageGone) {
		return err
	}
	return nil
}

// nonce names a page of the turn: the same for every attempt, and within the platform's 25 characters.
func (s *Surface) nonce(page int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return nonce(s.turn.ID, page, s.reposted)
}

func nonce(id session.TurnID, page, again int) string {
	sum := sha256.Sum256([]byte(string(id) + "/" + strconv.Itoa(page) + "/" + strconv.Itoa(again)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15]))
}

// Numbers of nonces that are recognised as the turn's own.
const (
	maxOwnPages    = 40
	maxOwnReposted = 4
)

// Own implements thread.Adopter: messages with a nonce of the turn's, those of its interaction, and, where the platform does not tell
// nonces, what the bot posted after the question, since a thread has one turn at a time.
func (s *Surface) Own(ctx context.Context, _ thread.Ref) ([]thread.MessageID, error) {
	var own []thread.MessageID
	channel := ""
	if t := s.ticket(); t != nil {
		var original posted
		err := s.client.api.do(ctx, request{
			doing: "look for the answer to a command", method: http.MethodGet, url: discordgo.EndpointWebhookMessage(t.App, t.Token, "@original"),
			bucket: replyBucket(t.Token),
		}, &original)
		switch {
		case err == nil:
			own, channel = append(own, thread.MessageID(original.ID)), t.Channel
			s.mu.Lock()
			s.replied = true
			s.mu.Unlock()
			if t.Ephemeral {
				return own, nil // nothing else of it can be listed
			}
		case s.over(err):
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
		posted
		Reference *struct {
			MessageID string `json:"message_id"`
		} `json:"message_reference"`
	}
	if err := s.client.api.messagesAfter(ctx, where.channel, s.question(), historyLimit, &listed); err != nil {
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
		case m.Author.ID != s.client.self() || slices.Contains(own, id):
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
	for page := range maxOwnPages {
		for again := range maxOwnReposted {
			own[nonce(s.turn.ID, page, again)] = true
		}
	}
	return own
}

// question is the id after which the turn's messages were posted.
func (s *Surface) question() string {
	if s.turn.Message != "" {
		return string(s.turn.Message)
	}
	return idAt(s.turn.Intake.Add(-time.Minute)) // clocks differ
}

// Status implements thread.Presence: Discord knows only that somebody writes, for ten seconds.
func (s *Surface) Status(ctx context.Context, _ thread.Ref, status string) error {
	if status == "" || s.ticket() != nil { // a command shows by itself that the bot thinks
		return nil
	}
	where, err := s.spot(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	shown := s.shown
	s.mu.Unlock()
	if shown {
		return nil
	}
	return s.client.api.typing(ctx, where.channel)
}

// Reserve implements thread.Pacing with the limits that Discord states in each answer.
func (s *Surface) Reserve(ctx context.Context, _ thread.Ref, call thread.Call, class thread.Class) error {
	bucket, err := s.bucket(ctx, call)
	if err != nil {
		return err
	}
	s.spend("") // what was taken for a call that was not made
	if class == thread.Progress {
		if !s.client.limits.try(bucket, bucketKept) {
			return thread.ErrNoRoom
		}
	} else if err := s.client.limits.wait(ctx, bucket); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paid = bucket
	return nil
}

func (s *Surface) bucket(ctx context.Context, call thread.Call) (string, error) {
	if t := s.ticket(); t != nil {
		return replyBucket(t.Token), nil
	}
	where, err := s.spot(ctx)
	if err != nil {
		return "", err
	}
	if call == thread.Create {
		return createBucket(where.channel), nil
	}
	return editBucket(where.channel), nil
}

// spend uses the request that was taken in advance, if it is of this bucket; else it is given back.
func (s *Surface) spend(bucket string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	paid := s.paid
	s.paid = ""
	if paid == "" {
		return false
	}
	if paid != bucket {
		s.client.limits.giveBack(paid)
		return false
	}
	return true
}
