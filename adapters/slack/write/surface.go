package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// SurfaceOptions describes the question that a [Surface] answers, and the person who asked it.
type SurfaceOptions struct {
	Turn     string           // turn id, which marks its messages
	Question thread.MessageID // older messages belong to other turns
	// Recipient is the user id of the asker. RecipientTeam returns the asker's workspace and is
	// called before a stream starts. If either is missing, answers are posted and edited instead of
	// streamed.
	Recipient     string
	RecipientTeam func(context.Context) string
	Actions       []thread.Action // allowed buttons; others are left out
	// Stopped is called when the reader stops a stream in Slack's own client. It may be nil.
	Stopped func()
}

// Surface writes the answer to one question. Only one goroutine at a time may use a Surface for the
// same thread.
type Surface struct {
	client  *Writer
	options SurfaceOptions
	posted  atomic.Pointer[time.Time]
	signed  atomic.Bool // the first status was sent
	stated  atomic.Pointer[time.Time]
	uploads int                         // file uploads that failed temporarily
	found   map[thread.MessageID]string // files of the turn that Own found, with their names
}

// Posted reports whether the answer has at least one message.
func (s *Surface) Posted() bool { return s.posted.Load() != nil }

// Lingers reports whether a status line may stay visible. Slack clears a status when a message is
// posted, but not when a message is edited.
func (s *Surface) Lingers() bool {
	stated, posted := s.stated.Load(), s.posted.Load()
	return stated != nil && !stated.IsZero() && (posted == nil || stated.After(*posted))
}

var (
	_ thread.Surface[render.Page]  = (*Surface)(nil)
	_ thread.Streamer[render.Page] = (*Surface)(nil)
)

// Surface returns a [Surface] for the answer to one question.
func (c *Writer) Surface(o SurfaceOptions) *Surface {
	return &Surface{client: c, options: o, found: make(map[thread.MessageID]string)}
}

// Capabilities implements thread.Surface.
func (s *Surface) Capabilities() thread.Capabilities {
	return thread.Capabilities{
		MinEditInterval: 1500 * time.Millisecond, MinAppendInterval: 750 * time.Millisecond,
		MaxStreamAge: s.client.slack.Config.StreamAge,
	}
}

// Reserve implements thread.Surface. It uses the rate limiter that all answers of the workspace
// share.
func (s *Surface) Reserve(ctx context.Context, to thread.Ref, kind thread.Call, class thread.Class) error {
	return s.client.slack.Pacing().Reserve(ctx, to, kind, class)
}

// call returns a context for one call with the configured timeout. It is not cancelled with ctx,
// because Slack may still carry out a call that was sent.
func (s *Surface) call(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.client.slack.Config.Timeout)
}

// failed converts an error with [call.Translate]. After a rate-limit error, it pauses calls of this
// kind for all answers.
func (s *Surface) failed(ctx context.Context, to thread.Ref, what string, kind thread.Call, err error, create bool) error {
	err = call.Translate(what, err, create)
	var limited *thread.RateLimitError
	if errors.As(err, &limited) {
		s.client.slack.Pacing().Pause(ctx, to, kind, limited.RetryAfter)
	}
	return err
}

func (s *Surface) content(p render.Page) []api.MsgOption {
	return []api.MsgOption{
		api.MsgOptionText(p.Text, false), api.MsgOptionBlocks(s.blocks(p, true)...), s.metadata(),
		api.MsgOptionDisableLinkUnfurl(), api.MsgOptionDisableMediaUnfurl(),
	}
}

func (s *Surface) metadata() api.MsgOption {
	return api.MsgOptionMetadata(api.SlackMetadata{EventType: event.MetadataType, EventPayload: event.AnswerMark(s.options.Turn, s.options.Question)})
}

// Post implements thread.Surface.
func (s *Surface) Post(ctx context.Context, to thread.Ref, page render.Page) (thread.MessageID, error) {
	if page.File != "" {
		return s.postFile(ctx, to, page.File)
	}
	ctx, cancel := s.call(ctx)
	defer cancel()
	began := time.Now()
	_, ts, err := s.client.slack.API.PostMessageContext(ctx, to.Channel, append(s.content(page), api.MsgOptionTS(to.Thread))...)
	if err == nil {
		s.posted.Store(&began)
	}
	return thread.MessageID(ts), s.failed(ctx, to, "post the answer", thread.Create, err, true)
}

// Edit implements thread.Surface. If the message is an open stream, Edit ends the stream first.
func (s *Surface) Edit(ctx context.Context, to thread.Ref, id thread.MessageID, page render.Page) error {
	if page.File != "" || event.IsFile(id) {
		return s.replaced(ctx, to, id, page)
	}
	ctx, cancel := s.call(ctx)
	defer cancel()
	update := func() error {
		_, _, _, err := s.client.slack.API.UpdateMessageContext(ctx, to.Channel, string(id), s.content(page)...)
		return err
	}
	if s.client.streams.has(to.Channel, id) {
		if err := s.close(ctx, to, id); err != nil {
			return err
		}
	}
	err := update()
	if call.Code(err) == "streaming_state_conflict" { // another process began the stream
		if err := s.close(ctx, to, id); err != nil {
			return err
		}
		err = update()
	}
	return s.failed(ctx, to, "edit the answer", thread.Edit, err, false)
}

