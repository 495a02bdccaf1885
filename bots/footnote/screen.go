package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/plural"
	"golang.org/x/term"
)

// Keys that screen handles itself. The editor of golang.org/x/term would end at keyCtrlC, so screen
// turns it into keyClear, which the editor passes to its callback.
const (
	keyCtrlC  = 0x03
	keyClear  = 0x1d
	keyTab    = '\t'
	lineFeed  = "⏎" // shown for a line feed in pasted text
	idle      = "› "
	longPaste = 1000 // characters; a longer text is shown by its number of lines

	pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"
)

// maxEntries limits the earlier texts that are formatted again when the terminal's size changes.
const maxEntries = 200

// screen is a terminal with a line editor below the texts written so far. The last text can change
// until end is called. Its methods are safe for concurrent use, but only one goroutine may read
// lines.
type screen struct {
	in, out    *os.File
	editor     *term.Terminal
	interrupts chan<- os.Signal
	complete   func(line string) (completed, choice string)
	typed      atomic.Bool // a key was typed since it was last set to false
	before     *term.State
	resized    chan os.Signal

	// Only the reading goroutine uses these: keys that the editor has not seen, and pasted texts.
	keys    []byte
	pasting bool
	paste   []byte
	pasted  map[string]string

	mu       sync.Mutex
	free     sync.Cond // signals that entering became false
	entering bool      // the editor takes a line: nothing may be written until the line is moved up
	width    int
	height   int
	prompt   string // without styles
	entries  []string
	open     string   // current text
	shown    []string // lines of open
	frozen   int      // number of lines that can no longer change
}

// newScreen puts the terminal into raw mode. Close restores it.
func newScreen(in, out *os.File, interrupts chan<- os.Signal, complete func(string) (string, string)) (*screen, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("set up the terminal: %w", err)
	}
	s := &screen{
		in: in, out: out, interrupts: interrupts, complete: complete, before: before, resized: make(chan os.Signal, 1),
		pasted: map[string]string{}, prompt: idle,
	}
	s.free.L = &s.mu
	s.editor = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{readerFunc(s.readKeys), out}, idle)
	s.editor.AutoCompleteCallback = s.key
	s.editor.SetBracketedPasteMode(true)
	s.measure()
	signal.Notify(s.resized, syscall.SIGWINCH)
	go func() {
		for range s.resized {
			s.layOutAgain()
		}
	}()
	return s, nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Close restores the terminal's mode.
func (s *screen) Close() error {
	signal.Stop(s.resized)
	close(s.resized)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.editor.SetBracketedPasteMode(false)
	_, err := io.WriteString(s.out, "\r\n")
	if err := errors.Join(err, term.Restore(int(s.in.Fd()), s.before)); err != nil {
		return fmt.Errorf("give the terminal back: %w", err)
	}
	return nil
}

func (s *screen) measure() {
	width, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	s.width, s.height = width, height
	_ = s.editor.SetSize(width, height) // the write that it makes fails again at the next one
}

func (s *screen) columns() int { return min(s.width-1, maxWidth) }

// Write implements io.Writer. It appends to the current answer, in the markup that console.Layout
// reads.
func (s *screen) Write(p []byte) (int, error) {
	s.lock()
	defer s.mu.Unlock()
	s.open += string(p)
	return len(p), s.update()
}

// end marks the current text as finished, so that it no longer changes.
func (s *screen) end() {
	s.lock()
	defer s.mu.Unlock()
	s.keep(s.open)
	s.open, s.shown, s.frozen = "", nil, 0
}

// say writes a finished text above the last line of the current text, which may still change.
func (s *screen) say(text string) error {
	s.lock()
	defer s.mu.Unlock()
	return s.put(console.Sanitize(text))
}

// state shows the current activity in the prompt, followed by a hint that is never shortened. An
// empty text restores the plain prompt.
func (s *screen) state(text, hint string) {
	s.lock()
	defer s.mu.Unlock()
	s.prompt = idle
	shown := idle
	if text != "" {
		text = shortened(strings.Join(strings.Fields(console.Sanitize(text)), " "), max(s.width/2-console.Columns(hint), 20)) + hint
		s.prompt = text + " " + idle
		shown = "\x1b[2m" + text + "\x1b[0m " + idle
	}
	s.editor.SetPrompt(shown)
	// draw the prompt again; if the terminal is gone, the next read fails
	_, _ = s.editor.Write(nil)
}

