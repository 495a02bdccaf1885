package write

import (
	"context"
	"errors"
	"net/http"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/render"
)

// spot is the channel or thread in which an answer is posted.
type spot struct {
	channel string
	replyTo string // message to reply to; empty in a thread
	thread  bool
	before  []string // previous channels
}

// search is a running search for the spot of an answer. done is closed when it ends.
type search struct{ done chan struct{} }

// spot returns the channel or thread of the answer. It opens a thread if there is none. Only one
// call searches at a time. Other calls wait for its result or until their contexts end.
func (s *Surface) spot(ctx context.Context) (spot, error) {
	for {
		where, under, mine := s.findOwn()
		switch {
		case where != nil:
			return *where, nil
		case mine:
			return s.searched(ctx, under)
		}
		select {
		case <-under.done:
		case <-ctx.Done():
			return spot{}, context.Cause(ctx)
		}
	}
}

// findOwn returns the spot of the answer, or the running search for it. If there is neither, it
// begins a search and returns mine as true. The caller must then call searched.
func (s *Surface) findOwn() (where *spot, under *search, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.where != nil || s.search != nil {
		return s.where, s.search, false
	}
	s.search = &search{done: make(chan struct{})}
	return nil, s.search, true
}

// searched runs a search, stores the spot, and wakes the calls that wait for the search.
func (s *Surface) searched(ctx context.Context, under *search) (where spot, err error) {
	found := false
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if found {
			s.where = &where
		}
		s.search = nil
		close(under.done)
	}()
	where, err = s.find(ctx)
	found = err == nil
	return where, err
}

func (s *Surface) find(ctx context.Context) (spot, error) {
	c, ref, question := s.client, s.turn.Session.Ref, string(s.turn.Message)
	switch {
	case ref.Workspace == "":
		return spot{channel: ref.Channel}, nil
	case s.turn.Session.Owner != "":
		channel, err := c.discord.API.Dm(ctx, s.turn.Session.Owner)
		return spot{channel: channel}, err
	case ref.Thread == question:
		return s.beginning(ctx)
	}
	p, err := c.directory.Place(ctx, ref.Thread)
	switch {
	case err == nil && p.Thread:
		return spot{channel: ref.Thread, thread: true}, nil
	case err == nil || call.Lasting(err): // a chain of replies, or a command in a channel
		return spot{channel: ref.Channel, replyTo: question}, nil
	default:
		return spot{}, err
	}
}

// beginning returns the spot of the answer to the first question of a conversation. Such a question
// is a message outside threads, or the first message of a forum post.
func (s *Surface) beginning(ctx context.Context) (spot, error) {
	ref, question := s.turn.Session.Ref, string(s.turn.Message)
	if p, known := s.client.directory.Peek(question); known && p.Thread {
		return spot{channel: question, thread: true}, nil
	}
	parent, err := s.client.directory.Place(ctx, ref.Channel)
	switch {
	case err != nil && !call.Lasting(err):
		return spot{}, err
	case err == nil && parent.Forum:
		return spot{channel: question, thread: true}, nil
	case s.inPlace:
		return spot{channel: ref.Channel, replyTo: question}, nil
	default:
		return s.open(ctx)
	}
}

// open opens a thread from the question and returns it as the spot. If Discord refuses the thread,
// open returns a spot in the channel.
func (s *Surface) open(ctx context.Context) (spot, error) {
	ref, question := s.turn.Session.Ref, string(s.turn.Message)
	err := s.client.discord.API.ThreadFrom(ctx, ref.Channel, question, render.Title(s.turn.Question.Text))
	var stated *call.APIError
	switch {
	case err == nil, call.Code(err) == call.CodeThreadExists:
		return spot{channel: question, thread: true}, nil
	case errors.As(err, &stated) && stated.Status < http.StatusInternalServerError:
		// No permission, or a kind of channel without threads, or the question was deleted: answer
		// in the channel.
		return s.besideQuestion(ctx, err), nil
	default:
		return spot{}, err
	}
}

func (s *Surface) besideQuestion(ctx context.Context, cause error) spot {
	ref := s.turn.Session.Ref
	s.client.discord.Logger.InfoContext(ctx, "answering in the channel", "channel", ref.Channel, "turn", s.turn.ID, "error", cause)
	return spot{channel: ref.Channel, replyTo: string(s.turn.Message)}
}

func (s *Surface) inChannel(ctx context.Context, cause error) spot {
	where := s.besideQuestion(ctx, cause)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.where != nil {
		where.before = append(s.where.before, s.where.channel)
	}
	s.where = &where
	return where
}
