package main_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/packet"
)

func TestWrongSettingsAreAllNamedAtOnce(t *testing.T) {
	t.Parallel()
	p := &program{env: []string{"HYBRID_ALPHA=much", "REDIS_URL=nowhere", "LOG_LEVEL=loud"}}
	r := p.try(t, "", "ask", "anything")
	for _, name := range []string{"HYBRID_ALPHA", "REDIS_URL", "LOG_LEVEL"} {
		if !strings.Contains(r.stderr, name) {
			t.Errorf("%s is not named:\n%s", name, r.stderr)
		}
	}
	if r.code != 2 || strings.Contains(r.stderr, "nowhere") {
		t.Errorf("exit code %d, output:\n%s", r.code, r.stderr)
	}
}

func TestUnreachableDatabaseSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	p := &program{env: []string{"DATABASE_URL=postgres://somebody:hunter2@127.0.0.1:1/footnote"}}
	r := p.try(t, "", "ask", "anything")
	if r.code != 1 || !strings.Contains(r.stderr, "DATABASE_URL") || strings.Contains(r.stderr, "hunter2") {
		t.Errorf("exit code %d, output:\n%s", r.code, r.stderr)
	}
}

func TestQuestionsThatAreNone(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for name, question := range map[string]string{"empty": "", "blank": " \t "} {
		if r := p.try(t, "", "ask", question); r.code != 2 || !strings.Contains(r.stderr, "no question") {
			t.Errorf("%s: exit code %d, output:\n%s", name, r.code, r.stderr)
		}
	}
	// A megabyte does not fit into an argument; it comes through the pipe, and the chat goes on
	// after it.
	r := p.try(t, strings.Repeat("a long question ", 1<<16)+"\nwhat is this?\n", "chat")
	if r.code != 0 || !strings.Contains(r.stderr, "at most 100000 can be read") || !strings.Contains(r.stdout, "I found nothing about this") {
		t.Errorf("exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
}

func TestWordsOfAQuestionNeedNoQuotes(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	for _, command := range []string{"ask", "search"} {
		if r := p.run(t, command, "how", "do", "I", "roll", "back,", "say?"); !strings.Contains(r.stdout, "make rollback") {
			t.Errorf("%s finds\n%s", command, r.stdout)
		}
	}
}

func TestFaultOfCommandLineNamesHelpOfItsCommand(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"see footnote why --help": {"why"}, "see footnote --help": {"serach"}, "see footnote sources pause --help": {"sources", "pause", "--colour"},
		`--as must be one of "admin","moderator","gaps" but got "king"`: {"console", "link", "--as", "king"},
	} {
		if r := (&program{}).try(t, "", args...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%q: exit code %d, output:\n%s", args, r.code, r.stderr)
		}
	}
}

func TestNothingFoundIsSaidOnce(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	got := jsonOf[answered](t, p.run(t, "ask", "Which telescope discovered the comet near the employee galaxy nebula?", "--json"))
	if got.Outcome != "no_evidence" || len(got.Citations) != 0 || got.Message != "" || !strings.Contains(got.Answer, "I found nothing about this") {
		t.Errorf("answer = %+v", got)
	}
}

func TestChatFromAPipeAnswersLineByLineAndKeepsTheThread(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	r := p.try(t, "How many vacation days does an employee have?\n\nand when do they expire?", "chat")
	if r.code != 0 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	if strings.Count(r.stdout, "Sources") != 2 || !strings.Contains(r.stdout, "[1]") {
		t.Errorf("there are not two answers with sources:\n%s", r.stdout)
	}
	first, second, _ := strings.Cut(r.stdout, "Sources")
	if !strings.Contains(first, "thirty vacation days") || !strings.Contains(second, "expire at the end of March") {
		t.Errorf("the follow-up was not answered from the thread's context:\n%s", r.stdout)
	}
	if strings.ContainsRune(r.stdout, '\x1b') {
		t.Errorf("escape sequences went into a pipe:\n%q", r.stdout)
	}
}

func TestAConversationGoesOnByName(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	first := jsonOf[answered](t, p.run(t, "ask", "How many vacation days does an employee have?", "--json", "--thread", "mine"))
	second := jsonOf[answered](t, p.run(t, "ask", "and when do they expire?", "--json", "--thread", "mine"))
	if first.SessionID != second.SessionID || first.TurnID == second.TurnID {
		t.Errorf("sessions %s and %s, turns %s and %s", first.SessionID, second.SessionID, first.TurnID, second.TurnID)
	}
	if !strings.Contains(second.Answer, "expire at the end of March") {
		t.Errorf("the follow-up was not answered from the thread's context:\n%s", second.Answer)
	}
}

func TestPacketsAreLinesOfJSONThatEndWithAStop(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	r := p.run(t, "ask", "How many vacation days does an employee have?", "--packets")
	var last packet.Packet
	cited := false
	for lines := bufio.NewScanner(strings.NewReader(r.stdout)); lines.Scan(); {
		last = packet.Packet{}
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		switch payload := last.Payload.(type) {
		case packet.CitationInfo:
			cited = true
		case packet.MessageDelta:
			if strings.Contains(payload.Text, "[[1]]") && !cited {
				t.Error("a link came before its citation")
			}
		}
	}
	if stop, ok := last.Payload.(packet.Stop); !ok || stop.Reason != "answered" || !cited {
		t.Errorf("the last packet is %+v; a citation came: %v", last, cited)
	}
}

func TestEmptyIndexIsNamed(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	const says = "Nothing is indexed yet. Index a folder with: footnote index PATH"
	for _, args := range [][]string{{"ask", "What is a kettle?"}, {"ask", "--json", "What is a kettle?"}, {"chat"}} {
		if r := p.run(t, args...); !strings.Contains(r.stderr, says) || strings.Contains(r.stdout, says) {
			t.Errorf("%q: %+v", args, r)
		}
	}
	p.run(t, "index", folder(t, map[string]string{"kettle.md": "# Kettle\n\nA kettle boils water.\n"}))
	if r := p.run(t, "ask", "What is a kettle?"); strings.Contains(r.stderr, "Nothing is indexed") {
		t.Errorf("with an index: %s", r.stderr)
	}
}
