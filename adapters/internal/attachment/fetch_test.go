package attachment_test

import (
	"context"
	"fmt"
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
	got := attachment.Fetch(t.Context(), list, head, func(ctx context.Context, n int) message.File {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a file may take for ever")
		}
		reads.Add(1)
		return message.File{Name: head(n).Name, Text: "read"}
	})
	if n := reads.Load(); n != attachment.MaxFiles {
		t.Errorf("%d files were read", n)
	}
	for i, f := range got {
		if f.ID != message.FileID(fmt.Sprint(i)) || f.Name != head(i).Name || (f.Text == "read") != (i < attachment.MaxFiles) {
			t.Errorf("file %d is %+v", i, f)
		}
	}
	if none := attachment.Fetch(t.Context(), nil, head, nil); none != nil {
		t.Errorf("no files are %v", none)
	}
}
