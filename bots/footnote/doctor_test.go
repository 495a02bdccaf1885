package main_test

import (
	"regexp"
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

// The doctor names the address where nothing listens, and the setting that holds it.
func TestDoctorNamesAddressesWhereNothingListens(t *testing.T) {
	t.Parallel()
	const address = "127.0.0.1:9"
	p := newProgram(t, "OPENAI_BASE_URL=http://"+address+"/v1", "EMBEDDING_MODEL=text-embedding-3-small",
		"EMBEDDING_BASE_URL=http://"+address+"/v1", "RERANK_URL=http://"+address)
	r := p.try(t, "", "doctor")
	for part, setting := range map[string]string{"embedder": "EMBEDDING_BASE_URL", "reranker": "RERANK_URL", "model": "OPENAI_BASE_URL"} {
		pattern := regexp.MustCompile(`(?m)^✗ ` + part + `: .*nothing listens at ` + address + `; start the \w+ there, or correct ` + setting + `$`)
		if !pattern.MatchString(r.stdout) {
			t.Errorf("the doctor says of the %s:\n%s", part, r.stdout)
		}
	}
	if strings.Contains(r.stdout, "deadline") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
}
