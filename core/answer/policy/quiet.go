package policy

import "time"

// Quiet limits how many notices one person gets in one channel. Answers do not count as notices.
type Quiet struct {
	Again  time.Duration // minimum time before the same sentence is repeated
	Most   int           // maximum number of sentences within Within
	Within time.Duration
}

// DefaultQuiet allows five notices in ten minutes and repeats none within a minute.
var DefaultQuiet = Quiet{Again: time.Minute, Most: 5, Within: 10 * time.Minute}

// Said lists the notices that a person got in a channel, oldest first.
type Said []Notice

// Notice is a sentence and the time it was sent.
type Notice struct {
	Sentence string
	At       time.Time
}

// Allows reports whether a notice with the given sentence may be sent now. It returns the list that
// must replace said. This list includes an allowed notice, and omits notices older than Within.
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
