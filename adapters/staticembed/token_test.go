package staticembed

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/adapters/internal/wordpiece"
)

// pieceNames reads the pieces of the file, as the tokenizers library writes them.
func pieceNames(t *testing.T) map[int32]string {
	t.Helper()
	r := reader{rest: vectors[len(magic):]}
	_, count := r.number(maxDimensions), r.number(maxPieces)
	names := map[int32]string{wordpiece.Unknown: "[UNK]"}
	for i := range count {
		n := r.number(maxPiece)
		names[int32(i)], r.rest = r.rest[:n], r.rest[n:]
	}
	return names
}

// The golden file is what the tokenizers library makes of odd texts:
// deploy/tools/wordvectors/golden.py.
func TestPiecesAreThoseOfTheTokenizersLibrary(t *testing.T) {
	t.Parallel()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/wordpiece.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n, names := 0, pieceNames(t)
	for ; lines.Scan(); n++ {
		var want struct {
			Text   string
			Pieces []string
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		got := []string{}
		wordpiece.Words(want.Text, func(word []byte) {
			for _, piece := range m.vocabulary.Pieces(nil, word) {
				got = append(got, names[piece])
			}
		})
		if diff := cmp.Diff(want.Pieces, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", want.Text, diff)
		}
	}
	if err := lines.Err(); err != nil || n < 400 {
		t.Errorf("%d texts were compared (%v)", n, err)
	}
}

// counting is how often the vocabulary is asked for the pieces of a text.
func counting(v *wordpiece.Vocabulary, text string) int {
	asked := 0
	wordpiece.Words(text, func(word []byte) {
		for _, t := range v.Pieces(nil, word) {
			if t == wordpiece.Unknown {
				asked += len(word) // at most
			}
			asked++
		}
	})
	return asked
}

// Long words, runs of marks and of accents take no more for each byte than prose does.
func TestHostileTextsAreCutInLinearTime(t *testing.T) {
	t.Parallel()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for name, unit := range map[string]string{
		"one word": "x", "marks": "!", "accents": "\u0301", "ideographs": "漢", "pieces": "ing", "almost known": "internationalizatio", "hangul": "각", "broken": "\xff\xc3",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			short, long := strings.Repeat(unit, 1<<12), strings.Repeat(unit, 1<<15)
			if a, b := counting(m.vocabulary, short), counting(m.vocabulary, long); b > 9*max(a, 1<<12*len(unit)) {
				t.Errorf("%d tokens of %d bytes, %d of %d", a, len(short), b, len(long))
			}
			if v := m.vector(long); len(v) != m.dimensions {
				t.Errorf("a vector of %d dimensions", len(v))
			}
		})
	}
	if longest := m.vocabulary.Longest(); longest > maxPiece {
		t.Errorf("a place in a word is looked at %d times", longest)
	}
}
