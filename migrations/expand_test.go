package migrations_test

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/migrations"
)

// floored is the first migration after which older binaries go on working: it made the number that
// says how old they may be.
const floored = 19

// contracts are statements that take something away from binaries that are older than the
// migration, or refuse what they write.
var contracts = regexp.MustCompile(`(?i)\b(drop\s+(table|column|view|function|type|schema|sequence)|rename\s+(to|column|constraint)|alter\s+column\s+\w+\s+(type|set\s+(not\s+null|data))|set\s+schema|truncate)\b`)

// demands are columns and constraints that rows of older binaries do not satisfy. A column that has
// a default, or may be null, is none.
var demands = regexp.MustCompile(`(?is)add\s+column\s+[^,;]*?\bnot\s+null\b[^,;]*`)

// Binaries of the minor version before go on working while and after a newer one migrates. A
// migration that takes away what they use says so by raising the number in schema_floor, which
// makes them end with a sentence instead of failing in the middle.
func TestMigrationsExpandOrRaiseTheFloor(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		number, err := strconv.Atoi(name[:5])
		if err != nil {
			t.Fatalf("%s begins with no number of five digits", name)
		}
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if number > floored {
			check(t, name, string(text))
		}
	}
}

// check reports what a migration demands without saying so.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, name, text string,
) {
	t.Helper()
	up, _, _ := strings.Cut(text, "-- +goose Down")
	up = regexp.MustCompile(`--[^\n]*`).ReplaceAllString(up, "")
	if regexp.MustCompile(`(?i)update\s+schema_floor\s+set\s+version`).MatchString(up) {
		return
	}
	if found := contracts.FindString(up); found != "" {
		t.Errorf("%s: %q takes away what older binaries use; raise schema_floor, or wait for the next minor version (deploy/upgrades.md)", name, found)
	}
	for _, found := range demands.FindAllString(up, -1) {
		if !regexp.MustCompile(`(?i)\bdefault\b|\bgenerated\b`).MatchString(found) {
			t.Errorf("%s: %q refuses the rows of older binaries; give it a default", name, found)
		}
	}
}

// complaints counts what check finds.
type complaints int

func (c *complaints) Helper()               {}
func (c *complaints) Errorf(string, ...any) { *c++ }

func TestCheckSeesWhatOlderBinariesCannotBear(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, up string
		want     int
	}{
		{"a table", "create table more (id int primary key);", 0},
		{"a column", "alter table turn add column more text not null default '', add column most int;", 0},
		{"a column without a default", "alter table turn add column more text not null;", 1},
		{"a column less", "alter table turn drop column agent;", 1},
		{"a table less", "DROP TABLE verdict;", 1},
		{"another name", "alter table turn rename column agent to persona;", 1},
		{"another type", "alter table turn alter column agent type int using 1;", 1},
		{"stricter", "alter table turn alter column started_at set not null;", 1},
		{"said in a comment", "-- drop table turn\nselect 1;", 0},
		{"said so", "alter table turn drop column agent; update schema_floor set version = 30;", 0},
	} {
		var found complaints
		check(&found, tt.name, "-- +goose Up\n"+tt.up+"\n-- +goose Down\ndrop table turn;")
		if int(found) != tt.want {
			t.Errorf("%s: %d complaints, want %d", tt.name, found, tt.want)
		}
	}
}
