package sources_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// options draws the options of a source. Each field is often empty.
func options(t *rapid.T, name string) sources.Options {
	texts := func(what string) []string {
		return rapid.SampledFrom([][]string{nil, {"*.md"}, {"a", "b"}}).Draw(t, name+" "+what)
	}
	return sources.Options{
		ACL:     rapid.SampledFrom([]access.ACL{nil, {access.Members}, {access.Public}, {"group:staff", "group:hr"}}).Draw(t, name+" acl"),
		BaseURL: rapid.SampledFrom([]string{"", "https://docs.example.org"}).Draw(t, name+" base"), Include: texts("include"), Exclude: texts("exclude"),
		Commits: rapid.Bool().Draw(t, name+" commits"), Every: rapid.SampledFrom([]time.Duration{0, time.Hour, 6 * time.Hour}).Draw(t, name+" every"),
		Declared: rapid.SampledFrom([]string{"", "docs"}).Draw(t, name+" declared"), System: rapid.Bool().Draw(t, name+" system"),
	}
}

func memory(t *rapid.T, name string) sources.Memory {
	return sources.Memory{Options: options(t, name), ApprovedBy: rapid.IntRange(-1, 2).Draw(t, name+" approved by")}
}

// What a run leaves out is as the last time, so that a forgotten flag lets no more people read.
// What it says counts. The second run with the same words changes nothing.
func TestOptionsAreAsTheLastTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given, last := options(t, "given"), memory(t, "last")
		now, filled, err := sources.Remember("docs", given, last)
		if err != nil {
			if last.ApprovedBy >= 0 {
				t.Fatalf("approved options are refused: %v", err)
			}
			return
		}
		if len(given.ACL) > 0 && !cmp.Equal(now.ACL, given.ACL) {
			t.Fatalf("readers %v were given, and %v are used", given.ACL, now.ACL)
		}
		if !given.System && len(given.ACL) == 0 && len(last.ACL) > 0 && !cmp.Equal(now.ACL, last.ACL) {
			t.Fatalf("no readers were given, and %v are used instead of %v", now.ACL, last.ACL)
		}
		if given.Every > 0 && now.Every != given.Every || given.Declared != "" && now.Every != given.Every {
			t.Fatalf("the interval %s became %s", given.Every, now.Every)
		}
		if last.ApprovedBy < 0 && !cmp.Equal(now, given) && !(given.Every == 0 && given.Declared == "" && last.Every == 0) {
			t.Fatalf("options that are not approved are used: %+v became %+v", given, now)
		}
		again, refilled, err := sources.Remember("docs", given, sources.Memory{Options: now})
		if err != nil || !cmp.Equal(again, now) || !cmp.Equal(refilled, filled) {
			t.Fatalf("the next run with the same words reads with %+v, and the first one with %+v (%v)", again, now, err)
		}
	})
}

func TestFilledOptionsAreNamed(t *testing.T) {
	t.Parallel()
	last := sources.Memory{Options: sources.Options{
		ACL: access.ACL{"group:staff", "group:hr"}, BaseURL: "https://docs.example.org", Include: []string{"*.md"}, Exclude: []string{"a", "b"}, Commits: true, Every: time.Hour,
	}}
	now, filled, err := sources.Remember("docs", sources.Options{}, last)
	want := []string{"--acl group:staff,group:hr", "--base-url https://docs.example.org", "--include *.md", "--exclude a b", "--commits"}
	if diff := cmp.Diff(want, filled); diff != "" || err != nil || now.Every != time.Hour {
		t.Errorf("%v, %+v (-want +got):\n%s", err, now, diff)
	}
	last.ApprovedBy = sources.Unapproved
	if _, _, err := sources.Remember("docs", sources.Options{}, last); err == nil || !strings.Contains(err.Error(), "for group:staff, group:hr") ||
		!strings.Contains(err.Error(), "footnote sources approve docs") {
		t.Errorf("options that are not approved: %v", err)
	}
}

// A run that is refused because its source is paused changes no options.
func TestPausedSourceKeepsItsOptions(t *testing.T) {
	t.Parallel()
	last := sources.Memory{Options: sources.Options{ACL: access.ACL{"group:staff"}, Every: time.Hour}, Paused: true}
	if now, filled, err := sources.Remember("docs", sources.Options{ACL: access.ACL{access.Public}}, last); !errors.Is(err, sources.ErrPaused) {
		t.Errorf("a run of a paused source has the options %+v, %v, %v", now, filled, err)
	}
}

