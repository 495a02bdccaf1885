package analyse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"pgregory.net/rapid"
)

func texts(query string) []string {
	var out []string
	for _, t := range analyse.Query(query, nil) {
		if !t.Chatter {
			out = append(out, t.Text)
		}
	}
	return out
}

// Who is addressed, thanked or signs changes nothing of what is asked.
func TestPolitenessIsRemoved(t *testing.T) {
	t.Parallel()
	const question = "How do I renew the staging certificate?"
	want := texts(question)
	for _, polite := range []string{
		"Hi Bob, how do I renew the staging certificate?",
		"Hello all! How do I renew the staging certificate?",
		"Good morning team, how do I renew the staging certificate?",
		"Dear colleagues,\n\nhow do I renew the staging certificate?",
		"@Ada @bob How do I renew the staging certificate?",
		"How do I renew the staging certificate? Thanks, Bob",
		"How do I renew the staging certificate? Thanks in advance, Bob Miller!",
		"How do I renew the staging certificate, thanks!",
		"How do I renew the staging certificate?\n\nCheers\nAlice",
		"How do I renew the staging certificate?\n\nKind regards,\nAlice Miller-Jones",
		"How do I renew the staging certificate?\n-- \nAlice Miller\nHead of things",
		"How do I renew the staging certificate?\nAlice",
		"How do I renew the staging certificate? – Alice",
		"Hallo zusammen, how do I renew the staging certificate? Viele Grüße, Jörg",
		"Bonjour Anne, how do I renew the staging certificate ? Merci beaucoup !",
	} {
		if got := texts(polite); !slices.Equal(got, want) {
			t.Errorf("%q looks for %q, want %q", polite, got, want)
		}
	}
	for text, want := range map[string]string{
		"where do I say thanks to Bob": "bob", "thanks": "thank", "Hi Bob": "bob", "What does the hello-world program print?": "hello-world",
		"What are regards to customers": "custom", "Which greeting goes before Dear Sir, and after?": "sir",
	} {
		var all []string
		for _, term := range analyse.Query(text, nil) {
			all = append(all, term.Text)
		}
		if !slices.Contains(all, want) {
			t.Errorf("%q looks for %q, and not for %q", text, all, want)
		}
	}
}

// Whatever is written, a question of some words keeps some, and taking politeness away ends.
func TestPoliteTextAloneStays(t *testing.T) {
	t.Parallel()
	words := []string{"hi", "Hello", "thanks", "Thanks", "cheers", ",", ".", "?", "\n", "–", "--", "Bob", "@bob", "Dear", "regards", "danke", "certificate", " "}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 14).Draw(t, "words"), " ")
		if strings.Contains(text, "Bob") && len(analyse.Query(text, nil)) == 0 {
			t.Fatalf("%q looks for nothing", text)
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How do I connect to Oslo?":                         "oslo",
		"Oslo is where?":                                    "",
		"is SSO required":                                   "sso",
		"SSO for Oslo":                                      "sso oslo",
		"what is max_idle_conns":                            "max idl conn max_idle_conns",
		"what does getUser do":                              "user getuser",
		"what is the \"blue door\" rule":                    "blue door",
		"where is `kafka` configured":                       "kafka",
		"what is error 42P01":                               "42p01",
		"does it work with 16.3 or on Monday in May":        "",
		"How Do I Reset My Old Password":                    "",
		"HOW DO I RESET MY PASSWORD":                        "",
		"a follow-up on e-mail set-up":                      "",
		"Reset it. Passwords are where? Also: Certificates": "",
		"don't": "",
	} {
		var got []string
		for _, term := range analyse.Query(question, nil) {
			if term.Name {
				got = append(got, term.Text)
			}
		}
		for _, name := range strings.Fields(want) {
			if !slices.Contains(got, name) {
				t.Errorf("%q: names %q, want %q among them", question, got, name)
			}
		}
		if (want == "") != (len(got) == 0) {
			t.Errorf("%q: names %q, want %q", question, got, want)
		}
	}
	for _, term := range analyse.Query("Wie richte ich einen Drucker ein?", []string{"de"}) {
		if term.Name {
			t.Errorf("a German noun is taken for a name: %+v", term)
		}
	}
}

// A term counts as often as it stands in the question, in whatever form, and once where two
// languages have the same stem.
func TestTermsAreCounted(t *testing.T) {
	t.Parallel()
	got := make(map[string]int)
	for _, term := range analyse.Query("Backups of backups: which backup restores pg_dump, the restore of pg_dump or psql?", []string{"en", "de"}) {
		got[term.Text] = term.Count
	}
	for text, want := range map[string]int{"backup": 3, "restor": 2, "pg_dump": 2, "dump": 2, "psql": 1} {
		if got[text] != want {
			t.Errorf("%s counts %d, want %d (%v)", text, got[text], want, got)
		}
	}
}

// A name that says whom or what a question is asked for is told from one that the question is
// about.
func TestAsides(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"How often are backups tested at ACME?":                   "acm",
		"At ACME, how often are backups tested?":                  "acm",
		"cc Priya: how often are backups tested?":                 "priya",
		"How often are backups tested? cc Priya and Tom":          "priya tom",
		"(OPS-1234) how often are backups tested?":                "op 1234",
		"OPS-1234: how often are backups tested?":                 "op 1234",
		"How often are backups tested (ticket #4711)?":            "4711",
		"In Project Heron, how often are backups tested?":         "heron",
		"For the Falcon team, how often are backups tested?":      "falcon",
		"As Priya says, how often are backups tested?":            "priya",
		"How often are backups tested, Priya?":                    "priya",
		"What is Project Heron's budget?":                         "",
		"What is the budget of Project Heron?":                    "",
		"How do I rotate keys in VaultZeta?":                      "",
		"In VaultZeta, how do I rotate keys?":                     "",
		"VaultZeta: how do I rotate keys?":                        "",
		"Kafka, how do I install it?":                             "",
		"S3: how do I upload files?":                              "",
		"How do I upload files (S3)?":                             "",
		"Who is Priya Raman?":                                     "",
		"What is OPS-1234 about?":                                 "",
		"Which is faster, Kafka or Redis?":                        "",
		"What is the difference between Kafka, Redis and Pulsar?": "",
		"What is the price of Kafka, Redis, Pulsar?":              "",
	} {
		got := make(map[string]bool)
		for _, term := range analyse.Query(question, nil) {
			if term.Aside {
				got[term.Text] = true
			}
		}
		for _, name := range strings.Fields(want) {
			if !got[name] {
				t.Errorf("%q: asides %v, want %q among them", question, got, name)
			}
		}
		if want == "" && len(got) > 0 {
			t.Errorf("%q: asides %v, want none", question, got)
		}
	}
}
