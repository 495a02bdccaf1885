package main_test

import (
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// resize changes the terminal's size, of which the program is told by a signal.
func (s *terminal) resize(t *testing.T, columns, rows uint16) {
	t.Helper()
	size := struct{ rows, columns, x, y uint16 }{rows: rows, columns: columns}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, s.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
		t.Fatal(errno)
	}
}

// lacks fails the test when the program has printed text after the offset.
func (s *terminal) lacks(t *testing.T, text string, after int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if screen := s.screen.String(); strings.Contains(screen[after:], text) {
		t.Errorf("%q was printed:\n%s", text, screen)
	}
}

func (s *terminal) ends(t *testing.T) {
	t.Helper()
	select {
	case err := <-s.exited:
		if err != nil {
			t.Errorf("the chat ended with %v", err)
		}
	case <-time.After(limit):
		t.Error("the chat did not end")
	}
}

const answerInMarkdown = "It is **fast**. Run `make run`.\n\n| Name | Use |\n|---|---|\n| fsync | forces the data of a transaction to the disk |\n"

func TestChatLaysMarkdownOutAndAgainAfterAResize(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t, openaitest.Reply{Text: answerInMarkdown})
	term := openTerminal(t, newProgram(t, "OPENAI_BASE_URL="+server.URL()), "chat")
	at := term.await(t, "› ", 0)
	term.resize(t, 100, 30)
	at = term.await(t, "› ", at)
	term.keys(t, "How is it?\r")
	at = term.await(t, "Writing · Ctrl-C stops", at)
	at = term.await(t, "It is \x1b[1mfast\x1b[22m. Run \x1b[36mmake run\x1b[39m.\r\n", at)
	at = term.await(t, "fsync  forces the data of a transaction to the disk\r\n", at)
	at = term.await(t, "› ", at)
	term.resize(t, 40, 30)
	at = term.await(t, "\x1b[2J", at)
	at = term.await(t, "fsync  forces the data of a transaction\r\n", at)
	at = term.await(t, "       to the disk\r\n", at)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
}

func TestChatHasHistoryAndTakesPastedTextAsOneQuestion(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	server.Otherwise(func(openaitest.Request) openaitest.Reply { return openaitest.Reply{Text: "So it is."} })
	term := openTerminal(t, newProgram(t, "OPENAI_BASE_URL="+server.URL()), "chat")
	at := term.await(t, "\x1b[?2004h", 0)
	at = term.await(t, "› ", at)
	term.keys(t, "\x1b[200~first line\rsecond \x1b[31mline\r\x1b[201~")
	at = term.await(t, "first line⏎second", at)
	term.keys(t, "?\r")
	at = term.await(t, "So it is.", at)
	at = term.await(t, "› ", at)
	term.keys(t, "\x1b[A\x7f!\r")
	term.await(t, "So it is.", at)
	term.keys(t, "\x04")
	term.ends(t)
	asked := server.ChatRequests()
	if len(asked) < 2 || !strings.Contains(string(asked[0].Body), `first line\nsecond [31mline?`) || !strings.Contains(string(asked[len(asked)-1].Body), `second [31mline!`) {
		t.Errorf("%d requests", len(asked))
		for _, r := range asked {
			t.Logf("%s", r.Body)
		}
	}
}

func TestChatListsItsCommandsAndRefusesOthers(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	term := openTerminal(t, p, "chat")
	at := term.await(t, "/help lists the commands", 0)
	term.keys(t, "/\t")
	at = term.await(t, "  /up  /down  /why  /retry  /deeper  /report  /help  /quit", at)
	term.keys(t, "he\t\r")
	for _, word := range []string{"/up", "/down", "/why", "/retry", "/deeper", "/report", "/help", "/quit"} {
		at = term.await(t, "  "+word+" ", at)
	}
	term.keys(t, "/helo\r")
	at = term.await(t, "There is no command /helo. /help lists the commands.", at)
	term.keys(t, "/quit\r")
	term.ends(t)
	term.lacks(t, "documents were searched", at)
	if got := p.try(t, "/nonsense\n/etc/hosts is what?\n", "chat"); !strings.Contains(got.stderr, "There is no command /nonsense.") ||
		strings.Contains(got.stdout+got.stderr, "command /etc") || strings.ContainsAny(got.stdout, "\x1b\r") {
		t.Errorf("without a terminal: %+v", got)
	}
}

func TestChatSaysAtAnyWidthHowToStop(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	term := openTerminal(t, p, "chat")
	at := term.await(t, "› ", 0)
	term.resize(t, 60, 30)
	at = term.await(t, "› ", at)
	term.keys(t, "How many vacation days does an employee of our company have?\r")
	at = term.await(t, "Searching: How many… · Ctrl-C stops", at)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
}

func TestPlainChatEndsItsLastLine(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, newProgram(t, "TERM=dumb"), "chat")
	at := term.await(t, "› ", 0)
	term.keys(t, "\x04")
	term.ends(t)
	term.await(t, "\r\n", at)
}

func TestCtrlCTwiceEndsOnlyAnEmptyLine(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, newProgram(t), "chat")
	at := term.await(t, "› ", 0)
	term.keys(t, "half a question\x03")
	term.keys(t, "\x03")
	at = term.await(t, "Ctrl-C again, or Ctrl-D, ends the chat.", at)
	term.keys(t, "more\x03")
	term.keys(t, "\x03")
	term.await(t, "Ctrl-C again, or Ctrl-D, ends the chat.", at)
	term.keys(t, "\x03")
	term.ends(t)
	term.lacks(t, "half a question\r\n", 0)
}

// The reason for quoting is given once. It is no news in the second answer.
func TestHintAboutModelsAppearsOnce(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	got := p.try(t, "How many vacation days does an employee have?\nHow many vacation days does an employee have?\n", "chat")
	if n := strings.Count(got.stdout, "No language model is configured"); n != 1 {
		t.Errorf("the hint appears %d times:\n%s", n, got.stdout)
	}
}