func shortened(text string, columns int) string {
	if console.Columns(text) <= columns {
		return text
	}
	runes := []rune(text)
	for console.Columns(string(runes)) >= columns {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// lock locks mu as soon as the editor is not accepting a line.
func (s *screen) lock() {
	s.mu.Lock()
	for s.entering {
		s.free.Wait()
	}
}

// update redraws the current text, from the first changed line that is still visible. The caller
// must hold mu.
func (s *screen) update() error {
	lines := console.Layout(s.open, s.columns())
	same := min(s.frozen, len(lines))
	for same < len(lines) && same < len(s.shown) && lines[same] == s.shown[same] {
		same++
	}
	up := 0
	for at := len(s.shown); at > same; at-- {
		if rows := s.rows(s.shown[at-1]); up+rows > s.height-2 {
			same = min(at, len(lines))
			break
		} else {
			up += rows
		}
	}
	if same == len(lines) && up == 0 {
		return nil
	}
	s.shown = lines
	return s.draw(up, lines[same:])
}

// put writes a text above the last line of the current text. The caller must hold mu.
func (s *screen) put(text string) error {
	s.keep(text)
	lines, up := console.Layout(text, s.columns()), 0
	if n := len(s.shown); n > s.frozen {
		up = s.rows(s.shown[n-1])
		lines = append(lines, s.shown[n-1])
		s.frozen = n - 1
	}
	return s.draw(up, lines)
}

func (s *screen) draw(up int, lines []string) error {
	var b strings.Builder
	if up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", up)
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	if _, err := s.editor.Write([]byte(b.String())); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

func (s *screen) rows(line string) int { return max(1, (console.Columns(line)+s.width-1)/s.width) }

func (s *screen) keep(text string) {
	if text == "" {
		return
	}
	if len(s.entries) == maxEntries {
		s.entries = s.entries[1:]
	}
	s.entries = append(s.entries, text)
}

// layOutAgain runs after the terminal's size has changed. It redraws the lines that fit.
func (s *screen) layOutAgain() {
	s.lock()
	defer s.mu.Unlock()
	s.measure()
	s.frozen = 0
	s.shown = console.Layout(s.open, s.columns())
	lines, rows := s.shown, 0
	for at := len(s.entries); at > 0 && len(lines) < s.height; at-- {
		lines = append(console.Layout(s.entries[at-1], s.columns()), lines...)
	}
	from := len(lines)
	for from > 0 && rows+s.rows(lines[from-1]) <= s.height-2 {
		from--
		rows += s.rows(lines[from])
	}
	// if the terminal is gone, the next read fails
	_, _ = s.editor.Write([]byte("\x1b[2J\x1b[H" + strings.Join(append(lines[from:len(lines):len(lines)], ""), "\n")))
}

// readLine returns the typed line with pasted texts in full, and moves it up above the prompt.
func (s *screen) readLine() (string, error) {
	text, err := s.editor.ReadLine()
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.unblock()
	if err != nil {
		return "", err //nolint:wrapcheck // readLines says what was read
	}
	rows := (console.Columns(s.prompt)+console.Columns(text))/s.width + 1
	if _, err := fmt.Fprintf(s.out, "\x1b[%dA\r\x1b[J", rows); err != nil {
		return "", fmt.Errorf("write to the terminal: %w", err)
	}
	if err := s.put(idle + text + "\n"); err != nil {
		return "", err
	}
	for mark, whole := range s.pasted {
		text = strings.ReplaceAll(text, mark, whole)
	}
	return strings.ReplaceAll(text, lineFeed, "\n"), nil
}

// unblock lets other goroutines write again. The caller must hold mu.
func (s *screen) unblock() {
	s.entering = false
	s.free.Broadcast()
}

// readKeys is the editor's reader. It returns at the end of a line, so that nothing is written
// until readLine has moved the line up.
func (s *screen) readKeys(p []byte) (int, error) {
	s.mu.Lock()
	s.unblock() // the line was not ended
	s.mu.Unlock()
	for len(s.keys) == 0 {
		buffer := make([]byte, 4096)
		n, err := s.in.Read(buffer)
		s.keys = s.translate(buffer[:n])
		if err != nil && len(s.keys) == 0 {
			return 0, err //nolint:wrapcheck // readLines says what was read
		}
	}
	n := min(len(p), len(s.keys))
	for i, key := range s.keys[:n] {
		if key == '\r' || key == '\n' {
			n = i + 1
			s.mu.Lock()
			s.entering = true
			s.mu.Unlock()
			break
		}
	}
	copy(p, s.keys[:n])
	s.keys = s.keys[n:]
	return n, nil
}

// translate turns pasted text into one line, and Ctrl-C into a key that the editor passes on.
func (s *screen) translate(keys []byte) []byte {
	text := string(append(s.paste, keys...))
	s.paste = nil
	var out strings.Builder
	for text != "" {
		if s.pasting {
			pasted, rest, ended := strings.Cut(text, pasteEnds)
			if !ended {
				s.paste = []byte(text)
				break
			}
			out.WriteString(s.onOneLine(pasted))
			s.pasting, text = false, rest
			continue
		}
		typed, rest, begun := strings.Cut(text, pasteBegins)
		out.WriteString(strings.ReplaceAll(typed, string(rune(keyCtrlC)), string(rune(keyClear))))
		s.pasting, text = begun, rest
	}
	return []byte(out.String())
}

// onOneLine replaces a long pasted text with a mark such as "[text 1: 30 lines]".
func (s *screen) onOneLine(text string) string {
	text = console.Sanitize(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(text))
	text = strings.TrimRight(text, "\n")
	if len([]rune(text)) <= longPaste {
		return strings.ReplaceAll(text, "\n", lineFeed)
	}
	mark := fmt.Sprintf("[text %d: %s]", len(s.pasted)+1, plural.Count(strings.Count(text, "\n")+1, "line"))
	s.pasted[mark] = text
	return mark
}

// key is the editor's callback. Ctrl-C clears the line and sends an interrupt; Tab completes a
// command.
func (s *screen) key(line string, pos int, key rune) (string, int, bool) {
	switch key {
	case keyClear:
		s.mu.Lock()
		busy := s.prompt != idle
		s.mu.Unlock()
		if line == "" || busy {
			select {
			case s.interrupts <- os.Interrupt:
			default: // an interrupt is already pending
			}
		}
		return "", 0, true
	case keyTab:
		if pos == len(line) {
			var choice string
			line, choice = s.complete(line)
			pos = len(line)
			if choice != "" {
				// the editor waits for this callback; if the terminal is gone, the next read fails
				go func() { _ = s.say(choice + "\n") }()
			}
		}
		return line, pos, true
	}
	s.typed.Store(true)
	return "", 0, false
}
