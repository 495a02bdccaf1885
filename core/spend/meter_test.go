package spend_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/spend/spendtest"
	"github.com/google/go-cmp/cmp"
)

var prices = spend.Prices{Currency: "USD", Models: map[string]spend.Price{
	"m": {Input: 1000 * spend.Unit, Cached: 100 * spend.Unit, Output: 10_000 * spend.Unit}, "e": {Embedding: 1000 * spend.Unit},
}}

type books struct {
	*spendtest.Memory
	*spend.Meter
	log bytes.Buffer
}

func meter(t *testing.T, caps spend.Caps, exact bool) *books {
	t.Helper()
	noon := time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC) // whatever the day is on which the test runs, it does not end meanwhile
	b := &books{Memory: &spendtest.Memory{Now: func() time.Time { return noon }}}
	var err error
	b.Meter, err = spend.NewMeter(b.Memory, spend.Config{
		Prices: func() spend.Prices { return prices }, Caps: caps, Logger: slog.New(slog.NewTextHandler(&b.log, nil)),
		Counting: func(string) spend.Counting { return spend.Counting{Counter: budgettest.NewWords(), Exact: exact} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rows are what was booked, without the day.
func (b *books) rows(t *testing.T) []spend.Row {
	t.Helper()
	rows, err := b.Report(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Day = time.Time{}
	}
	return rows
}

// read reads up to so many deltas of a stream.
func read(ctx context.Context, m llm.Model, req llm.Request, most int) (text string, err error) {
	n := 0
	for d, err := range m.Stream(ctx, req) {
		if err != nil {
			return text, err
		}
		text += d.Text
		if n++; n == most {
			break
		}
	}
	return text, nil
}

const all = 1000

func asked(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}, MaxTokens: 50}
}

// Whatever becomes of a call, it is booked: as the provider says, else as it is counted here; only
// what was refused before it was read is free.
func TestCallsAreBooked(t *testing.T) {
	t.Parallel()
	row := func(input, cached, output, estimated int64, amount spend.Amount) []spend.Row {
		return []spend.Row{{Account: spend.Account{Tenant: access.DefaultTenant, Model: "m", Purpose: spend.Answering, Currency: "USD"},
			Calls: 1, Estimated: estimated, Input: input, Cached: cached, Output: output, Amount: amount}}
	}
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		most  int
		want  []spend.Row
	}{
		"as the provider counts": {llmtest.Reply{llmtest.Text("a b"), llmtest.Usage(1000, 100)}, all, row(1000, 0, 100, 0, 2*spend.Unit)},
		"zeros are no count":     {llmtest.Reply{llmtest.Text("a b"), llmtest.Usage(0, 0)}, all, row(6, 0, 2, 1, spend.Unit*26/1000)},
		"without a count":        {llmtest.Reply{llmtest.Reasoning("x"), llmtest.Text("a b"), llmtest.Call(0, "c", "tool", "y z")}, all, row(6, 0, 6, 1, spend.Unit*66/1000)},
		"left in the middle":     {llmtest.Reply{llmtest.Text("a"), llmtest.Text("b"), llmtest.Usage(1, 1)}, 1, row(6, 0, 1, 1, spend.Unit*16/1000)},
		"cut":                    {llmtest.Reply{llmtest.Text("a"), llmtest.Cut()}, all, row(6, 0, 1, 1, spend.Unit*16/1000)},
		"failed in the middle":   {llmtest.Reply{llmtest.Text("a"), llmtest.Fail(llm.ErrUnavailable)}, all, row(6, 0, 1, 1, spend.Unit*16/1000)},
		"stalled at first":       {llmtest.Reply{llmtest.Fail(llm.ErrStalled)}, all, row(6, 0, 0, 1, spend.Unit*6/1000)},
		"refused":                {llmtest.Reply{llmtest.Fail(llm.ErrAuth)}, all, []spend.Row{}},
		"told to wait":           {llmtest.Reply{llmtest.Fail(&llm.RateLimitError{})}, all, []spend.Row{}},
		"not there":              {llmtest.Reply{llmtest.Fail(llm.ErrUnavailable)}, all, []spend.Row{}},
		"declined in words":      {llmtest.Reply{llmtest.Text("no"), llmtest.Finish(llm.FinishRefusal)}, all, row(6, 0, 1, 1, spend.Unit*16/1000)},
	} {
		for _, caps := range []spend.Caps{{}, {Daily: 1000 * spend.Unit}} {
			b := meter(t, caps, true)
			model := llmtest.New(llm.Info{Name: "m"}, tt.reply)
			_, _ = read(t.Context(), b.Model(model, spend.Answering), asked("one two three"), tt.most)
			if diff := cmp.Diff(tt.want, append([]spend.Row{}, b.rows(t)...)); diff != "" {
				t.Errorf("%s, caps %v (-want +got):\n%s", name, caps, diff)
			}
			s, err := b.Standing(t.Context(), access.DefaultTenant, "USD")
			if err != nil || len(tt.want) > 0 && s.Today != tt.want[0].Amount || len(tt.want) == 0 && s.Today != 0 {
				t.Errorf("%s, caps %v: %+v stays set aside (%v)", name, caps, s, err)
			}
			if model.Open() != 0 {
				t.Errorf("%s: the stream was left open", name)
			}
		}
	}
}

