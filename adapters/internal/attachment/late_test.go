package attachment_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/footnotehq/footnote/adapters/internal/attachment"
	"github.com/footnotehq/footnote/core/footprint"
)

const (
	tooSlow = "too long to download"
	tooLate = "other files took so long"
	busy    = "Too many files are being read at the moment"
)

func same(h attachment.Head) attachment.Head { return h }

// platform returns a download that gets the contents of files by their names. The download of a file
// without content is interrupted when its time ends.
func platform(contents map[string]string) attachment.Download[attachment.Head] {
	return func(ctx context.Context, h attachment.Head, into *attachment.Buffer) (attachment.Head, string) {
		content, ok := contents[h.Name]
		if !ok {
			<-ctx.Done()
			return h, "The platform did not hand it out."
		}
		if _, err := into.Write([]byte(content)); err != nil {
			return h, "It has no room."
		}
		return h, ""
	}
}

func heads(names ...string) (list []attachment.Head) {
	for _, name := range names {
		list = append(list, attachment.Head{Name: name, Size: 100})
	}
	return list
}

// check fetches the files of a message. want are parts of their sentences, in order. An empty one
// means that the file must be read.
func check(t *testing.T, list []attachment.Head, download attachment.Download[attachment.Head], want ...string) {
	t.Helper()
	for i, f := range attachment.Fetch(t.Context(), list, attachment.RoomFor(0), same, download) {
		if !strings.Contains(f.Failed, want[i]) || (f.Failed == "") != (want[i] == "") {
			t.Errorf("%s: %q, want %q", f.Name, f.Failed, want[i])
		}
	}
}

// TestFilesBehindSlowDownload attaches a file that never arrives. Only that file is slow. Of those
// behind it some arrived, and some were never begun. Pictures need no more time.
func TestFilesBehindSlowDownload(t *testing.T) {
	shot := string(picture(t, 3, 2))
	synctest.Test(t, func(t *testing.T) {
		list := heads("0.txt", "slow.txt", "2.txt", "3.png", "4.html", "5.pdf", "6.txt")
		check(t, list, platform(map[string]string{"0.txt": "text", "2.txt": "text", "3.png": shot, "4.html": "<!doctype html><p>text", "5.pdf": smallPDF, "6.txt": "text"}),
			"", tooSlow, tooLate, "", tooLate, tooLate, tooLate)
	})
}

// TestDownloadThatBeganLate interrupts a download that had to wait until four others had ended.
func TestDownloadThatBeganLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		check(t, heads("a.txt", "b.txt", "c.txt", "d.txt", "e.txt"), platform(nil), tooSlow, tooSlow, tooSlow, tooSlow, tooLate)
	})
}

// TestFilesWaitForReadersOfOthers has other messages hold all memory of readers. The first file
// waits for those, and the others wait for the first.
func TestFilesWaitForReadersOfOthers(t *testing.T) {
	sheet, err := os.ReadFile("../office/testdata/budget.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{"a.txt": "text", "a.html": "<!doctype html><p>text", "a.pdf": smallPDF, "a.xlsx": string(sheet)}
	for name := range contents {
		synctest.Test(t, func(t *testing.T) {
			_, release, err := footprint.Acquire(t.Context(), 1<<40)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			check(t, heads(name, "a.txt"), platform(contents), busy, tooLate)
		})
	}
}

// TestFilesWaitForDownloadsOfOthers has another message hold all memory of files in flight.
func TestFilesWaitForDownloadsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var others []attachment.Head
		for i := range 4 {
			others = append(others, attachment.Head{Name: fmt.Sprintf("%d.txt", i)})
		}
		end, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			attachment.Fetch(t.Context(), others, attachment.RoomFor(0), same, func(_ context.Context, h attachment.Head, _ *attachment.Buffer) (attachment.Head, string) {
				<-end
				return h, "It was not handed out."
			})
		}()
		synctest.Wait()
		check(t, heads("a.txt", "b.txt"), platform(map[string]string{"a.txt": "text", "b.txt": "text"}), busy, tooLate)
		close(end)
		<-ended
	})
}

// TestKeptFilesBehindSlowDownload downloads files one by one until the time of the message ends.
func TestKeptFilesBehindSlowDownload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		want := []string{"", tooSlow, tooLate}
		i := 0
		for a := range attachment.Each(ctx, heads("a.txt", "slow.txt", "c.txt"), attachment.MaxBytes, same, platform(map[string]string{"a.txt": "text", "c.txt": "text"})) {
			if !strings.Contains(a.Failed, want[i]) || (a.Failed == "") != (want[i] == "") {
				t.Errorf("%s: %q, want %q", a.Name, a.Failed, want[i])
			}
			if i++; i == 2 {
				cancel()
			}
		}
	})
}
