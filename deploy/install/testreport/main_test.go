package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		in             []string
		passed, failed int
		prints, hides  string
	}{
		{
			name: "a passing package is one line",
			in: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}`,
				`{"Action":"pass","Package":"p","Elapsed":0.5}`,
			},
			passed: 1, prints: "ok    p (1 tests, 0.5 s)", hides: "chatter",
		},
		{
			name: "a failing test shows what it wrote",
			in: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"got 1, want 2\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestA"}`,
				`{"Action":"fail","Package":"p","Elapsed":0.5}`,
			},
			failed: 1, prints: "--- p TestA\ngot 1, want 2\nFAIL  p (1 failed, 0.5 s)",
		},
		{
			name: "a package that does not build counts once",
			in: []string{
				`{"Action":"build-output","ImportPath":"p","Output":"syntax error\n"}`,
				`{"Action":"build-fail","ImportPath":"p"}`,
				`{"Action":"output","Package":"p","Output":"FAIL p [build failed]\n"}`,
				`{"Action":"fail","Package":"p","FailedBuild":"p"}`,
			},
			failed: 1, prints: "syntax error\nFAIL p [build failed]\n",
		},
		{
			name: "a panic shows the test that was running",
			in: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: no\n"}`,
				`{"Action":"fail","Package":"p"}`,
			},
			failed: 1, prints: "--- p TestA (did not end)\npanic: no\n",
		},
		{name: "lines that are no events are kept", in: []string{`go: no such module`}, prints: "go: no such module"},
		{name: "nothing at all"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			passed, failed, err := report(strings.NewReader(strings.Join(test.in, "\n")), &out)
			if err != nil {
				t.Fatal(err)
			}
			if passed != test.passed || failed != test.failed {
				t.Errorf("%d passed, %d failed; want %d and %d", passed, failed, test.passed, test.failed)
			}
			if !strings.Contains(out.String(), test.prints) {
				t.Errorf("printed %q, which lacks %q", out.String(), test.prints)
			}
			if test.hides != "" && strings.Contains(out.String(), test.hides) {
				t.Errorf("printed %q, which was to hide %q", out.String(), test.hides)
			}
		})
	}
}
