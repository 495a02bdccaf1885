package write

import (
	"context"
	"errors"
	"sync"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/thread"
)

// Status shows the typing indicator where the answer will appear, and opens the answer's thread if
// necessary. It does nothing for an empty status, after the first page, or while a command can
// still be answered.
func (s *Surface) Status(ctx context.Context, _ thread.Ref, status string) error {
	s.mu.Lock()
	shown := s.shown
	s.mu.Unlock()
	if status == "" || shown || s.ticket() != nil { // a command shows by itself that the bot thinks
		return nil
	}
	nearest := s.nearest()
	var typing error
	var shows sync.WaitGroup
	// the first words wait for the thread, but not for the indicator
	shows.Go(func() { typing = s.client.discord.API.Typing(ctx, nearest) })
	_, err := s.spot(ctx)
	shows.Wait()
	return errors.Join(typing, err)
}

// nearest returns the channel for the typing indicator. It makes no call. If the answer's channel
// is not known yet, it returns the thread or channel of the question.
func (s *Surface) nearest() string {
	s.mu.Lock()
	where := s.where
	s.mu.Unlock()
	if where != nil {
		return where.channel
	}
	ref := s.turn.Session.Ref
	if p, known := s.client.directory.Peek(ref.Thread); known && p.Thread {
		return ref.Thread
	}
	return ref.Channel
}

// Reserve implements thread.Surface. It reserves a request in the rate limit bucket of the call.
// For a progress call, it returns thread.ErrNoRoom instead of waiting.
func (s *Surface) Reserve(ctx context.Context, _ thread.Ref, kind thread.Call, class thread.Class) error {
	bucket, err := s.bucket(ctx, kind)
	if err != nil {
		return err
	}
	s.spend("") // gives back the request of a call that was not made
	if class == thread.Progress {
		if !s.client.discord.Limits.Try(bucket, call.BucketKept) {
			return thread.ErrNoRoom
		}
	} else if err := s.client.discord.Limits.Wait(ctx, bucket); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paid = bucket
	return nil
}

func (s *Surface) bucket(ctx context.Context, kind thread.Call) (string, error) {
	if t := s.ticket(); t != nil {
		return call.ReplyBucket(t.Token), nil
	}
	where, err := s.spot(ctx)
	if err != nil {
		return "", err
	}
	if kind == thread.Create {
		return call.CreateBucket(where.channel), nil
	}
	return call.EditBucket(where.channel), nil
}

// spend returns true if a request is reserved in this bucket, and uses it up. A request that is
// reserved in another bucket is given back.
func (s *Surface) spend(bucket string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	paid := s.paid
	s.paid = ""
	if paid == "" {
		return false
	}
	if paid != bucket {
		s.client.discord.Limits.GiveBack(paid)
		return false
	}
	return true
}