func TestCachedInputIsCheaper(t *testing.T) {
	t.Parallel()
	p := prices.Models["m"]
	if got := p.Of(llm.Usage{Input: 1000, Cached: 900, Output: 10}); got != spend.Unit*29/100 {
		t.Errorf("it costs %s", got.Exact())
	}
	if got := p.Of(llm.Usage{Input: 10, Cached: 900}); got != spend.Unit/1000 {
		t.Errorf("with more cached than sent it costs %s", got.Exact())
	}
}

// A call is not made unless its worst case fits; the tenant that it is made for is that of the
// context.
func TestCallBeyondCapIsNotMade(t *testing.T) {
	t.Parallel()
	b := meter(t, spend.Caps{TenantDaily: 3 * spend.Unit}, true)
	model := llmtest.New(llm.Info{Name: "m", Reply: 300}, llmtest.Reply{llmtest.Text("a"), llmtest.Usage(600, 100)}, llmtest.Answer("b"))
	m := b.Model(model, spend.Answering)
	if text, err := read(t.Context(), m, asked("one"), all); text != "a" || err != nil { // about 1 for the input and 0.5 for the output at most
		t.Fatalf("%q, %v", text, err)
	}
	var full *spend.CapError
	_, err := read(t.Context(), m, asked("one"), all)
	if !errors.As(err, &full) || !strings.Contains(err.Error(), "reserve the cost of a call of m: the daily cost cap of 3.00 USD leaves no room for this call until") {
		t.Errorf("beyond the cap: %v", err)
	}
	if _, err := read(access.WithTenant(t.Context(), "other"), m, asked("one"), all); err != nil {
		t.Errorf("for another tenant: %v", err)
	}
	unlimited := llmtest.New(llm.Info{Name: "m", Reply: 100})
	if _, err := read(access.WithTenant(t.Context(), "third"), b.Model(unlimited, spend.Answering), llm.Request{}, all); errors.As(err, &full) || errors.Is(err, llm.ErrBudget) {
		t.Errorf("a reply of 100 tokens has room: %v", err)
	} else if n := unlimited.Requests()[0].MaxTokens; n != 100 {
		t.Errorf("a reply without a limit was asked for %d tokens", n)
	}
	if len(model.Requests()) != 2 {
		t.Errorf("%d requests", len(model.Requests()))
	}
	if n := strings.Count(b.log.String(), "a cost cap is reached"); n != 1 {
		t.Errorf("the log says it %d times:\n%s", n, b.log.String())
	}
	nameless := llmtest.New(llm.Info{Name: "unpriced"}, llmtest.Answer("a"))
	if _, err := read(t.Context(), b.Model(nameless, spend.Answering), asked("one"), all); err == nil || !strings.Contains(err.Error(), "no price for the model unpriced") || len(nameless.Requests()) > 0 {
		t.Errorf("without a price: %v", err)
	}
}

// A vocabulary that is not known may need a token for every byte.
func TestUnknownVocabulariesReserveMore(t *testing.T) {
	t.Parallel()
	for exact, fits := range map[bool]bool{true: true, false: false} {
		b := meter(t, spend.Caps{Daily: 3 * spend.Unit}, exact)
		_, err := read(t.Context(), b.Model(llmtest.New(llm.Info{Name: "m"}, llmtest.Answer("a")), spend.Answering), asked(strings.Repeat("abcdefghi ", 300)), all)
		if errors.Is(err, llm.ErrBudget) == fits {
			t.Errorf("exact %t: %v", exact, err)
		}
	}
}

