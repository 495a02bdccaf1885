package config_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/google/go-cmp/cmp"
)

const priced = `
agents:
  careful: {model: big-model}
prices:
  currency: EUR
  models:
    gpt-4.1-mini: {input: 0.40, cached_input: 0.1, output: 1.60}
    local: {input: 0, output: 0}
    text-embedding-3-small: {embedding: 0.02}
filters:
  questions: {words: [layoffs, Project Bluebird], say: Ask HR.}
  answers: {patterns: ['\b\d{3}-\d{2}-\d{4}\b'], action: stop}
`

func TestPricesAndFilters(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("footnote.yaml", []byte(priced))
	if err != nil {
		t.Fatal(err)
	}
	want := spend.Prices{Currency: "EUR", Models: map[string]spend.Price{
		"gpt-4.1-mini": {Input: spend.Unit * 4 / 10, Cached: spend.Unit / 10, Output: spend.Unit * 16 / 10}, "local": {}, "text-embedding-3-small": {Embedding: spend.Unit / 50},
	}}
	if diff := cmp.Diff(want, f.Prices); diff != "" {
		t.Errorf("prices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(config.FilterRule{Words: []string{"layoffs", "Project Bluebird"}, Say: "Ask HR."}, f.Questions); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(config.FilterRule{Patterns: []string{`\b\d{3}-\d{2}-\d{4}\b`}, Action: filter.Stop}, f.Answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestFaultsOfPricesAndFiltersHaveTheirLine(t *testing.T) {
	t.Parallel()
	_, err := config.ParseFile("footnote.yaml", []byte(`prices:
  currency: dollars
  models:
    a: {input: cheap, output: 1}
    b: {input: 1}
    c: {embedding: 1, input: 1}
    d: {input: -1, output: 1.0000000001}
filters:
  questions:
    words: ["**", fine]
  answers:
    patterns:
      - '('
      - 'a*'
    action: censor
`))
	if err == nil {
		t.Fatal("no fault was found")
	}
	for _, want := range []string{
		`:2: prices.currency holds "dollars": write its three letters`, `:4: prices.models.a.input holds "cheap": write what a million tokens cost`,
		`:5: prices.models.b: write input: and output:`, `:6: prices.models.c: write input: and output:`, `:7: prices.models.d.input holds "-1"`,
		`:7: prices.models.d.output holds "1.0000000001"`, `:10: filters.questions.words[1]: "**" holds nothing that can be found`,
		`:13: filters.answers.patterns[1]: "(" is not a regular expression: missing closing )`, `:14: filters.answers.patterns[2]: "a*" matches the empty text`,
		`:15: filters.answers.action holds "censor": write redact or stop`,
	} {
		if !strings.Contains(err.Error(), "footnote.yaml"+want) {
			t.Errorf("%q is missing in\n%v", want, err)
		}
	}
}

func TestModelsWithoutAPriceAreRefusedUnderACap(t *testing.T) {
	t.Parallel()
	f, err := config.ParseFile("footnote.yaml", []byte(priced))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		env  map[string]string
		more []string
		want []string
	}{
		"no cap":      {env: map[string]string{"OPENAI_API_KEY": "k", "LLM_MODEL": "x"}},
		"no endpoint": {env: map[string]string{"COST_CAP_DAILY": "5", "LLM_MODEL": "x"}},
		"all priced": {env: map[string]string{"COST_CAP_MONTHLY": "5", "OPENAI_API_KEY": "k", "EMBEDDING_MODEL": "text-embedding-3-small"},
			want: []string{"big-model of agents.careful"}},
		"none": {env: map[string]string{"COST_CAP_TENANT_DAILY": "0.5", "OPENAI_API_KEY": "k", "LLM_MODEL": "x", "FAST_LLM_MODEL": "y", "FALLBACK_LLM_MODEL": "x",
			"EMBEDDING_MODEL": "e", "EMBEDDING_DIMENSIONS": "3"}, more: []string{"z", "local"},
			want: []string{"x of LLM_MODEL", "y of FAST_LLM_MODEL", "big-model of agents.careful", "e of EMBEDDING_MODEL", "z of --model"}},
	} {
		c, err := config.Load(func(key string) string { return tt.env[key] })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err = c.CheckPrices(f, tt.more...)
		if (err == nil) != (tt.want == nil) || err != nil && strings.Count(err.Error(), "\n")+1 != len(tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), "no price for the model "+want+":") {
				t.Errorf("%s: %q is not named: %v", name, want, err)
			}
		}
	}
	if _, err := config.Load(func(key string) string {
		return map[string]string{"COST_CAP_DAILY": "-1", "COST_CAP_MONTHLY": "0"}[key]
	}); err == nil ||
		!strings.Contains(err.Error(), `COST_CAP_DAILY: holds "-1", which is not an amount`) || !strings.Contains(err.Error(), `COST_CAP_MONTHLY: holds "0", which is not an amount above 0`) {
		t.Errorf("caps that are none: %v", err)
	}
}
