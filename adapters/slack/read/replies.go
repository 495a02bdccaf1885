package read

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

const (
	// readWhole is the number of messages of a thread that is read from its beginning.
	readWhole = call.FirstPage + (call.MaxPages-1)*call.NextPage
	// newestCalls is the maximum number of calls for the newest messages of a longer thread.
	newestCalls = 6
	// newestEnough is how many of the newest messages suffice.
	newestEnough = call.NextPage / 2
)

// Replies reads the messages of a thread that are newer than after and older than before, oldest
// first. after and before may be empty. more reports whether messages are missing. Of a long
// thread, Replies reads the first and the newest messages. After an error, said has the messages
// that were read before.
func (c *Reader) Replies(ctx context.Context, ref thread.Ref, after, before thread.MessageID) (said []chat.Message, more bool, err error) {
	read := replies{reader: c, ref: ref, after: after, before: before, found: make(map[string]api.Message)}
	more, err = read.whole(ctx)
	for _, id := range slices.Sorted(maps.Keys(read.found)) {
		said = append(said, c.stored(ref.Channel, read.found[id]))
	}
	return said, more || err != nil, err
}

// replies is one reading of a thread.
type replies struct {
	reader        *Reader
	ref           thread.Ref
	after, before thread.MessageID
	found         map[string]api.Message // by timestamp
	total         int                    // replies in the thread; 0: unknown
	last          string                 // newest timestamp of the last page
	count         int                    // messages between after and before in the last page
}

// page reads one page of the messages between oldest and latest.
func (r *replies) page(ctx context.Context, oldest, latest, cursor string, size int) (next string, err error) {
	slack := r.reader.slack
	if err := slack.Reads.Wait(ctx); err != nil {
		return "", fmt.Errorf("read a thread: %w", err)
	}
	messages, left, next, err := slack.Replies(ctx, &api.GetConversationRepliesParameters{
		ChannelID: r.ref.Channel, Timestamp: r.ref.Thread, Oldest: oldest, Latest: latest, Cursor: cursor, Limit: size,
	})
	if err != nil {
		return "", err
	}
	r.last, r.count = "", 0
	for _, m := range messages {
		r.total = max(r.total, m.ReplyCount)
		if thread.MessageID(m.Timestamp) > r.after && (r.before == "" || thread.MessageID(m.Timestamp) < r.before) {
			r.found[m.Timestamp] = m
			if m.Timestamp != r.ref.Thread { // Slack adds the root to every page
				r.last = max(r.last, m.Timestamp)
				r.count++
			}
		}
	}
	if !left {
		next = ""
	}
	return next, nil
}

func (r *replies) whole(ctx context.Context) (more bool, err error) {
	size := call.FirstPage
	for cursor, n := "", 0; n < call.MaxPages; n++ {
		next, err := r.page(ctx, string(r.after), string(r.before), cursor, size)
		if err != nil || next == "" {
			return false, err
		}
		if r.total >= readWhole && r.before != "" && r.last != "" {
			return r.newest(ctx)
		}
		cursor, size = next, call.NextPage
	}
	return true, nil
}

// newest reads the messages right before r.before. Slack lists the replies between two times from
// the oldest on, so newest looks for a time after which one page holds all of them.
func (r *replies) newest(ctx context.Context) (more bool, err error) {
	first, upper := event.TimeOf(thread.MessageID(r.last)), event.TimeOf(r.before)
	begun := event.TimeOf(thread.MessageID(r.ref.Thread))
	span := upper.Sub(begun) / time.Duration(r.total) * (call.NextPage * 3 / 4)
	read := 0
	for range newestCalls {
		lower := upper.Add(-span)
		all := !lower.After(first)
		if all {
			lower = first
		}
		next, err := r.page(ctx, stamp(lower), stamp(upper), "", call.NextPage)
		switch {
		case err != nil:
			return true, err
		case next != "" && r.last == "":
			return true, nil
		case next != "": // a part of it is missing before upper
			last := event.TimeOf(thread.MessageID(r.last))
			rest := upper.Sub(last)
			span = min(rest/2, max(last.Sub(lower)*3/4, rest/16)) // as if they were evenly spread
			if span < time.Millisecond {
				return true, nil
			}
		case all:
			return false, nil
		default:
			if read += r.count; read >= newestEnough {
				return true, nil
			}
			upper, span = lower.Add(time.Microsecond), 2*span // a page does not have its bounds
		}
	}
	return true, nil
}
