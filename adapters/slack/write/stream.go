package write

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// These error codes mean that answers cannot be streamed. codesNoStream apply to one answer, and
// codesNeverStream to all answers of the process.
var (
	codesNoStream = []string{
		"channel_type_not_supported", "missing_recipient_team_id", "missing_recipient_user_id", "user_not_found", "invalid_thread_ts",
		"invalid_recipient", "recipient_not_found",
	}
	codesNeverStream = []string{"unknown_method", "feature_not_enabled", "method_deprecated", "not_allowed"}
)

// Start implements thread.Streamer. It returns thread.ErrNoStream if streams are unavailable or the
// answer is already complete. The caller then posts the answer as a message.
func (s *Surface) Start(ctx context.Context, to thread.Ref, piece render.Page) (thread.MessageID, error) {
	if piece.Done || s.client.noStreams.Load() || s.options.Recipient == "" || s.options.RecipientTeam == nil || to.Thread == "" {
		return "", thread.ErrNoStream
	}
	team := s.options.RecipientTeam(ctx)
	ctx, cancel := s.call(ctx)
	defer cancel()
	options := []api.MsgOption{
		api.MsgOptionTS(to.Thread), api.MsgOptionRecipientUserID(s.options.Recipient), api.MsgOptionRecipientTeamID(team),
	}
	if parts := chunks(piece); len(parts) > 0 {
		options = append(options, api.MsgOptionChunks(parts...))
	}
	began := time.Now()
	_, ts, err := s.client.slack.API.StartStreamContext(ctx, to.Channel, options...)
	if err == nil {
		s.posted.Store(&began)
		s.client.streams.add(to.Channel, thread.MessageID(ts))
	}
	switch {
	case noMethod(err) || err == nil && ts == "":
		s.client.noStreams.Store(true)
		return "", fmt.Errorf("%w: Slack does not know chat.startStream here", thread.ErrNoStream)
	case slices.Contains(codesNeverStream, call.Code(err)):
		s.client.noStreams.Store(true)
		return "", fmt.Errorf("%w: Slack answered %s", thread.ErrNoStream, call.Code(err))
	case slices.Contains(codesNoStream, call.Code(err)):
		return "", fmt.Errorf("%w: Slack answered %s", thread.ErrNoStream, call.Code(err))
	}
	return thread.MessageID(ts), s.failed(ctx, to, "begin the answer's stream", thread.StreamStart, err, true)
}

// noMethod reports whether err means that the server does not know a method. Proxies and
// Slack-compatible servers may return such errors.
func noMethod(err error) bool {
	var status api.StatusCodeError
	return errors.As(err, &status) && slices.Contains([]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, status.Code)
}

// Append implements thread.Streamer.
func (s *Surface) Append(ctx context.Context, to thread.Ref, id thread.MessageID, piece render.Page) error {
	parts := chunks(piece)
	if len(parts) == 0 {
		return nil
	}
	ctx, cancel := s.call(ctx)
	defer cancel()
	_, _, err := s.client.slack.API.AppendStreamContext(ctx, to.Channel, string(id), api.MsgOptionChunks(parts...))
	s.noticeStop(to, id, err)
	return s.failed(ctx, to, "append to the answer's stream", thread.StreamAppend, err, false)
}

// Stop implements thread.Streamer.
func (s *Surface) Stop(ctx context.Context, to thread.Ref, id thread.MessageID, piece render.Page) error {
	ctx, cancel := s.call(ctx)
	defer cancel()
	options := []api.MsgOption{s.metadata()}
	if parts := chunks(piece); len(parts) > 0 {
		options = append(options, api.MsgOptionChunks(parts...))
	}
	if blocks := s.blocks(piece, false); len(blocks) > 0 {
		options = append(options, api.MsgOptionBlocks(blocks...))
	}
	_, _, err := s.client.slack.API.StopStreamContext(ctx, to.Channel, string(id), options...)
	s.noticeStop(to, id, err)
	if err == nil {
		s.client.streams.remove(to.Channel, id)
	}
	return s.failed(ctx, to, "end the answer's stream", thread.StreamStop, err, false)
}

// noticeStop records the end of a stream if err says that it has ended. If the reader stopped it in
// Slack's client, noticeStop calls options.Stopped.
func (s *Surface) noticeStop(to thread.Ref, id thread.MessageID, err error) {
	if err != nil && streamOver(err) {
		s.client.streams.remove(to.Channel, id)
	}
	if call.Code(err) == "stopped_by_user" && s.options.Stopped != nil {
		s.options.Stopped()
	}
}

// Split implements thread.Streamer.
func (s *Surface) Split(piece render.Page) (parts []render.Page, end render.Page) {
	end = piece
	end.Markdown, end.Tasks, end.Rolls = "", nil, nil
	first := piece
	first.Rolls = nil
	parts = []render.Page{first}
	for i, roll := range piece.Rolls {
		next := render.Page{Markdown: roll, Number: piece.Number - len(piece.Rolls) + i + 1, Cut: piece.Cut}
		parts = append(parts, next)
	}
	return parts, end
}

// Renew implements thread.Streamer.
func (s *Surface) Renew(last render.Page) (end, begin render.Page, more bool) {
	return render.Page{Markdown: last.Cut.Close}, render.Page{Markdown: last.Cut.Open}, last.Cut.Open != ""
}
