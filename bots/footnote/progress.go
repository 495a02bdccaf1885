package main

import (
	"fmt"
	"os"
	"time"

	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/term"
)

// progress shows long work: one line that is rewritten on a terminal, a log line now and then elsewhere.
type progress struct {
	env      *environment
	what     string
	terminal bool
	last     time.Time
	shown    bool
}

// How often a line is rewritten on a terminal, and a log line written elsewhere.
const (
	redraw   = 100 * time.Millisecond
	logEvery = 10 * time.Second
)

func newProgress(env *environment, what string) *progress {
	f, ok := env.stderr.(*os.File)
	p := &progress{env: env, what: what, terminal: ok && term.IsTerminal(int(f.Fd())), last: time.Now()}
	if p.terminal {
		p.last = time.Time{}
	}
	return p
}

// indexing shows how far a run of the pipeline is.
func (p *progress) indexing(at index.Progress) {
	if !p.due() {
		return
	}
	if !p.terminal {
		p.env.logger.Info("indexing", "documents", at.Seen(), "of", at.Total, "chunks", at.Chunks,
			"chunks_per_second", int(at.ChunksPerSecond), "failed", at.Failed)
		return
	}
	line := fmt.Sprintf("%s: %d", p.what, at.Seen())
	if at.Total > 0 {
		line += fmt.Sprintf(" of %d", at.Total)
	}
	line += fmt.Sprintf(" documents, %d chunks, %.0f/s", at.Chunks, at.ChunksPerSecond)
	if at.Failed > 0 {
		line += fmt.Sprintf(", %d failed", at.Failed)
	}
	if at.Remaining > 0 {
		line += fmt.Sprintf(", %s left", at.Remaining.Round(time.Second))
	}
	p.draw(line)
}

// doing shows a step of work that cannot say how far it is.
func (p *progress) doing(step string) {
	if p.terminal {
		p.draw(step)
		return
	}
	p.env.logger.Info(step)
}

func (p *progress) due() bool {
	every := logEvery
	if p.terminal {
		every = redraw
	}
	if time.Since(p.last) < every {
		return false
	}
	p.last = time.Now()
	return true
}

func (p *progress) draw(line string) {
	p.shown = true
	fmt.Fprintf(p.env.stderr, "\r\x1b[K%s", line)
}

// end removes the line, so that what follows begins at the left.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.env.stderr, "\r\x1b[K")
	}
}
