package history

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/thread"
	api "github.com/slack-go/slack"
)

// day is the period that one document of messages without replies covers.
const day = 24 * time.Hour

// threadPart holds the messages of one or more whole days that Slack lists for a channel.
type threadPart struct {
	from, to time.Time // beginnings of days; to is zero for now
	messages []api.Message
}

// parts reads a channel between two times, newest first. It yields each part, of one or more days,
// as soon as its days are complete. The parts together cover the whole period.
func (r *reader) parts(ctx context.Context, c transcript.Channel, from, to time.Time) iter.Seq2[threadPart, error] {
	return func(yield func(threadPart, error) bool) {
		oldest, latest := stamp(from), ""
		if !to.IsZero() {
			latest = stamp(to.Add(-time.Microsecond))
		}
		var held []api.Message // messages of days that may be incomplete
		stopped := false
		lowest := latest // start of the period read so far
		err := pages(ctx, func(cursor string) (string, error) {
			found, err := r.workspace.history(ctx, c.ID, oldest, latest, cursor)
			if err != nil {
				return "", err
			}
			for _, m := range found.Messages {
				if at := timeOf(m.Timestamp); !at.IsZero() && (len(held) == 0 || m.Timestamp < held[len(held)-1].Timestamp) {
					held = append(held, m)
					lowest = m.Timestamp
				}
			}
			if len(held) > 0 {
				last := transcript.StartOf(timeOf(held[len(held)-1].Timestamp))
				whole := slices.IndexFunc(held, func(m api.Message) bool { return transcript.StartOf(timeOf(m.Timestamp)).Equal(last) })
				if whole > 0 {
					done := threadPart{from: last.Add(day), to: to, messages: slices.Clone(held[:whole])}
					held, to = slices.Clone(held[whole:]), done.from
					if stopped = !yield(done, nil); stopped {
						return "", nil
					}
				}
			}
			if !found.HasMore {
				return "", nil
			}
			if found.ResponseMetaData.NextCursor == "" {
				return "", errRepeats // Slack has more messages but sends no cursor
			}
			return found.ResponseMetaData.NextCursor, nil
		}, func() { latest = lowest })
		switch {
		case stopped:
		case err != nil:
			yield(threadPart{}, err)
		default:
			yield(threadPart{from: from, to: to, messages: held}, nil)
		}
	}
}

// sorted separates the first messages of threads from the other messages, and groups the others by
// day. It drops replies.
func sorted(said []api.Message) (threads []api.Message, days [][]api.Message) {
	for _, m := range said {
		switch {
		case m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp:
			// a reply that was also sent to the channel
		case m.ReplyCount > 0 || m.LatestReply != "" || m.SubType == "tombstone":
			threads = append(threads, m)
		case len(days) > 0 && sameDay(days[len(days)-1][0], m):
			days[len(days)-1] = append(days[len(days)-1], m)
		default:
			days = append(days, []api.Message{m})
		}
	}
	return threads, days
}

func sameDay(a, b api.Message) bool {
	return transcript.StartOf(timeOf(a.Timestamp)).Equal(transcript.StartOf(timeOf(b.Timestamp)))
}

// timeOf returns the time in a message id. It returns the zero time for an invalid id.
func timeOf(ts string) time.Time {
	if t := event.TimeOf(thread.MessageID(ts)); t.Unix() > 0 {
		return t.UTC()
	}
	return time.Time{}
}

// stamp formats a time as a message id, such as 1700000000.000100.
func stamp(t time.Time) string {
	return fmt.Sprintf("%010d.%06d", max(t.Unix(), 0), t.Nanosecond()/1000)
}

func isGone(err error) bool {
	return slices.Contains([]string{"thread_not_found", "message_not_found", "channel_not_found", "not_in_channel"}, call.Code(err))
}
