package loadtest_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// figures are what was measured at so many answers at once.
type figures struct {
	name              string
	answers           int
	stages            []stage
	replicas, machine float64 // per cent of one processor; of all
	perAnswer         float64 // processor time of the replicas, in ms
	memory            float64 // MiB of a replica
	connections       int
	transactions      float64 // of an answer, with what goes on anyway
	refused           int
}

// stage is what one part of an answer took, of every answer.
type stage struct {
	name, meaning string
	mixed         bool // only where people change their minds
	took          []time.Duration
}

// The stages. What the platforms' rates cost is part of those that end in a write.
const (
	ack    = "ack"    // of Slack: from the event to its acknowledgement
	intake = "intake" // from the message to the stored question
	queued = "queued" // from the stored question to a worker
	search = "search" // from the worker to the model's first token, one search included
	text   = "words"  // from the first token to visible words
	final  = "final"  // from the last token to the complete answer
	whole  = "whole"  // from the message to visible words
	edit   = "edit"   // from an edited question to the new answer's first words
	stop   = "stop"   // from 🛑 to an answer that is not written any more
	remove = "delete" // from a deleted question to an answer that says so
)

var markOf = regexp.MustCompile(`\(W\d+T\d+\)`)

// stages sorts out what each part of each answer took.
func stages(ctx context.Context, b *testing.B, all []*workspace, questions []asked, model *openaitest.Server, began time.Time) []stage {
	b.Helper()
	took := make(map[string][]time.Duration)
	add := func(name string, from, to time.Time) {
		if !from.IsZero() && !to.IsZero() {
			took[name] = append(took[name], to.Sub(from))
		}
	}
	for _, w := range all {
		for _, d := range w.slack.Deliveries() {
			if d.Event == "app_mention" && d.Sent.After(began) {
				add(ack, d.Sent, d.Acked)
			}
		}
	}
	written := make(map[string]openaitest.Record) // the last request of each question
	for _, r := range model.ChatRequests() {
		for _, m := range r.Chat.Messages {
			if found := markOf.FindString(m.Text()); m.Role == "user" && found != "" {
				written[found] = r
			}
		}
	}
	stored := make(map[*workspace]map[string]turn)
	for _, w := range all {
		stored[w] = turns(ctx, b, w)
	}
	for _, q := range questions {
		if q.change != "" {
			took[q.change] = append(took[q.change], q.took)
			continue
		}
		t, r := stored[q.of][q.root], written[q.mark]
		shown := q.in.Seen(q.root, begins)
		add(intake, q.at, t.intake)
		add(queued, t.intake, t.started)
		add(search, t.started, r.FirstEvent)
		add(text, r.FirstEvent, shown)
		add(final, r.Ended, q.in.Seen(q.root, ends))
		add(whole, q.at, shown)
	}
	var list []stage
	for _, s := range []stage{
		{name: ack, meaning: "Slack's event acknowledged"}, {name: intake, meaning: "question stored"}, {name: queued, meaning: "a worker has it"},
		{name: search, meaning: "searched, first token"}, {name: text, meaning: "first token to visible words"},
		{name: final, meaning: "last token to complete answer"}, {name: whole, meaning: "question to visible words"},
		{name: edit, meaning: "edit to new words", mixed: true}, {name: stop, meaning: "🛑 to the stopped answer", mixed: true},
		{name: remove, meaning: "deleted question to an answer that says so", mixed: true},
	} {
		if s.took = took[s.name]; len(s.took) == 0 && s.mixed && os.Getenv("MIX") == "" {
			continue
		}
		if len(s.took) == 0 {
			b.Errorf("nothing was measured of the stage %q", s.name)
			continue
		}
		slices.Sort(s.took)
		list = append(list, s)
	}
	return list
}

type turn struct{ intake, started time.Time }

