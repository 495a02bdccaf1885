package extractive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool"
)

// Passages of every kind, in the shape in which the search hands them over: tables as rows between
// bars, code without its fences.
var (
	fees = tool.Document{Number: 1, Title: "fees", Contents: "country | visa fee | processing days\nFrance | 80 | 12\nJapan | 45 | 5\nBrazil | 60 | 9"}
	addr = tool.Document{Number: 2, Title: "Office addresses", Heading: "Office addresses",
		Contents: "# Office addresses\n\ncity | street | floor\nBerlin | Torstrasse 1 | 4\nLisbon | Rua Augusta 22 | 2"}
	barredAddr = tool.Document{Number: 2, Title: "Office addresses", Contents: "| city | street | floor |\n|:---|---|---:|\n| Berlin | Torstrasse 1 | 4 |\n| Lisbon | Rua Augusta 22 |  |"}
	faq        = tool.Document{Number: 3, Title: "FAQ", Heading: "FAQ › How do I get a badge?",
		Contents: "# FAQ\n\n## How do I get a badge?\n\nAsk the front desk.\n\n## What is the wifi password?\n\nhunter2\n\n## Can I bring my dog?\n\nNo."}
	conf   = tool.Document{Number: 5, Title: "conf.yaml", Contents: "```\nserver:\n  port: 8443\n  timeout_seconds: 30\n```"}
	source = tool.Document{Number: 6, Title: "code.go",
		Contents: "```go\npackage zed\n\n// Frobnicate turns a wombat into a numbat.\nfunc Frobnicate(w Wombat) Numbat { return Numbat(w) }\n```"}
	shell = tool.Document{Number: 7, Title: "Deploying", Heading: "Deploying", Contents: "# Deploying\n\n```\nmake deploy ENV=prod\nkubectl rollout status deploy/web\n```"}
	bank  = tool.Document{Number: 8, Title: "Bank", Heading: "Bank",
		Contents: "# Bank\n\nThe bank charges a fee of 5 EUR for every transfer. The fee is taken once a month. The password of the bank is kept by the office."}
	options = tool.Document{Number: 10, Title: "lister", Heading: "Options",
		Contents: "## Options\n\n- retries (integer)\n  How often a call is made again. The default is 7.\n- delay (seconds)\n  How long it waits between calls, for all retries alike.\n\n  The default is 30."}
)

// What questions in plain words and pieces of manuals are about.
var (
	rollback = tool.Document{Number: 1, Title: "Transactions", Contents: "# Transactions\n\nThe transaction goes back to its savepoint with everything that it changed."}
	backups  = tool.Document{Number: 2, Title: "Dumps", Contents: "# Dumps\n\nWrite a backup of the database with the dump tool every night."}
	manual   = tool.Document{Number: 1, Title: "pg_dump", Contents: "## pg_dump\n\npg_dump — extract a PostgreSQL database into a script file or other archive file\n\n## Description\n\n" +
		"pg_dump is a utility for dumping a single database."}
	calls = tool.Document{Number: 1, Title: "Statements", Contents: "```\nlock(l)\ndefer unlock(l)  // unlocking happens before surrounding function returns\n```"}
)

// ranked are passages of which the first is a piece of a long table, put together from two.
func ranked() []tool.Document {
	var b strings.Builder
	b.WriteString("animal | fee\n")
	for i := range 90 {
		fmt.Fprintf(&b, "tapir%d | %d\n", 19950+i, 3*i)
		if i == 40 {
			b.WriteString("\n")
		}
	}
	return []tool.Document{{Number: 11, Title: "Fees", Contents: b.String()}, bank}
}

