package sourcepass_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// directory has groups by id, some of which cannot be read.
type directory struct {
	in     map[string][]string
	faults map[string]error
	asked  []string
}

var errSource = errors.New("it is about the source")

func (d *directory) read(_ context.Context, id string) (all []index.Person, err error) {
	d.asked = append(d.asked, id)
	for _, m := range d.in[id] {
		all = append(all, index.Person{ID: m, Name: "The " + m})
	}
	return all, d.faults[id]
}

// run takes so many batches.
func (d *directory) run(t *testing.T, since index.Checkpoint, list []sourcepass.Listed, most int) (taken []index.GroupBatch, err error) {
	t.Helper()
	for batch, e := range sourcepass.Batches(t.Context(), func(emit func(index.GroupBatch) error) error {
		g := sourcepass.Groups{
			Emit: emit, Read: d.read, Principal: func(id string) access.Principal { return access.SourceGroup("s", "group", id) },
			Final: func(_ context.Context, err error) bool { return errors.Is(err, errSource) },
		}
		return g.Run(t.Context(), since, list, index.GroupBatch{People: []index.Person{{ID: "first"}}})
	}) {
		if err = e; err == nil {
			taken = append(taken, batch)
		}
		if len(taken) == most {
			break
		}
	}
	return taken, err
}

func TestGroupsGoOnWhereTheyWere(t *testing.T) {
	t.Parallel()
	d := &directory{in: map[string][]string{"a": {"ada", "first"}, "c": {"ada", "bob"}}, faults: map[string]error{"b": errors.New("a fault")}}
	for n := range 3000 {
		d.in["d"] = append(d.in["d"], fmt.Sprint(n))
	}
	list := sourcepass.List([]string{"e", "c", "a", "", "b", "d", "c"}, func(id string) sourcepass.Listed { return sourcepass.Listed{ID: id, Name: "group " + id} })
	taken, err := d.run(t, nil, list, 1)
	if err != nil || taken[0].Complete || len(taken[0].Groups) != 3 || len(taken[0].People) != 3003 || !slices.Equal(taken[0].Unread, []access.Principal{access.SourceGroup("s", "group", "b")}) {
		t.Fatalf("the first batch holds %d groups, %d people, %v unread (%v)", len(taken[0].Groups), len(taken[0].People), taken[0].Unread, err)
	}
	if got := taken[0].Groups[1]; got.Name != "group c" || !slices.Equal(got.Members, []string{"ada", "bob"}) {
		t.Errorf("a group is %+v", got)
	}
	rest, err := d.run(t, taken[0].Next, list, 9)
	if err != nil || len(rest) != 1 || !rest[0].Complete || len(rest[0].Groups) != 1 || rest[0].Groups[0].Name != "group e" || !slices.Equal(d.asked, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("the rest is %+v, %v; asked for are %v", rest, err, d.asked)
	}
	if again, err := d.run(t, rest[0].Next, list, 9); err != nil || len(again) != 2 {
		t.Errorf("the next pass is %d batches, %v", len(again), err)
	}
}

func TestGroupsThatCannotBeReadEndTheLoop(t *testing.T) {
	t.Parallel()
	d := &directory{in: map[string][]string{}, faults: map[string]error{"a": errSource}}
	var list []sourcepass.Listed
	for n := range 9 {
		list = append(list, sourcepass.Listed{ID: fmt.Sprint(n)})
		d.faults[fmt.Sprint(n)] = errors.New("a fault")
	}
	if taken, err := d.run(t, nil, list, 9); err == nil || len(taken) > 0 || len(d.asked) > 5 {
		t.Errorf("%d were asked for, %v: %v", len(d.asked), taken, err)
	}
	if _, err := d.run(t, nil, []sourcepass.Listed{{ID: "a"}, {ID: "b"}}, 9); !errors.Is(err, errSource) {
		t.Errorf("a fault of the source ends it with %v", err)
	}
}
