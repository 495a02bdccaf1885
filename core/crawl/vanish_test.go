package crawl_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/crawl"
)

func TestVanish(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	young, old := now.Add(time.Second-crawl.Grace), now.Add(-crawl.Grace)
	for name, tt := range map[string]struct {
		list  crawl.List
		fate  crawl.Fate
		since time.Time
	}{
		"nothing is missing":               {crawl.List{Stored: 90}, crawl.Remove, time.Time{}},
		"all of few":                       {crawl.List{Stored: 19, Missing: 19}, crawl.Remove, time.Time{}},
		"a third of many":                  {crawl.List{Stored: 90, Missing: 30}, crawl.Remove, time.Time{}},
		"more than a third":                {crawl.List{Stored: 89, Missing: 30}, crawl.Hide, now},
		"twenty of fifty-nine":             {crawl.List{Stored: 59, Missing: 20}, crawl.Hide, now},
		"nineteen of thirty":               {crawl.List{Stored: 30, Missing: 19}, crawl.Remove, time.Time{}},
		"more than a third, for days":      {crawl.List{Stored: 90, Missing: 40, Since: young}, crawl.Hide, young},
		"more than a third, for a week":    {crawl.List{Stored: 90, Missing: 40, Since: old}, crawl.Remove, time.Time{}},
		"most of them are back":            {crawl.List{Stored: 90, Missing: 5, Since: young}, crawl.Remove, time.Time{}},
		"an incomplete list":               {crawl.List{Stored: 90, Missing: 90, Partial: true}, crawl.Keep, time.Time{}},
		"an incomplete list, while hidden": {crawl.List{Stored: 90, Missing: 90, Partial: true, Since: old}, crawl.Keep, old},
		"a scope is lost":                  {crawl.List{Lost: true}, crawl.Hide, now},
		"a scope is lost for days":         {crawl.List{Lost: true, Since: young}, crawl.Hide, young},
		"a scope is lost for a week":       {crawl.List{Lost: true, Since: old}, crawl.Remove, time.Time{}},
	} {
		if got := crawl.Vanish(tt.list, now); got.Fate != tt.fate || !got.Since.Equal(tt.since) {
			t.Errorf("%s: %+v, want %v since %v", name, got, tt.fate, tt.since)
		}
	}
}

func TestVerdictsOfFates(t *testing.T) {
	t.Parallel()
	if v := crawl.Keep.Verdict(); v.Gone || v.ACL != nil {
		t.Errorf("Keep is %+v", v)
	}
	if v := crawl.Hide.Verdict(); v.Gone || v.ACL == nil || len(v.ACL) > 0 {
		t.Errorf("Hide is %+v", v)
	}
	if v := crawl.Remove.Verdict(); !v.Gone {
		t.Errorf("Remove is %+v", v)
	}
}

func TestNoticesSayWhatToDo(t *testing.T) {
	t.Parallel()
	l := crawl.List{Name: "ENG", Stored: 60, Missing: 40}
	n := crawl.Vanish(l, time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)).Shrunk(l, "give the account back its right to see them")
	if want := "40 of 60 documents are not listed any more. They are hidden from everyone now and will be removed after 2026-11-27 09:00 UTC. " +
		"If they still exist, give the account back its right to see them."; n.Name != "ENG" || n.Sentence != want {
		t.Errorf("the notice is %+v", n)
	}
	if n := crawl.Incomplete("ENG", errors.New("a cursor was repeated")); n.Name != "ENG" || !strings.Contains(n.Sentence, "(a cursor was repeated). Nothing is removed") {
		t.Errorf("the notice is %+v", n)
	}
}