// turns are the stored turns of a workspace, by their questions.
func turns(ctx context.Context, b *testing.B, w *workspace) map[string]turn {
	b.Helper()
	rows, err := w.db.Pool.Query(ctx, `select platform_message, intake_at, started_at from turn where started_at is not null`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	all := make(map[string]turn)
	for rows.Next() {
		var id string
		var t turn
		if err := rows.Scan(&id, &t.intake, &t.started); err != nil {
			b.Fatal(err)
		}
		all[id] = t
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return all
}

// at is a quantile in milliseconds.
func (s stage) at(quantile int) float64 {
	return float64(s.took[len(s.took)*quantile/100].Microseconds()) / 1000
}

// of is a stage by its name.
func (f figures) of(name string) stage {
	if i := slices.IndexFunc(f.stages, func(s stage) bool { return s.name == name }); i >= 0 {
		return f.stages[i]
	}
	return stage{name: name, took: []time.Duration{0}}
}

// report adds the figures to the benchmark's.
func (f figures) report(b *testing.B) {
	b.Helper()
	for _, s := range f.stages {
		b.ReportMetric(s.at(50), s.name+"-ms-p50")
		b.ReportMetric(s.at(99), s.name+"-ms-p99")
	}
	b.ReportMetric(f.replicas, "replicas-%")
	b.ReportMetric(f.perAnswer, "cpu-ms/answer")
	b.ReportMetric(f.machine, "machine-%")
	b.ReportMetric(f.memory, "MiB/replica")
	b.ReportMetric(float64(f.connections), "connections")
	b.ReportMetric(f.transactions, "transactions/answer")
	b.ReportMetric(float64(f.refused), "429s")
	b.ReportMetric(0, "ns/op") // it says nothing here
}

// table lists the figures in Markdown.
func table(all []figures) string {
	var t strings.Builder
	t.WriteString("\n| |")
	for _, f := range all {
		fmt.Fprintf(&t, " %d at once (%s) |", f.answers, f.name)
	}
	t.WriteString("\n|---|" + strings.Repeat("---|", len(all)) + "\n")
	row := func(name string, cell func(figures) string) {
		fmt.Fprintf(&t, "| %s |", name)
		for _, f := range all {
			fmt.Fprintf(&t, " %s |", cell(f))
		}
		t.WriteString("\n")
	}
	if len(all) > 0 {
		for _, s := range all[0].stages {
			row(s.meaning+", p50 / p99 ms", func(f figures) string { return fmt.Sprintf("%.0f / %.0f", f.of(s.name).at(50), f.of(s.name).at(99)) })
		}
	}
	row("processor time of the replicas, ms an answer", func(f figures) string { return fmt.Sprintf("%.1f", f.perAnswer) })
	row("processor of the replicas / of the machine, %", func(f figures) string { return fmt.Sprintf("%.0f / %.0f", f.replicas, f.machine) })
	row("memory of a replica, MiB", func(f figures) string { return fmt.Sprintf("%.0f", f.memory) })
	row("connections to PostgreSQL", func(f figures) string { return fmt.Sprint(f.connections) })
	row("transactions of an answer", func(f figures) string { return fmt.Sprintf("%.0f", f.transactions) })
	row("calls refused because of their rate", func(f figures) string { return fmt.Sprint(f.refused) })
	return t.String()
}

const (
	// bends is how many times longer than at the smallest load something takes beyond the knee, and
	// bendsBy how much longer at least.
	bends   = 2
	bendsBy = 500 // ms
	// spent is how much of the machine's processors is all of them, as far as a measurement goes.
	spent = 90
)

// knee says from which load on answers come noticeably later than at the smallest, and why.
func knee(all []figures) string {
	for _, f := range all[min(1, len(all)):] {
		for _, name := range []string{queued, search, text, final} {
			at, before := f.of(name), all[0].of(name)
			if at.at(99) <= bends*before.at(99) || at.at(99) < before.at(99)+bendsBy {
				continue
			}
			return fmt.Sprintf("The knee is at or below %d answers at once: the stage %q has grown from %.0f to %.0f ms (p99). %s",
				f.answers, name, before.at(99), at.at(99), f.cause(name))
		}
	}
	if len(all) == 0 {
		return "Nothing was measured."
	}
	return fmt.Sprintf("There is no knee up to %d answers at once.", all[len(all)-1].answers)
}

// cause says what has run out where a stage has grown.
func (f figures) cause(name string) string {
	switch {
	case f.machine >= spent:
		return fmt.Sprintf("The machine's %d processors are used up (%.0f %%), of which the replicas take %.0f %%; the rest is the test's own servers, PostgreSQL and the model.",
			runtime.NumCPU(), f.machine, f.replicas/float64(runtime.NumCPU()))
	case name == text || name == final:
		return fmt.Sprintf("Processors are free (%.0f %% used): it is the platforms' rates. A Slack workspace takes 20 streams and 50 edits a minute, "+
			"and one message a second in each channel; a Discord bot 50 calls a second.", f.machine)
	case name == queued:
		return fmt.Sprintf("Processors are free (%.0f %% used): turns wait for a worker, or for a connection of the pool.", f.machine)
	default:
		return fmt.Sprintf("Processors are free (%.0f %% used): the database or the model is the slow part.", f.machine)
	}
}
