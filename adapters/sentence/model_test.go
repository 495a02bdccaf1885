package sentence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve"
)

// The file is part of the repository. Who changes it gives its vector space another Name.
const digest = "f5f80f58e7d41771f208f2ab0fc1f55f6bd848ac2341ffe0be63f64018ff11d8"

func TestModelFileIsTheOneThatWasMeasured(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != digest || Name != "footnote-sentences-1" {
		t.Errorf("the SHA-256 of model.bin is %s, and its space is called %s", got, Name)
	}
}

func built(t testing.TB) *Model {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// kernels are those of this processor.
func kernels() []kernel {
	if k := best(); k.name != plain.name {
		return []kernel{plain, k}
	}
	return []kernel{plain}
}

// reference reads texts and the vectors that deploy/tools/sentence/golden.py computed for them.
func reference(t *testing.T) (texts []string, vectors [][]float32) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join("testdata", "texts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "vectors.bin"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		var text string
		if err := json.Unmarshal([]byte(line), &text); err != nil {
			t.Fatal(err)
		}
		v := make([]float32, dimensions)
		scale := math.Float32frombits(binary.LittleEndian.Uint32(raw))
		for d := range v {
			v[d] = scale * float32(int8(raw[4+d]))
		}
		normalise(v)
		texts, vectors, raw = append(texts, text), append(vectors, v), raw[4+dimensions:]
	}
	return texts, vectors
}

// EVERY_VECTOR=1 compares the plain kernel, which is slow, with all reference vectors. Otherwise
// that takes a tenth of them, as AVX2 does with -short. The race detector takes a fifth of those.
func TestVectorsAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	texts, want := reference(t)
	if len(texts) != 1000 {
		t.Errorf("%d texts", len(texts))
	}
	for _, k := range kernels() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			n := len(texts)
			if os.Getenv("EVERY_VECTOR") == "" && (k.name == plain.name || raceDetector || testing.Short()) {
				n /= 10
				if raceDetector {
					n /= 5
				}
			}
			got, err := newModel(built(t).weights, k).vectors(t.Context(), texts[:n])
			if err != nil {
				t.Fatal(err)
			}
			least := 1.0
			for i, v := range got {
				c := cosine(v, want[i])
				if least = min(least, c); c < 0.999 {
					t.Errorf("%.60q: the cosine to the reference is %.5f", texts[i], c)
				}
			}
			t.Logf("least cosine %.5f", least)
		})
	}
}

// The kernels agree on sizes that do not fill tiles, and write nothing beyond their tiles.
func TestKernelsComputeProducts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = rng.Float32() - 0.5
		}
		return x
	}
	for _, k := range kernels() {
		for _, size := range []struct{ rows, k int }{{1, 1}, {2, 3}, {5, 32}, {6, 33}, {7, 7}, {13, 96}} {
			const lda, ldb, ldc = 100, 20, 21
			full := (size.rows + tileRows - 1) / tileRows * tileRows
			a, b, bias := fill(full*lda), fill(size.k*ldb), fill(panel)
			c := fill((full + 1) * ldc)
			before := append([]float32(nil), c...)
			k.multiply(c, ldc, a, lda, b, ldb, bias, size.k, size.rows)
			for r := range full + 1 {
				for j := range ldc {
					want := float64(bias[j%panel])
					for i := range size.k {
						want += float64(a[min(r, full-1)*lda+i]) * float64(b[i*ldb+min(j, panel-1)])
					}
					got, outside := c[r*ldc+j], r >= full || j >= panel
					if outside && got != before[r*ldc+j] {
						t.Errorf("%s %+v wrote to row %d, column %d", k.name, size, r, j)
					}
					if !outside && r < size.rows && math.Abs(float64(got)-want) > 1e-4 {
						t.Errorf("%s %+v row %d, column %d: %g, not %g", k.name, size, r, j, got, want)
					}
				}
			}
		}
		weights, scale, got := []byte(strings.Repeat("\x80\xff\x00\x7f", 4*3)), fill(panel), make([]float32, panel*3)
		k.unpack(got, weights, scale)
		for i, x := range got {
			if want := float32(int8(weights[i])) * scale[i%panel]; x != want {
				t.Errorf("%s unpacks weight %d as %g, not %g", k.name, i, x, want)
			}
		}
	}
}

func TestApproximationsAreClose(t *testing.T) {
	t.Parallel()
	for x := float32(-79); x <= 0; x += 0.0137 {
		if want := math.Exp(float64(x)); math.Abs(float64(exp(x))-want) > 1e-5*want {
			t.Errorf("exp(%g) = %g, not %g", x, exp(x), want)
		}
	}
	if exp(-1000) != 0 || exp(float32(math.Inf(-1))) != 0 {
		t.Error("exp of a very small number is not 0")
	}
	for x := float32(-12); x <= 12; x += 0.0037 {
		y := []float32{x}
		gelu(y)
		if want := float64(x) / 2 * (1 + math.Erf(float64(x)/math.Sqrt2)); math.Abs(float64(y[0])-want) > 3e-6 {
			t.Errorf("gelu(%g) = %g, not %g", x, y[0], want)
		}
	}
}

