package attachment_test

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/core/message"
)

func TestFetchReadsSoManyFilesInTheirOrder(t *testing.T) {
	t.Parallel()
	head := func(n int) attachment.Head {
		return attachment.Head{ID: fmt.Sprint(n), Name: fmt.Sprintf("%d.txt", n), Media: "text/plain"}
	}
	var reads atomic.Int32
	list := make([]int, attachment.MaxFiles+3)
	for i := range list {
		list[i] = i
	}
	got := attachment.Fetch(t.Context(), list, attachment.RoomFor(0), head, func(ctx context.Context, n int, into *attachment.Buffer) (attachment.Head, string) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a file may take for ever")
		}
		reads.Add(1)
		if _, err := io.WriteString(into, "read"); err != nil {
			t.Error(err)
		}
		return head(n), ""
	})
	if n := reads.Load(); n != attachment.MaxFiles {
		t.Errorf("%d files were read", n)
	}
	for i, f := range got {
		if f.ID != message.FileID(fmt.Sprint(i)) || f.Name != head(i).Name || (f.Text == "read") != (i < attachment.MaxFiles) {
			t.Errorf("file %d is %+v", i, f)
		}
	}
	if none := attachment.Fetch(t.Context(), nil, attachment.RoomFor(0), head, nil); none != nil {
		t.Errorf("no files are %v", none)
	}
}
