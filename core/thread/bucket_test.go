package thread_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

func TestBucket(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		taken int
		pause time.Duration
		after time.Duration
		class thread.Class
		want  time.Duration
	}{
		{name: "a fresh one has room", class: thread.Progress},
		{name: "the reserve is not for progress", taken: 3, class: thread.Progress, want: time.Second + 1},
		{name: "the reserve is for the final write", taken: 3, class: thread.Final},
		{name: "an empty one makes the final write wait", taken: 4, class: thread.Final, want: time.Second + 1},
		{name: "tokens come back", taken: 4, after: time.Second, class: thread.Final},
		{name: "no more than a burst comes back", taken: 0, after: time.Hour, class: thread.First},
		{name: "a pause counts for everybody", pause: 5 * time.Second, after: time.Second, class: thread.Final, want: 4 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := thread.Bucket{Burst: 4, Every: time.Second, Reserve: 1}
			for range tt.taken {
				b.Take(now)
			}
			if tt.pause > 0 {
				b.Pause(now, tt.pause)
			}
			if got := b.Wait(now.Add(tt.after), 1, tt.class); got != tt.want {
				t.Errorf("Wait() = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBucketNeverPassesMoreThanItsTier(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := thread.Bucket{Burst: rapid.IntRange(1, 20).Draw(t, "burst"), Every: time.Second, Reserve: 0}
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		var passed []time.Time
		for _, ms := range rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 200).Draw(t, "gaps") {
			now = now.Add(time.Duration(ms) * time.Millisecond)
			if b.Wait(now, 1, thread.Progress) == 0 {
				b.Take(now)
				passed = append(passed, now)
			}
		}
		const span = 10 * time.Second
		for i := range passed {
			n := 0
			for _, at := range passed[i:] {
				if at.Sub(passed[i]) < span {
					n++
				}
			}
			if limit := b.Burst + int(span/b.Every); n > limit {
				t.Fatalf("%d calls within %s, want at most %d", n, span, limit)
			}
		}
	})
}
