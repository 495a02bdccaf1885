package stream

import (
	"time"
	"unicode/utf8"
)

// Pace limits how often an answer is written to its thread. Zero fields get the defaults.
type Pace struct {
	Interval   time.Duration // between two writes; default the surface's MinEditInterval
	FirstRunes int           // characters that make a first post worth its notification; default 40
	FirstWait  time.Duration // longest wait after the first text; default 1 s
	FinalOnly  bool          // only the final write is made
}

// The ages at which an answer is written less often.
const (
	slowerAfter  = 20 * time.Second
	slowestAfter = 60 * time.Second
	// penalty is how long the interval stays doubled after a rate limit.
	penalty = 60 * time.Second
	// maxRateLimits is the number of times that the platform may refuse a write because of a rate
	// limit. After that, only the final write is made.
	maxRateLimits = 2
)

// pacer decides when the next progress write may happen. It does not read the clock: callers pass
// the time.
type pacer struct {
	Pace
	started   time.Time // first text
	last      time.Time // last write
	notBefore time.Time // a rate limit's Retry-After
	limited   time.Time // when the last rate limit was met
	refusals  int
	posted    bool
}

// due returns how long to wait before a changed view is written. 0 means that it can be written
// now. A negative result means that only the final write may follow.
func (p *pacer) due(now time.Time, v *View) time.Duration {
	if p.FinalOnly || p.refusals >= maxRateLimits {
		return -1
	}
	wait := p.notBefore.Sub(now)
	if !p.posted && v.Len() > 0 {
		if p.started.IsZero() {
			p.started = now
		}
		if !worthPosting(v, p.FirstRunes) {
			wait = max(wait, p.started.Add(p.FirstWait).Sub(now))
		}
	}
	// the first words do not wait for the interval after a write without words
	if !p.last.IsZero() && (p.posted || v.Len() == 0) {
		wait = max(wait, p.last.Add(p.interval(now)).Sub(now))
	}
	return max(wait, 0)
}

func (p *pacer) interval(now time.Time) time.Duration {
	interval := p.Interval
	switch age := now.Sub(p.started); {
	case p.started.IsZero():
	case age >= slowestAfter:
		interval *= 3
	case age >= slowerAfter:
		interval *= 2
	}
	if !p.limited.IsZero() && now.Sub(p.limited) < penalty {
		interval *= 2
	}
	return interval
}

func (p *pacer) recordWrite(now time.Time, text bool) {
	p.last = now
	p.posted = p.posted || text
}

func (p *pacer) rateLimited(now time.Time, retryAfter time.Duration) {
	p.refusals++
	p.limited = now
	p.notBefore = now.Add(retryAfter)
}

func worthPosting(v *View, runes int) bool {
	if v.Phase == Done || utf8.RuneCount(v.text) >= runes {
		return true
	}
	for i, c := range v.text {
		if (c == '.' || c == '!' || c == '?') && i+1 < len(v.text) && (v.text[i+1] == ' ' || v.text[i+1] == '\n') {
			return true
		}
	}
	return false
}
