package staticembed

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/retrieve"
)

// The file is part of the repository: who changes it says so here, and gives the vector space
// another name (Name).
const wanted = "cb2636dcdb1c7e054921fc095b624b4bac9cce7908b16602dbf1b2174b0ac1da"

func TestTheVectorsAreTheOnesThatWereMeasured(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(vectors))); got != wanted || Name != "footnote-words-2" {
		t.Errorf("the SHA-256 of vectors.bin is %s, and its space is called %s", got, Name)
	}
	if len(vectors) > 10<<20 {
		t.Errorf("%d bytes are too many for a program", len(vectors))
	}
}

func embedded(t *testing.T, texts ...string) [][]float32 {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := m.Embed(t.Context(), retrieve.ForPassage, texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if len(v) != m.Dimensions() {
			t.Errorf("the vector of %.40q has %d dimensions", texts[i], len(v))
		}
	}
	return vectors
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// TestVectorsEqualThoseOfAnotherProgram compares vectors with those of
// deploy/tools/wordvectors/means.py, which shares no code with this package.
func TestVectorsEqualThoseOfAnotherProgram(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("testdata", "means.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for line := range strings.Lines(string(raw)) {
		var want struct {
			Text   string
			Vector []float32
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		if c := cosine(embedded(t, want.Text)[0], want.Vector); c < 0.99999 {
			t.Errorf("%q: the cosine to the right vector is %.5f", want.Text, c)
		}
		compared++
	}
	if compared < 5 {
		t.Errorf("%d vectors were compared", compared)
	}
}

func TestTextsOfOneMeaningAreAlike(t *testing.T) {
	t.Parallel()
	v := embedded(t, "how do I make a backup of the database?", "Saving a copy of your data", "The colour of the cat is black.")
	if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < far+0.2 {
		t.Errorf("a copy of the data is %.2f like a backup, a black cat %.2f", near, far)
	}
	for i := range v {
		if n := cosine(v[i], v[i]); math.Abs(n-1) > 1e-5 {
			t.Errorf("vector %d has length %g", i, math.Sqrt(n))
		}
	}
}

// What a text says at its end counts as what it says at its beginning, however long it is.
func TestLongTextsAreTakenWhole(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("The weather was nice and people went for a walk in the park. ", 200)
	topic := strings.Repeat("Replication copies every transaction of the primary server to a standby. ", 200)
	v := embedded(t, filler, filler+topic, topic, topic+filler)
	if a, b := cosine(v[1], v[2]), cosine(v[0], v[2]); a < b+0.2 {
		t.Errorf("with the topic at its end a text is %.2f like it, without %.2f", a, b)
	}
	if c := cosine(v[1], v[3]); c < 0.9999 {
		t.Errorf("the order changes the vector: %.4f", c)
	}
}

// What the vocabulary does not know has no vector, so that it is found by its words alone.
func TestTextsOfOtherLanguagesHaveNoVector(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "blank": " \n\t", "emoji": "👍🎉", "russian": "как сделать резервную копию базы данных?", "japanese": "データベースをバックアップする方法は?",
		"chinese": "如何备份数据库?", "korean": "데이터베이스를 백업하려면 어떻게 하나요?", "arabic": "كيف يمكنني عمل نسخة احتياطية", "greek": "πώς κάνω αντίγραφο ασφαλείας",
		"german":    "Wie kann ich die Datenbank sichern, während sie von anderen benutzt wird?",
		"french":    "Comment puis-je sauvegarder la base de données pendant que les autres l'utilisent ?",
		"polish":    "Jak wykonać kopię zapasową bazy danych podczas jej używania?",
		"turkish":   "Veritabanı kullanılırken yedeğini nasıl alabilirim?",
		"one word":  "Datensicherungsverfahren",
		"not UTF-8": "\xff\xfe\xfd",
		"hex":       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	} {
		if v := embedded(t, text)[0]; cosine(v, v) != 0 {
			t.Errorf("%s has a vector", name)
		}
	}
	for name, text := range map[string]string{
		"question":    "what's a refspec?",
		"identifiers": "What does sqlite3_busy_timeout() do when SQLITE_BUSY comes back?",
		"command":     "git rebase --onto main HEAD~3",
		"marks":       "! [rejected] main -> main (non-fast-forward). what did I do wrong?",
		"a name":      "How do I reach Müller & Söhne in Zürich?",
	} {
		if v := embedded(t, text)[0]; cosine(v, v) == 0 {
			t.Errorf("%s has no vector", name)
		}
	}
}

func TestBatchesGiveTheVectorsOfSingleTexts(t *testing.T) {
	t.Parallel()
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = strings.Repeat("a branch and its commits ", i) + "end"
	}
	all := embedded(t, texts...)
	for i, text := range texts {
		if one := embedded(t, text)[0]; cosine(one, all[i]) < 0.99999 {
			t.Errorf("text %d has another vector alone", i)
		}
	}
}

// A file that is cut off, longer, or of another kind is refused at every length, in a sentence.
func TestDamagedVectorsAreRefused(t *testing.T) {
	t.Parallel()
	small := magic + "\x02\x02\x01a\x04##bc" + "\x00\x00\x80\x3f\x00\x00\x80\x3f" + "\x01\x02\x03\xfd"
	m, err := parseFile(small)
	if err != nil || m.Dimensions() != 2 {
		t.Fatalf("the whole file: %v", err)
	}
	damaged := map[string]string{
		"longer": small + "x", "another kind": "PK" + small, "other dimensions": strings.Replace(small, "\n\x02", "\n\x03", 1), "no dimensions": strings.Replace(small, "\n\x02", "\n\x00", 1),
		"endless number": magic + strings.Repeat("\xff", 50), "too many words": magic + "\x02\xff\xff\xff\x7f", "no number": strings.Replace(small, "\x80\x3f", "\xc0\x7f", 1),
	}
	for i := range len(small) {
		damaged["cut"+strings.Repeat("-", i)] = small[:i]
	}
	for name, data := range damaged {
		if _, err := parseFile(data); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	m, err := New()
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]string, 256)
	for i := range texts {
		texts[i] = strings.Repeat("The branches that share no common ancestor cannot be merged unless --allow-unrelated-histories is given. ", 13)
	}
	for b.Loop() {
		if _, err := m.Embed(b.Context(), retrieve.ForPassage, texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "chunks/s")
}