func TestLogWarnsOnceBeforeACapIsReached(t *testing.T) {
	t.Parallel()
	b := meter(t, spend.Caps{Daily: 100 * spend.Unit, Monthly: 1000 * spend.Unit}, true)
	m := b.Model(llmtest.New(llm.Info{Name: "m"}, llmtest.Reply{llmtest.Usage(70_000, 0)}, llmtest.Reply{llmtest.Usage(11_000, 0)}, llmtest.Reply{llmtest.Usage(1, 0)}), spend.Answering)
	for i, want := range []int{0, 1, 1} {
		if _, err := read(t.Context(), m, asked("one"), all); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.log.String(), "most of a cost cap is used up"); n != want {
			t.Errorf("after call %d the log warns %d times", i+1, n)
		}
	}
	if !strings.Contains(b.log.String(), "setting=COST_CAP_DAILY cap=100 used=81") {
		t.Errorf("the log says\n%s", b.log.String())
	}
}

// A call that takes long keeps what is set aside for it, and one whose process dies is booked with
// what it had written.
func TestLongCallKeepsItsReservation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := meter(t, spend.Caps{Daily: 2 * spend.Unit}, true)
		b.Memory.Now = time.Now
		end := make(chan struct{})
		long := b.Model(llmtest.New(llm.Info{Name: "m"}, llmtest.Reply{llmtest.Sleep(10 * time.Minute), llmtest.Text("a b c"), llmtest.Wait(end)}), spend.Answering)
		done := make(chan error)
		go func() {
			_, err := read(t.Context(), long, asked("one"), all)
			done <- err
		}()
		for range 4 {
			time.Sleep(5 * time.Minute)
			if _, err := read(t.Context(), b.Model(llmtest.New(llm.Info{Name: "m"}), spend.Answering), asked("one"), all); !errors.Is(err, llm.ErrBudget) {
				t.Errorf("beside the call that runs: %v", err)
			}
		}
		close(end)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := read(t.Context(), b.Model(llmtest.New(llm.Info{Name: "m"}, llmtest.Answer("a")), spend.Answering), asked("one"), all); err != nil {
			t.Errorf("after it: %v", err)
		}
	})
}

// space is an embedder that tells what it was billed, or not.
type space struct {
	err   error
	texts int
}

func (s *space) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	s.texts += len(texts)
	return make([][]float32, len(texts)), s.err
}
func (s *space) Model() string   { return "e@3" }
func (s *space) Dimensions() int { return 3 }

type countedSpace struct {
	space
	tokens int
}

func (s *countedSpace) EmbedCounted(ctx context.Context, p retrieve.Purpose, texts []string) ([][]float32, int, error) {
	vectors, err := s.Embed(ctx, p, texts)
	return vectors, s.tokens, err
}

func TestEmbeddersAreBooked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		inner     retrieve.Embedder
		input     int64
		estimated int64
	}{
		"as the provider counts":             {&countedSpace{tokens: 9}, 9, 0},
		"counted here":                       {&countedSpace{}, 3, 1},
		"of an embedder that counts nothing": {&space{}, 3, 1},
		"refused":                            {&space{err: llm.ErrAuth}, 0, 0},
		"a part":                             {&countedSpace{space: space{err: llm.ErrUnavailable}, tokens: 5}, 5, 0},
	} {
		b := meter(t, spend.Caps{Monthly: 100 * spend.Unit}, true)
		_, _ = b.Embedder(tt.inner, "e").Embed(t.Context(), retrieve.ForQuery, []string{"one two", "three"})
		rows := b.rows(t)
		if tt.input == 0 && len(rows) == 0 {
			continue
		}
		if len(rows) != 1 || rows[0].Input != tt.input || rows[0].Estimated != tt.estimated || rows[0].Amount != spend.Unit*spend.Amount(tt.input)/1000 || rows[0].Purpose != spend.Embedding {
			t.Errorf("%s: booked %+v", name, rows)
		}
	}
	b, inner := meter(t, spend.Caps{Daily: 1}, true), &space{}
	if _, err := b.Embedder(inner, "e").Embed(t.Context(), retrieve.ForQuery, []string{"one"}); !errors.Is(err, llm.ErrBudget) || inner.texts > 0 {
		t.Errorf("beyond the cap: %v after %d texts", err, inner.texts)
	}
}

// judge is a reranker that tells what it was billed, or not.
type judge struct {
	err   error
	asked int
}

func (j *judge) Model() string { return "m" }

func (j *judge) Rerank(_ context.Context, _ string, texts []string) (map[int]float64, error) {
	j.asked += len(texts)
	return map[int]float64{0: 1}, j.err
}

type countedJudge struct {
	judge
	tokens int
}