// close ends a stream without changing its text. It returns nil if the stream has already ended.
func (s *Surface) close(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	_, _, err := s.client.slack.API.StopStreamContext(ctx, to.Channel, string(id))
	if err == nil || streamOver(err) {
		s.client.streams.remove(to.Channel, id)
		return nil
	}
	return s.failed(ctx, to, "close the answer's stream", thread.StreamStop, err, false)
}

// streamOver reports whether err means that a stream has ended or cannot exist. Slack also returns
// user_not_found for a stream that has ended, if the reader is in another organisation.
func streamOver(err error) bool {
	return slices.Contains([]string{"message_not_in_streaming_state", "stopped_by_user", "user_not_found", "message_not_found"}, call.Code(err)) ||
		slices.Contains(codesNeverStream, call.Code(err)) || noMethod(err)
}

// Delete implements thread.Surface.
func (s *Surface) Delete(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	if event.IsFile(id) {
		return s.deleteFile(ctx, to, id)
	}
	ctx, cancel := s.call(ctx)
	defer cancel()
	_, _, err := s.client.slack.API.DeleteMessageContext(ctx, to.Channel, string(id))
	if call.Code(err) == "message_not_found" {
		return nil
	}
	return s.failed(ctx, to, "delete a part of the answer", thread.Edit, err, false)
}

// Own implements thread.Surface. If the bot may not read history, Own returns no messages. A
// message whose creation was not confirmed may then be posted twice.
func (s *Surface) Own(ctx context.Context, to thread.Ref) ([]thread.MessageID, error) {
	ctx, cancel := s.call(ctx)
	defer cancel()
	me := s.client.slack.Identity()
	var own []thread.MessageID
	for cursor := ""; ; {
		messages, more, next, err := s.client.slack.API.GetConversationRepliesContext(ctx, &api.GetConversationRepliesParameters{
			ChannelID: to.Channel, Timestamp: to.Thread, Oldest: string(s.options.Question), Cursor: cursor, Limit: 200, IncludeAllMetadata: true,
		})
		if call.Code(err) == "missing_scope" {
			return nil, nil
		}
		if err != nil {
			return nil, call.Translate("read what was posted in the thread", err, false)
		}
		for _, m := range messages {
			if len(m.Files) > 0 { // files have no mark; the file name identifies the turn
				for _, f := range m.Files {
					if m.User == me.User && strings.HasPrefix(f.Name, s.filePrefix()) {
						own, s.found[thread.MessageID(f.ID)] = append(own, thread.MessageID(f.ID)), f.Name
					}
				}
				continue
			}
			marked := m.Metadata.EventType == event.MetadataType && m.Metadata.EventPayload["turn"] == s.options.Turn
			// An unfinished stream has no mark. A session has one turn at a time, so unmarked
			// messages after the question belong to this turn.
			unmarked := m.Metadata.EventType == "" && s.options.Question != ""
			if (m.User == me.User || m.User == "" && m.BotID != "" && m.BotID == me.Bot) && m.Timestamp > string(s.options.Question) && (marked || unmarked) {
				own = append(own, thread.MessageID(m.Timestamp))
			}
		}
		if cursor = next; cursor == "" || !more {
			return own, nil
		}
	}
}

// Status sets the status line of a thread, or clears it if status is empty. Slack also clears it
// when the bot posts, and after two minutes.
//
// The first status and a clearing wait for the rate limit. Other statuses return thread.ErrNoRoom
// if the remaining calls are reserved for first statuses.
func (s *Surface) Status(ctx context.Context, to thread.Ref, status string) error {
	if s.signed.CompareAndSwap(false, true) || status == "" {
		if err := s.client.slack.Statuses.Wait(ctx); err != nil {
			return fmt.Errorf("show that the bot is at work: %w", err)
		}
	} else if !s.client.slack.Statuses.Spare() {
		return thread.ErrNoRoom
	}
	ctx, cancel := s.call(ctx)
	defer cancel()
	defer func() { // a refused or cancelled call may have taken effect
		at := time.Now()
		if status == "" {
			at = time.Time{}
		}
		s.stated.Store(&at)
	}()
	err := s.client.slack.API.SetAssistantThreadsStatusContext(ctx, api.AssistantThreadsSetStatusParameters{
		ChannelID: to.Channel, ThreadTS: to.Thread, Status: render.Neutral(answer.Line(status)),
	})
	if noMethod(err) || slices.Contains(codesNeverStream, call.Code(err)) {
		s.client.noStatus.Store(true)
	}
	return call.Translate("show that the bot is at work", err, false)
}

// Statuses reports whether the workspace appears to support status lines.
func (c *Writer) Statuses() bool { return !c.noStatus.Load() }
