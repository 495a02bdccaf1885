package extractive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool"
)

// A handbook and a manual as they are found, for questions of every kind.
var (
	portal = tool.Document{Number: 1, Title: "Vacation", Heading: "Vacation", Contents: "# Vacation\n\nEverybody gets thirty days of paid vacation a year.\n\n" +
		"## Requesting vacation\n\n1. Open the leave form in the staff portal.\n2. Choose the first and the last day.\n3. Press Send.\n\n" +
		"## Carrying days over\n\nUp to five unused days move to the next year. They expire on 31 March."}
	access = tool.Document{Number: 2, Title: "Remote access", Heading: "Remote access", Contents: "# Remote access\n\nThe VPN is an encrypted connection to the company network.\n\n" +
		"## Troubleshooting\n\n### certificate expired\n\nThe profile is valid for one year. Download a new one and delete the old profile.\n\n" +
		"### Slow connection\n\nSwitch from UDP to TCP in the client, if the VPN is slow."}
	cluster = tool.Document{Number: 3, Title: "Databases", Heading: "Databases", Contents: "# Databases\n\n## Ending a query\n\nLook its number up in the list of activity, then cancel the query:\n\n" +
		"```sql\nSELECT pg_cancel_backend(12345);\n```\n\n## Taking the cluster down\n\nEnd every query of the cluster with this:\n\n```\nclusterctl shutdown --now\n```"}
	support = tool.Document{Number: 11, Title: "Installing", Contents: "# Installing\n\n## What version of Lisp can I use with Acorn?\n\nAcorn version | Lisp versions\n2.1 | 1.2, 1.3, 1.4, 1.5\n" +
		"3.4 | 1.5, 1.6, 1.7, 1.8\n\nThe newest version is the fastest, and support for it lasts the longest."}
)

func TestKindsOfQuestions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		question string
		docs     []tool.Document
		want     string // the beginning of what is quoted
		not      string
	}{
		"a sentence with what it refers to": {"when do unused days expire?", []tool.Document{portal}, "Up to five unused days move to the next year. They expire on 31 March.", ""},
		"no harm":                           {"how do I end one query?", []tool.Document{cluster}, "Look its number up in the list of activity, then cancel the query:\n\n```sql\nSELECT pg_cancel_backend(12345);\n```", "shutdown"},
		"no harm by steps": {"how do I copy the database?", []tool.Document{{Number: 4, Title: "Care", Contents: "To start with an empty database, or copy another one:\n\n- Set the flag, then erase the database.\n\n" +
			"The copy tool copies a database while it is in use."}}, "The copy tool copies a database while it is in use.", "erase"},
		"no harm by code without fences": {"how do I copy the database?", []tool.Document{{Number: 4, Title: "Care", Contents: "drop database copy; -- begin to copy the database\n\n" +
			"The copy tool copies a database while it is in use."}}, "The copy tool copies a database while it is in use.", "drop"},
		"no harm, even if nothing else is found": {"how do I free the space of the pump?", []tool.Document{{Number: 4, Title: "Pump", Contents: "To have space for the pump again:\n\n```\nrm -rf /var/pump\n```"}},
			"These may help:\n\n- Pump [4]", "rm"},
		"no harm in a sentence": {"how do I free the space of the pump?", []tool.Document{{Number: 4, Title: "Pump", Contents: "To have space for the pump again, run `rm -rf /var/pump` on it."}},
			"These may help:\n\n- Pump [4]", "rm"},
		"an error message": {"the vpn client says \"certificate expired\", help!", []tool.Document{{Number: 4, Title: "Remote access", Contents: "## Setting up the VPN\n\nTo set up the VPN, do this:\n\n" +
			"1. Install the client.\n2. Request a certificate.\n\n## Errors\n\nIf the client says \"certificate expired\", request a new certificate."}}, "If the client says \"certificate expired\"", ""},
		"harm that is asked about": {"how do I shut down the cluster?", []tool.Document{cluster}, "End every query of the cluster with this:\n\n```\nclusterctl shutdown --now\n```", ""},
		"a number in words":        {"how many days of vacation do I get?", []tool.Document{portal}, "Everybody gets thirty days of paid vacation a year.", ""},
		"a row of numbers":         {"Which Lisp versions does Acorn 3.4 support?", []tool.Document{support}, "Acorn version | Lisp versions:\n\n- 3.4 | 1.5, 1.6, 1.7, 1.8", ""},
		"in other words":           {"how do I cancel a query?", []tool.Document{cluster}, "Look its number up", "shutdown"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, _ := run(t, asked(test.question, test.docs...))
			if !strings.HasPrefix(below(got), test.want) || test.not != "" && strings.Contains(got, test.not) {
				t.Errorf("answer is\n%s\nwant\n%s\nwithout %q", got, test.want, test.not)
			}
		})
	}
}

