package main

import (
	"fmt"
	"os"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/term"
)

// progress shows long work: one line that is rewritten on a terminal, a line now and then elsewhere.
type progress struct {
	env      *environment
	what     string
	terminal bool
	last     time.Time
	shown    bool
}

// How often a line is rewritten on a terminal, and written elsewhere.
const (
	redraw    = 100 * time.Millisecond
	lineEvery = 10 * time.Second
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
	if at.Waited >= time.Second {
		line += fmt.Sprintf(", waited %s for the source's limits", at.Waited.Round(time.Second))
	}
	p.draw(line)
}

// waiting shows that a source wants to be left alone.
func (p *progress) waiting(later *index.Later) {
	p.draw(fmt.Sprintf("%s: %s (in %s)", p.what, later.Error(), max(time.Until(later.At), 0).Round(time.Second)))
}

// doing shows a step of work.
func (p *progress) doing(step string) {
	if p.terminal || p.due() {
		p.draw(step)
	}
}

func (p *progress) due() bool {
	every := lineEvery
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
	if !p.terminal {
		fmt.Fprintln(p.env.errs, line)
		return
	}
	p.shown = true
	fmt.Fprintf(p.env.stderr, "\r\x1b[K%s", console.Sanitize(line))
}

// end removes the line, so that what follows begins at the left.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.env.stderr, "\r\x1b[K")
	}
}