func TestEvidenceOfEveryKind(t *testing.T) {
	t.Parallel()
	long := "```\nweb:\n" + strings.Repeat("  image: registry/web\n  replicas: 3\n", 20) + "\nlogging:\n  destination: syslog\n\n" + strings.Repeat("  colour: red\n", 20) + "```"
	tests := map[string]struct {
		question string
		docs     []tool.Document
		want     string // the whole answer behind the introduction
		not      string
	}{
		"a verb in one word with its particle": {"how do I back up?", []tool.Document{backups, rollback}, "Write a backup of the database with the dump tool every night.", "```"},
		"a manual page's first line":           {"what does pg_dump do?", []tool.Document{manual}, "", "```"},
		"calls":                                {"unlocking happens before what?", []tool.Document{calls}, "```", "defer unlock(l) // unlocking happens before surrounding function returns"},
		"a row":                                {"visa fee France", []tool.Document{fees, bank}, "country | visa fee | processing days:\n\n- France | 80 | 12", ""},
		"all rows":                             {"What are the visa fees?", []tool.Document{fees}, "country | visa fee | processing days:\n\n- France | 80 | 12\n- Japan | 45 | 5\n- Brazil | 60 | 9", ""},
		"a row by its heading":                 {"where is the Lisbon office?", []tool.Document{addr, bank}, "city | street | floor:\n\n- Lisbon | Rua Augusta 22 | 2", ""},
		"a row between bars":                   {"where is the Lisbon office?", []tool.Document{barredAddr}, "city | street | floor:\n\n- Lisbon | Rua Augusta 22", ""},
		"a row of the first rank":              {"tapir19999 fee", ranked(), "animal | fee:\n\n- tapir19999 | 147", ""},
		"a rare word decides":                  {"tapir19999 fee", []tool.Document{bank, ranked()[0]}, "animal | fee:\n\n- tapir19999 | 147", ""},
		"one word under a question":            {"What is the wifi password?", []tool.Document{faq}, "hunter2", ""},
		"in other words":                       {"wifi password please", []tool.Document{faq}, "hunter2", ""},
		"a sentence under one":                 {"How do I get a badge?", []tool.Document{faq}, "Ask the front desk.", ""},
		"no":                                   {"Can I bring my dog?", []tool.Document{faq}, "No.", ""},
		"settings":                             {"which port does the server use", []tool.Document{conf, bank}, "```\nserver:\n  port: 8443\n  timeout_seconds: 30\n```", ""},
		"a comment in code":                    {"what does Frobnicate do", []tool.Document{source}, source.Contents, ""},
		"commands":                             {"how do I deploy", []tool.Document{shell}, "```\nmake deploy ENV=prod\nkubectl rollout status deploy/web\n```", ""},
		"a piece of long code":                 {"where does logging go?", []tool.Document{{Number: 12, Title: "web.yaml", Contents: long}}, "…\n\n```\nlogging:\n  destination: syslog\n```\n\n…", ""},
		"an item of definitions":               {"What is the default of retries?", []tool.Document{options}, "- retries (integer)\n  How often a call is made again. The default is 7.\n- delay (seconds)\n  How long it waits between calls, for all retries alike.", ""},
		"nothing":                              {"Who won the chess tournament?", []tool.Document{{Number: 13, Contents: "# Notes\n\nsome <b>rest of\na table"}, bank}, "I found nothing about this", "["},
		"the best of each page": {"What is a badge?", []tool.Document{{Number: 15, Contents: "A badge is a card that opens the doors of the house."}, {Number: 16, Contents: "Hand your badge back to the porter on your last day."}},
			"A badge is a card that opens the doors of the house.\n\nHand your badge back to the porter on your last day.", ""},
		"the order of the search": {"printer paper empty", []tool.Document{{Number: 15, Contents: "When the paper of the printer is empty, take more from the cupboard."}, {Number: 16, Contents: "When the paper of the printer is empty, the lamp blinks."}},
			"When the paper of the printer is empty, take more from the cupboard.", "lamp blinks.\n\nWhen"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, _ := run(t, asked(test.question, test.docs...))
			body := below(got)
			fits := body == test.want
			if test.not != "" {
				fits = strings.Contains(body, test.want) && !strings.Contains(body, test.not)
			}
			if !fits {
				t.Errorf("answer is\n%s\nwant\n%s\nwithout %q", got, test.want, test.not)
			}
		})
	}
}

// Earlier questions help to understand one that cannot stand alone, and no other.
func TestNewestQuestionDecides(t *testing.T) {
	t.Parallel()
	replication := tool.Document{Number: 1, Title: "Replication", Heading: "Replication",
		Contents: "# Replication\n\nTo set up replication, create a slot on the primary. Monitor the slot of the replication every day."}
	tests := map[string]struct {
		question string
		want     string
		not      string
	}{
		"off topic":          {"how do I bake a cake?", "I found nothing about this", "[1]"},
		"off topic, linked":  {"and how do I bake a cake?", "I found nothing about this", "[1]"},
		"elliptic":           {"and how do I monitor it?", "Monitor the slot of the replication every day.", ""},
		"of its own":         {"who monitors the slot?", "Monitor the slot of the replication every day.", ""},
		"nothing of its own": {"why?", "To set up replication, create a slot on the primary.", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := "how do I set up replication?"
			messages := []llm.Message{user(first), {Role: llm.Assistant, Text: "Create a slot. [1]"}, user(test.question)}
			exchange := found(replication)
			exchange[0].ToolCalls[0].Arguments = fmt.Sprintf(`{"queries":[%q,%q]}`, first+" "+test.question, test.question)
			got, _, _ := run(t, llm.Request{Messages: append(messages, exchange...)})
			if !strings.Contains(got, test.want) || test.not != "" && strings.Contains(got, test.not) {
				t.Errorf("answer is\n%s\nwant %q without %q", got, test.want, test.not)
			}
		})
	}
}
