package localembed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/adapters/localembed"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
)

func train(tb testing.TB, texts []string) *localembed.Model {
	tb.Helper()
	m, err := localembed.Train(context.Background(), each(texts))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func embed(tb testing.TB, m *localembed.Model, purpose retrieve.Purpose, texts ...string) [][]float32 {
	tb.Helper()
	out, err := m.Embed(context.Background(), purpose, texts)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// What the space is for: texts about one thing are near each other even if they have no word in common.
func TestFindsOtherWords(t *testing.T) {
	t.Parallel()
	m := train(t, corpus(800, 20, 80))
	words := func(topic, from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "%s%dx ", topicName(topic), i)
		}
		return b.String()
	}
	question := embed(t, m, retrieve.ForQuery, words(0, 0, 6))[0]
	passages := embed(t, m, retrieve.ForPassage, words(0, 6, 12), words(1, 6, 12))
	if near, far := dot(question, passages[0]), dot(question, passages[1]); near < 0.3 || math.Abs(far) > 0.1 {
		t.Errorf("other words of the topic are at %.2f, those of another one at %.2f", near, far)
	}
}

// Vectors of short texts resemble one another by chance: they take less part, or none, and a stored model remembers it.
func TestShortTextsTakeLessPart(t *testing.T) {
	t.Parallel()
	before := -1.0
	for _, words := range []int{10, 30, 60, 90, 200} {
		m := train(t, corpus(200, 4, words))
		alpha := m.MaxAlpha()
		if alpha < before || words <= 30 && alpha != 0 || words >= 90 && math.Abs(alpha-0.2) > 1e-9 || words == 60 && math.Abs(alpha-0.1) > 1e-9 {
			t.Errorf("texts of %d words take part with %v", words, alpha)
		}
		before = alpha
		data, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var again localembed.Model
		if err := again.UnmarshalBinary(data); err != nil || again.MaxAlpha() != alpha || again.Model() != m.Model() {
			t.Errorf("read back: alpha %v, model %s, error %v; want %v and %s", again.MaxAlpha(), again.Model(), err, alpha, m.Model())
		}
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	m := train(t, corpus(300, 5, 100))
	if m.Dimensions() != 256 || m.MaxAlpha() != 0.2 || !strings.HasPrefix(m.Model(), "local-lsa-") || m.Chunks() != 300 {
		t.Errorf("dimensions %d, alpha %v, model %q, chunks %d", m.Dimensions(), m.MaxAlpha(), m.Model(), m.Chunks())
	}
	texts := append(corpus(20, 5, 50), "", "unheard-of")
	for purpose, name := range map[retrieve.Purpose]string{retrieve.ForPassage: "passage", retrieve.ForQuery: "query"} {
		for i, v := range embed(t, m, purpose, texts...) {
			length := math.Sqrt(dot(v, v))
			want := 1.0
			if i >= 20 {
				want = 0
			}
			if len(v) != 256 || math.Abs(length-want) > 1e-5 {
				t.Errorf("%s %d has %d dimensions and length %v, want 256 and %v", name, i, len(v), length, want)
			}
		}
	}
}

// A vector does not depend on what else is embedded with it.
func TestBatches(t *testing.T) {
	t.Parallel()
	m := train(t, corpus(250, 4, 60))
	texts := corpus(30, 4, 40)
	for i, together := range embed(t, m, retrieve.ForPassage, texts...) {
		alone := embed(t, m, retrieve.ForPassage, texts[i])[0]
		if diff := cmp.Diff(alone, together); diff != "" {
			t.Fatalf("text %d (-alone +together):\n%s", i, diff)
		}
	}
}

// One core or many: the same model.
func TestDeterministic(t *testing.T) { //nolint:paralleltest // changes GOMAXPROCS
	texts := corpus(400, 6, 60)
	want := train(t, texts)
	before := runtime.GOMAXPROCS(1)
	got := train(t, texts)
	runtime.GOMAXPROCS(before)
	if want.Model() != got.Model() {
		t.Errorf("models differ: %s and %s", want.Model(), got.Model())
	}
	if other := train(t, texts[1:]); other.Model() == want.Model() {
		t.Error("another corpus gave the same model name")
	}
}

func TestTrainRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := map[string]struct {
		ctx   context.Context
		texts func(func(string, error) bool)
		want  error
	}{
		"nothing":        {t.Context(), each(nil), localembed.ErrTooFew},
		"one text":       {t.Context(), each([]string{"alone"}), localembed.ErrTooFew},
		"nothing shared": {t.Context(), each([]string{"one two", "three four", "five six"}), localembed.ErrTooFew},
		"broken source":  {t.Context(), func(yield func(string, error) bool) { _ = yield("a text", nil) && yield("", broken) }, broken},
		"canceled":       {canceled, each(corpus(300, 3, 50)), context.Canceled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := localembed.Train(test.ctx, test.texts); !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
		})
	}
}

