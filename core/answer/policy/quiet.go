package policy

import "time"

// Quiet says how often one person gets a notice about their messages in one place. Answers are not
// counted.
type Quiet struct {
	Again  time.Duration // until the same sentence is said again
	Most   int           // sentences within Within
	Within time.Duration
}

// DefaultQuiet bounds the notices that a flood of messages causes.
var DefaultQuiet = Quiet{Again: time.Minute, Most: 5, Within: 10 * time.Minute}

// Said is what a person was told in a place, the oldest first.
type Said []Notice

// Notice is a sentence and when it was said.
type Notice struct {
	Sentence string
	At       time.Time
}

// Allows reports whether a sentence may be said now, and returns what was said with it. What has
// become old is dropped.
func (q Quiet) Allows(said Said, sentence string, now time.Time) (Said, bool) {
	for len(said) > 0 && now.Sub(said[0].At) >= q.Within {
		said = said[1:]
	}
	if len(said) >= q.Most {
		return said, false
	}
	for _, n := range said {
		if n.Sentence == sentence && now.Sub(n.At) < q.Again {
			return said, false
		}
	}
	return append(said, Notice{sentence, now}), true
}
