package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"golang.org/x/term"
)

// progress shows the progress of long work. On a terminal it rewrites one line; elsewhere it writes
// a line now and then. It is safe for concurrent use until end is called.
type progress struct {
	env      *environment
	what     string
	terminal bool

	mu    sync.Mutex
	last  time.Time
	shown bool
	under string      // the current step
	late  *time.Timer // writes the step if there is no terminal; nil: not scheduled
}

// redraw is the interval on a terminal, lineEvery on other output. On other output, the first step
// that takes longer than stepAfter is written without waiting for lineEvery.
const (
	redraw    = 100 * time.Millisecond
	lineEvery = 10 * time.Second
	stepAfter = time.Second
)

func newProgress(env *environment, what string) *progress {
	p := &progress{env: env, what: what, terminal: terminalWriter(env.stderr), last: time.Now()}
	if p.terminal {
		p.last = time.Time{}
	}
	return p
}

func terminalWriter(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (p *progress) indexing(at index.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop()
	if !p.due() {
		return
	}
	line := fmt.Sprintf("%s: %d", p.what, at.Seen())
	if at.Total > 0 {
		line += fmt.Sprintf(" of %d", at.Total)
	}
	line += fmt.Sprintf(" documents, %s, %.0f/s", plural.Count(at.Chunks, "chunk"), at.ChunksPerSecond)
	if at.Failed > 0 {
		line += fmt.Sprintf(", %d failed", at.Failed)
	}
	if at.Remaining > 0 {
		line += fmt.Sprintf(", %s left", at.Remaining.Round(time.Second))
	}
	if at.Waited >= time.Second {
		line += fmt.Sprintf(", waited %s for the source's limits", at.Waited.Round(time.Second))
	}
	p.drawShare(line, at.Share())
}

func (p *progress) waiting(later *index.Later) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop()
	p.draw(fmt.Sprintf("%s: %s (in %s)", p.what, later.Error(), max(time.Until(later.At), 0).Round(time.Second)))
}

// doing shows a new step. Output that is not a terminal gets only the step that runs when a line is
// due.
func (p *progress) doing(step string) { p.step(step, 0) }

// step is like doing, with the finished share of the step from 0 to 1; 0 means unknown.
func (p *progress) step(step string, share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		if share == 0 || p.due() {
			p.drawShare(step, share)
		}
		return
	}
	if p.under == "" {
		p.last = time.Now().Add(stepAfter - lineEvery)
	}
	p.under = step
	if p.late == nil {
		p.late = time.AfterFunc(time.Until(p.last.Add(lineEvery)), p.write)
	}
}

func (p *progress) write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.late != nil {
		p.late, p.last = nil, time.Now()
		p.draw(p.under)
	}
}

// drop cancels the output of a step that has ended. The caller must hold mu.
func (p *progress) drop() {
	if p.late != nil {
		p.late.Stop()
		p.late = nil
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
	fmt.Fprintf(p.env.stderr, "\r\x1b[K%s", fitted(console.Sanitize(line), columns(p.env.stderr)))
}

func (p *progress) drawShare(line string, share float64) {
	if p.terminal && share > 0 {
		line = bar(share) + " " + line
	}
	p.draw(line)
}

const barWidth = 20

func bar(share float64) string {
	done := int(share * barWidth)
	return fmt.Sprintf("%s%s %3.0f %%", strings.Repeat("█", done), strings.Repeat("░", barWidth-done), math.Floor(share*100))
}

func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil { // not a terminal
		return 0
	}
	return n
}

// fitted shortens a line so that it does not wrap, because a wrapped line cannot be redrawn. It
// cuts the middle, because a long path is followed by numbers.
func fitted(line string, columns int) string {
	runes := []rune(line)
	if columns < 4 || len(runes) < columns {
		return line
	}
	head := (columns - 2) / 3
	tail := columns - 2 - head
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop()
	if p.shown {
		fmt.Fprint(p.env.stderr, "\r\x1b[K")
	}
}