func (j *countedJudge) RerankCounted(ctx context.Context, question string, texts []string) (map[int]float64, int, error) {
	scores, err := j.Rerank(ctx, question, texts)
	return scores, j.tokens, err
}

// A reranker reads the question with each text, at the price of the model's input.
func TestRerankersAreBooked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		inner     retrieve.Reranker
		input     int64
		estimated int64
	}{
		"as the provider counts":            {&countedJudge{tokens: 9}, 9, 0},
		"counted here":                      {&countedJudge{}, 5, 1},
		"of a reranker that counts nothing": {&judge{}, 5, 1},
		"refused":                           {&judge{err: llm.ErrAuth}, 0, 0},
	} {
		b := meter(t, spend.Caps{Monthly: 100 * spend.Unit}, true)
		_, _ = b.Reranker(tt.inner).Rerank(t.Context(), "why", []string{"one two", "three"})
		rows := b.rows(t)
		if tt.input == 0 && len(rows) == 0 {
			continue
		}
		if len(rows) != 1 || rows[0].Input != tt.input || rows[0].Estimated != tt.estimated || rows[0].Amount != spend.Unit*spend.Amount(tt.input)/1000 || rows[0].Purpose != spend.Reranking {
			t.Errorf("%s: booked %+v", name, rows)
		}
	}
	b, inner := meter(t, spend.Caps{Daily: 1}, true), &judge{}
	if _, err := b.Reranker(inner).Rerank(t.Context(), "why", []string{"one"}); !errors.Is(err, llm.ErrBudget) || inner.asked > 0 {
		t.Errorf("beyond the cap: %v after %d texts", err, inner.asked)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"5": {"5", "5.00"}, "0.25": {"0.25", "0.2500"}, "0": {"0", "0.00"}, ".5": {"0.5", "0.5000"}, "0.00001": {"0.00001", "less than 0.0001"},
		"1234.567": {"1234.567", "1234.57"}, "999999999.999999999": {"999999999.999999999", "1000000000.00"},
	} {
		a, err := spend.ParseAmount(text)
		if err != nil || a.Exact() != want[0] || a.String() != want[1] {
			t.Errorf("%q is %s, said %s (%v)", text, a.Exact(), a, err)
		}
	}
	for _, text := range []string{"", ".", "-1", "1e3", "1,5", "0.0000000001", "1234567890", "five", "+1", "0x1"} {
		if a, err := spend.ParseAmount(text); err == nil {
			t.Errorf("%q is taken for %s", text, a.Exact())
		}
	}
}

// full is a ledger that books nothing while it is full.
type full struct {
	spend.Ledger
	tries, until int
}

func (f *full) Settle(ctx context.Context, h spend.Hold, a spend.Account, u spend.Use) (spend.Standing, error) {
	if f.tries++; f.tries <= f.until {
		return spend.Standing{}, spend.ErrUnbooked
	}
	return f.Ledger.Settle(ctx, h, a, u)
}

// A call that the ledger could not book is booked once it can, and at the latest at the end.
func TestUnbookedCallsAreRetried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		failures int
		waits    time.Duration
		caps     spend.Caps
		booked   int
	}{
		{3, 5 * time.Second, spend.Caps{}, 1},
		{3, 5 * time.Second, spend.Caps{Daily: 1000 * spend.Unit}, 1},
		{1, 0, spend.Caps{}, 1},
		{100, 0, spend.Caps{}, 0},
		{70, 2 * time.Minute, spend.Caps{Daily: 1000 * spend.Unit}, 0}, // its reservation is booked as lost
		{70, 2 * time.Minute, spend.Caps{}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			memory := &spendtest.Memory{}
			m, err := spend.NewMeter(&full{Ledger: memory, until: tt.failures}, spend.Config{
				Prices: func() spend.Prices { return prices }, Caps: tt.caps,
				Counting: func(string) spend.Counting { return spend.Counting{Counter: budgettest.NewWords(), Exact: true} },
			})
			if err != nil {
				t.Fatal(err)
			}
			model := llmtest.New(llm.Info{Name: "m"}, llmtest.Reply{llmtest.Text("a"), llmtest.Usage(10, 10)})
			if _, err := read(t.Context(), m.Model(model, spend.Answering), asked("one"), all); err != nil {
				t.Fatal(err)
			}
			time.Sleep(tt.waits) // of the bubble's clock
			m.Close()
			rows, err := memory.Report(t.Context(), time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			exact := 0
			for _, r := range rows {
				exact += int(r.Calls - r.Estimated)
			}
			if exact != tt.booked {
				t.Errorf("%+v: %+v", tt, rows)
			}
		})
	}
}
