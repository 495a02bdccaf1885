package cite_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/google/go-cmp/cmp"
)

func TestSupported(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		sentence string
		chunks   []string
		want     float64
	}{
		{"the same", "Employees get 30 days of leave.", []string{"Employees get 30 days of leave."}, 1},
		{"other endings", "An employee is entitled.", []string{"Employees have entitlements. They are entitled."}, 1},
		{"nothing shared", "Employees get 30 days of leave.", []string{"The server listens on port 8080."}, 0},
		{"only common words shared", "This is what they should do.", []string{"x"}, 1},
		{"wrong number", "Leave: 30 days.", []string{"Leave: 25 days."}, 0.5},
		{"thousands", "It costs 1,000 euros.", []string{"costs 1000 euros"}, 1},
		{"decimals", "Version 3.5", []string{"version 35"}, 1.0 / 3},
		{"two chunks together", "Apples and pears.", []string{"apples", "pears"}, 1},
		{"half", "Apples and pears.", []string{"apples"}, 0.5},
		{"no chunk", "Apples.", nil, 0},
		{"case", "BERLIN", []string{"berlin"}, 1},
		{"Chinese", "员工有年假", []string{"所有员工都有年假。"}, 0.75},
		{"Chinese, nothing shared", "员工有年假", []string{"服务器端口"}, 0},
		{"Chinese and a number", "共30天", []string{"30天"}, 0.75},
		{"umlauts", "Größe", []string{"die größe"}, 1},
		{"nothing to check", "…", []string{"x"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cite.Supported(tt.sentence, tt.chunks); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("Supported(%q, %q) = %v, want %v", tt.sentence, tt.chunks, got, tt.want)
			}
		})
	}
}

type statement struct {
	Text    string
	Numbers []int
}

func statements(answer string) []statement {
	var got []statement
	for text, numbers := range cite.Sentences(answer, func(n int) bool { return n <= 5 }) {
		got = append(got, statement{text, numbers})
	}
	return got
}

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     []statement
	}{
		{"one", "Leave is 30 days [1].", []statement{{"Leave is 30 days.", []int{1}}}},
		{"two", "One [1]. Two [2, 3].", []statement{{"One.", []int{1}}, {"Two.", []int{2, 3}}}},
		{"after the full stop", "One. [1] Two.[2]", []statement{{"One.", []int{1}}, {"Two.", []int{2}}}},
		{"between", "One [1] and more [2]. Two.", []statement{{"One and more.", []int{1, 2}}, {"Two.", nil}}},
		{"repeats", "One [1][2] and [1].", []statement{{"One and.", []int{1, 2}}}},
		{"links", "One [[1]](http://a)[[2]](http://b). Two [3].", []statement{{"One.", []int{1, 2}}, {"Two.", []int{3}}}},
		{"items", "Facts:\n- one [1]\n- [2] two\n1. three [3]", []statement{{"Facts:", nil}, {"one", []int{1}}, {"two", []int{2}}, {"1. three", []int{3}}}},
		{"beginning of the next line", "One.\n[1] Two.", []statement{{"One.", nil}, {"Two.", []int{1}}}},
		{"soft line break", "One goes\non [1].", []statement{{"One goes on.", []int{1}}}},
		{"abbreviations", "See e.g. Dr. A. Smith, No. 5 vs. X, i.e. it [1]. Two", []statement{{"See e.g. Dr. A. Smith, No. 5 vs. X, i.e. it.", []int{1}}, {"Two", nil}}},
		{"decimals", "It is 3.5 [1]", []statement{{"It is 3.5", []int{1}}}},
		{"Chinese", "一。【1】二【2】。三", []statement{{"一。", []int{1}}, {"二。", []int{2}}, {"三", nil}}},
		{"questions", "Why? So [1]! \"Yes.\" No", []statement{{"Why?", nil}, {"So!", []int{1}}, {"\"Yes.\"", nil}, {"No", nil}}},
		{"code", "`a[1]` is [2].", []statement{{"`a[1]` is.", []int{2}}}},
		{"unknown", "In [2020] it was [9].", []statement{{"In [2020] it was [9].", nil}}},
		{"only a citation", "[1]", nil},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, statements(tt.in)); diff != "" {
				t.Errorf("Sentences(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestSentencesStopsEarly(t *testing.T) {
	t.Parallel()
	for range cite.Sentences("One [1]. Two [2].", func(int) bool { return true }) {
		break
	}
}

func FuzzSentences(f *testing.F) {
	for _, seed := range []string{"One [1]. Two [2, 3].", "- a [1]\n- b. [2] c", "一。【1】二", "x\xff. [1]", "e.g. [1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		known := func(n int) bool { return n < 50 }
		for text, numbers := range cite.Sentences(answer, known) {
			if strings.TrimSpace(text) == "" || slices.ContainsFunc(numbers, func(n int) bool { return !known(n) }) {
				t.Errorf("Sentences(%q) yields %q, %v", answer, text, numbers)
			}
			if score := cite.Supported(text, []string{answer}); score < 0 || score > 1 {
				t.Errorf("Supported(%q) = %v", text, score)
			}
		}
	})
}