// weighed is a question with what the search says of its words.
func weighed(question string, v tool.Vocabulary, docs ...tool.Document) llm.Request {
	req := asked(question, docs...)
	last := &req.Messages[len(req.Messages)-1]
	last.Text = tool.WithVocabulary(last.Text, v)
	return req
}

func answered(text string) bool { return strings.HasPrefix(text, heading) }

// Whatever the size of the index: a question about a name that no document has is answered by none,
// politeness changes nothing, and an ordinary word that occurs nowhere does not take the answer
// away.
func TestEvidenceInIndexesOfEverySize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		chunks := rapid.SampledFrom([]int{3, 10, 100, 5_000, 1_000_000}).Draw(t, "chunks")
		few := func(name string) int { return 1 + rapid.IntRange(0, chunks/50).Draw(t, name) }
		v := tool.Vocabulary{Chunks: chunks, Terms: map[string]int{
			"vacat": few("vacation"), "day": few("day"), "mani": few("many"), "leftov": 0, "globex": 0, "max_idle": 0, "idl": 0, "paid": few("paid"),
		}}
		plain, _, _ := run(t, weighed("how many paid vacation days are there?", v, portal))
		if !answered(plain) {
			t.Fatalf("%d chunks: not answered", chunks)
		}
		greeting := rapid.SampledFrom([]string{"Hi all, ", "Good morning team! ", "Hi Bob, ", ""}).Draw(t, "greeting")
		thanks := rapid.SampledFrom([]string{" Thanks!", " Thanks, Maria", " Cheers", ""}).Draw(t, "thanks")
		if got, _, _ := run(t, weighed(greeting+"how many paid vacation days are there?"+thanks, v, portal)); got != plain {
			t.Fatalf("%d chunks, %q and %q: answered\n%s\ninstead of\n%s", chunks, greeting, thanks, got, plain)
		}
		if got, _, _ := run(t, weighed("how many leftover paid vacation days are there?", v, portal)); !answered(got) {
			t.Fatalf("%d chunks: an ordinary word that occurs nowhere takes the answer away", chunks)
		}
		if got, _, _ := run(t, weighed("how many paid vacation days are there at Globex?", v, portal)); !answered(got) {
			t.Fatalf("%d chunks: a name beside the question takes the answer away", chunks)
		}
		for _, question := range []string{"how many paid vacation days does Globex give?", "how many paid vacation days does max_idle give?"} {
			if got, _, _ := run(t, weighed(question, v, portal)); answered(got) {
				t.Fatalf("%d chunks, %q: answered\n%s", chunks, question, got)
			}
		}
	})
}

// A follow-up is likelier answered by what the answer before it rests on than by what the search
// finds with its own few words.
func TestFollowUpStaysWithThePage(t *testing.T) {
	t.Parallel()
	other := tool.Document{Number: 9, Title: "Cars", Contents: "Switch the engine of the car to slow, if it is slow."}
	req := llm.Request{Messages: append([]llm.Message{user("how do I set up the VPN?"), {Role: llm.Assistant, Text: "Like this. [2]"},
		user("and what if it is slow?")}, found(other, access)...)}
	if got, _, _ := run(t, req); !strings.HasPrefix(below(got), "Switch from UDP to TCP in the client, if the VPN is slow.") {
		t.Errorf("answer is\n%s", got)
	}
}

// However passages are made, an answer ends, and a passage that is longer takes longer in
// proportion.
func TestHostilePassages(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"items that introduce items": "- pump this:\n", "rows": "a | pump\n", "colons": "The pump does this:\n\n", "words": "pump ", "sentences": "The pump is a pump of pumps. ",
		"called": "called called the pump ", "code": "pump = 1;\n", "headings": "# pump\n\n", "brackets": "[(pump ", "ors": "pump or ", "harm": "rm -rf pump;\n",
		"digits": "1. 2. 3. ", "rows without cells": "|\u00a0\n-\n\n", "no letters": "?!. ", "quotes": "> \"pump\" ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := tool.Document{Number: 1, Title: "Pumps", Contents: strings.Repeat(line, 20_000/len(line))}
			began := time.Now()
			for _, question := range []string{"what is a pump?", "how do I start the pump?", "pump or valve, which?", "who pumps when?", fmt.Sprintf("pump error: %s", strings.Repeat("at pump.go:12 ", 5_000))} {
				run(t, asked(question, doc, tool.Document{Number: 2, Title: "Valves", Contents: "The pump has a valve."}))
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}