// A corpus of few texts and words has fewer directions than dimensions; the rest are zero, never NaN.
func TestLowRank(t *testing.T) {
	t.Parallel()
	m := train(t, []string{"red green", "green blue", "blue red", "red blue", "yellow yellow red", "green yellow", "", "w q"})
	for _, v := range embed(t, m, retrieve.ForPassage, "red green", "yellow", "blue") {
		if length := dot(v, v); math.Abs(length-1) > 1e-5 {
			t.Errorf("length is %v", length)
		}
	}
}

func TestOutgrown(t *testing.T) {
	t.Parallel()
	m := train(t, corpus(300, 3, 40))
	for chunks, want := range map[int]bool{300: false, 449: false, 451: true, 160: false, 100: false, 10_000: true} {
		if got := m.Outgrown(chunks); got != want {
			t.Errorf("Outgrown(%d) is %v, want %v", chunks, got, want)
		}
	}
}

// memory is a store that forgets nothing.
type memory map[access.TenantID][]localembed.Stored

func (m memory) Load(_ context.Context, tenant access.TenantID) (localembed.Stored, error) {
	if all := m[tenant]; len(all) > 0 {
		return all[len(all)-1], nil
	}
	return localembed.Stored{}, localembed.ErrNoModel
}

func (m memory) Save(_ context.Context, tenant access.TenantID, model localembed.Stored) error {
	m[tenant] = append(m[tenant], model)
	return nil
}

func TestStore(t *testing.T) {
	t.Parallel()
	store := memory{}
	if _, err := localembed.Load(t.Context(), store, "a"); !errors.Is(err, localembed.ErrNoModel) {
		t.Errorf("error is %v, want ErrNoModel", err)
	}
	want := train(t, corpus(250, 3, 50))
	if err := localembed.Save(t.Context(), store, "a", want); err != nil {
		t.Fatal(err)
	}
	got, err := localembed.Load(t.Context(), store, "a")
	if err != nil {
		t.Fatal(err)
	}
	if got.Model() != want.Model() || got.Chunks() != want.Chunks() || store["a"][0].Version != want.Version() {
		t.Errorf("got %s of %d chunks, stored as %s; want %s of %d", got.Model(), got.Chunks(), store["a"][0].Version, want.Model(), want.Chunks())
	}
	texts := corpus(5, 3, 30)
	if diff := cmp.Diff(embed(t, want, retrieve.ForPassage, texts...), embed(t, got, retrieve.ForPassage, texts...)); diff != "" {
		t.Errorf("vectors (-before +after):\n%s", diff)
	}
	if _, err := localembed.Load(t.Context(), store, "b"); !errors.Is(err, localembed.ErrNoModel) {
		t.Errorf("another tenant's model: error is %v, want ErrNoModel", err)
	}
}

func TestUnmarshalRefusesDamage(t *testing.T) {
	t.Parallel()
	data, err := train(t, corpus(50, 2, 30)).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(data)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{"empty": nil, "cut": data[:len(data)-1], "a bit flipped": flipped, "longer": append(bytes.Clone(data), 0)} {
		m := new(localembed.Model)
		if err := m.UnmarshalBinary(bad); err == nil || !strings.Contains(err.Error(), "train it again") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func BenchmarkTrain(b *testing.B) {
	for _, n := range []int{5_000, 20_000} {
		texts := corpus(n, 60, 250)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				data, err := train(b, texts).MarshalBinary()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(data)), "model-bytes")
			}
		})
	}
}

func BenchmarkEmbed(b *testing.B) {
	m := train(b, corpus(2_000, 20, 200))
	texts := corpus(64, 20, 250)
	b.Run("question", func(b *testing.B) {
		for b.Loop() {
			embed(b, m, retrieve.ForQuery, texts[0][:60])
		}
	})
	b.Run("64 passages", func(b *testing.B) {
		for b.Loop() {
			embed(b, m, retrieve.ForPassage, texts...)
		}
	})
}
