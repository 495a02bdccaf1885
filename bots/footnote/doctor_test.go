package main_test

import (
	"strings"
	"testing"
)

// The doctor says how much memory the process keeps to, who said so, and whether what it remembers of the index leaves room for answers.
func TestDoctorTellsTheMemoryLimit(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for _, tt := range []struct {
		settings []string
		want     string
	}{
		{[]string{"GOMEMLIMIT=512MiB"}, "! memory: 512 MiB at most, as GOMEMLIMIT says; INDEX_MEMORY_BYTES takes up to 1.0 GiB of it: set it to half of the limit, or give more\n"},
		{[]string{"GOMEMLIMIT=512MiB", "INDEX_MEMORY_BYTES=268435456"}, "✓ memory: 512 MiB at most, as GOMEMLIMIT says\n"},
		{[]string{"INDEX_MEMORY_BYTES=1048576"}, " % of the "}, // of the container or of the machine that this runs on
	} {
		if r := p.with(tt.settings...).run(t, "doctor"); !strings.Contains(r.stdout, tt.want) {
			t.Errorf("with %v the doctor says:\n%s", tt.settings, r.stdout)
		}
	}
}
