package attachment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
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

// TestDownloadEndsWhereItIsTooLarge sends files that are larger than was announced, with or without
// a size.
func TestDownloadEndsWhereItIsTooLarge(t *testing.T) {
	t.Parallel()
	for _, h := range []attachment.Head{{Media: "text/plain"}, {Media: "image/png"}, {Media: "text/plain", Size: 10}, {Media: "text/plain", Size: 1 << 40}} {
		head := func(attachment.Head) attachment.Head { return h }
		attachment.Fetch(t.Context(), []attachment.Head{h}, attachment.RoomFor(0), head, func(_ context.Context, h attachment.Head, into *attachment.Buffer) (attachment.Head, string) {
			if most := into.Most(); most > attachment.Limit(h.Media) || h.Size == 10 && most > 100<<10 {
				t.Errorf("%+v may have %d bytes", h, most)
			}
			block := make([]byte, into.Most())
			if n, err := into.Write(block); n != len(block) || err != nil {
				t.Errorf("%+v: %d, %v", h, n, err)
			}
			if n, err := into.Write([]byte("!")); n != 0 || !errors.Is(err, attachment.ErrTooLarge) || len(into.Bytes()) != len(block) {
				t.Errorf("%+v: one byte more is %d, %v", h, n, err)
			}
			return h, "It is too large."
		})
	}
}

// TestFilesOfAMessageShareItsRoom cuts the file that has more text than is left, and refuses those
// after it.
func TestFilesOfAMessageShareItsRoom(t *testing.T) {
	t.Parallel()
	room := attachment.RoomFor(100) // 800 bytes
	list := []attachment.Head{{Name: "a.txt"}, {Name: "b.txt"}, {Name: "c.txt"}, {Name: "d.html"}}
	got := attachment.Fetch(t.Context(), list, room, func(h attachment.Head) attachment.Head { return h },
		func(_ context.Context, h attachment.Head, into *attachment.Buffer) (attachment.Head, string) {
			if _, err := io.WriteString(into, strings.Repeat("text of "+h.Name+" ", 500/15)); err != nil {
				t.Error(err)
			}
			return h, ""
		})
	if got[0].IsCut() || got[0].Failed != "" || len(got[0].Text) != 33*14 {
		t.Errorf("the first file is %+v", got[0])
	}
	if !got[1].IsCut() || got[1].Failed != "" || !strings.HasPrefix(got[1].Text, "text of b.txt ") || len(got[0].Text)+len(got[1].Text) > 800+100 {
		t.Errorf("the second file is %+v", got[1])
	}
	for _, f := range got[2:] {
		if f.Text != "" || !strings.Contains(f.Failed, "The files before it") {
			t.Errorf("a file after them is %+v", f)
		}
	}
}

// TestPicturesOfAMessageHaveALimit takes pictures up to the limit of the message.
func TestPicturesOfAMessageHaveALimit(t *testing.T) {
	t.Parallel()
	raw := append(picture(t, 10, 10), make([]byte, 2<<20)...)
	room := attachment.RoomFor(0)
	for i := range 4 {
		f := attachment.Read(t.Context(), "a.png", "image/png", raw, &room)
		if taken := f.Image != nil; taken != (i < 2) || taken != (f.Failed == "") {
			t.Errorf("picture %d: %d bytes, %q", i, len(f.Image), f.Failed)
		}
	}
}