// A row counts only if it is approved, or if footnote.yaml has the source. Nothing of a row that is
// not approved is used.
func TestOnlyApprovedRowsCount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		row, entry := memory(t, "row"), options(t, "entry")
		approved := row.ApprovedBy >= 0
		counts, refused := sources.Judge("docs", row, nil)
		if (refused == "") != approved || !cmp.Equal(counts, row.Options) {
			t.Fatalf("a row outside the file, approved by %d: %q", row.ApprovedBy, refused)
		}
		counts, refused = sources.Judge("docs", row, &entry)
		if approved && refused != "" {
			t.Fatalf("an approved row is refused: %s", refused)
		}
		if !approved && refused == "" && !cmp.Equal(counts, entry) {
			t.Fatalf("options of a row that is not approved are used: %+v became %+v", entry, counts)
		}
		if len(entry.ACL) > 0 && !cmp.Equal(counts.ACL, entry.ACL) || entry.Every > 0 && counts.Every != entry.Every {
			t.Fatalf("the file does not count: %+v became %+v", entry, counts)
		}
	})
}

func TestFateOf(t *testing.T) {
	t.Parallel()
	hourly, byHand := sources.Schedule{Every: time.Hour}, sources.Schedule{}
	refused := sources.Schedule{Every: time.Hour, Refused: "it is not approved"}
	approvedBy := func(key int, declared string) sources.Memory {
		return sources.Memory{Options: sources.Options{Declared: declared}, ApprovedBy: key}
	}
	for name, c := range map[string]struct {
		memory       sources.Memory
		schedule     sources.Schedule
		chat, inFile bool
		want         sources.Fate
	}{
		"in the file":                        {approvedBy(0, "docs"), hourly, false, true, sources.Keep},
		"never in the file":                  {approvedBy(0, ""), hourly, false, false, sources.Keep},
		"no longer in the file":              {approvedBy(0, "docs"), hourly, false, false, sources.Unschedule},
		"no longer in the file, older key":   {approvedBy(1, "docs"), hourly, false, false, sources.Unschedule},
		"unscheduled before":                 {approvedBy(0, "docs"), byHand, false, false, sources.Keep},
		"approved by an older key":           {approvedBy(1, "docs"), hourly, false, true, sources.Renew},
		"not approved":                       {approvedBy(sources.Unapproved, "docs"), refused, false, false, sources.Ignore},
		"a chat in the file":                 {approvedBy(0, "chat"), hourly, true, true, sources.Keep},
		"a chat no longer in the file":       {approvedBy(0, "chat"), hourly, true, false, sources.Remove},
		"a chat not approved, not in a file": {approvedBy(sources.Unapproved, "chat"), refused, true, false, sources.Remove},
	} {
		if got := sources.FateOf(c.memory, c.schedule, c.chat, c.inFile); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestApprovals(t *testing.T) {
	t.Parallel()
	first, err := sources.DeriveKey("first")
	second, fault := sources.DeriveKey("second")
	if err != nil || fault != nil {
		t.Fatal(err, fault)
	}
	text, err := sources.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	third, err := sources.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	keys := [][]byte{first, second, third}
	rapid.Check(t, func(t *rapid.T) {
		row, other := rapid.SliceOf(rapid.Byte()).Draw(t, "row"), rapid.SliceOf(rapid.Byte()).Draw(t, "other")
		by := rapid.IntRange(0, len(keys)-1).Draw(t, "by")
		approval := sources.Approve(keys[by], row)
		if got := sources.ApprovedBy(keys, row, approval); got != by {
			t.Fatalf("approved by %d, found %d", by, got)
		}
		if got := sources.ApprovedBy(keys, other, approval); got != sources.Unapproved && !cmp.Equal(row, other) {
			t.Fatalf("the approval of another row counts: %d", got)
		}
		if got := sources.ApprovedBy(keys[by+1:], row, approval); got != sources.Unapproved {
			t.Fatalf("the approval of a key that was taken away counts: %d", got)
		}
		for _, forged := range []string{"", "zz", approval[:10], approval + "00"} {
			if got := sources.ApprovedBy(keys, row, forged); got != sources.Unapproved {
				t.Fatalf("%q counts as an approval", forged)
			}
		}
	})
	for _, damaged := range []string{"", "zz", text[:20], strings.TrimSpace(text) + "00"} {
		if _, err := sources.ParseKey(damaged); err == nil {
			t.Errorf("%q is read as a key", damaged)
		}
	}
}