func TestTextsOfOneMeaningAreAlike(t *testing.T) {
	t.Parallel()
	v, err := built(t).Embed(t.Context(), retrieve.ForPassage,
		[]string{"how do I get my money back for the train?", "Travel expenses are reimbursed within ten days.", "The colour of the cat is black."})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < far+0.2 {
		t.Errorf("reimbursement is %.2f like the question, a black cat %.2f", near, far)
	}
}

func TestTextsOfAnyLength(t *testing.T) {
	t.Parallel()
	m := built(t)
	long := strings.Repeat("The database is locked. ", 20_000) // 100,000 tokens
	v, err := m.Embed(t.Context(), retrieve.ForPassage, []string{"", " \n\t", "\x00\xff", "backup", long, long[:maxTextSize], strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if cosine(v[i], v[i]) != 0 {
			t.Errorf("text %d has no words and a vector", i)
		}
	}
	for i := 3; i < len(v); i++ {
		if c := cosine(v[i], v[i]); math.Abs(c-1) > 1e-4 {
			t.Errorf("the vector of text %d has length %g", i, c)
		}
	}
	if c := cosine(v[4], v[5]); c < 0.9999 {
		t.Errorf("what is beyond the windows changes the vector: %g", c)
	}
	if got := len(m.weights.tokens(long)); got != maxWindows*(window-around) {
		t.Errorf("%d tokens of a long text are read", got)
	}
	if got, err := m.Embed(t.Context(), retrieve.ForPassage, nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestOtherLanguagesGetZeros(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Wie kann ich die Datenbank sichern, während sie benutzt wird?", "データベースをバックアップする", "как сделать резервную копию"} {
		v, err := built(t).Embed(t.Context(), retrieve.ForQuery, []string{text})
		if err != nil || cosine(v[0], v[0]) != 0 {
			t.Errorf("%q has the vector %v (%v)", text, v[0][:3], err)
		}
	}
}

// A vector depends on its text alone, not on the texts that are computed with it or at once.
func TestTextsDoNotDisturbOneAnother(t *testing.T) {
	t.Parallel()
	m := built(t)
	texts, _ := reference(t)
	texts = texts[:48]
	together, err := m.vectors(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i, text := range texts {
		group.Go(func() {
			alone, err := m.vectors(t.Context(), []string{text})
			if err != nil || cosine(alone[0], together[i]) < 0.99999 {
				t.Errorf("%.40q has another vector alone (%v)", text, err)
			}
		})
	}
	group.Wait()
}

func TestDamagedModelIsRefused(t *testing.T) {
	t.Parallel()
	flip := func(at int) []byte {
		b := bytes.Clone(file)
		b[at] ^= 4
		return b
	}
	sealed := func(body []byte) []byte {
		head := binary.LittleEndian.AppendUint32([]byte(magic), crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		return append(head, body...)
	}
	body := file[len(magic)+4:]
	words := int(binary.LittleEndian.Uint32(body))
	notNumber := bytes.Clone(body)
	binary.LittleEndian.PutUint32(notNumber[4+words:], math.Float32bits(float32(math.NaN())))
	for name, data := range map[string][]byte{
		"empty": nil, "magic alone": []byte(magic), "other magic": flip(3), "vocabulary": flip(500), "weight": flip(len(file) - 7), "cut": file[:len(file)-1],
		"longer": append(bytes.Clone(file), 0), "cut, sealed": sealed(body[:len(body)-1]), "longer, sealed": sealed(append(bytes.Clone(body), 0)),
		"huge vocabulary": sealed([]byte{255, 255, 255, 255, 'a'}), "not a number": sealed(notNumber), "no special pieces": sealed(bytes.Replace(body, []byte("[SEP]"), []byte("[sep]"), 1)),
	} {
		if _, err := parseFile(data); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := parseFile(sealed(body)); err != nil {
		t.Errorf("the sound file: %v", err)
	}
}

// countdown is a context that ends after its error was asked for so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancellationEndsARunBetweenLayers(t *testing.T) {
	t.Parallel()
	m := built(t)
	tokens := [][]int32{m.weights.tokens("how do I make a backup?")}
	ctx := &countdown{t.Context(), 3}
	if err := m.run(ctx, newScratch(), tokens, [][]float32{make([]float32, dimensions)}); !errors.Is(err, context.Canceled) || ctx.left != -1 {
		t.Errorf("a run ends with %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Embed(done, retrieve.ForQuery, []string{"how do I make a backup?"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call ends with %v", err)
	}
	if _, err := m.Embed(t.Context(), retrieve.ForQuery, []string{"how do I make a backup?"}); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func benchmark(b *testing.B, tokens int) {
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			m := newModel(built(b).weights, k)
			text := m.weights.tokens(strings.Repeat("database ", tokens-around))
			s, out := newScratch(), [][]float32{make([]float32, dimensions)}
			piece := append(append([]int32{m.weights.begin}, text...), m.weights.end)
			for b.Loop() {
				if err := m.run(b.Context(), s, [][]int32{piece}, out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(piece)*b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkQuestion(b *testing.B)  { benchmark(b, 12) }
func BenchmarkParagraph(b *testing.B) { benchmark(b, 128) }
func BenchmarkWindow(b *testing.B)    { benchmark(b, 256) }
